import { describe, expect, it } from 'vitest'
import { migrations } from '../../src/custody/database/schema.ts'
import type { CustodyOptions, CustodyStatus, DatabasePool } from '../../src/custody/index.ts'
import {
  formatMetrics,
  healthOf,
  openCustody,
  postgresStore,
  serveOperations,
} from '../../src/custody/index.ts'
import type { NodeClient } from '../../src/node/index.ts'
import { type ArgumentCase, expectChecked } from '../helpers/unknown-members.ts'

// No database: arguments are checked before anything else.
const fails = async () => {
  throw new Error('the database must not be reached')
}
const database: DatabasePool = { query: fails, connect: fails, end: async () => {} }
const unused = () => {
  throw new Error('the node must not be reached')
}
const client = {
  context: unused,
  servers: unused,
  blockReader: unused,
  utxoPages: unused,
} as unknown as NodeClient
const to = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'
const assetID = new Uint8Array(32)
const { signal } = new AbortController()

const options: CustodyOptions = {
  database,
  client,
  keys: { addresses: [], has: unused, sign: unused },
  signers: [{ addresses: [new Uint8Array(20)], sign: unused }],
  signing: { maxFee: 1n, paths: [{ address: new Uint8Array(20), path: 'm' }] },
  hot: [to],
  assets: [assetID],
  quorum: 1,
  sweeps: [
    { type: 'collect', above: 1n, assetID },
    { type: 'store', above: 2n, keep: 1n, to },
    { type: 'refill', below: 1n, amount: 1n, from: [to] },
    { type: 'consolidate', above: 1 },
  ],
  limits: { maxBatch: 1, passOverMs: 1 },
}
const status: CustodyStatus = {
  healthy: true,
  problems: [{ code: 'NOT_SYNCED', message: 'm' }],
  now: new Date(0),
  height: 1n,
  nodeHeight: 1n,
  lag: 0n,
  syncedSecondsAgo: 0.5,
  leader: 'worker',
  depositCursor: 0n,
  addresses: { toWalk: false },
  payouts: { queued: 0, held: 0, pending: 0, paid: 0, failed: 0, canceled: 0 },
  oldestQueued: undefined,
  pendingSince: undefined,
  missing: [{ assetID, amount: 1n }],
  pendingTransactions: 0,
  lastError: undefined,
  reserves: [{ wallet: 'hot', assetID, free: 1n, reserved: 0n, locked: 0n, utxos: 1 }],
}
const custody = await openCustody(options)
const store = await postgresStore(database)
const claim = {
  kind: 'export',
  payments: [{ key: 'k', digest: assetID }],
  bytes: new Uint8Array(1),
  fromHeight: 0n,
  leg: { chain: 'X', inputs: [], note: new Uint8Array(0) },
}
const request = {
  key: 'k',
  to,
  amount: 1n,
  assetID,
  memo: 'm',
  priority: 1,
  notBefore: new Date(),
  reference: 'r',
}

const cases: ArgumentCase[] = [
  ['openCustody', openCustody, [['', options]]],
  [
    'postgresStore',
    postgresStore,
    [
      ['database', database],
      ['', { schema: 's' }],
    ],
  ],
  [
    'serveOperations',
    serveOperations,
    [
      ['custody', custody],
      ['', { host: '127.0.0.1', port: 0, maxLagSeconds: 1 }],
    ],
  ],
  ['formatMetrics', formatMetrics, [['status', status]]],
  [
    'healthOf',
    healthOf,
    [
      ['status', status],
      ['maxSeconds', 1],
    ],
  ],
  [
    'watch',
    custody.watch,
    [
      ['addresses', [to, { address: to, reference: 'r' }]],
      ['', { fresh: true }],
    ],
  ],
  [
    'watchXpub',
    custody.watchXpub,
    [
      ['xpub', 'xpub'],
      ['', { gap: 1, reference: 'r' }],
    ],
  ],
  ['deposits', custody.deposits, [['', { after: 0n, limit: 1 }]]],
  ['followDeposits', custody.followDeposits, [['', { after: 0n, limit: 1, signal }]]],
  ['requestPayouts', custody.requestPayouts, [['payouts', [request, { ...request, key: 'l' }]]]],
  ['payouts', custody.payouts, [['', { keys: ['k'], status: 'paid', after: 'k', limit: 1 }]]],
  [
    'hold',
    custody.hold,
    [
      ['keys', ['k']],
      ['reason', 'r'],
    ],
  ],
  [
    'release',
    custody.release,
    [
      ['keys', ['k']],
      ['reason', 'r'],
    ],
  ],
  [
    'cancel',
    custody.cancel,
    [
      ['keys', ['k']],
      ['reason', 'r'],
    ],
  ],
  ...(['approve', 'deny'] as const).map(
    (name): ArgumentCase => [
      name,
      custody[name],
      [
        ['keys', ['k']],
        ['reason', 'r'],
      ],
    ],
  ),
  [
    'setLimit',
    custody.setLimit,
    [['rule', { type: 'limit', name: 'n', per: 'total', amount: 1n, seconds: 1, assetID }]],
  ],
  ['removeLimit', custody.removeLimit, [['name', 'n']]],
  ['actingFor', custody.actingFor, [['identity', 'i']]],
  ['unknownPayments', custody.unknownPayments, [['', { since: 0n }]]],
  ['attribute', custody.attribute, [['decisions', [{ txID: assetID, key: 'k' }]]]],
  ['events', custody.events, [['', { after: 0n, limit: 1 }]]],
  ['fence', custody.fence, [['', { signal }]]],
  ['dropRequest', custody.dropRequest, [['id', 1n]]],
  ['audit', custody.audit, [['', { height: 1n, whole: true, signal }]]],
  ['rescan', custody.rescan, [['fromHeight', 1n]]],
  ['work', custody.work, [['', { signal }]]],
  ['store.bind', store.bind, [['', { networkID: 1, chainID: assetID }]]],
  ['store.claim', store.claim, [['', claim]]],
  ['store.recordAcceptance', store.recordAcceptance, [['', { txID: assetID, inputs: [] }]]],
  ['store.cancel', store.cancel, [['key', 'k']]],
  ['store.payments', store.payments, [['keys', ['k']]]],
  ['store.attempts', store.attempts, [['key', 'k']]],
]

