// @ts-check
// Credits customers for deposits by following accepted blocks, each output exactly once.
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  addressOf,
  formatAmount,
  formatID,
  formatUTXOID,
  generatePrivateKey,
  hex,
  KeyChain,
  parseAmount,
  publicKeyOf,
} from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { createWallet } from 'avmkit/wallet'

// A node for this run only; for a real one only `url` changes.
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

// The payer.
const key = generatePrivateKey()
node.fund(addressOf(publicKeyOf(key)), parseAmount('100'))
const payer = createWallet({ client, keys: new KeyChain([key]) })

await creditDeposits()
await payer.transfer({
  outputs: [
    { to: alice, amount: parseAmount('1') },
    { to: alice, amount: parseAmount('0.25') },
    { to: bob, amount: parseAmount('3') },
    // Owned by two, or locked: not deposits.
    { to: [alice, bob], threshold: 2, amount: parseAmount('7') },
    { to: bob, amount: parseAmount('9'), locktime: 4_102_444_800n },
  ],
})
await creditDeposits()

// The file holds everything: a restart between any two lines credits nothing twice and misses nothing.
await payer.transfer({ to: bob, amount: parseAmount('0.5') })
node.fund(alice, parseAmount('2'))
await creditDeposits()
await creditDeposits()
for (const [name, amount] of Object.entries(load()?.credits ?? {}))
  console.log(`${name.padEnd(6)} ${formatAmount(BigInt(amount))} AVAX`)
rmSync(folder, { recursive: true })
await node.close()

/** Credits the deposits in new blocks. A service would omit `last` and follow blocks forever. */
async function creditDeposits() {
  const last = await client.avm.getHeight()
  // On the first run, only deposits after the current block count.
  let state = load() ?? { height: String(last), credits: {} }
  save(state)
  if (BigInt(state.height) < last) {
    const blocks = client.blocks({
      from: BigInt(state.height) + 1n,
      // Accepted blocks are final: a server with a different parent block is on another chain.
      parentID: state.blockID,
      addresses: [alice, bob],
      // Only created UTXOs matter here, not spent ones.
      utxos: [],
    })
    for await (const { height, blockID, created } of blocks) {
      const credits = { ...state.credits }
      for (const { customer, amount, name } of created.flatMap(depositOf)) {
        credits[customer] = String(BigInt(credits[customer] ?? '0') + amount)
        console.log(`block ${height}: ${formatAmount(amount)} AVAX for ${customer}, ${name}`)
      }
      state = { height: String(height), blockID: formatID(blockID), credits }
      save(state)
      if (height >= last) break
    }
  }
  console.log(`read up to block ${state.height}`)
}

/**
 * Returns the deposit that a UTXO represents, if any: the native asset, owned by one customer, not locked.
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
  return [{ customer, amount: output.amount, name: formatUTXOID(utxo) }]
}

/**
 * The last block that was credited, and the credits up to it.
 *
 * @typedef {{ height: string, blockID?: string, credits: Record<string, string> }} State
 * @returns {State | undefined}
 */
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
