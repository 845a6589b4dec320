import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { formatPrivateKey } from '../../../src/core/base/encoding/ids.ts'
import { type NetworkContext, networks } from '../../../src/core/chain/networks.ts'
import { createRequest } from '../../../src/core/sign/request/request.ts'
import { formatRequest } from '../../../src/core/sign/request/request-file.ts'
import { formatPolicy } from '../../../src/signers/policy/index.ts'
import { acceptedTxs, coins, owners, people, proven, transfer } from '../../core/sign/fixtures.ts'
import { destroying } from '../../core/sign/misleading/locks-and-burns.ts'
import { drafted, fileOf, plain, requestOf, rest } from '../../core/sign/scenes.ts'
import { NOW } from '../../core/sign/verdicts.ts'
import { isRunToday } from '../../helpers/todays-cases.ts'
import { addressText, base, vault } from '../../signers/policy/fixtures.ts'
import { hasChromium, sharedBrowser } from '../browser.ts'
import { builtPage, viewName } from '../harness.ts'
import { checkState, LOOKS } from './check-state.ts'

/** What a reader does in the page, and the document that is loaded before it. */
type State = {
  readonly name: string
  readonly document?: () => string
  readonly show?: (reader: Reader) => Promise<void>
}

class Reader {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async read(text: string): Promise<void> {
    await this.open('Load')
    await this.page.getByRole('textbox', { name: 'Signing request' }).fill(text)
    await this.press('Read')
  }

  /** Opens a step or a tool. */
  async open(name: string): Promise<void> {
    const navigation = this.page.getByRole('navigation')
    await navigation.getByRole('button', { name: viewName(name) }).click()
  }

  /** Presses a button of the open view. */
  async press(name: string): Promise<void> {
    const panel = this.page.locator('.panel:visible')
    await panel.getByRole('button', { name, exact: true }).click()
  }

  async useKey(text: string): Promise<void> {
    await this.open('Key')
    await this.page.getByLabel('Private key or mnemonic').fill(text)
    await this.press('Use these keys')
  }

  async acceptAll(): Promise<void> {
    for (const box of await this.page.getByRole('checkbox').all()) await box.check()
  }

  async sign(person: number): Promise<void> {
    await this.useKey(formatPrivateKey(people[person]!.key))
    await this.acceptAll()
    await this.press('Sign')
  }
}

/** A payment with change of one owner. */
const clean = () =>
  formatRequest(
    requestOf({
      spend: [[owners(1, 0), 100_000_000]],
      pay: [
        [owners(1, 3), 1_500_000],
        [owners(1, 0), rest(98_500_000)],
      ],
      change: [[owners(1, 0), rest(98_500_000)]],
    }),
  )
const dangerous = () => formatRequest(createRequest(drafted(plain), { parents: [] }))
const shared = () => formatRequest(proven(transfer(coins(owners(2, 0, 1)))))
const onNetwork = (network: NetworkContext) => {
  const utxos = coins(owners(1, 0)).map((utxo) => ({ ...utxo, assetID: network.assetID }))
  return formatRequest(createRequest(transfer(utxos, {}, network), { parents: [] }))
}
const keyOf = (person: number) => formatPrivateKey(people[person]!.key)