describe('arguments of custody', () => {
  it('are all in the table', () => {
    const known = new Set(cases.map(([call]) => call.replace('store.', '')))
    // Each payout of requestEach is refused for itself; its checks are those of requestPayouts.
    const without =
      'requestEach limits migrate sweep refill requests status roundTrips close'.split(' ')
    expect(Object.keys(custody).filter((name) => !known.has(name))).toEqual(without)
    const unchecked = Object.keys(store).filter((name) => !known.has(name))
    expect(unchecked.sort()).toEqual(['assertOwned', 'close', 'list'])
  })

  // Capabilities.
  const exempt = /^(database|client|custody|keys|signers\[\d\])(\.|$)/
  it.each(cases)('of %s are checked', async (...each) => {
    await expectChecked(each, exempt)
  })

  it('are read once, and changes after the call have no effect', async () => {
    let reads = 0
    const rule = {
      get type() {
        reads++
        return 'collect' as const
      },
      above: 1n,
    }
    await openCustody({ database, client, sweeps: [rule] })
    expect(reads).toBe(1)
    // Tables of this version, without rows.
    const sent: unknown[] = []
    const query = async (text: string, values?: unknown[]) => {
      sent.push(values)
      const rows = text.includes('schema_version') ? [{ version: migrations.length }] : []
      return { rows: text.includes('to_regclass') ? [{ name: 'x' }] : rows, rowCount: 0 }
    }
    const connection = { query, release: () => {}, on: () => {}, removeListener: () => {} }
    const pool: DatabasePool = { query, connect: async () => connection, end: async () => {} }
    const opened = await openCustody({ database: pool, client })
    const keys = ['first']
    const call = opened.payouts({ keys })
    keys[0] = 'second'
    expect(await call).toEqual([])
    expect(JSON.stringify(sent)).toContain('"first"')
    expect(JSON.stringify(sent)).not.toContain('second')
  })

  it('that are keys are checked, because their addresses are those of the hot wallet', async () => {
    for (const [addresses, path] of [
      [5, 'keys'],
      [[new Uint8Array(3)], 'keys.addresses[0]'],
    ] as const) {
      const keys = { ...options.keys, addresses } as never
      await expect(openCustody({ ...options, keys })).rejects.toMatchObject({
        name: 'ArgumentError',
        path,
      })
    }
  })

  it('with a quorum above the number of servers are refused before the database is used', async () => {
    for (const [servers, path] of [
      [[{}], 'quorum'],
      [5, 'client.servers()'],
    ] as const) {
      const few = { ...client, servers: () => servers } as never
      const opened = await openCustody({ ...options, client: few, quorum: 2 })
      await expect(opened.watch([to])).rejects.toMatchObject({ name: 'ArgumentError', path })
    }
  })

  it('that are no lists of addresses are refused', async () => {
    for (const addresses of ['X-local1', new Uint8Array(1), 5])
      await expect(custody.watch(addresses as never)).rejects.toMatchObject({
        name: 'ArgumentError',
        path: expect.stringMatching(/^addresses/),
      })
  })
})
