import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { openCustody } from '../../src/custody/index.ts'
import { createDevNode } from '../../src/devnode/index.ts'
import { createNodeClient } from '../../src/node/index.ts'
import { postgresURL } from '../custody/postgres.ts'
import { AVAX, keysOf, receiver, textOf } from '../custody/setup.ts'
import { blocks, written } from './programs.ts'

declare global {
  /** What the program of the guide takes for granted. */
  var guide: { readonly client: unknown; readonly keys: unknown; readonly signal: AbortSignal }
}

/** A database that exists while `work` runs. */
async function withDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const shared = await postgresURL()
  const name = `guide_${process.pid}`
  const admin = new pg.Pool({ connectionString: shared, max: 1 })
  try {
    await admin.query(`CREATE DATABASE ${name}`)
    const url = new URL(shared)
    url.pathname = name
    await work(url.href)
  } finally {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await admin.end()
  }
}

describe('custody.md', () => {
  it('has a program that pays and lists deposits, and SQL that credits each once', () =>
    withDatabase(async (database) => {
      const node = await createDevNode()
      const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
      const keys = keysOf(1)
      node.fund(textOf(keys.addresses[0]!), 10n * AVAX)
      const stop = new AbortController()
      globalThis.guide = { client, keys, signal: stop.signal }
      // The first placeholder is a deposit address, the second is paid.
      const places = [receiver(1), receiver(2)]
      const program = blocks('custody.md', 'ts')
        .join('\n')
        .replace(/postgres:\/\/[^']+/, database)
        .replace(/X-fuji1…/g, () => places.shift()!)
      const path = written(
        'custody.md',
        `const { client, keys, signal } = globalThis.guide\n${program}`,
      )
      const running = import(/* @vite-ignore */ path)
      const service = await openCustody({ database, client })
      try {
        const paid = () => service.payouts({ status: 'paid' }).catch(() => [])
        for (let tries = 0; tries < 600 && (await paid()).length === 0; tries++) await sleep(100)
        expect(await paid()).toMatchObject([{ key: 'withdrawal 1', amount: 1_500_000_000n }])
        node.fund(receiver(1), AVAX)
        const listed = () => service.deposits({ after: 0n })
        for (let tries = 0; tries < 600 && (await listed()).length === 0; tries++) await sleep(100)
        const [deposit] = await listed()
        expect(deposit).toMatchObject({ cursor: 1n, amount: AVAX, reference: 'user 17' })
        await credits(database, deposit!)
      } finally {
        stop.abort()
        await running
        await service.close()
        await node.close()
      }
    }))

  /** Carries out the transaction of the guide twice: the second time changes no cursor, so it must not be committed. */
  async function credits(
    database: string,
    { amount, cursor }: { readonly amount: bigint; readonly cursor: bigint },
  ): Promise<void> {
    const values: { readonly [name: string]: string } = {
      amount: String(amount),
      cursor: String(cursor),
      user: '17',
    }
    const [sql] = blocks('custody.md', 'sql').filter((text) => text.includes('deposit_position'))
    const [begin, ...changes] = sql!
      .replace(/\$(\w+)/g, (_, name: string) => values[name]!)
      .split(';')
      .map((line) => line.replace(/--.*/, '').trim())
      .filter((line) => line !== '')
    // One connection: the statements of a transaction follow each other on it.
    const connection = new pg.Pool({ connectionString: database, max: 1 })
    // The database is dropped soon after, and may terminate a connection that is about to end.
    connection.on('error', () => {})
    try {
      await connection.query(`CREATE TABLE accounts (id bigint, balance numeric);
        INSERT INTO accounts VALUES (17, 0);
        CREATE TABLE deposit_position (cursor bigint); INSERT INTO deposit_position VALUES (0)`)
      for (const expected of [1, 0]) {
        await connection.query(begin!)
        const counts = []
        for (const change of changes.slice(0, -1))
          counts.push((await connection.query(change)).rowCount)
        expect(counts).toEqual([1, expected])
        await connection.query(expected === 1 ? changes.at(-1)! : 'ROLLBACK')
      }
      const { rows } = await connection.query(
        'SELECT balance, cursor FROM accounts, deposit_position',
      )
      expect(rows).toEqual([{ balance: String(amount), cursor: String(cursor) }])
    } finally {
      await connection.end()
    }
  }
})
