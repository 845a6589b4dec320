// @ts-check
// Sweeps 200 deposit addresses into one, and reports which UTXOs are left behind and why.
import {
  addressOf,
  formatAmount,
  formatID,
  generatePrivateKey,
  KeyChain,
  parseAmount,
  publicKeyOf,
} from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { memoryStore } from 'avmkit/store'
import { createWallet } from 'avmkit/wallet'

// A node for this run only; for a real one only `url` changes, and the deposits are there already.
const node = await createDevNode()
const { url } = await node.listen()
const client = createNodeClient({ url })
const context = await client.context()
const depositKeys = new KeyChain(Array.from({ length: 200 }, () => generatePrivateKey()))
const cold = addressOf(publicKeyOf(generatePrivateKey()))
await deposit()

const wallet = createWallet({
  client,
  keys: depositKeys,
  // Every transaction is recorded before it is issued, so a sweep can be run again after any interruption. This store
  // lasts as long as the process; payouts.js uses one on disk.
  store: memoryStore(),
})
console.log(`deposits     ${await describe(wallet)}`)

// The plan, before anything is signed.
const plan = await wallet.prepare.sweep({ to: cold })
console.log(`plan         ${plan.transactions} transactions`)

const first = await wallet.sweep(
  { to: cold },
  {
    onProgress: ({ accepted, transactions, utxoCount }) =>
      console.log(`progress     ${accepted} of ${transactions} transactions, ${utxoCount} UTXOs`),
  },
)
report(first)

// Running it again is always safe: it resumes what is pending, and finds nothing left to move.
const second = await wallet.sweep({ to: cold })
console.log(`again        ${second.txIDs.length} transactions`)
console.log(`cold wallet  ${await describe(createWallet({ client, addresses: [cold] }))}`)
console.log(`deposits     ${await describe(wallet)}`)
await node.close()

/** @param {import('avmkit/wallet').BatchResult} result */
function report(result) {
  const fees = BigInt(result.txIDs.length) * context.txFee
  for (const { assetID, amount } of result.moved)
    console.log(`moved        ${textOf(amount, assetID)}, ${result.utxoCount} UTXOs`)
  console.log(`fees         ${formatAmount(fees)} AVAX`)
  for (const { reason, amount, assetID, until } of result.leftBehind) {
    const time = until === undefined ? '' : ` until ${new Date(Number(until) * 1000).toISOString()}`
    console.log(`left behind  ${textOf(amount, assetID)}, ${reason}${time}`)
  }
  // UTXOs of an asset that no transaction can ever spend.
  for (const { assetID, code, utxoCount } of result.unspendable)
    console.log(`unspendable  ${utxoCount} UTXOs of ${formatID(assetID)}, ${code}`)
}

/**
 * Only the decimals of the native asset are known here; `client.avm.getAssetDescription` returns those of others.
 *
 * @param {bigint} amount
 * @param {Uint8Array} assetID
 */
function textOf(amount, assetID) {
  const isNative = formatID(assetID) === formatID(context.assetID)
  return isNative ? `${formatAmount(amount)} AVAX` : `${amount} units of ${formatID(assetID)}`
}

/** @param {import('avmkit/wallet').Wallet} owner */
async function describe(owner) {
  const balances = await owner.balances()
  return balances
    .map(({ assetID, spendable, spendableUTXOs, locked }) => {
      const rest = locked === 0n ? '' : `, ${textOf(locked, assetID)} locked`
      return `${textOf(spendable, assetID)} in ${spendableUTXOs} UTXOs${rest}`
    })
    .join('; ')
}

/** Customers pay 0.01, 0.02 and 0.03 AVAX to each address, and once an amount that is locked until 2100. */
async function deposit() {
  const customer = generatePrivateKey()
  node.fund(addressOf(publicKeyOf(customer)), parseAmount('50'))
  const payer = createWallet({ client, keys: new KeyChain([customer]) })
  for (const text of ['0.01', '0.02', '0.03'])
    await payer.transfer({
      outputs: depositKeys.addresses.map((to) => ({ to, amount: parseAmount(text) })),
    })
  const [to] = depositKeys.addresses
  await payer.transfer({ to, amount: parseAmount('5'), locktime: 4_102_444_800n })
}
