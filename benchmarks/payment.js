import { fork } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import {
  buildTransfer,
  decodeTx,
  formatAddress,
  formatID,
  KeyChain,
  parseAmount,
  requireSigned,
  signDraft,
  UTXOSet,
} from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { row } from './lib/harness.js'
import { avalanchejs, RIVAL, rival } from './lib/rival.js'

const COUNT = 10_000
const PAGE = 1024
const ROUNDS = 40
/** Fewer, because each round of avalanchejs takes seconds. */
const RIVAL_ROUNDS = 6
const SERVE = 'serve a node'

const secret = new Uint8Array(32).fill(5)
const keys = new KeyChain([secret])
const [address] = keys.addresses
// A custom network, whose genesis the client does not know.
const networkID = 4_242
const text = formatAddress({ chain: 'X', hrp: 'custom', address })
const receiver = new Uint8Array(20).fill(9)
// All UTXOs have 1 AVAX, so that three are needed, whichever are selected.
const amount = parseAmount('2.5')

// The node runs in a separate process, so that its processor time is not counted.
if (process.argv[2] === SERVE && process.send !== undefined) await serve()

/** A payment from asking for ten thousand UTXOs to the node's answer, on the development node. */
export async function* payment() {
  const server = fork(fileURLToPath(import.meta.url), [SERVE])
  const nextMessage = () => new Promise((resolve) => server.once('message', resolve))
  const url = await nextMessage()
  const busy = () => {
    server.send('busy')
    return nextMessage()
  }
  try {
    const ours = await best(ROUNDS, busy, await ourWay(url))
    const theirs = await best(RIVAL_ROUNDS, busy, await theirWay(url))
    const name = `client whole payment out of ${COUNT} UTXOs`
    const details = { unit: 'ms', rivalName: RIVAL }
    yield row({ ...details, name, ours: ours.whole, rival: theirs.whole, atLeast: 5 })
    yield row({
      ...details,
      name: `${name}, the node's time taken off`,
      ours: ours.own,
      rival: theirs.own,
      atLeast: 20,
    })
  } finally {
    server.kill()
  }
}

async function ourWay(url) {
  const client = createNodeClient({ url })
  const context = await client.context()
  return async () => {
    const utxos = new UTXOSet()
    for await (const page of client.utxoPages({ addresses: [address] })) utxos.add(page)
    const draft = buildTransfer({
      context,
      funds: { utxos, owners: keys.addresses, now: BigInt(Math.floor(Date.now() / 1000)) },
      outputs: [{ to: receiver, amount }],
    })
    const { signedTx } = requireSigned(signDraft(draft, keys))
    await client.issueTx(signedTx)
    return signedTx
  }
}

async function theirWay(url) {
  const { avm, addTxSignatures, TransferableOutput } = avalanchejs
  const api = new avm.AVMApi(url)
  const { chainID, assetID, hrp, txFee } = await createNodeClient({ url }).context()
  const context = {
    networkID,
    hrp,
    xBlockchainID: formatID(chainID),
    avaxAssetID: formatID(assetID),
    baseTxFee: txFee,
  }
  return async () => {
    const utxos = []
    let startIndex
    for (;;) {
      const page = await api.getUTXOs({ addresses: [text], limit: PAGE, startIndex })
      utxos.push(...page.utxos)
      if (page.utxos.length < PAGE) break
      startIndex = page.endIndex
    }
    const tx = avm.newBaseTx(context, [address], utxos, [
      TransferableOutput.fromNative(context.avaxAssetID, amount, [receiver]),
    ])
    await addTxSignatures({ unsignedTx: tx, privateKeys: [secret] })
    const signed = tx.getSignedTx()
    await api.issueSignedTx(signed)
    return decodeTx(rival.encodeTx(signed))
  }
}

/** The best of several rounds after a warm-up round: wall time, and without the time in which the node was busy. */
async function best(rounds, busy, pay) {
  const times = { whole: Number.POSITIVE_INFINITY, own: Number.POSITIVE_INFINITY }
  for (let round = 0; round <= rounds; round++) {
    const before = await busy()
    const start = performance.now()
    const { unsignedTx } = await pay()
    const whole = performance.now() - start
    const served = (await busy()) - before
    const paid = unsignedTx.outputs.some(({ output }) => output.amount === amount)
    // avalanchejs selects UTXOs in the order of the pages, so it may also spend the change of earlier rounds.
    if (!paid || unsignedTx.inputs.length < 3) throw new Error('the payment is not what was asked')
    if (round === 0) continue
    times.whole = Math.min(times.whole, whole)
    times.own = Math.min(times.own, whole - served)
  }
  return times
}

async function serve() {
  const allocation = { address, amount: parseAmount('1') }
  const node = await createDevNode({ networkID, allocations: Array(COUNT).fill(allocation) })
  process.on('message', () => process.send(performance.eventLoopUtilization().active))
  process.send((await node.listen()).url)
}
