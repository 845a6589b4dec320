import { describe, expect, it } from 'vitest'
import { encodeTx } from '../../src/core/chain/x/tx.ts'
import { applyBlock } from '../../src/custody/chain/apply-block.ts'
import { leaveFalseChain } from '../../src/custody/chain/false-chain.ts'
import { recordOutcomes } from '../../src/custody/chain/outcomes.ts'
import { addressesToWalk, readWalk, recordWalk } from '../../src/custody/chain/walk.ts'
import { lockChain, readChain } from '../../src/custody/database/chain-row.ts'
import type { Database } from '../../src/custody/database/database.ts'
import { databaseStore } from '../../src/custody/database/store.ts'
import { registerWallet, watchAddresses } from '../../src/custody/deposits/addresses.ts'
import type { CustodyOptions, SweepRule } from '../../src/custody/index.ts'
import { cancelNext } from '../../src/custody/payouts/canceler.ts'
import { Claimer } from '../../src/custody/payouts/claimer.ts'
import { type DueAttempt, PayoutIssuer } from '../../src/custody/payouts/issuer.ts'
import { Payer } from '../../src/custody/payouts/payer.ts'
import { changePayouts } from '../../src/custody/payouts/payout-changes.ts'
import { requestPayouts } from '../../src/custody/payouts/payout-requests.ts'
import { renewAttempt } from '../../src/custody/payouts/renewal.ts'
import type { Settings } from '../../src/custody/settings.ts'
import { Sweeper } from '../../src/custody/sweeps/sweeper.ts'
import { collect } from '../wallet/store/samples.ts'
import { interleave, interrupt } from './overlap.ts'
import { clientOf } from './servers.ts'
import { AVAX, addUTXOs, beSynced, keysOf, receiver, type Scene, scene, textOf } from './setup.ts'

const customer = keysOf(61).addresses[0]!
const cold = textOf(keysOf(70).addresses[0]!)

/** The steps of a worker on a database. */
function worker(settings: Settings, database: Database = settings.database) {
  const own = { ...settings, database }
  const issuer = new PayoutIssuer(own)
  const claimer = new Claimer(own, issuer)
  const payer = new Payer(own, claimer)
  const sweeper = new Sweeper(own, claimer)
  return {
    pay: () => payer.step(),
    sweep: () => sweeper.step('nothing'),
    cancel: () => cancelNext(own, claimer),
    renew: (attempt: DueAttempt) => renewAttempt(own, { claimer, issuer }, attempt),
  }
}

/** Payouts of 1 AVAX, and UTXOs of 10 AVAX in the hot wallet. */
async function stage(
  { database, events, settings }: Scene,
  payouts: number,
  options: Partial<CustodyOptions> = {},
  utxos = 10,
): Promise<Settings> {
  events.length = 0
  const made = await settings({
    limits: { maxBatch: 2, spareUTXOs: 0, draftMs: 3_600_000 },
    ...options,
  })
  const { assetID } = made.context
  const numbers = Array.from({ length: utxos }, (_, i) => i + 1)
  await addUTXOs(database, numbers, { assetID, address: made.hot[0]!, amount: 10n * AVAX })
  const requests = Array.from({ length: payouts }, (_, i) => ({
    key: `p${i + 1}`,
    to: receiver(i),
    amount: AVAX,
  }))
  await requestPayouts(database, made.context, requests)
  await beSynced(database)
  return made
}

/** Adds UTXOs of 5 AVAX to the address of the customer. */
function addDeposits(database: Database, assetID: Uint8Array, ...numbers: number[]): Promise<void> {
  const utxo = { assetID, address: customer, amount: 5n * AVAX, wallet: 'deposit' }
  return addUTXOs(database, numbers, utxo)
}

async function count(database: Database, what: string): Promise<number> {
  const [row] = await database.query<{ count: string }>(`SELECT count(*) FROM ${what}`)
  return Number(row!.count)
}

