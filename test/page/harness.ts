import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { NOW } from '../core/sign/verdicts.ts'
import { sharedBrowser } from './browser.ts'

const script = fileURLToPath(new URL('../../scripts/page.js', import.meta.url))

/** Builds the page into a folder and returns what the script prints. */
export function buildPage(out: string, by: string = script): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [by, '--out', out], {
    encoding: 'utf8',
    cwd: out,
  })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

/** A folder with a fresh build of the page, removed after the tests of the file. */
export function builtPage(): { readonly folder: string; readonly file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-page-'))
  beforeAll(() => {
    buildPage(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return { folder, file: join(folder, 'avmkit.html') }
}

/** The page, open in Chromium for all tests of a file, and what its readers do with it. */
export type Harness = {
  readonly folder: string
  readonly url: string
  readonly browser: () => Browser
  readonly page: () => Page
  /** Another tab with the page. */
  readonly open: () => Promise<Page>
  /** Uncaught errors and messages on the console. Checked after each test. */
  readonly problems: string[]
  /** URLs of all requests. Checked after each test. */
  readonly requests: string[]
  readonly panel: (name: string) => Locator
  /** Opens a step or a tool. */
  readonly tab: (name: string) => Promise<void>
  readonly source: () => Locator
  /** Clicks a button. */
  readonly press: (name: string, inside?: Page | Locator) => Promise<void>
  /** Loads a text: the page opens the view for what it is. */
  readonly read: (text: string) => Promise<void>
  /** Enters a key in the step Key, which opens the step Sign if the key is a signer. */
  readonly useKey: (text: string) => Promise<void>
  /** Accepts every danger in the step Sign, and signs. */
  readonly acceptAndSign: () => Promise<void>
  /** The file that a button offers for saving. */
  readonly saved: (name: string, inside?: Page | Locator) => Promise<string>
}

/** The name of a button in the navigation, which says of a step that it is done. */
export function viewName(name: string): RegExp {
  return new RegExp(`^(done: )?${name}$`)
}

/** What a page has stored in the browser. Runs in the page. */
async function stored(): Promise<string[]> {
  const databases = await indexedDB.databases()
  const names = databases.map(({ name }) => name ?? '')
  return [
    ...Object.keys(localStorage),
    ...Object.keys(sessionStorage),
    ...names,
    document.cookie,
  ].filter((name) => name !== '')
}

/**
 * Opens the page before the tests of a `describe`. After each test, no error was left uncaught, no request was made and
 * nothing was stored.
 */
export function usePage(): Harness {
  const { folder, file } = builtPage()
  const url = pathToFileURL(file).href
  const problems: string[] = []
  const requests: string[] = []
  let browser: Browser
  let context: BrowserContext
  let page: Page

  beforeAll(async () => {
    browser = await sharedBrowser()
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    context.setDefaultTimeout(60_000)
    context.on('request', (request) => requests.push(request.url()))
    context.on('page', (next) => next.on('websocket', (socket) => requests.push(socket.url())))
    page = await open()
    // The requests that mislead have locktimes around this time.
    await page.clock.setFixedTime(Number(NOW) * 1000)
  })
  afterAll(() => context.close())
  afterEach(async () => {
    for (const tab of context.pages()) expect(await tab.evaluate(stored)).toEqual([])
    expect(problems).toEqual([])
    expect(requests.filter((other) => other !== url && !other.startsWith('blob:'))).toEqual([])
  })

  async function open(): Promise<Page> {
    const next = await context.newPage()
    next.on('pageerror', (error) => problems.push(String(error)))
    next.on('console', (message) => {
      // Chromium has no WebRTC directive yet.
      if (!message.text().includes("directive 'webrtc'")) problems.push(message.text())
    })
    await next.goto(url)
    return next
  }
  const source = () => page.getByRole('textbox', { name: 'Signing request, transaction' })
  const navigation = () => page.getByRole('navigation')
  const tab = (name: string) =>
    navigation()
      .getByRole('button', { name: viewName(name) })
      .click()
  const press = (name: string, inside: Page | Locator = page) =>
    inside.getByRole('button', { name, exact: true }).click()
  return {
    folder,
    url,
    problems,
    requests,
    open,
    source,
    press,
    browser: () => browser,
    page: () => page,
    panel: (name) => page.locator(`#panel-${name.replace(' ', '-')}`),
    tab,
    read: async (text) => {
      await tab('Load')
      await source().fill(text)
      await press('Read')
    },
    useKey: async (text) => {
      await tab('Key')
      const secret = page.getByLabel('Private key or mnemonic')
      await secret.fill(text)
      await secret.press('Enter')
      expect(await secret.inputValue()).toBe('')
    },
    acceptAndSign: async () => {
      const sign = page.locator('#panel-Sign')
      for (const box of await sign.getByRole('checkbox').all()) await box.check()
      await press('Sign', sign)
      await page.locator('#panel-Take-away').waitFor()
    },
    saved: async (name, inside) => {
      const [download] = await Promise.all([page.waitForEvent('download'), press(name, inside)])
      const path = join(folder, 'saved')
      await download.saveAs(path)
      return readFileSync(path, 'utf8')
    },
  }
}
