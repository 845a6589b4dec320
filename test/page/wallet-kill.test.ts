import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sourcesOf } from '../../scripts/imports.js'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { formatPrivateKey } from '../../src/core/base/encoding/ids.ts'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import { people } from '../core/sign/fixtures.ts'
import { hasChromium, sharedBrowser } from './browser.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const AVAX = 1_000_000_000n
const textOf = (address: Uint8Array) => formatAddress({ chain: 'X', hrp: 'local', address })

/** A page with a wallet whose node is elsewhere, and whose store is in the browser. */
const program = `
  import { formatID, KeyChain } from './src/index.ts'
  import { createNodeClient } from './src/node/index.ts'
  import { indexedDBStore } from './src/wallet/store/indexed-db.ts'
  import { createWallet } from './src/wallet/index.ts'
  const keys = new KeyChain([${JSON.stringify(formatPrivateKey(people[0]!.key))}])
  const client = createNodeClient({ url: location.origin })
  const wallet = createWallet({ client, keys, store: indexedDBStore(location.hash) })
  window.pay = async (to, key) => {
    const { txID } = await wallet.transfer({ to, amount: ${AVAX}n }, { key })
    return formatID(txID)
  }
  window.resume = () => wallet.resume().then(() => {})
  window.payments = async () =>
    (await wallet.payments()).map(({ key, status, txID }) => ({ key, status, txID: formatID(txID) }))
`

type Payment = { readonly key: string; readonly status: string; readonly txID: string }

describe.runIf(hasChromium('a wallet whose tab is killed'))('a wallet whose tab is killed', () => {
  let context: BrowserContext
  let node: DevNode
  let script: string
  /** Decides about a call that issues a transaction: `forward` hands it to the node. */
  let onIssue: (forward: () => Promise<string>) => Promise<string | undefined>

  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: root, loader: 'ts' },
      alias: sourcesOf('browser'),
      platform: 'browser',
      format: 'esm',
      bundle: true,
      write: false,
    })
    script = outputFiles[0]!.text
    node = await createDevNode()
    const browser = await sharedBrowser()
    context = await browser.newContext()
    await context.route('http://localhost/**', async (route) => {
      const request = route.request()
      const body = request.postData()
      if (body === null) return route.fulfill({ contentType: 'text/html', body: '<!doctype html>' })
      const forward = async () => {
        const headers = { 'content-type': 'application/json' }
        const answer = await node.fetch(request.url(), { method: 'POST', headers, body })
        return answer.text()
      }
      const reply = body.includes('avm.issueTx') ? await onIssue(forward) : await forward()
      // The tab that asked may be gone.
      const json = { contentType: 'application/json', body: reply ?? '' }
      await (reply === undefined ? route.abort() : route.fulfill(json)).catch(() => {})
    })
  })
  afterAll(async () => {
    await context.close()
    await node.close()
  })

  async function open(store: string): Promise<Page> {
    const page = await context.newPage()
    await page.goto(`http://localhost/#${store}`)
    await page.addScriptTag({ type: 'module', content: script })
    await page.waitForFunction(() => 'pay' in globalThis)
    return page
  }

  const pay = (page: Page, to: string): Promise<string> => page.evaluate(`pay('${to}', 'rent')`)
  const payments = (page: Page): Promise<Payment[]> => page.evaluate('payments()')

  /** Ends the process of a tab without telling it. */
  async function kill(page: Page): Promise<void> {
    const session = await context.newCDPSession(page)
    const crashed = page.waitForEvent('crash')
    session.send('Page.crash').catch(() => {})
    await crashed
  }

  it.each([
    ['before the node has the transaction', false],
    ['before the answer of the node arrives', true],
  ])('between claim and issue, %s, pays once when a new tab resumes', async (name, isIssued) => {
    const recipient = new Uint8Array(20).fill(isIssued ? 7 : 8)
    const to = textOf(recipient)
    node.fund(textOf(people[0]!.address), 10n * AVAX)
    const first = await open(name)
    let isClaimed = false
    const killed = new Promise<void>((resolve, reject) => {
      onIssue = async (forward) => {
        isClaimed = true
        if (isIssued) await forward()
        await kill(first).then(resolve, reject)
        return undefined
      }
      pay(first, to).catch((error) => isClaimed || reject(error))
    })
    await killed

    let issued = 0
    onIssue = (forward) => {
      issued++
      return forward()
    }
    const next = await open(name)
    const [claimed] = await payments(next)
    // The killed tab may have seen its transaction accepted while it waited for the answer.
    const known = isIssued ? /^(pending|accepted)$/ : /^pending$/
    expect(claimed).toMatchObject({ key: 'rent', status: expect.stringMatching(known) })
    await next.evaluate('resume()')
    expect(await payments(next)).toEqual([{ ...claimed, status: 'accepted' }])
    // Paying the key again returns the transaction that the killed tab has signed.
    expect(await pay(next, to)).toBe(claimed!.txID)
    expect(issued).toBeLessThanOrEqual(1)
    expect(await received(recipient)).toBe(AVAX)
    await next.close()
  })

  /** What an address has on the node. */
  async function received(address: Uint8Array): Promise<bigint> {
    const method = 'avm.getBalance'
    const params = { address: textOf(address), assetID: 'AVAX' }
    const answer = await node.fetch('http://localhost/ext/bc/X', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result } = (await answer.json()) as { result: { balance: string } }
    return BigInt(result.balance)
  }
})
