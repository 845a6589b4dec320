// @ts-check
// What `npm start` runs: keys, payments, other chains and a sweep of a thousand UTXOs, on a development node
// over HTTP. Times are measured, balances are read from the node, and the exit code is 1 if one of them is wrong.
import { performance } from 'node:perf_hooks'
import {
  decodeUTXO,
  formatAddress,
  formatAmount,
  formatExplanation,
  formatID,
  generatePrivateKey,
  KeyChain,
  P_CHAIN_ID,
  parseAmount,
} from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { createWallet } from 'avmkit/wallet'

const hasColors = process.stdout.isTTY === true && !process.env.NO_COLOR
const started = performance.now()
/** @type {[step: string, time: string][]} */
const times = []
/** Number of transactions that the current step has explained. */
let explained = 0

const node = await step('start a development node', () => createDevNode())
const { url } = await node.listen()
const client = createNodeClient({ url })
const context = await step('ask it for its network', () => client.context())
say(`${context.name}, network ${context.networkID}, at ${url}`)

const { alice, bob, shop, cold } = await step('create 23 keys', () => ({
  alice: newOwner(1),
  bob: newOwner(1),
  shop: newOwner(20),
  cold: newOwner(1),
}))
say(`alice  ${text(alice.address)}`)
say(`bob    ${text(bob.address)}`)
say(`shop   ${text(shop.address)} and 19 more`)
say(`cold   ${text(cold.address)}`)

await step('fund alice with 100 AVAX, and bob with 5 on their way from the C-Chain', () => {
  node.fund(alice.address, parseAmount('100'))
  node.exportFrom('C', { address: bob.address, amount: parseAmount('5') })
})
const before = await balances()

const transfer = await step('transfer 12.5 AVAX to bob', () =>
  alice.wallet.transfer({ to: bob.address, amount: parseAmount('12.5'), memo: 'thank you' }),
)
say(`accepted ${formatID(transfer.txID)}`)

const exported = await step('export 20 AVAX to the P-Chain', () =>
  alice.wallet.export({
    destinationChain: 'P',
    to: text(alice.address, 'P'),
    amount: parseAmount('20'),
  }),
)
say(`accepted ${formatID(exported.txID)}`)

const imported = await step('import 5 AVAX from the C-Chain', () =>
  bob.wallet.import({ sourceChain: 'C' }),
)
for (const txID of imported.txIDs) say(`accepted ${formatID(txID)}`)

const deposits = await step('pay 0.01 AVAX a thousand times, to 20 addresses', async () => {
  // In two transactions, because each has at most 64 KiB.
  const outputs = (await shop.wallet.addresses()).flatMap(({ address: to }) =>
    Array.from({ length: 25 }, () => ({ to, amount: parseAmount('0.01') })),
  )
  return [await alice.wallet.transfer({ outputs }), await alice.wallet.transfer({ outputs })]
})
for (const { txID } of deposits) say(`accepted ${formatID(txID)}`)

const sweep = await step('sweep the thousand UTXOs to cold', () =>
  shop.wallet.sweep(
    { to: cold.address },
    {
      onProgress: ({ utxoCount, accepted }) =>
        say(`swept ${utxoCount} UTXOs by ${accepted} transactions`),
    },
  ),
)
for (const txID of sweep.txIDs) say(`accepted ${formatID(txID)}`)

const txIDs = [transfer, exported, ...deposits].map(({ txID }) => txID)
txIDs.push(...imported.txIDs, ...sweep.txIDs)
await step(`look up all ${txIDs.length} transactions: only accepted ones are found`, () =>
  Promise.all(txIDs.map((txID) => client.avm.getTx({ txID }))),
)
const after = await balances()
await node.close()

heading('what each step took')
table([...times, ['all together', took(started)]])

const fees = BigInt(txIDs.length) * context.txFee
heading('balances in AVAX, before and after')
table([
  ...Object.keys(after).map((name) => [name, amount(before[name]), amount(after[name])]),
  ['fees', '', amount(fees)],
  ['sum', amount(sum(before)), amount(sum(after) + fees)],
])
console.log()

// Computed without the library: the requested amounts, and one fee per transaction.
const fee = 1_000_000n
const expectedBalances = {
  alice: 57_500_000_000n - 4n * fee,
  bob: 17_500_000_000n - fee,
  shop: 0n,
  cold: 10_000_000_000n - BigInt(sweep.txIDs.length) * fee,
  'waiting from C': 0n,
  'waiting for P': 20_000_000_000n,
}
const wrong = Object.entries(expectedBalances).filter(
  ([name, expected]) => after[name] !== expected,
)
for (const [name, expected] of wrong)
  console.log(
    paint(31, `WRONG: ${name} should have ${amount(expected)}, has ${amount(after[name])}`),
  )