/** Rows that contradict each other. */
async function contradictions(database: Database): Promise<string[]> {
  const rows = await database.query<{ what: string }>(
    `SELECT 'draft without UTXOs' AS what FROM @.drafts d
       WHERE NOT EXISTS (SELECT FROM @.outputs o WHERE o.draft = d.id)
     UNION ALL SELECT 'claimed differs from inputs' FROM @.outputs o
       WHERE claimed <> EXISTS (SELECT FROM @.attempt_inputs i WHERE i.tx_id = o.tx_id AND i.output_index = o.output_index)
     UNION ALL SELECT 'pending differs from attempts' FROM @.payments p
       WHERE (status = 'pending') <> EXISTS (SELECT FROM @.attempt_payments ap JOIN @.attempts a ON a.seq = ap.attempt
         WHERE ap.payment = p.seq AND a.outcome IS NULL)
     UNION ALL SELECT 'attempt without inputs' FROM @.attempts a
       WHERE outcome IS NULL AND NOT EXISTS (SELECT FROM @.attempt_inputs i WHERE i.attempt = a.seq)
     UNION ALL SELECT 'input of two keys' FROM @.attempt_inputs i JOIN @.attempt_payments ap ON ap.attempt = i.attempt
       GROUP BY i.tx_id, i.output_index, ap.position HAVING count(DISTINCT ap.payment) > 1
     UNION ALL SELECT 'wallet differs from address' FROM @.outputs o JOIN @.addresses a ON a.address = o.address
       WHERE o.wallet <> a.wallet
     UNION ALL SELECT 'cursors are not dense' FROM @.chain
       WHERE deposit_cursor <> (SELECT count(cursor) FROM @.outputs)
         OR deposit_cursor <> (SELECT coalesce(max(cursor), 0) FROM @.outputs)
     UNION ALL SELECT 'height differs from blocks' FROM @.chain
       WHERE next_height <> (SELECT max(height) + 1 FROM @.blocks)
     UNION ALL SELECT 'void output of a block that counts' FROM @.outputs o JOIN @.blocks b ON b.height = o.height
       WHERE o.kind = 'void'`,
  )
  return rows.map(({ what }) => what)
}

/** Both workers have done their work, no reservation ended before its claim, and the rows agree. */
async function expectSuccess(
  { database, events }: Scene,
  ends: readonly PromiseSettledResult<unknown>[],
): Promise<void> {
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  expect(events.filter(({ event }) => event.endsWith('.expired'))).toEqual([])
  expect(await contradictions(database)).toEqual([])
}

const pendingAttempts = (database: Database) => collect(databaseStore(database).attempts())

/** A pending attempt, its renewal at a multiple of its fee, and its end. */
async function renewal(world: Scene, feeFactor: bigint, end: 'accepted' | 'queued' = 'accepted') {
  const { database } = world
  const settings = await stage(world, 2)
  await worker(settings).pay()
  const [attempt] = await pendingAttempts(database)
  const [due] = await database.query<DueAttempt>('SELECT * FROM @.attempts')
  const context = { ...settings.context, txFee: settings.context.txFee * feeFactor }
  const raised = { ...settings, context, refreshFees: async () => {} }
  const renew = (on: Database) => worker(raised, on).renew(due!)
  const { txID, inputs } = attempt!
  const rival = { txID: new Uint8Array(32).fill(7), inputs }
  const recordOutcome = (on: Database) =>
    end === 'accepted'
      ? databaseStore(on).recordAcceptance({ txID, inputs })
      : on.transaction(async (tx) => {
          await lockChain(tx)
          await recordOutcomes(tx, { accepted: [rival], isRival: () => true })
        })
  const check = async () => {
    expect(await pendingAttempts(database)).toEqual([])
    expect(await count(database, `@.payments WHERE status = '${end}'`)).toBe(2)
    expect(await contradictions(database)).toEqual([])
  }
  return { renew, recordOutcome, check }
}