const STATES: readonly State[] = [
  { name: '1-empty' },
  {
    name: '1-error',
    show: (reader) => reader.read(checkedHex.encode(acceptedTxs().txs[0]!.slice(0, 150))),
  },
  {
    name: '1-key-in-the-document-field',
    show: ({ page }) => page.getByRole('textbox', { name: 'Signing request' }).fill(keyOf(0)),
  },
  { name: '2-loaded', document: clean },
  {
    name: '2-details',
    document: clean,
    show: async ({ page }) => {
      for (const fold of await page.locator('#panel-Check summary').all()) await fold.click()
    },
  },
  { name: '2-mainnet', document: () => onNetwork(networks.mainnet) },
  { name: '2-fuji', document: () => onNetwork(networks.fuji) },
  { name: '2-dangerous', document: dangerous },
  { name: '2-burns', document: () => fileOf(...destroying()) },
  { name: '2-transaction', document: () => checkedHex.encode(acceptedTxs().txs[0]!) },
  { name: '3-key', document: shared, show: (reader) => reader.open('Key') },
  { name: '3-wrong-key', document: shared, show: (reader) => reader.useKey(keyOf(3)) },
  { name: '3-no-key', document: shared, show: (reader) => reader.useKey('PrivateKey-broken') },
  { name: '4-without-key', document: clean, show: (reader) => reader.open('Sign') },
  { name: '4-ready', document: clean, show: (reader) => reader.useKey(keyOf(0)) },
  { name: '4-dangerous', document: dangerous, show: (reader) => reader.useKey(keyOf(0)) },
  {
    name: '4-accepted',
    document: dangerous,
    show: async (reader) => {
      await reader.useKey(keyOf(0))
      await reader.acceptAll()
    },
  },
  { name: '5-partially-signed', document: shared, show: (reader) => reader.sign(0) },
  { name: '5-signed', document: clean, show: (reader) => reader.sign(0) },
  {
    name: '5-finalized',
    document: clean,
    show: async (reader) => {
      await reader.sign(0)
      await reader.press('Finalize')
    },
  },
  {
    name: '5-qr-codes',
    document: shared,
    show: async (reader) => {
      await reader.sign(0)
      await reader.press('Show request as QR code')
    },
  },
  {
    name: '5-merge-error',
    document: shared,
    show: async (reader) => {
      await reader.open('Take away')
      await reader.page.getByRole('textbox', { name: 'A copy of this request' }).fill('{}')
      await reader.press('Merge')
    },
  },
  { name: 'decode-empty', show: (reader) => reader.open('Decode') },
  {
    name: 'decode',
    document: clean,
    show: async (reader) => {
      await reader.open('Decode')
      await reader.page.locator('.pick').nth(2).click()
    },
  },
  {
    name: 'decode-error',
    show: async (reader) => {
      await reader.read(checkedHex.encode(acceptedTxs().txs[0]!.slice(0, 150)))
      await reader.press('Show its bytes')
    },
  },
  {
    name: 'verify',
    document: clean,
    show: async (reader) => {
      await reader.open('Verify')
      await reader.page.getByLabel('Expected digest').fill('AAAAA')
      await reader.press('Verify')
    },
  },
  {
    name: 'generate',
    show: async (reader) => {
      await reader.open('Generate')
      await reader.press('Generate')
      await reader.press('Show the secret')
    },
  },
  {
    name: 'generate-error',
    show: async (reader) => {
      await reader.open('Generate')
      await reader.page.getByLabel('Rolls of a die').fill('7')
      await reader.press('Generate')
    },
  },
  { name: 'receive-key', show: (reader) => reader.open('Receive') },
  {
    name: 'receive-vault',
    document: () => formatPolicy({ ...base, vaults: [vault] }),
    show: async (reader) => {
      await reader.open('Receive')
      await reader.page.getByLabel('Whose address').selectOption('vault "Treasury"')
      const claimed = reader.page.getByRole('textbox', { name: 'An address that was sent' })
      await claimed.fill(addressText(0))
      await reader.press('Verify this address')
    },
  },
]

describe.runIf(hasChromium('the states of the offline page'))('states of the offline page', () => {
  const { file } = builtPage()

  for (const [i, look] of LOOKS.entries())
    it.runIf(isRunToday(i))(
      `have no fault that axe finds and do not scroll sideways, ${look.scheme}, ${look.width} pixels wide`,
      async () => {
        const browser = await sharedBrowser()
        const context = await browser.newContext({
          colorScheme: look.scheme,
          viewport: { width: look.width, height: 800 },
        })
        context.setDefaultTimeout(20_000)
        const page = await context.newPage()
        await page.clock.setFixedTime(Number(NOW) * 1000)
        for (const { name, document, show } of STATES) {
          await page.goto(pathToFileURL(file).href)
          const reader = new Reader(page)
          if (document !== undefined) await reader.read(document())
          await show?.(reader)
          await checkState(page, name, look)
          // One main action, and it can be pressed or says why not.
          const primary = page.locator('.panel:visible button.primary:visible')
          expect(await primary.count(), name).toBeLessThanOrEqual(1)
        }
        await context.close()
      },
    )
})