const isRight = wrong.length === 0 && sum(before) === sum(after) + fees && sweep.utxoCount === 1_000
console.log(isRight ? paint(32, 'every unit is accounted for') : paint(31, 'the sums are wrong'))
process.exitCode = isRight ? 0 : 1

/** @param {number} count */
function newOwner(count) {
  const keys = new KeyChain(Array.from({ length: count }, () => generatePrivateKey()))
  const [address] = keys.addresses
  return { address, wallet: createWallet({ client, keys, confirm: explain }) }
}

/**
 * Read from the node, by name.
 *
 * @returns {Promise<Record<string, bigint>>}
 */
async function balances() {
  const [a, b, s, c, fromC] = await Promise.all([
    spendable(alice.wallet),
    spendable(bob.wallet),
    spendable(shop.wallet),
    spendable(cold.wallet),
    spendable(bob.wallet, 'C'),
  ])
  const outputs = node.exportedUTXOs(P_CHAIN_ID).map((bytes) => decodeUTXO(bytes).output)
  const forP = outputs.map((output) => ('amount' in output ? output.amount : 0n))
  return {
    alice: a,
    bob: b,
    shop: s,
    cold: c,
    'waiting from C': fromC,
    'waiting for P': forP.reduce((total, units) => total + units, 0n),
  }
}

/**
 * @param {import('avmkit/wallet').Wallet} wallet
 * @param {string} [sourceChain]
 */
async function spendable(wallet, sourceChain) {
  const all = await wallet.balances(sourceChain === undefined ? {} : { sourceChain })
  const native = formatID(context.assetID)
  return all.find(({ assetID }) => formatID(assetID) === native)?.spendable ?? 0n
}

/**
 * Called by the wallets before they sign. Shows the explanation; of a long one, the beginning and the end.
 *
 * @param {import('avmkit').Explanation} explanation
 */
function explain(explanation) {
  const { spends, pays, returns } = explanation
  if (++explained > 1) {
    say(`and one more: ${spends.length} UTXOs into ${pays.length + returns.length}`)
    return true
  }
  const lines = formatExplanation(explanation).trimEnd().split('\n')
  const cut = lines.splice(6, Math.max(0, lines.length - 13))
  if (cut.length > 0) lines.splice(6, 0, `… ${cut.length} more lines`)
  for (const line of lines) say(line)
  return true
}

/**
 * Runs a step and measures its time.
 *
 * @template T
 * @param {string} title
 * @param {() => T | Promise<T>} work
 */
async function step(title, work) {
  heading(title)
  explained = 0
  const begun = performance.now()
  const result = await work()
  times.push([title, took(begun)])
  return result
}

/** @param {number} begun */
function took(begun) {
  return `${(performance.now() - begun).toFixed(1)} ms`
}

/** @param {Record<string, bigint>} named */
function sum(named) {
  return Object.values(named).reduce((total, units) => total + units, 0n)
}

/**
 * All nine decimals, so that columns line up.
 *
 * @param {bigint} units
 */
function amount(units) {
  const [whole, decimals = ''] = formatAmount(units).split('.')
  return `${whole}.${decimals.padEnd(9, '0')}`
}

/**
 * @param {Uint8Array} address
 * @param {string} [chain]
 */
function text(address, chain = 'X') {
  return formatAddress({ chain, hrp: context.hrp, address })
}

/** @param {readonly (readonly string[])[]} rows */
function table(rows) {
  const widths = rows.reduce(
    (most, row) => row.map((cell, i) => Math.max(cell.length, most[i] ?? 0)),
    /** @type {number[]} */ ([]),
  )
  for (const [name, ...cells] of rows) {
    const numbers = cells.map((cell, i) => cell.padStart(widths[i + 1]))
    say([name.padEnd(widths[0]), ...numbers].join('  '))
  }
}

/** @param {string} title */
function heading(title) {
  console.log(`\n${paint(1, title)}`)
}

/** @param {string} line */
function say(line) {
  console.log(`  ${line}`)
}

/**
 * @param {number} style
 * @param {string} line
 */
function paint(style, line) {
  return hasColors ? `\x1b[${style}m${line}\x1b[0m` : line
}
