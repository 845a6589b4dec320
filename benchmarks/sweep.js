import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  buildTransfer,
  checkedHex,
  decodeUTXO,
  encodeTx,
  formatAddress,
  generatePrivateKey,
  KeyChain,
  requireSigned,
  signDraft,
} from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { loadNativeBackend } from 'avmkit/native'
import { fileStore } from 'avmkit/store'
import { createWallet } from 'avmkit/wallet'
import { loadWasmBackend } from 'avmkit/wasm'
import { baseTx, utxoBytes } from './lib/fixtures.js'
import { bytesHeld, row } from './lib/harness.js'
import { avalanchejs, RIVAL } from './lib/rival.js'

// `AVMKIT_SWEEP=1000000 npm run bench -- sweep` sweeps a million UTXOs.
const COUNT = Number(process.env.AVMKIT_SWEEP ?? 20_000)
const RIVAL_COUNT = 2_000
const PER_ADDRESS = 100
const MAX_INPUTS = 400
/** Outputs of the transactions that create the UTXOs. */
const MAX_OUTPUTS = 500
const AMOUNT = 10_000_000n
const FEE = 1_000_000n
const SERVE = 'serve a node'
const networkID = 4_242
const receiver = new Uint8Array(20).fill(9)
/** Signatures that the floor is measured with. */
const FLOOR_COUNT = 2_000

// The node runs in a separate process, so that its processor time is not counted.
if (process.argv[2] === SERVE && process.send !== undefined) await serve(Number(process.argv[3]))

const backend = await loadWasmBackend()

/** Rows `sweep …`: all UTXOs of many addresses, from the keys until the last transaction is accepted. */
export default async function* sweep() {
  const name = `sweep ${COUNT} UTXOs of ${COUNT / PER_ADDRESS} addresses`
  const whole = await swept(COUNT, ourWay())
  for (const [phase, ms] of Object.entries(whole.phases))
    yield row({ name: `${name}: ${phase}`, unit: 'ms', ours: ms })
  yield row({ name: `${name}: memory at its peak, with garbage`, unit: 'MB', ours: whole.memory })
  yield row({
    name: `${name}: CPU time per UTXO`,
    unit: 'µs',
    ours: whole.cpu,
    rival: floor(),
    rivalName: 'decoding, one verified signature, encoding',
    atMost: 1.5,
  })
  const [stopped, held] = await mostHeldDuring(() =>
    swept(COUNT, ourWay(Math.floor(whole.txs / 2))),
  )
  yield row({ name: `${name}: memory held above the runtime`, unit: 'MB', ours: held, limit: 300 })
  yield row({
    name: `${name}: requests if it is interrupted halfway`,
    unit: 'requests',
    ours: stopped.requests,
    rival: whole.requests,
    rivalName: 'not interrupted',
    cost: true,
  })
  const ours = await swept(RIVAL_COUNT, ourWay())
  const theirs = await swept(RIVAL_COUNT, theirWay)
  yield row({
    name: `sweep ${RIVAL_COUNT} UTXOs: CPU time per UTXO`,
    unit: 'µs',
    ours: ours.cpu,
    rival: theirs.cpu,
    rivalName: RIVAL,
  })
}

/** The result of `run`, and the most megabytes that were in use meanwhile. Collections take time that must not count. */
async function mostHeldDuring(run) {
  const before = bytesHeld()
  let most = 0
  const sample = () => {
    most = Math.max(most, bytesHeld() - before)
  }
  const timer = setInterval(sample, 500)
  try {
    return [await run(), most / 2 ** 20]
  } finally {
    clearInterval(timer)
  }
}

/** Runs a way to sweep on a node of its own, and checks that everything has arrived. */
async function swept(count, way) {
  const server = fork(fileURLToPath(import.meta.url), [SERVE, String(count)])
  try {
    const url = await new Promise((resolve) => server.once('message', resolve))
    const { maxRSS } = process.resourceUsage()
    const before = process.cpuUsage()
    const { txs, ...result } = await way(url, secrets(count))
    const { user, system } = process.cpuUsage(before)
    const memory = (process.resourceUsage().maxRSS - maxRSS) / 1024
    const to = formatAddress({ chain: 'X', hrp: 'custom', address: receiver })
    const { avm } = createNodeClient({ url })
    const { balance } = await avm.getBalance({ address: to, assetID: 'AVAX' })
    if (balance !== BigInt(count) * AMOUNT - BigInt(txs) * FEE)
      throw new Error(`the sweep has left something: ${balance} in ${txs} transactions`)
    return { ...result, txs, memory, cpu: (user + system) / count }
  } finally {
    server.kill()
  }
}

/** With `stopAfter`, stops after that many transactions, and continues with the store as another process would. */
function ourWay(stopAfter) {
  return async (url, list) => {
    const folder = mkdtempSync(join(tmpdir(), 'avmkit-bench-'))
    const watch = watched()
    const keys = new KeyChain(list, { backend: watch.backend })
    const start = performance.now()
    const run = async (controller) => {
      const store = fileStore(join(folder, 'payments.store'))
      const client = createNodeClient({ url, fetch: watch.fetch })
      const wallet = createWallet({ client, keys, store, backend: watch.backend })
      const signal = controller?.signal
      const onProgress = ({ accepted }) => accepted >= stopAfter && controller?.abort()
      try {
        return await wallet.sweep({ to: receiver }, { signal, onProgress })
      } finally {
        await store.close()
      }
    }
    try {
      if (stopAfter !== undefined) {
        const isInterrupted = await run(new AbortController()).then(
          () => false,
          () => true,
        )
        if (!isInterrupted) throw new Error('the sweep was not interrupted')
      }
      await run()
    } finally {
      rmSync(folder, { recursive: true })
    }
    const { firstIssue, lastPage, signing, requests, txs } = watch
    const phases = {
      'keys and reading': lastPage - start,
      'plan until the first transaction is issued': firstIssue - lastPage,
      'further transactions, until all are accepted': performance.now() - firstIssue,
      'signatures of these, verified': signing,
    }
    return { requests, txs: txs.size, phases }
  }
}

