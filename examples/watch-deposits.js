// @ts-check
// Credits customers for deposits by reading every accepted block, each output exactly once.
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  addressOf,
  blockID,
  createdUTXOs,
  formatAmount,
  formatID,
  formatUTXOName,
  generatePrivateKey,
  hex,
  KeyChain,
  parseAmount,
  publicKeyOf,
} from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { createWallet } from 'avmkit/wallet'

// A node for this run only; on a real one `url` is all that changes.
const node = await createDevNode()
const { url } = await node.listen()
const client = createNodeClient({ url })
const context = await client.context()
const folder = mkdtempSync(join(tmpdir(), 'deposits-'))
const file = join(folder, 'state.json')

// One address for each customer. Watching needs no keys. Never use such an address for change: that
// would look like a deposit.
const [alice, bob] = [newAddress(), newAddress()]
const customers = new Map([
  [hex.encode(alice), 'alice'],
  [hex.encode(bob), 'bob'],
])

// Somebody who pays.
const key = generatePrivateKey()
node.fund(addressOf(publicKeyOf(key)), parseAmount('100'))
const payer = createWallet({ client, keys: new KeyChain([key]) })

await catchUp()
await payer.transfer({
  outputs: [
    { to: alice, amount: parseAmount('1') },
    { to: alice, amount: parseAmount('0.25') },
    { to: bob, amount: parseAmount('3') },
    // Not hers alone, or not yet: no deposit.
    { to: [alice, bob], threshold: 2, amount: parseAmount('7') },
    { to: bob, amount: parseAmount('9'), locktime: 4_102_444_800n },
  ],
})
await catchUp()

// All is in the file: a restart between any two lines credits nothing twice and misses nothing.
await payer.transfer({ to: bob, amount: parseAmount('0.5') })
node.fund(alice, parseAmount('2'))
await catchUp()
await catchUp()
for (const [name, amount] of Object.entries(load()?.credits ?? {}))
  console.log(`${name.padEnd(6)} ${formatAmount(BigInt(amount))} AVAX`)
rmSync(folder, { recursive: true })
await node.close()

/** Reads the blocks that are new. Call it again and again, a second apart. */
async function catchUp() {
  const last = await client.avm.getHeight()
  /** @type {State} */
  let state = load() ?? (await beginAt(last))
  for (let height = BigInt(state.height) + 1n; height <= last; height++) {
    const block = await client.avm.getBlockByHeight({ height })
    // Accepted blocks are final, so another parent means a node of another chain or one that lies.
    if (formatID(block.parentID) !== state.blockID)
      throw new Error(`block ${height} does not follow block ${state.height}`)
    const credits = { ...state.credits }
    for (const deposit of block.txs.flatMap((tx) => createdUTXOs(tx)).flatMap(depositOf)) {
      const { customer, amount, name } = deposit
      credits[customer] = String(BigInt(credits[customer] ?? '0') + amount)
      console.log(`block ${height}: ${formatAmount(amount)} AVAX for ${customer}, ${name}`)
    }
    state = { height: String(height), blockID: formatID(blockID(block)), credits }
    save(state)
  }
  console.log(`read up to block ${state.height}`)
}

/**
 * The deposit that a UTXO is, if it is one: the native asset, to one customer alone, without a lock.
 *
 * @param {import('avmkit').UTXO} utxo
 */
function depositOf(utxo) {
  const { output, assetID } = utxo
  if (output.type !== 'secp256k1fx.TransferOutput') return []
  const [owner, ...others] = output.addresses
  if (owner === undefined || others.length > 0 || output.locktime > 0n) return []
  const customer = customers.get(hex.encode(owner))
  if (customer === undefined || formatID(assetID) !== formatID(context.assetID)) return []
  return [{ customer, amount: output.amount, name: formatUTXOName(utxo) }]
}

/**
 * The first time of all: what comes after this block counts.
 *
 * @typedef {{ height: string, blockID: string, credits: Record<string, string> }} State
 * @param {bigint} height
 */
async function beginAt(height) {
  const block = await client.avm.getBlockByHeight({ height })
  const state = { height: String(height), blockID: formatID(blockID(block)), credits: {} }
  save(state)
  return state
}

/** @returns {State | undefined} */
function load() {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/**
 * Height and credits change together or not at all. With a database: both in one transaction.
 *
 * @param {State} state
 */
function save(state) {
  writeFileSync(`${file}.new`, JSON.stringify(state), { flush: true })
  renameSync(`${file}.new`, file)
}

function newAddress() {
  return addressOf(publicKeyOf(generatePrivateKey()))
}
