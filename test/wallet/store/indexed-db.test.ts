import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/wallet/store/index.ts'
import { findChromium, hasChromium } from '../../page/browser.ts'
import { storeContract } from './contract.ts'
import { accepted, binding, payment } from './samples.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'avmkit-indexed-db-'))
/** A secure context without a server: the requests of the browser are answered here. */
const ORIGIN = 'http://localhost/'

/** The stores of a page, by number. */
const program = `
  import { indexedDBStore } from './src/wallet/store/indexed-db.ts'
  const stores = []
  window.openStore = (name, options) => stores.push(indexedDBStore(name, options)) - 1
  window.callStore = async (at, method, args) => {
    try {
      const result = stores[at][method](...args)
      if (method !== 'list' && method !== 'attempts') return { value: await result }
      const value = []
      for await (const item of result) value.push(item)
      return { value }
    } catch (error) {
      const { name, code, message, path, keys, conflicts, inputs, offset } = error
      return { error: { name, code, message, path, keys, conflicts, inputs, offset } }
    }
  }
`

type InPage = {
  openStore: (name: string, options: object) => number
  callStore: (
    at: number,
    method: string,
    args: unknown[],
  ) => Promise<{ value?: unknown; error?: object }>
}

describe.runIf(hasChromium('the IndexedDB store'))('indexedDBStore in Chromium', () => {
  let script: string
  let context: BrowserContext
  let page: Page
  let names = 0

  /** A browser with a persistent profile. */
  async function open(): Promise<BrowserContext> {
    const next = await chromium.launchPersistentContext(join(folder, 'profile'), {
      executablePath: findChromium()!,
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    })
    await next.route('http://**', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><title>store</title><script type="module">${script}</script>`,
      }),
    )
    return next
  }
  async function newTab(url = ORIGIN): Promise<Page> {
    const tab = await context.newPage()
    await tab.goto(url)
    await tab.waitForFunction(() => 'callStore' in window)
    return tab
  }

  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: root },
      platform: 'browser',
      format: 'esm',
      target: 'es2022',
      bundle: true,
      minify: true,
      write: false,
    })
    script = outputFiles[0]!.text
    context = await open()
    page = await newTab()
  })
  afterAll(async () => {
    await context.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** A store in a page, used from here. */
  function storeIn(
    tab: Page,
    name: string,
    options: object = {},
  ): Store & { close(): Promise<void> } {
    const opened = tab.evaluate(
      ([named, settings]) => (window as unknown as InPage).openStore(named, settings),
      [name, options] as const,
    )
    const call = async <T>(method: string, ...args: unknown[]): Promise<T> => {
      const { value, error } = await tab.evaluate(
        ([at, called, given]) => (window as unknown as InPage).callStore(at, called, given),
        [await opened, method, args] as const,
      )
      if (error !== undefined) throw Object.assign(new Error(), error)
      return value as T
    }
    return {
      bind: (value) => call('bind', value),
      claim: (value) => call('claim', value),
      assertOwned: () => call('assertOwned'),
      recordAcceptance: (value) => call('recordAcceptance', value),
      cancel: (key) => call('cancel', key),
      payments: (keys) => call('payments', keys),
      list: async function* () {
        yield* await call<never[]>('list')
      },
      attempts: async function* (key) {
        yield* await call<never[]>('attempts', key)
      },
      close: () => call('close'),
    }
  }
  const newName = () => `store ${++names}`

  describe('a store that is kept open', () => storeContract(() => storeIn(page, newName())))

  it('is locked by one tab until that tab closes the store or ends', async () => {
    const name = newName()
    const other = await newTab()
    const first = storeIn(other, name)
    await first.bind(binding)
    await first.claim(payment('k', 'a'))
    const second = storeIn(page, name)
    await expect(second.payments(['k'])).rejects.toMatchObject({ code: 'STORE_IN_USE' })
    await expect(storeIn(page, name, { waitMs: 50 }).bind(binding)).rejects.toMatchObject({
      code: 'STORE_IN_USE',
    })
    // Longer than a timer can wait.
    const patient = storeIn(page, name, { waitMs: 2 ** 31 }).payments(['k'])
    // Without closing the store, as when a tab crashes.
    await other.close()
    expect(await patient).toMatchObject([{ status: 'pending' }])
  })

  it('fails after another tab has stolen the lock', async () => {
    const name = newName()
    const store = storeIn(page, name)
    await store.bind(binding)
    await page.evaluate(
      (lock) => navigator.locks.request(lock, { steal: true }, () => {}),
      `avmkit store ${name}`,
    )
    await expect(store.assertOwned()).rejects.toMatchObject({ code: 'STORE_LOST' })
    await expect(store.claim(payment('k', 'a'))).rejects.toMatchObject({ code: 'STORE_LOST' })
  })

  it('rejects operations after close(), and can be opened again', async () => {
    const name = newName()
    const store = storeIn(page, name)
    await store.bind(binding)
    await store.close()
    await expect(store.payments(['k'])).rejects.toMatchObject({ code: 'STORE_CLOSED' })
    const again = storeIn(page, name)
    await expect(again.bind({ ...binding, networkID: 1 })).rejects.toMatchObject({
      code: 'STORE_MISMATCH',
    })
  })

  it('detects a damaged record', async () => {
    const name = newName()
    const store = storeIn(page, name)
    await store.bind(binding)
    await store.claim(payment('k', 'a'))
    await store.close()
    await page.evaluate(async (database) => {
      const wait = <T>(request: IDBRequest<T>) =>
        new Promise<T>((resolve, reject) => {
          request.onsuccess = () => resolve(request.result)
          request.onerror = () => reject(request.error)
        })
      const db = await wait(indexedDB.open(database))
      const chunks = db.transaction('chunks', 'readwrite').objectStore('chunks')
      const keys = await wait(chunks.getAllKeys())
      const bytes = (await wait(chunks.get(keys.at(-1)!))) as Uint8Array
      bytes[bytes.length >> 1]! ^= 1
      await wait(chunks.put(bytes, keys.at(-1)!))
      db.close()
    }, `avmkit store ${name}`)
    await expect(storeIn(page, name).payments(['k'])).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
    })
  })

  it('detects that its database was cleared while it is open', async () => {
    const store = storeIn(page, newName())
    await store.bind(binding)
    await store.claim(payment('k', 'a'))
    const session = await context.newCDPSession(page)
    await session.send('Storage.clearDataForOrigin', {
      origin: ORIGIN.slice(0, -1),
      storageTypes: 'indexeddb',
    })
    await expect(store.claim(payment('k2', 'b'))).rejects.toMatchObject({ name: 'StoreError' })
    await expect(store.assertOwned()).rejects.toMatchObject({ code: 'STORE_LOST' })
  })

  it('confirms no claim for which there is no space', async () => {
    // An origin of its own: the browser does not ask for the quota of one again for a while.
    const origin = 'http://full.localhost'
    const tab = await newTab(`${origin}/`)
    const session = await context.newCDPSession(tab)
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1_000_000 })
    const name = newName()
    const store = storeIn(tab, name)
    await store.bind(binding)
    const salt = 'x'.repeat(60_000)
    const confirmed: string[] = []
    const claims = async () => {
      for (const input of 'abcdefghijklmnopqrstuvwxyz') {
        await store.claim(payment(input, input, { salt }))
        confirmed.push(input)
      }
    }
    await expect(claims()).rejects.toMatchObject({ code: 'STORE_UNWRITABLE' })
    expect(confirmed.length).toBeGreaterThan(2)
    await store.close()
    const listed: string[] = []
    for await (const { key } of storeIn(tab, name).list()) listed.push(key)
    expect(listed.sort()).toEqual(confirmed)
    await tab.close()
  })

  it('keeps every confirmed claim when the browser is killed', async () => {
    const name = newName()
    const store = storeIn(page, name)
    await store.bind(binding)
    const claims = [...'abcdef'].map((key) => payment(key, key))
    for (const claim of claims) await store.claim(claim)
    await store.recordAcceptance(accepted(claims[0]!, 'a'))
    await store.claim(payment('last', 'x'))
    const session = await context.newCDPSession(page)
    await session.send('Browser.crash' as 'Browser.close').catch(() => {})
    await context.close().catch(() => {})
    context = await open()
    page = await newTab()
    const again = storeIn(page, name, { waitMs: 10_000 })
    expect((await again.payments([...'abcdef', 'last'])).map(({ status }) => status)).toEqual([
      'accepted',
      ...Array(6).fill('pending'),
    ])
  })
})

it('reports that a platform has no IndexedDB', async () => {
  const { indexedDBStore } = await import('../../../src/wallet/store/indexed-db.ts')
  await expect(indexedDBStore('payments').bind(binding)).rejects.toMatchObject({
    name: 'StoreError',
    code: 'STORE_UNREADABLE',
  })
})
