import { fork } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { buildImport, formatAddress, KeyChain, requireSigned, signDraft, UTXOSet } from 'avmkit'
import * as cChain from 'avmkit/c-chain'
import { createCChainClient, createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { loadWasmBackend } from 'avmkit/wasm'
import { row } from './lib/harness.js'
import { avalanchejs, RIVAL } from './lib/rival.js'

const ROUNDS = 200
const SERVE = 'serve a node'
const AMOUNT = 1_000_000_000n
const GWEI = 1_000_000_000n

/** The published key of the local network, which has funds on every chain. */
const secret = Buffer.from(
  '56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027',
  'hex',
)
// The default of wallets on Node.
const keys = new KeyChain([new Uint8Array(secret)], { backend: await loadWasmBackend() })
const [address] = keys.addresses
const account = cChain.evmAddressOf(keys.publicKeys[0])
const textOn = (chain) => formatAddress({ chain, hrp: 'local', address })

// The node runs in a separate process, so that its processor time is not counted.
if (process.argv[2] === SERVE && process.send !== undefined) await serve()

/** A transfer from the C-Chain to the X-Chain, both legs, on the development node. */
export async function* transfer() {
  const server = fork(fileURLToPath(import.meta.url), [SERVE])
  const nextMessage = () => new Promise((resolve) => server.once('message', resolve))
  const url = await nextMessage()
  const busy = () => {
    server.send('busy')
    return nextMessage()
  }
  try {
    const ours = await best(ROUNDS, busy, await ourWay(url))
    const theirs = await best(ROUNDS, busy, await theirWay(url))
    const name = 'chains transfer of AVAX from C to X'
    const details = { unit: 'ms', rivalName: RIVAL }
    yield row({ ...details, name, ours: ours.whole, rival: theirs.whole })
    yield row({
      ...details,
      name: `${name}, the node's time taken off`,
      ours: ours.own,
      rival: theirs.own,
      atLeast: 5,
    })
  } finally {
    server.kill()
  }
}

async function ourWay(url) {
  const x = createNodeClient({ url })
  const c = createCChainClient({ url })
  const context = await x.context()
  return async () => {
    const exportDraft = cChain.buildExport({
      ...(await c.exportDetails(account)),
      context,
      destinationChain: 'X',
      outputs: [{ to: address, amount: AMOUNT }],
    })
    const exported = requireSigned(signDraft(exportDraft, keys))
    await c.issueTx(exported.bytes)
    await c.waitForTx(exported.bytes)
    const utxos = new UTXOSet()
    utxos.add(cChain.exportedUTXOs(exported.signedTx, exported.txID), {
      sourceChain: context.chains.C,
    })
    const now = BigInt(Math.floor(Date.now() / 1000))
    const funds = { utxos, owners: keys.addresses, now }
    const draft = buildImport({ context, funds, sourceChain: 'C', to: address })
    const { signedTx } = requireSigned(signDraft(draft, keys))
    const { status } = await x.issueTx(signedTx)
    if (status !== 'accepted') await x.waitForTx(signedTx)
  }
}

async function theirWay(url) {
  const { avm, evm, addTxSignatures, Context } = avalanchejs
  const xAPI = new avm.AVMApi(url)
  const cAPI = new evm.EVMApi(url)
  const context = await Context.getContextFromURI(url)
  const eth = createCChainClient({ url }).eth
  const from = cChain.parseEVMAddress(account)
  const send = async (api, tx) => {
    await addTxSignatures({ unsignedTx: tx, privateKeys: [secret] })
    return (await api.issueSignedTx(tx.getSignedTx())).txID
  }
  return async () => {
    // avalanchejs has no call for the nonce.
    const nonce = await eth.getTransactionCount({ address: account })
    const baseFee = (await cAPI.getBaseFee()) / GWEI
    const exportTx = evm.newExportTxFromBaseFee(
      context,
      baseFee,
      AMOUNT,
      context.xBlockchainID,
      from,
      [address],
      nonce,
    )
    const exportID = await send(cAPI, exportTx)
    if ((await cAPI.getAtomicTxStatus(exportID)).status !== 'Accepted') throw new Error('export')
    const { utxos } = await xAPI.getUTXOs({
      addresses: [textOn('X')],
      sourceChain: context.cBlockchainID,
    })
    const importTx = avm.newImportTx(context, context.cBlockchainID, utxos, [address], [address])
    const importID = await send(xAPI, importTx)
    if ((await xAPI.getTxStatus({ txID: importID })).status !== 'Accepted')
      throw new Error('import')
  }
}

/** The best of several rounds after two warm-up rounds: wall time, and without the time in which the node was busy. */
async function best(rounds, busy, move) {
  const times = { whole: Number.POSITIVE_INFINITY, own: Number.POSITIVE_INFINITY }
  for (let round = -2; round < rounds; round++) {
    const before = await busy()
    const start = performance.now()
    await move()
    const whole = performance.now() - start
    const served = (await busy()) - before
    if (round < 0) continue
    times.whole = Math.min(times.whole, whole)
    times.own = Math.min(times.own, whole - served)
  }
  return times
}

async function serve() {
  const node = await createDevNode()
  node.cChain.setBaseFee(25n * GWEI)
  process.on('message', () => process.send(performance.eventLoopUtilization().active))
  process.send((await node.listen()).url)
}
