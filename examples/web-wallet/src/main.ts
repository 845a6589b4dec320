import { AvmError, formatAddress, formatAmount, formatID, parseAmount } from 'avmkit'
import { indexedDBStore } from 'avmkit/indexed-db'
import { createWallet } from 'avmkit/wallet'
import { openChain } from './chain.ts'
import { openKeys } from './keys.ts'
import { element, form, preview, table } from './view.ts'

const main = document.querySelector('main')!
const message = element('p')
message.setAttribute('role', 'status')
const overview = element('section')

const keys = openKeys()
const store = indexedDBStore('web wallet')
const { client, receiveFromC, save } = await openChain()
const context = await client.context()
const wallet = createWallet({ client, keys, store, confirm: preview })
const [first] = await wallet.addresses()
const { address: me, text: address } = first!
const native = formatID(context.assetID)

/** Runs an action, then updates the page and shows the outcome. */
async function attempt(title: string, work: () => Promise<unknown>): Promise<void> {
  message.textContent = `${title} …`
  // Amounts are parsed before the wallet is called; their errors are shown as well.
  const outcome = await Promise.resolve()
    .then(work)
    .then(() => `${title}: done`, textOf)
  const problem = await save()
    .then(show)
    .then(() => undefined, textOf)
  message.textContent = problem ?? outcome
}

function textOf(error: unknown): string {
  return error instanceof AvmError ? `${error.code}: ${error.message}` : String(error)
}

async function show(): Promise<void> {
  const [balances, waiting, utxos, payments] = await Promise.all([
    wallet.balances(),
    wallet.balances({ sourceChain: 'C' }),
    wallet.utxos(),
    wallet.payments(),
  ])
  const amountOf = (assetID: Uint8Array, amount: bigint) =>
    formatID(assetID) === native ? `${formatAmount(amount)} AVAX` : `${amount} units`
  const nfts = utxos.ofType('nftfx.TransferOutput')
  overview.replaceChildren(
    element('h2', 'Balances'),
    table(
      ['asset', 'spendable'],
      balances.map(({ assetID, spendable }) => [formatID(assetID), amountOf(assetID, spendable)]),
    ),
    element('h2', 'Waiting from the C-Chain'),
    table(
      ['amount'],
      waiting.map(({ assetID, spendable }) => [amountOf(assetID, spendable)]),
    ),
    element('h2', 'NFTs'),
    table(
      ['asset', 'group', 'content'],
      nfts.map(({ assetID, output }) => [
        formatID(assetID),
        String(output.groupID),
        new TextDecoder().decode(output.payload),
      ]),
    ),
    element('h2', 'Payments'),
    table(
      ['key', 'status', 'transaction'],
      payments.map(({ key, status, txID }) => [
        key,
        status,
        txID === undefined ? '' : formatID(txID),
      ]),
    ),
  )
}

main.replaceChildren(
  element('p', 'Your address: ', element('code', address)),
  message,
  form('Receive 100 AVAX from the C-Chain', {}, () =>
    attempt('receive', async () => receiveFromC(me, '100')),
  ),
  form('Import', {}, () => attempt('import', () => wallet.import({ sourceChain: 'C' }))),
  form('Send', { to: '', amount: '1.5', 'payment key': 'rent-05' }, (values) =>
    // The key makes the payment at most once, however often the button is pressed or the page reloaded.
    attempt('send', () =>
      wallet.transfer(
        { to: values.to!, amount: parseAmount(values.amount!) },
        { key: values['payment key']! },
      ),
    ),
  ),
  form('Export to the P-Chain', { amount: '1' }, ({ amount }) =>
    attempt('export', () =>
      wallet.export({
        destinationChain: 'P',
        to: formatAddress({ chain: 'P', hrp: context.hrp, address: me }),
        amount: parseAmount(amount!),
      }),
    ),
  ),
  form('Create asset', { name: 'Play Token', symbol: 'PLAY', units: '1000' }, (values) =>
    attempt('create asset', () =>
      wallet.createAsset({
        name: values.name!,
        symbol: values.symbol!,
        holders: [{ to: me, amount: BigInt(values.units!) }],
      }),
    ),
  ),
  form('Create NFT', { name: 'Play Card', symbol: 'CARD', content: 'ace of hearts' }, (values) =>
    attempt('create NFT', () =>
      wallet.createAsset({
        name: values.name!,
        symbol: values.symbol!,
        nfts: [{ groupID: 1, payload: values.content!, to: me }],
      }),
    ),
  ),
  form('Send NFT', { to: '', asset: '' }, ({ to, asset }) =>
    attempt('send NFT', () => wallet.transferNFT({ to: to!, assetID: asset!, groupID: 1 })),
  ),
  overview,
)
// First completes payments that an earlier visit left pending.
await attempt('resume', () => wallet.resume())
