import type { BrowserContext, Page, Route } from 'playwright-core'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import { createNodeClient } from '../../src/node/index.ts'
import { isRunToday } from '../helpers/todays-cases.ts'
import { Cable } from '../signers/ledger/cable.ts'
import { EmulatedLedger } from '../signers/ledger/emulated-ledger.ts'
import { hasChromium } from './browser.ts'
import { Keyboard } from './keyboard.ts'
import { FRIEND, PASSWORD, type WalletUser, WORDS, walletContext } from './wallet-harness.ts'

const AVAX = 1_000_000_000n

describe.runIf(hasChromium('other ways to use the web wallet'))('the web wallet', () => {
  const contexts: BrowserContext[] = []
  afterAll(() => Promise.all(contexts.map((context) => context.close())))

  async function newUser(): Promise<{ user: WalletUser; page: Page; context: BrowserContext }> {
    const { context, open } = await walletContext()
    contexts.push(context)
    const user = await open()
    return { user, page: user.page, context }
  }

  /** A wallet with 100 AVAX that is connected to a node by its URL. */
  async function connected(options: Parameters<typeof createDevNode>[0] = {}) {
    const node = await createDevNode(options)
    onTestFinished(() => node.close())
    const { url } = await node.listen()
    const opened = await newUser()
    const { user, page, context } = opened
    // The page comes from no server, so Chromium would not let it reach the one on this machine.
    await context.route(`${url}/**`, passOn)
    await user.restore()
    await user.open('Settings')
    await user.fill({ 'URL of a node': url })
    await user.press('Connect')
    await page.getByText('Connected to local.').waitFor()
    await user.open('Receive')
    const address = await page.locator('.address-card .address').innerText()
    node.fund(address.replaceAll(/\s/g, ''), 100n * AVAX)
    return { ...opened, node, url }
  }

  async function paidTo(url: string): Promise<bigint> {
    const balances = await createNodeClient({ url }).avm.getAllBalances({ address: FRIEND })
    return balances.find(({ asset }) => asset === 'AVAX')?.balance ?? 0n
  }

  /** Keeps the network from seeing a transaction, however often the wallet issues it. */
  async function withhold(context: BrowserContext, url: string): Promise<() => number> {
    let withheld: string | undefined
    let count = 0
    await context.route(`${url}/ext/bc/**`, (route) => {
      const body = route.request().postData() ?? ''
      if (!body.includes('avm.issueTx')) return passOn(route)
      const { tx } = (JSON.parse(body) as { params: { tx: string } }).params
      withheld ??= tx
      if (tx !== withheld) return passOn(route)
      count++
      return route.abort()
    })
    return () => count
  }

  it.runIf(isRunToday(1))(
    'pays on a node by its URL, and refuses another network there',
    async () => {
      const { user, page, node, url } = await connected()
      expect(await user.balance()).toBe('100 AVAX')
      expect(await page.getByText('Get 100 test AVAX').count()).toBe(0)
      await user.send('3')
      expect(await paidTo(url)).toBe(3n * AVAX)
      await node.close()
      const other: DevNode = await createDevNode({ networkID: 54321 })
      onTestFinished(() => other.close())
      await other.listen({ port: Number(new URL(url).port) })
      await user.press('Lock')
      await user.unlock()
      await page.getByRole('alert').getByText('NETWORK_MISMATCH').waitFor()
    },
  )

  it.runIf(isRunToday(2))(
    'opens while a payment is pending, and pays it once however often it is sent',
    async () => {
      const { user, page, node, url } = await connected({ blocks: 'manual' })
      await user.review('2')
      const issued = page.waitForResponse(
        (reply) => reply.request().postData()?.includes('issueTx') === true,
      )
      await user.press('Sign and send')
      await issued
      await page.reload()
      await user.unlock()
      await page.getByText('This payment is pending').waitFor()
      expect(await page.getByLabel('Amount').inputValue()).toBe('2')
      await user.press('Review')
      node.produceBlock()
      await page.locator('.success').getByText('2 AVAX sent').waitFor()
      expect(await paidTo(url)).toBe(2n * AVAX)
      expect(await user.balance()).toBe('97.999 AVAX')
    },
  )

  it.runIf(isRunToday(3))('cancels a payment that the network has not seen', async () => {
    const { user, page, context, url } = await connected()
    const withheld = await withhold(context, url)
    await user.review('5')
    await user.press('Sign and send')
    await expect.poll(withheld, { timeout: 20_000 }).toBeGreaterThan(0)
    await page.reload()
    await user.unlock()
    await user.press('Continue or cancel it')
    await user.ready('Activity')
    await user.press('Cancel it')
    await user.press('Sign and send')
    await page.getByText('The payment was canceled.').waitFor()
    expect(await paidTo(url)).toBe(0n)
    expect(await user.balance()).toBe('99.999 AVAX')
  })

  it.runIf(isRunToday(4))(
    'pays with a Ledger, whose screens it shows beside the review',
    async () => {
      const approved: (readonly string[])[] = []
      let approves = false
      const device = new EmulatedLedger({
        approve: (items) => {
          approved.push(items.map(([title, text]) => `${title.trim()}: ${text.trim()}`))
          return approves
        },
      })
      const { user, page, context } = await newUser()
      const replies: number[][] = []
      const cable = new Cable(device, (packet) => replies.push([...packet]))
      await context.exposeFunction('ledgerPacket', async (packet: number[]) => {
        await cable.accept(Uint8Array.from(packet))
        return replies.splice(0)
      })
      await context.addInitScript(connectDevice)
      await page.reload()
      await user.press('Connect')
      await user.ready('Account')
      await user.getFunds()
      await user.review('1.25')
      const shown = await page.locator('.screens li').allInnerTexts()
      await user.press('Sign and send')
      await page.getByRole('alert').getByText('LEDGER_REJECTED').waitFor()
      expect(shown).toEqual(approved[0])
      approves = true
      await user.send('1.25')
      expect(await user.balance()).toBe('98.749 AVAX')
      expect(approved.length).toBe(2)
    },
  )

  it.runIf(isRunToday(5))('is restored, receives and pays by keyboard alone', async () => {
    const { user, page } = await newUser()
    const keyboard = new Keyboard(page)
    await keyboard.use('Restore')
    await keyboard.to('Recovery phrase')
    await keyboard.type(WORDS)
    await keyboard.to('Password')
    await keyboard.type(PASSWORD)
    await keyboard.to('The same password again')
    await keyboard.type(PASSWORD)
    await keyboard.press('Enter')
    await user.ready('Account')
    await keyboard.use('Get 100 test AVAX')
    await page.getByText('100 test AVAX received.').waitFor()
    await user.ready('Account')
    await keyboard.use('Send')
    await user.ready('Send')
    await keyboard.to('Recipient')
    await keyboard.type(FRIEND)
    await keyboard.to('Amount')
    await keyboard.type('4')
    await keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    expect(await keyboard.focused()).toBe('Check before you sign')
    await keyboard.use('Sign and send')
    await page.locator('.success').waitFor()
    expect(await keyboard.focused()).toBe('✓ 4 AVAX sent')
    await keyboard.use('Done')
    await user.ready('Account')
    expect(await page.locator('.total').innerText()).toBe('95.999 AVAX')
  })
})

async function passOn(route: Route): Promise<void> {
  // A request may be under way when the node or the page is closed.
  const response = await route.fetch().catch(() => undefined)
  await (response === undefined ? route.abort() : route.fulfill({ response })).catch(() => {})
}

/** Runs in the page: a device of WebHID whose other end is the emulated Ledger of the test. */
function connectDevice(): void {
  const listeners: ((event: { data: DataView }) => void)[] = []
  const device = {
    opened: true,
    open: async () => undefined,
    addEventListener: (_: string, listener: (event: { data: DataView }) => void) =>
      listeners.push(listener),
    sendReport: async (_: number, data: Uint8Array) => {
      const { ledgerPacket } = globalThis as unknown as {
        ledgerPacket: (packet: number[]) => Promise<number[][]>
      }
      for (const packet of await ledgerPacket([...data]))
        for (const listener of listeners)
          listener({ data: new DataView(Uint8Array.from(packet).buffer) })
    },
  }
  Object.defineProperty(navigator, 'hid', { value: { requestDevice: async () => [device] } })
}
