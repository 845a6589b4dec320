import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { build } from 'vite'
import { sharedBrowser } from './browser.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

/** The words of the wallets that tests restore; with test funds only. */
export const WORDS: string = `${'abandon '.repeat(11)}about`
export const PASSWORD = 'correct horse battery'
export const FRIEND = 'X-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2'

/** The entry points of the package, as an installation would resolve them. */
function aliases(): { find: RegExp; replacement: string }[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: { readonly [entry: string]: { readonly default: string } | string }
  }
  return Object.entries(exports).map(([entry, target]) => ({
    find: new RegExp(`^avmkit${entry.slice(1).replace('.', '\\.')}$`),
    replacement: join(root, typeof target === 'string' ? target : target.default),
  }))
}

let built: Promise<string> | undefined

/** Builds the wallet once for all files of this process. Returns the folder, which is left to the system. */
function buildWallet(): Promise<string> {
  built ??= (async () => {
    const outDir = mkdtempSync(join(tmpdir(), 'avmkit-web-wallet-'))
    const folder = join(root, 'examples/web-wallet')
    await build({
      root: folder,
      configFile: join(folder, 'vite.config.js'),
      logLevel: 'error',
      resolve: { alias: aliases() },
      build: {
        outDir,
        emptyOutDir: true,
        target: 'es2022',
        minify: false,
        reportCompressedSize: false,
      },
    })
    return outDir
  })()
  return built
}

/** What a person does with the wallet. */
export class WalletUser {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  /** Presses a button, in the dialog if one is open. */
  async press(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click()
  }

  async fill(values: { readonly [label: string]: string }): Promise<void> {
    for (const [label, value] of Object.entries(values))
      await this.page.getByLabel(label, { exact: true }).fill(value)
  }

  /** Opens a view by its link. */
  async open(name: string): Promise<void> {
    await this.page.getByRole('link', { name, exact: true }).click()
    await this.ready(name)
  }

  /** Waits until a view is shown completely. */
  async ready(name: string): Promise<void> {
    await this.page.getByRole('heading', { level: 2, name, exact: true }).waitFor()
    await this.page.locator('.view > :not([aria-busy])').waitFor()
  }

  async restore(words: string = WORDS): Promise<void> {
    await this.press('Restore')
    await this.fill({
      'Recovery phrase': words,
      Password: PASSWORD,
      'The same password again': PASSWORD,
    })
    await this.press('Restore')
    await this.ready('Account')
  }

  async unlock(): Promise<void> {
    await this.fill({ Password: PASSWORD })
    await this.press('Unlock')
  }

  async getFunds(): Promise<void> {
    await this.open('Account')
    await this.press('Get 100 test AVAX')
    await this.page.getByText('100 test AVAX received.').waitFor()
    await this.ready('Account')
  }

  /** The large amount of the view Account. */
  async balance(): Promise<string> {
    await this.open('Account')
    return (await this.page.locator('.total').innerText()).replaceAll('\u202f', '')
  }

  /** Fills in the form that sends, and opens the review. */
  async review(amount: string, to: string = FRIEND): Promise<void> {
    await this.open('Send')
    await this.fill({ Recipient: to, Amount: amount })
    await this.press('Review')
    await this.page.getByRole('dialog').waitFor()
  }

  async send(amount: string, to: string = FRIEND): Promise<void> {
    await this.review(amount, to)
    await this.press('Sign and send')
    await this.page.locator('.success').waitFor()
  }
}

/** A browser with nothing stored, in which only the built wallet can be loaded. */
export async function walletContext(options?: BrowserContextOptions): Promise<{
  readonly context: BrowserContext
  /** Uncaught errors, and what the policy of the page refused. */
  readonly problems: string[]
  readonly open: () => Promise<WalletUser>
}> {
  const [folder, browser] = await Promise.all([buildWallet(), sharedBrowser()])
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  context.setDefaultTimeout(30_000)
  const problems: string[] = []
  await context.route('**', (route) => {
    const { pathname } = new URL(route.request().url())
    const path = join(folder, pathname === '/' ? 'index.html' : pathname)
    return route.fulfill({ path, contentType: TYPES[extname(path)]! })
  })
  context.on('page', (page) => {
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
  })
  return {
    context,
    problems,
    open: async () => {
      const page = await context.newPage()
      await page.goto('http://localhost/')
      return new WalletUser(page)
    },
  }
}
