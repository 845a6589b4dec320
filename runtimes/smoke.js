import assert from 'node:assert/strict'
import {
  buildTransfer,
  decodeTx,
  encodeTx,
  formatID,
  hex,
  KeyChain,
  requireSigned,
  signDraft,
  txID,
  UTXOSet,
} from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { encodeBlock, encodeUnsignedTx } from 'avmkit/codec'
import { createDevNode } from 'avmkit/devnode'
import { accountFromMnemonic } from 'avmkit/hd'
import { fileStore } from 'avmkit/store'
import { createWallet } from 'avmkit/wallet'
import { loadWasmBackend } from 'avmkit/wasm'

// Builds the first transaction of a history that was recorded on a real node again, and its block. Signatures are
// deterministic, so every byte must be the same. Prints the name of each check that passes.

const { tx, block, sender, recipient, fee, derived } = JSON.parse(process.argv[2])

const recorded = hex.decode(tx.bytes)
const decoded = decodeTx(recorded)
assert.equal(formatID(txID(recorded)), tx.txID)
assert.equal(hex.encode(encodeTx(decoded)), tx.bytes)
const { amount } = decoded.unsignedTx.outputs[0].output
console.log('decode')

const node = await createDevNode({ now: block.time })
const client = createNodeClient({ url: 'http://localhost', fetch: node.fetch })
const keys = new KeyChain([hex.decode(sender.privateKey)])
const coins = new UTXOSet()
for await (const page of client.utxoPages({ addresses: keys.addresses })) coins.add(page)
const draft = buildTransfer({
  context: await client.context(),
  funds: { coins, owners: keys.addresses, now: BigInt(block.time) },
  outputs: [{ to: recipient.xAddress, amount }],
})
const unsigned = hex.encode(encodeUnsignedTx(draft.unsignedTx))
assert.equal(unsigned, tx.bytes.slice(0, unsigned.length))
console.log('build')

const signed = requireSigned(signDraft(draft, keys))
assert.equal(hex.encode(signed.bytes), tx.bytes)
console.log('sign')

await client.issueTx(signed.signedTx)
assert.equal((await client.waitForTx(signed.signedTx)).status, 'accepted')
const produced = await client.avm.getBlockByHeight({ height: block.height })
assert.equal(hex.encode(encodeBlock(produced)), block.bytes)
console.log('node')

const { url } = await node.listen()
const online = createNodeClient({ url })
assert.equal(await online.avm.getHeight(), BigInt(block.height))
assert.equal(hex.encode(encodeTx(await online.avm.getTx({ txID: tx.txID }))), tx.bytes)
console.log('http')

const options = { folder: `chain-${process.pid}`, now: block.time }
const first = await createDevNode(options)
await createNodeClient({ url: 'http://localhost', fetch: first.fetch }).issueTx(recorded)
await first.close()
const second = await createDevNode(options)
const reopened = createNodeClient({ url: 'http://localhost', fetch: second.fetch })
assert.equal(hex.encode(encodeTx(await reopened.avm.getTx({ txID: tx.txID }))), tx.bytes)
await second.close()
console.log('folder')

const store = fileStore(`store-${process.pid}`)
const wallet = createWallet({ client: online, keys, store })
// The second call returns the result of the first.
for (let i = 0; i < 2; i++)
  await wallet.transfer({ outputs: [{ to: recipient.xAddress, amount }] }, { key: 'rent' })
const [balance] = await wallet.balances()
assert.equal(balance.spendable, decoded.unsignedTx.outputs[1].output.amount - amount - BigInt(fee))
await store.close()
await node.close()
console.log('wallet')

const [account, change, index] = derived.hd.path.match(/\d+/g).slice(2).map(Number)
const { watch } = accountFromMnemonic(derived.hd.mnemonic, { account })
assert.equal(hex.encode(watch.address({ change, index })), derived.addressHex)
console.log('hd')

const wasmKeys = new KeyChain([hex.decode(sender.privateKey)], { backend: await loadWasmBackend() })
assert.equal(hex.encode(requireSigned(signDraft(draft, wasmKeys)).bytes), tx.bytes)
console.log('wasm')