describe('a worker between any two statements of another', () => {
  for (const [condition, options] of [
    ['', {}],
    [' if a policy is asked', { policy: async () => ({ action: 'pay' }) }],
  ] satisfies [string, Partial<CustodyOptions>][])
    it(`takes other payouts and UTXOs${condition}`, async () => {
      const world = await scene()
      const { database } = world
      await interleave(database, async () => {
        const settings = await stage(world, 4, options)
        return {
          first: (paused) => worker(settings, paused).pay(),
          second: () => worker(settings).pay(),
          check: async (...ends) => {
            await expectSuccess(world, ends)
            expect(ends).toMatchObject([{ value: 'paid' }, { value: 'paid' }])
            expect(await count(database, `@.payments WHERE status = 'pending'`)).toBe(4)
          },
        }
      })
    })

  const consolidate: SweepRule = { type: 'consolidate', above: 1 }
  const collecting: SweepRule = { type: 'collect', above: 1n }

  it('pays from other UTXOs than a sweep spends', async () => {
    const world = await scene()
    const { database } = world
    await interleave(database, async () => {
      const settings = await stage(world, 2, { sweeps: [consolidate] })
      return {
        first: (paused) => worker(settings, paused).sweep(),
        second: () => worker(settings).pay(),
        check: async (...ends) => {
          await expectSuccess(world, ends)
          expect(ends[0]).toMatchObject({ value: true })
        },
      }
    })
  })

  it('collects no deposits of an address that becomes part of the hot wallet', async () => {
    const world = await scene()
    const { database, keys } = world
    const both = keysOf(1, 61)
    await interleave(database, async () => {
      const options = { keys: both, hot: keys.addresses, sweeps: [collecting] }
      const settings = await stage(world, 0, options)
      await registerWallet(database, [customer], 'deposit')
      await addDeposits(database, settings.context.assetID, 21, 22)
      return {
        first: (paused) => worker(settings, paused).sweep(),
        second: async () => {
          await registerWallet(database, [customer], 'hot')
          const payout = { key: 'p', to: receiver(1), amount: AVAX }
          await requestPayouts(database, settings.context, [payout])
          return worker({ ...settings, hot: [customer] }).pay()
        },
        check: (...ends) => expectSuccess(world, ends),
      }
    })
  })

  it('moves no more to cold storage than one worker would', async () => {
    const world = await scene()
    const { database } = world
    await interleave(database, async () => {
      const store: SweepRule = { type: 'store', above: 50n * AVAX, keep: 20n * AVAX, to: cold }
      const settings = await stage(world, 0, { sweeps: [store] })
      return {
        first: (paused) => worker(settings, paused).sweep(),
        second: () => worker(settings).sweep(),
        check: async (...ends) => {
          await expectSuccess(world, ends)
          expect(await count(database, '@.outputs WHERE NOT claimed')).toBe(2)
        },
      }
    })
  })

  it('claims no UTXO that a wallet with the same store spends', async () => {
    const world = await scene()
    const { database } = world
    const { networkID, chainID, assetID } = await world.client.context()
    const spends = { txID: new Uint8Array(32).fill(1), outputIndex: 0, assetID }
    const bytes = encodeTx({
      unsignedTx: {
        type: 'BaseTx',
        networkID,
        blockchainID: chainID,
        outputs: [],
        inputs: [
          {
            ...spends,
            input: {
              type: 'secp256k1fx.TransferInput',
              amount: 10n * AVAX,
              signatureIndices: [0],
            },
          },
        ],
        memo: new Uint8Array(),
      },
      credentials: [],
    })
    const payments = [{ key: 'wallet', digest: new Uint8Array(32) }]
    const claim = { kind: 'payment', payments, bytes, fromHeight: 1n } as const
    const arrange = async () => {
      const settings = await stage(world, 1, {}, 1)
      const step = (on: Database) => worker(settings, on).pay()
      const claimIn = (on: Database) => databaseStore(on).claim(claim)
      const check = async () => {
        expect(await count(database, '@.attempts')).toBe(1)
        expect(await contradictions(database)).toEqual([])
      }
      return { step, claimIn, check }
    }
    await interleave(database, async () => {
      const { step, claimIn, check } = await arrange()
      return { first: step, second: () => claimIn(database), check }
    })
    await interleave(database, async () => {
      const { step, claimIn, check } = await arrange()
      return { first: claimIn, second: () => step(database), check }
    })
  })

  it('does not cancel the same payout', async () => {
    const world = await scene()
    const { database } = world
    await interleave(database, async () => {
      const settings = await stage(world, 1)
      await worker(settings).pay()
      await changePayouts(database, 'cancel', ['p1'], '')
      return {
        first: (paused) => worker(settings, paused).cancel(),
        second: () => worker(settings).cancel(),
        check: async (...ends) => {
          await expectSuccess(world, ends)
          expect(await count(database, `@.attempts WHERE kind = 'cancellation'`)).toBe(1)
        },
      }
    })
  })

  it('does not claim with a reservation that has ended', async () => {
    const world = await scene()
    const { database } = world
    await interleave(database, async () => {
      const settings = await stage(world, 0, { sweeps: [consolidate] })
      return {
        first: (paused) => worker(settings, paused).sweep(),
        second: () => database.query('DELETE FROM @.drafts RETURNING 1'),
        check: async (first, second) => {
          expect(first.status).toBe('fulfilled')
          const { value } = second as PromiseFulfilledResult<unknown[]>
          expect(await count(database, '@.attempts')).toBe(1 - value.length)
          expect(await contradictions(database)).toEqual([])
        },
      }
    })
  })
})