/** A backend and a transport that count and take the time. */
function watched() {
  const watch = {
    requests: 0,
    signing: 0,
    txs: new Set(),
    firstIssue: undefined,
    lastPage: undefined,
    backend: {
      ...backend,
      sign: (...args) => {
        const start = performance.now()
        const signature = backend.sign(...args)
        watch.signing += performance.now() - start
        return signature
      },
    },
    fetch: async (url, init) => {
      watch.requests++
      if (init.body.includes('avm.issueTx')) {
        watch.firstIssue ??= performance.now()
        // The same transaction may be issued again after an interruption. Its checksum tells.
        watch.txs.add(JSON.parse(init.body).params.tx.slice(-8))
      }
      const response = await fetch(url, init)
      if (init.body.includes('avm.getUTXOs') && watch.firstIssue === undefined)
        watch.lastPage = performance.now()
      return response
    },
  }
  return watch
}

/** Sweeps with the functions of avalanchejs: as many UTXOs per transaction, one transaction after the other. */
async function theirWay(url, list) {
  const { avm, addTxSignatures, Context, TransferableOutput } = avalanchejs
  const api = new avm.AVMApi(url)
  const context = await Context.getContextFromURI(url)
  const own = new KeyChain(list, { backend }).addresses
  const addresses = own.map((address) => formatAddress({ chain: 'X', hrp: 'custom', address }))
  const all = new Map()
  for (let startIndex, isLast = false; !isLast; ) {
    const { utxos, endIndex } = await api.getUTXOs({ addresses, startIndex })
    for (const utxo of utxos) all.set(utxo.ID(), utxo)
    isLast = utxos.length < 1024
    startIndex = endIndex
  }
  const utxos = [...all.values()]
  let txs = 0
  for (let from = 0; from < utxos.length; from += MAX_INPUTS) {
    const some = utxos.slice(from, from + MAX_INPUTS)
    const amount = BigInt(some.length) * AMOUNT - FEE
    const output = TransferableOutput.fromNative(context.avaxAssetID, amount, [receiver])
    const tx = avm.newBaseTx(context, own, some, [output])
    await addTxSignatures({ unsignedTx: tx, privateKeys: list })
    const { txID } = await api.issueSignedTx(tx.getSignedTx())
    while ((await api.getTxStatus({ txID })).status !== 'Accepted') await sleep(10)
    txs++
  }
  return { txs }
}

/** Microseconds per UTXO of decoding it, one verified signature, and its part of encoding a transaction. */
function floor() {
  const texts = utxoBytes(FLOOR_COUNT).map((bytes) => checkedHex.encode(bytes))
  const [secret] = secrets(PER_ADDRESS)
  const hash = new Uint8Array(32).fill(7)
  const txs = Array.from({ length: FLOOR_COUNT / MAX_INPUTS }, () => baseTx(MAX_INPUTS, 1))
  const before = process.cpuUsage()
  for (const text of texts) {
    decodeUTXO(checkedHex.decode(text))
    backend.sign(hash, secret)
  }
  for (const tx of txs) checkedHex.encode(encodeTx(tx))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / FLOOR_COUNT
}

function secrets(count) {
  return Array.from({ length: count / PER_ADDRESS }, (_, i) => {
    const secret = new Uint8Array(32).fill(1)
    new DataView(secret.buffer).setUint32(0, i)
    return secret
  })
}

/**
 * A node whose UTXOs were paid to the addresses in transactions of usual size: a genesis with a million outputs would be
 * one transaction that no client reads.
 */
async function serve(count) {
  const native = await loadNativeBackend()
  const { addresses } = new KeyChain(secrets(count), { backend: native })
  const owners = addresses.flatMap((address) => Array(PER_ADDRESS).fill(address))
  const payer = new KeyChain([generatePrivateKey()], { backend: native })
  const allocation = { address: payer.addresses[0], amount: BigInt(MAX_OUTPUTS) * AMOUNT + FEE }
  const allocations = Array(Math.ceil(count / MAX_OUTPUTS)).fill(allocation)
  const node = await createDevNode({ networkID, allocations, backend: native })
  const client = createNodeClient({ url: 'http://localhost', fetch: node.fetch })
  const context = await client.context()
  const funding = []
  for await (const { utxos } of client.utxoPages({ addresses: payer.addresses }))
    funding.push(...utxos)
  for (const [i, utxo] of funding.entries()) {
    const some = owners.slice(i * MAX_OUTPUTS, (i + 1) * MAX_OUTPUTS)
    const draft = buildTransfer({
      context,
      funds: { utxos: [utxo], owners: payer.addresses, now: node.now() },
      outputs: some.map((to) => ({ to, amount: AMOUNT })),
    })
    await client.issueTx(requireSigned(signDraft(draft, payer)).signedTx)
  }
  process.send((await node.listen()).url)
}
