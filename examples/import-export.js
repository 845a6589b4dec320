// @ts-check
// Exports AVAX to the P-Chain, and imports what the P- and the C-Chain have exported.
import {
  addressOf,
  exportedUTXOs,
  formatAddress,
  formatAmount,
  formatExplanation,
  formatID,
  generatePrivateKey,
  KeyChain,
  P_CHAIN_ID,
  parseAmount,
  publicKeyOf,
  utxoID,
} from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { createWallet } from 'avmkit/wallet'

// A node for this run only; for a real one only `url` changes, and the key has funds already.
const node = await createDevNode()
const { url } = await node.listen()
const privateKey = generatePrivateKey()
const address = addressOf(publicKeyOf(privateKey))
node.fund(address, parseAmount('10'))

const client = createNodeClient({ url })
const context = await client.context()
const wallet = createWallet({ client, keys: new KeyChain([privateKey]) })
console.log(`X-Chain           ${formatAmount(await balance())} AVAX`)

// The address is the same 20 bytes on every chain; its text form names the chain.
const onP = formatAddress({ chain: 'P', hrp: context.hrp, address })
const { txID, explanation } = await wallet.export({
  destinationChain: 'P',
  to: onP,
  amount: parseAmount('4'),
})
if (explanation !== undefined) console.log(`\n${formatExplanation(explanation)}`)

// The UTXOs that the P-Chain can import now; docs/cross-chain.md shows how.
const exported = exportedUTXOs(await client.avm.getTx({ txID }))
for (const { output } of exported)
  if (output.type === 'secp256k1fx.TransferOutput')
    console.log(`exported to P     ${formatAmount(output.amount)} AVAX, by ${formatID(txID)}`)
console.log(`X-Chain           ${formatAmount(await balance())} AVAX`)

// The development node creates the exports of the other chains.
node.exportFrom('P', { address, amount: parseAmount('2') })
const halves = [1, 2].map(() => ({ address, amount: parseAmount('0.5') }))
node.exportFrom('C', ...halves)

for (const sourceChain of ['P', 'C']) {
  console.log(`waiting from ${sourceChain}    ${formatAmount(await balance(sourceChain))} AVAX`)
  // Imports everything, in as many transactions as necessary; the fees are paid from it.
  const { txIDs } = await wallet.import({ sourceChain })
  for (const id of txIDs) console.log(`imported from ${sourceChain}   by ${formatID(id)}`)
  console.log(`still waiting     ${formatAmount(await balance(sourceChain))} AVAX`)
}
console.log(`X-Chain           ${formatAmount(await balance())} AVAX`)

// Removes the exported UTXOs from shared memory, as an import on the P-Chain does.
const forP = exported.map(({ txID: id, outputIndex }) => utxoID(id, outputIndex))
const taken = node.takeExportedUTXOs(P_CHAIN_ID, forP)
console.log(`taken by P        ${taken.length} of ${exported.length} exported UTXOs`)
await node.close()

/** @param {string} [sourceChain] */
async function balance(sourceChain) {
  const balances = await wallet.balances(sourceChain === undefined ? {} : { sourceChain })
  const native = formatID(context.assetID)
  return balances.find(({ assetID }) => formatID(assetID) === native)?.spendable ?? 0n
}
