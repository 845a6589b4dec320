import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { AVAX, receiver, scene, until } from './setup.ts'

// `npm run test:custody` uses a million.
const rows = Number(process.env.AVMKIT_CUSTODY_ROWS ?? 100_000)

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Bytes that are still referenced: what waits to be collected depends on the load of the machine. */
function referenced(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

it(`a worker's memory does not grow with ${rows} watched addresses and UTXOs`, async () => {
  const { node, database, hot, open, work } = await scene()
  node.fund(hot, 200n * AVAX)
  const pay = async (name: string) => {
    const custody = await open()
    const stop = work(custody)
    const { paid } = (await custody.status()).payouts
    await custody.requestPayouts(
      Array.from({ length: 50 }, (_, i) => ({ key: `${name}${i}`, to: receiver(i), amount: AVAX })),
    )
    await until('paid', async () => (await custody.status()).payouts.paid === paid + 50)
    return stop
  }
  // Code that is loaded with its first use takes memory too.
  await (await pay('first'))()
  await database.query(
    `INSERT INTO @.addresses (address, watched, walked)
     SELECT substr(sha256(int8send(i)), 1, 20), true, true FROM generate_series(1, $1::bigint) AS i`,
    [rows],
  )
  await database.query(
    `INSERT INTO @.outputs (tx_id, output_index, asset_id, amount, address, wallet, kind, origin, is_simple,
       locktime, utxo, height, cursor)
     SELECT t, 0, a, m, o, 'deposit', 'plain', 'other', true, 0, '\\x0000'::bytea || t || int4send(0) || a
       || int4send(7) || int8send(m) || int8send(0) || int4send(1) || int4send(1) || o, 1, i
     FROM (SELECT i, sha256(int8send(-i)) AS t, $2::bytea AS a, 1000 + i AS m,
       substr(sha256(int8send(i)), 1, 20) AS o FROM generate_series(1, $1::bigint) AS i) AS made`,
    [rows, node.context.assetID],
  )
  await database.query('UPDATE @.chain SET deposit_cursor = $1', [rows])
  const before = referenced()
  await pay('second')
  // A set of 100,000 addresses alone takes more.
  expect(referenced() - before).toBeLessThan(4_000_000)
}, 600_000)
