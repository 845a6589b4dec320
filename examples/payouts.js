// @ts-check
// An exchange pays withdrawals, a hundred per transaction. The payer is killed after it issued a transaction and
// before the response arrived; started again, it continues and pays nobody twice.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  addressOf,
  formatAmount,
  formatID,
  formatPrivateKey,
  generatePrivateKey,
  hex,
  KeyChain,
  parseAmount,
  publicKeyOf,
} from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { fileStore } from 'avmkit/store'
import { createWallet } from 'avmkit/wallet'

const BATCH = 100

// From your database, each with an ID that is never used again. Withdrawal n is n thousandths of an AVAX.
const withdrawals = Array.from({ length: 250 }, (_, i) => ({
  id: `w${i + 1}`,
  to: new Uint8Array(20).fill(i + 1),
  amount: BigInt(i + 1) * parseAmount('0.001'),
}))

if (process.argv[2] === 'pay') await pay()
else await demonstrate()

/** The payer, a process of its own. For a real node only its environment changes. */
async function pay() {
  const { PAYOUTS_URL = '', PAYOUTS_KEY = '', PAYOUTS_STORE = '' } = process.env
  const client = createNodeClient({
    url: PAYOUTS_URL,
    fetch: process.env.PAYOUTS_KILLED ? fetchThatKills() : fetch,
  })
  // A file that one process uses at a time. Each transaction is durable in it before it is issued.
  const store = fileStore(PAYOUTS_STORE)
  const wallet = createWallet({ client, keys: new KeyChain([PAYOUTS_KEY]), store })

  // First completes what an earlier run left pending: looks it up, or issues it again.
  for (const { txID, status, error } of await wallet.resume()) {
    console.log(`  resumed  ${formatID(txID)}, ${status}`)
    if (status === 'pending') throw error
  }
  // Newest first: new withdrawals shift all batches, and still nobody is paid twice.
  const known = withdrawals.slice(0, Number(process.env.PAYOUTS_KNOWN)).reverse()
  const payments = await wallet.payments(known.map(({ id }) => id))
  const due = known.filter((_, i) => payments[i].status !== 'accepted')
  for (let i = 0; i < due.length; i += BATCH) {
    const batch = due.slice(i, i + BATCH)
    const outputs = batch.map(({ to, amount }) => ({ to, amount }))
    // One idempotency key per payment. If one of them is paid or pending elsewhere, nothing is signed.
    const { txID } = await wallet.transfer({ outputs }, { keys: batch.map(({ id }) => id) })
    console.log(`  paid     ${batch.length} withdrawals by ${formatID(txID)}`)
  }
  await store.close()
}

/** A `fetch` that kills the process after the node has received the second transaction, before its response is read. */
function fetchThatKills() {
  let sent = 0
  /** @type {import('avmkit/client').Fetch} */
  return async (url, init) => {
    const response = await fetch(url, init)
    const isIssue = String(init.body).includes('"avm.issueTx"')
    if (isIssue && ++sent === 2) process.kill(process.pid, 'SIGKILL')
    return response
  }
}

/** Runs the payer three times, kills it once, and checks what every receiver has at the end. */
async function demonstrate() {
  const node = await createDevNode()
  const { url } = await node.listen()
  const folder = mkdtempSync(join(tmpdir(), 'payouts-'))
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
        PAYOUTS_STORE: join(folder, 'payouts.store'),
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
  const exact = withdrawals.filter(({ to, amount }) => received.get(hex.encode(to)) === amount)
  const sum = [...received.values()].reduce((total, amount) => total + amount, 0n)
  console.log(`${exact.length} of ${withdrawals.length} receivers have exactly their amount`)
  console.log(`received ${formatAmount(sum)} AVAX`)
  rmSync(folder, { recursive: true })
  await node.close()
}
