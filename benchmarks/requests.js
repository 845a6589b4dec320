import {
  addressOf,
  buildSendAll,
  createRequest,
  explainDraft,
  finishRequest,
  formatAddress,
  generatePrivateKey,
  KeyChain,
  mergeRequests,
  networks,
  planImport,
  publicKeyOf,
  signRequest,
} from 'avmkit'
import { encodeUnsignedTx, hashToSign } from 'avmkit/codec'
import { loadWasmBackend } from 'avmkit/wasm'
import { row, time } from './lib/harness.js'

const INPUTS = 100
const EXPORTED = 10_000
const context = networks.fuji
const now = 1_800_000_000n

/** Rows `requests …`: drafts before and after they are signed, by owners of which two of three must sign. */
export default async function* requests() {
  const backend = await loadWasmBackend()
  const secrets = Array.from({ length: 3 }, generatePrivateKey)
  const owners = secrets.map((secret) => addressOf(publicKeyOf(secret))).sort(Buffer.compare)
  const to = formatAddress({
    chain: 'X',
    hrp: context.hrp,
    address: addressOf(publicKeyOf(generatePrivateKey())),
  })
  const draft = buildSendAll({
    context,
    funds: { utxos: utxosOf(INPUTS, owners, 2), owners, now },
    to,
  })
  const size = encodeUnsignedTx(draft.unsignedTx).length
  const explained = time({
    ours: () => explainDraft(draft),
    rival: () => encodeUnsignedTx(draft.unsignedTx),
  })
  yield row({
    name: `requests explain a draft of ${INPUTS} inputs`,
    unit: 'µs',
    ...explained,
    rivalName: `encoding its ${size} bytes`,
    cost: true,
  })

  // Made here, without the transactions that created the UTXOs.
  const accept = ['UNPROVEN_UTXO']
  const request = createRequest(draft, { signers: owners.slice(0, 2) })
  const chains = owners.slice(0, 2).map((owner) => {
    const secret = secrets.find((one) => Buffer.compare(addressOf(publicKeyOf(one)), owner) === 0)
    return { secret, keys: new KeyChain([secret], { backend }) }
  })
  const sign = () => chains.map(({ keys }) => signRequest(request, keys, { accept, backend }))
  const parts = sign()
  const hash = hashToSign(draft.unsignedTx)
  const bare = () =>
    chains.map(({ secret, keys }) => backend.sign(hash, secret, undefined, keys.publicKeys[0]))
  const signed = time(
    { sign, merge: () => finishRequest(mergeRequests(...parts), { backend }), bare },
    { windows: 8, windowMs: 100 },
  )
  yield row({
    name: `requests sign a request of ${INPUTS} inputs by two owners`,
    unit: 'µs',
    ours: signed.sign,
    rival: signed.bare,
    rivalName: 'two verified signatures alone',
    cost: true,
  })
  yield row({
    name: 'requests merge the two and finish the transaction',
    unit: 'µs',
    ours: signed.merge,
    rival: signed.bare,
    rivalName: 'two verified signatures alone',
    cost: true,
  })
  yield imports(owners, to)
}

/** Everything that another chain has exported, in as few transactions as possible. */
function imports(owners, to) {
  const plan = (count) => {
    const utxos = utxosOf(count, [owners[0]], 1)
    return () =>
      planImport({
        context,
        funds: { utxos, owners: [owners[0]], now },
        sourceChain: 'C',
        to,
      })
  }
  const spent = time({ ours: plan(EXPORTED), rival: plan(EXPORTED / 10) }, { windowMs: 200 })
  return row({
    name: `requests plan the import of ${EXPORTED} UTXOs, each`,
    unit: 'µs',
    ours: spent.ours / EXPORTED,
    rival: spent.rival / (EXPORTED / 10),
    rivalName: `of ${EXPORTED / 10}`,
    atMost: 1.3,
  })
}

function utxosOf(count, addresses, threshold) {
  return Array.from({ length: count }, (_, i) => {
    const txID = new Uint8Array(32).fill(5)
    new DataView(txID.buffer).setUint32(0, i)
    return {
      txID,
      outputIndex: 0,
      assetID: context.assetID,
      output: {
        type: 'secp256k1fx.TransferOutput',
        amount: 1_000_000_000n + BigInt(i),
        locktime: 0n,
        threshold,
        addresses,
      },
    }
  })
}
