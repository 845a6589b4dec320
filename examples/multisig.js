// @ts-check
// Two of three owners sign a payment independently of each other: the transaction travels as a file.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  collectProofs,
  createRequest,
  explainRequest,
  finishRequest,
  formatAmount,
  formatExplanation,
  formatID,
  formatRequest,
  generatePrivateKey,
  KeyChain,
  mergeRequests,
  networks,
  parseAmount,
  parseRequest,
  requestStatus,
  signRequest,
} from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { createWallet } from 'avmkit/wallet'

const folder = await mkdtemp(join(tmpdir(), 'multisig-'))
const to = 'X-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2'

// Three people, each with a key on a machine of their own.
const [anna, ben, carla] = [newKey(), newKey(), newKey()]
const owners = [anna, ben, carla].flatMap(({ addresses }) => addresses)
const vault = { to: owners, threshold: 2 }

// A node for this run only; for a real one only `url` changes, and the vault has funds already.
const node = await createDevNode()
const { url } = await node.listen()
const client = createNodeClient({ url })
const treasurer = newKey()
for (const address of treasurer.addresses) node.fund(address, parseAmount('100'))
await createWallet({ client, keys: treasurer }).transfer({ ...vault, amount: parseAmount('25') })

// 1. The online machine drafts the payment. It has no keys: a wallet with addresses only can read and draft.
const context = await client.context()
const watching = createWallet({ client, addresses: owners })
const held = await vaultBalance()
// Change goes back to all three owners; by default it would go to the first address alone.
const { draft } = await watching.prepare.transfer({
  to,
  amount: parseAmount('7.5'),
  changeTo: vault,
})
// The request contains the transactions that created the UTXOs it spends, so signers need not trust this machine or its
// node: the ID of a transaction is its hash.
const parents = await collectProofs(draft, (txID) => client.avm.getTx({ txID }))
const request = createRequest(draft, { parents, signers: 'all' })
await save('request.json', request)
console.log(formatExplanation(explainRequest(request, { ours: owners })))
console.log(`vault before  ${formatAmount(held)} AVAX, any 2 of 3 sign`)

// 2. Anna and Carla sign offline, independently of each other.
await signOffline('Anna', anna, 'anna.json')
await signOffline('Carla', carla, 'carla.json')

// 3. Online again: merge the signatures and issue the transaction.
const merged = mergeRequests(await load('anna.json'), await load('carla.json'))
const complete = requestStatus(merged).filter(({ missing }) => missing.length === 0)
console.log(`signer sets   ${complete.length} of ${merged.signerSets.length} complete`)
const { signedTx, txID } = finishRequest(merged)
await client.issueTx(signedTx)
await client.waitForTx(signedTx)
console.log(`accepted      ${formatID(txID)}`)
console.log(`vault after   ${formatAmount(await vaultBalance())} AVAX`)
await rm(folder, { recursive: true })
await node.close()

/**
 * Runs on a machine without a network: reads, explains, signs and writes the request.
 *
 * @param {string} name
 * @param {KeyChain} keys
 * @param {string} file
 */
async function signOffline(name, keys, file) {
  const received = await load('request.json')
  // Computed from the bytes to be signed and from the proofs: all payments to others, and all dangers.
  const { pays, warnings, digest } = explainRequest(received, { ours: keys })
  console.log(`${name.padEnd(12)}  reads ${digest}`)
  for (const { amount = 0n, owners: of } of pays)
    console.log(`${name.padEnd(12)}  sees ${formatAmount(amount)} AVAX to ${of.addresses.join()}`)
  if (warnings.length > 0) throw new Error(`${name} does not sign: ${warnings[0]?.message}`)
  await save(file, signRequest(received, keys))
}

/** @param {string} file */
async function load(file) {
  // The file is not trusted: rules, signers, signatures and IDs are all checked again.
  return parseRequest(await readFile(join(folder, file), 'utf8'), {
    chain: 'X',
    network: networks.local,
  })
}

/**
 * @param {string} file
 * @param {import('avmkit').SigningRequest} request
 */
async function save(file, request) {
  await writeFile(join(folder, file), formatRequest(request))
}

async function vaultBalance() {
  const native = formatID(context.assetID)
  const balance = (await watching.balances()).find(({ assetID }) => formatID(assetID) === native)
  return balance?.spendable ?? 0n
}

function newKey() {
  return new KeyChain([generatePrivateKey()])
}
