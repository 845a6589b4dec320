import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultsOf, overflowOf } from './axe.ts'
import { hasChromium, sharedBrowser } from './browser.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const out = mkdtempSync(join(tmpdir(), 'avmkit-web-wallet-'))
const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

/** The entry points of the package, as an installation would resolve them. */
function aliases(): { find: RegExp; replacement: string }[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: { readonly [entry: string]: { readonly default: string } | string }
  }
  return Object.entries(exports).flatMap(([entry, target]) =>
    typeof target === 'string'
      ? []
      : [
          {
            find: new RegExp(`^avmkit${entry.slice(1)}$`),
            replacement: join(root, target.default),
          },
        ],
  )
}

describe.runIf(hasChromium('the web wallet'))('examples/web-wallet in Chromium', () => {
  let context: BrowserContext
  let page: Page
  const problems: string[] = []
  const FRIEND = 'X-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2'

  beforeAll(async () => {
    await build({
      root: join(root, 'examples/web-wallet'),
      logLevel: 'error',
      resolve: { alias: aliases() },
      build: { outDir: out, emptyOutDir: true, target: 'es2022' },
    })
    const browser = await sharedBrowser()
    context = await browser.newContext()
    context.setDefaultTimeout(20_000)
    // Any other request would fail: no server is there.
    await context.route('**', (route) => {
      const { pathname } = new URL(route.request().url())
      const path = join(out, pathname === '/' ? 'index.html' : pathname)
      return route.fulfill({ path, contentType: TYPES[extname(path)]! })
    })
    page = await open()
  })
  afterAll(async () => {
    await context.close()
    rmSync(out, { recursive: true, force: true })
  })

  async function open(): Promise<Page> {
    const tab = await context.newPage()
    tab.on('pageerror', (error) => problems.push(String(error)))
    await tab.goto('http://localhost/')
    return tab
  }
  const status = () => page.getByRole('status')
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const done = (what: string) => status().getByText(`${what}: done`).waitFor()
  const agree = () => press('Sign and send')
  const balance = async () => {
    const table = await page.locator('table').first().innerText()
    return /([\d.]+) AVAX/.exec(table)?.[1]
  }
  const fill = async (button: string, values: { readonly [name: string]: string }) => {
    const form = page.locator('form').filter({
      has: page.getByRole('button', { name: button, exact: true }),
    })
    for (const [label, value] of Object.entries(values)) await form.getByLabel(label).fill(value)
    await form.getByRole('button').click()
  }

  it('imports, pays with a preview, and pays a key once', async () => {
    await done('resume')
    await press('Receive 100 AVAX from the C-Chain')
    await done('receive')
    await press('Import')
    await agree()
    await done('import')
    expect(await balance()).toBe('99.999')

    await fill('Send', { to: FRIEND, amount: '1.5', 'payment key': 'rent' })
    expect(await page.locator('dialog pre').innerText()).toContain(`1.5    AVAX  to ${FRIEND}`)
    await press('Cancel')
    await status().getByText('NOT_CONFIRMED').waitFor()
    expect(await balance()).toBe('99.999')
    for (const preview of [true, false]) {
      await fill('Send', { to: FRIEND, amount: '1.5', 'payment key': 'rent' })
      if (preview) await agree()
      await done('send')
      expect(await balance()).toBe('98.498')
    }
    await fill('Send', { to: FRIEND, amount: 'much', 'payment key': 'rent' })
    await status().getByText('ENC_BAD_AMOUNT').waitFor()
    await fill('Send', { to: FRIEND, amount: '2', 'payment key': 'rent' })
    await status().getByText('KEY_CONFLICT').waitFor()
  })

  it('creates assets and NFTs, gives an NFT away and exports', async () => {
    await fill('Create asset', {})
    await agree()
    await done('create asset')
    await fill('Create NFT', { content: '<b>ace</b>' })
    await agree()
    await done('create NFT')
    const nft = page.getByRole('row').filter({ hasText: '<b>ace</b>' })
    const asset = await nft.getByRole('cell').first().innerText()
    await fill('Send NFT', { to: FRIEND, asset })
    await agree()
    await done('send NFT')
    expect(await nft.count()).toBe(0)
    await fill('Export to the P-Chain', { amount: '10' })
    await agree()
    await done('export')
    // 98.498 less four fees of 0.001, which this network charges for creations too, and 10.
    expect(await balance()).toBe('88.494')
    expect(await page.locator('table').first().innerText()).toContain('1000 units')
  })

  it('has no fault that axe finds and does not scroll sideways on a narrow screen', async () => {
    await page.setViewportSize({ width: 320, height: 800 })
    expect(await faultsOf(page)).toEqual([])
    expect(await overflowOf(page)).toBeLessThanOrEqual(0)
  })

  it('is as it was after a reload, and lets one tab use it', async () => {
    await page.reload()
    await done('resume')
    expect(await balance()).toBe('88.494')
    expect(await page.getByRole('row').filter({ hasText: 'rent' }).innerText()).toContain(
      'accepted',
    )
    const other = await open()
    await other.getByRole('status').getByText('STORE_IN_USE').waitFor()
    expect(problems).toEqual([])
    await other.close()
  })
})