describe('a caller between any two statements of a worker', () => {
  const statusOf = async (database: Database) => {
    const [row] = await database.query<{ status: string }>('SELECT status FROM @.payments')
    return row!.status
  }

  it('cancels or holds a payout before its claim, or learns that it is pending', async () => {
    const world = await scene()
    const { database } = world
    for (const change of [
      (db: Database, keys: string[]) => changePayouts(db, 'cancel', keys, ''),
      (db: Database, keys: string[]) => changePayouts(db, 'hold', keys, 'wait'),
    ])
      await interleave(database, async () => {
        const settings = await stage(world, 1)
        return {
          first: (paused) => worker(settings, paused).pay(),
          second: async () => {
            await change(database, ['p1'])
            return statusOf(database)
          },
          check: async (first, second) => {
            expect(first.status).toBe('fulfilled')
            const shown = second.status === 'fulfilled' ? second.value : 'pending'
            expect(await statusOf(database)).toBe(shown)
            expect(await contradictions(database)).toEqual([])
          },
        }
      })
  })

  it('does not hold what the worker has claimed', async () => {
    const world = await scene()
    const { database } = world
    await interleave(database, async () => {
      const settings = await stage(world, 1)
      return {
        first: (paused) => changePayouts(paused, 'hold', ['p1'], 'wait'),
        second: () => worker(settings).pay(),
        check: async (first, second) => {
          expect(second.status).toBe('fulfilled')
          const isHeld = first.status === 'fulfilled'
          expect(await statusOf(database)).toBe(isHeld ? 'held' : 'pending')
          expect(await contradictions(database)).toEqual([])
        },
      }
    })
  })
})

describe('an outcome between any two statements of a renewal', () => {
  for (const [name, feeFactor] of [
    ['signs again', 1n],
    ['raises the fee', 2n],
  ] as const)
    it(`leaves nothing pending if the renewal ${name}`, async () => {
      const world = await scene()
      const { database } = world
      await interleave(database, async () => {
        const { renew, recordOutcome, check } = await renewal(world, feeFactor)
        return { first: renew, second: () => recordOutcome(database), check }
      })
      await interleave(database, async () => {
        const { renew, recordOutcome, check } = await renewal(world, feeFactor)
        return { first: recordOutcome, second: () => renew(database), check }
      })
    })

  it('does not pay again what a rival has returned to the queue', async () => {
    const world = await scene()
    const { database } = world
    for (const feeFactor of [1n, 2n])
      await interleave(database, async () => {
        const { renew, recordOutcome, check } = await renewal(world, feeFactor, 'queued')
        return { first: renew, second: () => recordOutcome(database), check }
      })
  })
})

