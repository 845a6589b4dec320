import { readFileSync } from 'node:fs'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { openCustody } from '../../../src/custody/index.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import { createNodeClient } from '../../../src/node/index.ts'
import { newPool, newSchema, postgresURL } from '../postgres.ts'
import { AVAX, keysOf, receiver, textOf, until } from '../setup.ts'

/** The statements of the section *Roles*, for a schema and role names of this test. */
function documentedGrants(schema: string): string {
  const text = readFileSync(new URL('../../../docs/custody.md', import.meta.url), 'utf8')
  const section = text.split('\n## Roles\n')[1]!.split('\n## ')[0]!
  const blocks = [...section.matchAll(/```sql\n(.*?)```/gs)].map((match) => match[1]!)
  return blocks.join('\n').replaceAll('avmkit', schema).replaceAll('custody_', `${schema}_`)
}

it('the documented grants let each role do its part and nothing else', async () => {
  const schema = newSchema()
  const admin = await newPool(3)
  const node = await createDevNode()
  const client = createNodeClient({ url: 'http://node', fetch: node.fetch })
  const roles = [
    ...['ann', 'owner', 'worker', 'requester', 'reader', 'operator', 'approver', 'controller'],
  ].map((name) => `${schema}_${name}`)
  const url = new URL(await postgresURL())
  const poolOf = (role: string) => {
    const own = new URL(url)
    own.username = `${schema}_${role}`
    const pool = new pg.Pool({ connectionString: own.href, max: 6 })
    pool.on('error', () => {})
    return pool
  }
  const pools = {
    worker: poolOf('worker'),
    requester: poolOf('requester'),
    reader: poolOf('reader'),
    operator: poolOf('operator'),
    ann: poolOf('ann'),
    controller: poolOf('controller'),
  }
  onTestFinished(async () => {
    for (const pool of Object.values(pools)) await pool.end()
    await admin.query(`DROP SCHEMA "${schema}" CASCADE`)
    for (const role of roles) await admin.query(`DROP ROLE IF EXISTS "${role}"`)
    await admin.end()
    await node.close()
  })
  const keys = keysOf(1)
  const owner = await openCustody({ database: admin, schema, client, keys })
  await owner.migrate()
  await admin.query(documentedGrants(schema))
  await admin.query(`CREATE ROLE ${schema}_ann LOGIN; GRANT ${schema}_approver TO ${schema}_ann`)
  node.fund(keys.addresses[0]!, 10n * AVAX)
  const worker = await openCustody({ database: pools.worker, schema, client, keys })
  const customer = textOf(keysOf(50).addresses[0]!)
  await worker.watch([customer])
  const controller = new AbortController()
  const working = worker.work({ signal: controller.signal })
  onTestFinished(async () => {
    controller.abort()
    await working
  })
  const requester = await openCustody({ database: pools.requester, schema, client })
  await requester.requestPayouts([{ key: 'p', to: receiver(1), amount: AVAX }])
  await until('paid', async () => (await requester.payouts({ keys: ['p'] }))[0]!.status === 'paid')
  const operator = await openCustody({ database: pools.operator, schema, client })
  const notBefore = new Date(Date.now() + 3_600_000)
  await requester.requestPayouts([{ key: 'late', to: receiver(2), amount: AVAX, notBefore }])
  await operator.hold(['late'])
  await operator.release(['late'])
  await operator.cancel(['late'])
  expect(await operator.payouts({ keys: ['late'] })).toMatchObject([{ status: 'canceled' }])
  const limiter = await openCustody({ database: pools.controller, schema, client })
  await limiter.setLimit({ type: 'approvals', name: 'all', amount: 0n, count: 1 })
  await requester.requestPayouts([{ key: 'asked', to: receiver(3), amount: AVAX }])
  const asked = async () => (await requester.payouts({ keys: ['asked'] }))[0]!
  await until('stopped', async () => (await asked()).limit?.name === 'all')
  expect((await asked()).requestedBy).toBe(`${schema}_requester`)
  const ann = await openCustody({ database: pools.ann, schema, client })
  await ann.approve(['asked'])
  await until('approved', async () => (await asked()).status === 'paid')
  expect((await operator.events()).find(({ kind }) => kind === 'approval')).toMatchObject({
    key: 'asked',
    identity: `${schema}_ann`,
  })
  const forged = { cause: { code: '42501' } }
  await expect(ann.actingFor('ben').approve(['asked'])).rejects.toMatchObject(forged)
  await expect(operator.approve(['asked'])).rejects.toMatchObject(forged)
  await expect(ann.removeLimit('all')).rejects.toMatchObject(forged)
  node.fund(customer, AVAX)
  const reader = await openCustody({ database: pools.reader, schema, client })
  await until('deposit', async () => (await reader.deposits()).length === 1)
  const denied = { code: expect.stringMatching(/^42501$/) }
  for (const statement of [
    `UPDATE ${schema}.payments SET status = 'queued'`,
    `UPDATE ${schema}.payments SET amount = 1`,
    `DELETE FROM ${schema}.payments`,
    `UPDATE ${schema}.chain SET next_height = 1`,
    `INSERT INTO ${schema}.payments (key, digest, status) VALUES ('x', sha256('x'), 'accepted')`,
  ])
    await expect(pools.requester.query(statement)).rejects.toMatchObject(denied)
  for (const statement of [
    `UPDATE ${schema}.payments SET status = 'accepted'`,
    `UPDATE ${schema}.payments SET status = 'queued' WHERE key = 'late'`,
    `UPDATE ${schema}.payments SET note = 'x'`,
    `INSERT INTO ${schema}.events (actor, kind, subject, new_status) VALUES ('x', 'payout', 1, 'queued')`,
    `UPDATE ${schema}.payments SET address = '\\x00'`,
    `DELETE FROM ${schema}.payments`,
  ])
    await expect(pools.operator.query(statement)).rejects.toMatchObject(denied)
  for (const statement of [
    `INSERT INTO ${schema}.events (actor, kind, subject, new_status) VALUES ('x', 'payout', 1, 'queued')`,
    `UPDATE ${schema}.events SET actor = 'x'`,
    `DELETE FROM ${schema}.events`,
    `UPDATE ${schema}.limits SET removed_at = now()`,
    `SELECT ${schema}.remove_limit('all')`,
    `SELECT ${schema}.approve(ARRAY['asked'])`,
    `SELECT ${schema}.decide('x', ARRAY['asked'], 'approved', '')`,
  ])
    await expect(pools.worker.query(statement)).rejects.toMatchObject(denied)
  for (const name of ['hold', 'release', 'cancel'])
    await expect(
      pools.requester.query(`SELECT ${schema}.${name}(ARRAY['late'], 'x')`),
    ).rejects.toMatchObject(denied)
  const events = await operator.events()
  expect(
    events.flatMap(({ key, newStatus, actor }) =>
      key === 'late' ? [[newStatus, actor.replace(`${schema}_`, '')]] : [],
    ),
  ).toEqual([
    ['queued', 'requester'],
    ['held', 'operator'],
    ['queued', 'operator'],
    ['canceled', 'operator'],
  ])
  // The key of the payout above in a second form, with its digest and another address.
  const copied = pools.requester.query(
    `INSERT INTO ${schema}.payments (key, digest, status, address, asset_id, amount)
     SELECT $1, digest, 'queued', substr(digest, 1, 20), asset_id, amount FROM ${schema}.payments`,
    ['\\p'],
  )
  await expect(copied).rejects.toMatchObject({ code: '23514', constraint: 'payments_key' })
  for (const statement of [
    `UPDATE ${schema}.outputs SET cursor = 1`,
    `DELETE FROM ${schema}.outputs`,
    `SELECT FROM ${schema}.payments`,
    `INSERT INTO ${schema}.addresses (address) VALUES (substr(sha256('x'), 1, 20))`,
  ])
    await expect(pools.reader.query(statement)).rejects.toMatchObject(denied)
})
