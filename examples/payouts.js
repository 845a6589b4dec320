// @ts-check
// An exchange pays withdrawals, a hundred per transaction. The payer is killed after a transaction was sent
// and before its answer came; started again, it goes on and pays nobody twice.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  addressOf,
  checkedHex,
  formatAmount,
  formatID,
  formatPrivateKey,
  generatePrivateKey,
  hex,
  KeyChain,
  parseAmount,
  parseID,
  publicKeyOf,
} from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { createWallet } from 'avmkit/wallet'

const BATCH = 100

// From your database, each with an ID that is never used again. Here number n gets n thousandths.
const withdrawals = Array.from({ length: 250 }, (_, i) => ({
  id: `w${i + 1}`,
  to: new Uint8Array(20).fill(i + 1),
  amount: BigInt(i + 1) * parseAmount('0.001'),
}))

if (process.argv[2] === 'pay') await pay()
else await demonstrate()

/** The payer, a process of its own. For a real node only its environment changes. */
async function pay() {
  const { PAYOUTS_URL = '', PAYOUTS_KEY = '', PAYOUTS_JOURNAL = '' } = process.env
  const client = createNodeClient({
    url: PAYOUTS_URL,
    fetch: process.env.PAYOUTS_KILLED ? killing() : fetch,
  })
  const journal = fileJournal(PAYOUTS_JOURNAL)
  const wallet = createWallet({ client, keys: new KeyChain([PAYOUTS_KEY]), journal })

  // First the end of what an earlier run has left open: looked up, or the same bytes sent again.
  for (const { txID, status, error } of await wallet.resume()) {
    console.log(`  resumed  ${formatID(txID)}, ${status}`)
    if (status === 'open') throw error
  }
  const paid = paidBy(await journal.load())
  // Newest first here: what came in since the last run shifts all batches, and still nobody is paid twice.
  const known = withdrawals.slice(0, Number(process.env.PAYOUTS_KNOWN))
  const due = known.filter(({ id }) => !paid.has(id)).reverse()
  for (let i = 0; i < due.length; i += BATCH) {
    const outputs = due.slice(i, i + BATCH)
    // The journal keeps the key with the signed transaction, so it knows whom a transaction pays.
    const key = JSON.stringify(outputs.map(({ id }) => id))
    const { txID } = await wallet.transfer({ outputs }, { key })
    console.log(`  paid     ${outputs.length} withdrawals by ${formatID(txID)}`)
  }
}

/**
 * Withdrawals with the transactions that pay them: all that were signed, but for those refused for good.
 *
 * @param {readonly import('avmkit/wallet').JournalEntry[]} entries
 */
function paidBy(entries) {
  /** @type {Map<string, string>} */
  const ends = new Map()
  for (const { txID, type } of entries)
    if (ends.get(formatID(txID)) !== 'accepted') ends.set(formatID(txID), type)
  /** @type {Map<string, Uint8Array>} */
  const paid = new Map()
  for (const entry of entries)
    if (entry.type === 'signed' && ends.get(formatID(entry.txID)) !== 'refused')
      for (const id of JSON.parse(entry.key ?? '[]')) paid.set(id, entry.txID)
  return paid
}

/**
 * A journal on disk, one JSON object a line, for one process at a time.
 *
 * @param {string} path
 * @returns {import('avmkit/wallet').Journal}
 */
function fileJournal(path) {
  const text = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : ''
  // Half a line is of a crash while it was written, and then nothing was sent.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const entries = whole.split('\n').slice(0, -1).map(entryOf)
  let size = Buffer.byteLength(whole)
  return {
    load: async () => [...entries],
    append: async (entry) => {
      const bytes = 'bytes' in entry ? { bytes: checkedHex.encode(entry.bytes) } : {}
      const line = `${JSON.stringify({ ...entry, ...bytes, txID: formatID(entry.txID) })}\n`
      // Takes off what a crash or a full disk has left of a line.
      if (fs.existsSync(path)) fs.truncateSync(path, size)
      // On the disk when it returns; where it throws, the wallet sends nothing.
      fs.appendFileSync(path, line, { mode: 0o600, flush: true })
      size += Buffer.byteLength(line)
      entries.push(entry)
    },
  }
}

/**
 * @param {string} line
 * @returns {import('avmkit/wallet').JournalEntry}
 */
function entryOf(line) {
  const entry = JSON.parse(line)
  const bytes = entry.type === 'signed' ? { bytes: checkedHex.decode(entry.bytes) } : {}
  return { ...entry, ...bytes, txID: parseID(entry.txID) }
}

/** Ends the process once the node has the second transaction, before anybody here knows. */
function killing() {
  let sent = 0
  /** @type {import('avmkit/client').Fetch} */
  return async (url, init) => {
    const response = await fetch(url, init)
    const isIssue = String(init.body).includes('"avm.issueTx"')
    if (isIssue && ++sent === 2) process.kill(process.pid, 'SIGKILL')
    return response
  }
}

/** Runs the payer three times, kills it once, and looks at what everybody has in the end. */
async function demonstrate() {
  const node = await createDevNode()
  const { url } = await node.listen()
  const folder = fs.mkdtempSync(join(tmpdir(), 'payouts-'))
  const key = generatePrivateKey()
  node.fund(addressOf(publicKeyOf(key)), parseAmount('100'))
  const runs = [
    { PAYOUTS_KNOWN: '230', PAYOUTS_KILLED: 'yes' },
    { PAYOUTS_KNOWN: '250' },
    { PAYOUTS_KNOWN: '250' },
  ]
  for (const run of runs) {
    const payer = spawn(process.execPath, [fileURLToPath(import.meta.url), 'pay'], {
      env: {
        ...process.env,
        ...run,
        PAYOUTS_URL: url,
        PAYOUTS_KEY: formatPrivateKey(key),
        PAYOUTS_JOURNAL: join(folder, 'journal.jsonl'),
      },
      stdio: 'inherit',
    })
    console.log('payer started')
    const [code, signal] = await once(payer, 'exit')
    console.log(`payer ended by ${signal ?? `itself, exit code ${code}`}`)
  }

  const received = new Map(withdrawals.map(({ to }) => [hex.encode(to), 0n]))
  const addresses = withdrawals.map(({ to }) => to)
  for await (const { utxos } of createNodeClient({ url }).utxoPages({ addresses }))
    for (const { output } of utxos)
      if (output.type === 'secp256k1fx.TransferOutput')
        for (const to of output.addresses.map(hex.encode))
          received.set(to, (received.get(to) ?? 0n) + output.amount)
  const right = withdrawals.filter(({ to, amount }) => received.get(hex.encode(to)) === amount)
  const sum = [...received.values()].reduce((total, amount) => total + amount, 0n)
  console.log(`${right.length} of ${withdrawals.length} receivers have exactly their amount`)
  console.log(`received ${formatAmount(sum)} AVAX`)
  fs.rmSync(folder, { recursive: true })
  await node.close()
}