describe('a block', () => {
  const text = textOf(customer)

  /** Makes a block with a deposit. What is returned arranges tables to which it can be applied. */
  const blockWithDeposit = async (world: Scene) => {
    const { node, client, database, open, settings } = world
    node.fund(text, AVAX)
    const [block] = await client.blockReader({ from: await client.avm.getHeight() }).read()
    return async () => {
      const custody = await open()
      await custody.watch([text], { fresh: true })
      await database.query('UPDATE @.chain SET next_height = $1, epoch = 1', [block!.block.height])
      const { assets, backend, channels } = await settings()
      return (on: Database, epoch = 1n) =>
        on.transaction((tx) => applyBlock(tx, block!, { epoch, assets, backend, channels }))
    }
  }

  it('is applied by one of two leaders', async () => {
    const world = await scene()
    const { database } = world
    const arrange = await blockWithDeposit(world)
    await interleave(database, async () => {
      const apply = await arrange()
      return {
        first: (paused) => apply(paused),
        second: async () => {
          await database.query('UPDATE @.chain SET epoch = 2')
          await apply(database, 2n)
        },
        check: async () => {
          expect((await readChain(database)).depositCursor).toBe(1n)
          expect(await contradictions(database)).toEqual([])
        },
      }
    })
  })

  it('is applied before or after an address becomes part of the hot wallet', async () => {
    const world = await scene()
    const { database } = world
    const arrange = await blockWithDeposit(world)
    await interleave(database, async () => {
      const apply = await arrange()
      return {
        first: (paused) => registerWallet(paused, [customer], 'hot'),
        second: () => apply(database),
        check: async () => expect(await contradictions(database)).toEqual([]),
      }
    })
    await interleave(database, async () => {
      const apply = await arrange()
      return {
        first: (paused) => apply(paused),
        second: () => registerWallet(database, [customer], 'hot'),
        check: async () => expect(await contradictions(database)).toEqual([]),
      }
    })
  })
})

describe('a connection that is lost before any statement', () => {
  const losing = (
    { database }: Scene,
    arrange: () => Promise<(failing: Database) => Promise<unknown>>,
  ) =>
    interrupt(database, arrange, async (at) =>
      expect([at, await contradictions(database)]).toEqual([at, []]),
    )

  it('leaves nothing of a payout, sweep or cancellation half done', async () => {
    const world = await scene()
    const { database } = world
    await losing(world, async () => {
      const settings = await stage(world, 2)
      return (failing) => worker(settings, failing).pay()
    })
    await losing(world, async () => {
      const settings = await stage(world, 0, { sweeps: [{ type: 'consolidate', above: 1 }] })
      return (failing) => worker(settings, failing).sweep()
    })
    await losing(world, async () => {
      const settings = await stage(world, 1)
      await worker(settings).pay()
      await changePayouts(database, 'cancel', ['p1'], '')
      return (failing) => worker(settings, failing).cancel()
    })
    await losing(world, async () => {
      const { renew } = await renewal(world, 2n)
      return renew
    })
  })

  it('leaves nothing half done of a change of wallet, a walk or blocks that are taken back', async () => {
    const world = await scene()
    const { node, client, database } = world
    const { assetID } = await client.context()
    const { signal } = new AbortController()
    // A single server refutes nothing.
    const servers = clientOf(world, [node.fetch, node.fetch])
    await losing(world, async () => {
      await stage(world, 0)
      await registerWallet(database, [customer], 'deposit')
      await addDeposits(database, assetID, 21)
      return (failing) => registerWallet(failing, [customer], 'hot')
    })
    node.fund(textOf(customer), AVAX)
    node.fund(textOf(customer), AVAX)
    const height = await client.avm.getHeight()
    await losing(world, async () => {
      const settings = await stage(world, 0)
      await watchAddresses(database, settings.context, [textOf(customer)], {})
      await database.query('UPDATE @.chain SET next_height = $1', [height + 1n])
      return (failing) =>
        failing.session(async (session) => {
          const walk = await readWalk(settings, await addressesToWalk(session), signal)
          await recordWalk(settings, session, 0n, walk)
        })
    })
    await losing(world, async () => {
      const settings = await stage(world, 0)
      await addDeposits(database, assetID, 21)
      await database.query('UPDATE @.outputs SET height = $1, cursor = 1 WHERE address = $2', [
        height,
        customer,
      ])
      const falseID = new Uint8Array(32).fill(9)
      await database.query('INSERT INTO @.blocks VALUES ($1, $2, 0)', [height, falseID])
      const [before] = await client.blockReader({ from: height - 1n }).read({ limit: 1 })
      await database.query('INSERT INTO @.blocks VALUES ($1, $2, 0)', [
        height - 1n,
        before!.blockID,
      ])
      await database.query(
        'UPDATE @.chain SET next_height = $1::bigint + 1, last_block = $2, deposit_cursor = 1',
        [height, falseID],
      )
      return async (failing) => {
        const left = await failing.session((session) =>
          leaveFalseChain({ ...settings, client: servers, database: failing }, session, 0n, signal),
        )
        expect(left).toMatchObject({ height })
      }
    })
  })
})
