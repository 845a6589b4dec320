// @ts-check
// Deposits and withdrawals of an exchange on PostgreSQL: two workers pay a queue of withdrawals, each once, and
// deposits are credited by their cursor. The database is AVMKIT_POSTGRES_URL, or a temporary server if PostgreSQL is
// installed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  addressOf,
  formatAddress,
  formatAmount,
  generatePrivateKey,
  KeyChain,
  parseAmount,
  publicKeyOf,
} from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { openCustody } from 'avmkit/custody'
import { createDevNode } from 'avmkit/devnode'
import { findBinaries, startServer } from '../scripts/postgres.js'

const url = process.env.AVMKIT_POSTGRES_URL
if (url === undefined && findBinaries() === undefined) {
  console.log('custody was not run: PostgreSQL is not installed and AVMKIT_POSTGRES_URL is not set')
  process.exit()
}
const folder = mkdtempSync(join(tmpdir(), 'avmkit-example-'))
const server =
  url === undefined
    ? await startServer(folder)
    : { url, name: 'AVMKIT_POSTGRES_URL', stop: () => {} }
console.log(`database   ${server.name}`)

// A node for this run only; for a real one only `url` changes.
const node = await createDevNode()
const client = createNodeClient({ url: (await node.listen()).url })
const hotKey = generatePrivateKey()
const keys = new KeyChain([hotKey])
for (let i = 0; i < 4; i++) node.fund(addressOf(publicKeyOf(hotKey)), parseAmount('100'))

// Each of these would be a process of its own, on any machine.
const options = { database: server.url, schema: `example_${Date.now()}`, client }
const workers = [await openCustody({ ...options, keys }), await openCustody({ ...options, keys })]
const service = await openCustody(options)
await service.migrate()
const stop = new AbortController()
const working = workers.map((worker) => worker.work({ signal: stop.signal }))

// Withdrawals: asking twice for the same key changes nothing.
const withdrawals = Array.from({ length: 100 }, (_, i) => ({
  key: `withdrawal ${i}`,
  to: addressOf(publicKeyOf(generatePrivateKey())),
  amount: parseAmount('0.5'),
}))
console.log(`requested  ${(await service.requestPayouts(withdrawals)).added} withdrawals`)
console.log(`again      ${(await service.requestPayouts(withdrawals)).added} withdrawals`)
while ((await service.status()).payouts.paid < withdrawals.length) await sleep(100)
const paid = await service.payouts({ status: 'paid' })
console.log(`paid       ${formatAmount(paid.reduce((sum, { amount }) => sum + amount, 0n))} AVAX`)

// Deposits: the cursor is stored with the credits, so that each deposit is credited once.
const alice = formatAddress({
  chain: 'X',
  hrp: 'local',
  address: addressOf(publicKeyOf(generatePrivateKey())),
})
await service.watch([{ address: alice, reference: 'alice' }], { fresh: true })
node.fund(alice, parseAmount('3'))
node.fund(alice, parseAmount('0.25'))
let cursor = 0n
for await (const batch of service.followDeposits({ after: cursor })) {
  for (const deposit of batch) {
    console.log(
      `deposit ${deposit.cursor}  ${formatAmount(deposit.amount)} AVAX for ${deposit.reference}, ${deposit.kind}`,
    )
    cursor = deposit.cursor
  }
  if (cursor === 2n) break
}

const { balanced, assets } = await service.audit()
const [{ deposits, refills, payouts, fees, utxos }] = assets
console.log(
  `audit      ${balanced ? 'balanced' : 'NOT BALANCED'}: ${formatAmount(deposits + refills)} AVAX received, ${formatAmount(payouts)} paid`,
)
// The workers share the queue, and each transaction of theirs costs a fee.
console.log(`left       ${formatAmount(utxos)} AVAX, after fees of ${formatAmount(fees)}`)
stop.abort()
await Promise.all(working)
await Promise.all([...workers, service].map((system) => system.close()))
await node.close()
server.stop()
rmSync(folder, { recursive: true, force: true })
process.exitCode = balanced ? 0 : 1
