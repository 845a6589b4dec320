// @ts-check
// A payment step by step: select UTXOs from pages, build, explain, sign, issue, wait.
import {
  addressOf,
  buildTransfer,
  explainDraft,
  formatAmount,
  formatExplanation,
  formatID,
  generatePrivateKey,
  KeyChain,
  needFor,
  parseAddress,
  parseAmount,
  publicKeyOf,
  requireSigned,
  selectFromPages,
  signDraft,
  UTXOSet,
} from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'

// A node for this run only. For a real one only `url` changes, and the key has funds already.
const node = await createDevNode()
const { url } = await node.listen()
const privateKey = generatePrivateKey()
const sender = addressOf(publicKeyOf(privateKey))
node.fund(sender, parseAmount('10'))

const client = createNodeClient({ url })
const context = await client.context()
const keys = new KeyChain([privateKey])
const to = 'X-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2'
const receiver = parseAddress(to, { chain: 'X', hrp: context.hrp }).address

// Reads pages of the sender's UTXOs until they cover the payment and its fee.
const payment = { context, outputs: [{ to, amount: parseAmount('1.5') }], memo: 'invoice 42' }
const owners = keys.addresses
const funds = await selectFromPages(client.utxoPages({ addresses: owners }), {
  need: needFor(payment),
  owners,
  now: unixTime(),
})

// Builders use no clock and no network; everything they need is an argument.
const draft = buildTransfer({ ...payment, funds })

// To be checked by a person or a policy before signing. `signDraft` refuses dangers as well.
console.log(formatExplanation(explainDraft(draft, { ours: keys, now: unixTime() })))

const { signedTx, txID } = requireSigned(signDraft(draft, keys))
const { status } = await client.issueTx(signedTx)
console.log(`issued    ${formatID(txID)}, ${status}`)

// Issues the same bytes again if they were lost; this can never pay twice.
await client.waitForTx(signedTx, { timeoutMs: 60_000 })
console.log('accepted  for good')
console.log(`sender    ${formatAmount(await balanceOf(sender))} AVAX`)
console.log(`receiver  ${formatAmount(await balanceOf(receiver))} AVAX`)
await node.close()

/**
 * The amount of the native asset that an address can spend.
 *
 * @param {Uint8Array} address
 */
async function balanceOf(address) {
  const set = new UTXOSet()
  for await (const page of client.utxoPages({ addresses: [address] })) set.add(page)
  const balances = set.balances({ owners: [address], now: unixTime() })
  const native = balances.find(({ assetID }) => formatID(assetID) === formatID(context.assetID))
  return native?.spendable ?? 0n
}

function unixTime() {
  return BigInt(Math.floor(Date.now() / 1000))
}
