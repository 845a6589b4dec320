import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Database, Session } from '../../../src/custody/database/database.ts'
import type { CustodyOptions } from '../../../src/custody/index.ts'
import { openWebhooks } from '../../../src/custody/service/index.ts'
import { cursorOf } from '../../../src/custody/service/webhooks/deliverer.ts'
import { Delivery } from '../../../src/custody/service/webhooks/delivery.ts'
import type { Message } from '../../../src/custody/service/webhooks/messages.ts'
import { todaysFrom } from '../../helpers/todays-cases.ts'
import { type Random, seededRandom } from '../../sim/random.ts'
import { AVAX, receiver, scene } from '../setup.ts'

const HOOK = { name: 'books', url: 'http://127.0.0.1/', secrets: [], topics: ['payout'] as const }
/** Two further attempts, without pauses. */
const RETRY_SECONDS = [0, 0]
const MAX_FAILURES = RETRY_SECONDS.length + 1
const PAYOUTS = 40
const CRASHES = 12

/** A receiver that fails at random, and checks what it is sent. */
class Receiver {
  readonly faults: string[] = []
  isHealed = false
  private readonly random: Random
  private readonly bodies = new Map<string, string>()
  private readonly accepted = new Set<bigint>()
  private readonly failures = new Map<bigint, number>()
  /** Events of each lane that were sent, in the order in which they were sent first. */
  private readonly lanes = new Map<string, bigint[]>()

  constructor(random: Random) {
    this.random = random
  }

  readonly send = async (message: Message): Promise<string | undefined> => {
    const { event, id, lane, body } = message
    if ((this.bodies.get(id) ?? body) !== body) this.faults.push(`${id} has two contents`)
    this.bodies.set(id, body)
    this.arrive(event, lane)
    await sleep(this.random.below(4))
    const isLost = !this.isHealed && this.random.chance(0.1)
    const isRefused = !this.isHealed && this.random.chance(0.35)
    if (!isRefused) this.accepted.add(event)
    if (!isRefused && !isLost) return undefined
    this.failures.set(event, (this.failures.get(event) ?? 0) + 1)
    return isRefused ? 'status 500' : 'the answer is not complete'
  }

  hasAccepted(event: bigint): boolean {
    return this.accepted.has(event)
  }

  /** An event arrives for the first time only after each earlier one of its lane was accepted, or failed until it was dead. */
  private arrive(event: bigint, lane: string): void {
    const sent = this.lanes.get(lane) ?? []
    this.lanes.set(lane, sent)
    if (sent.includes(event)) return
    for (const other of sent) {
      if (other > event) this.faults.push(`${lane}: ${event} was sent after ${other}`)
      const isDead = (this.failures.get(other) ?? 0) >= MAX_FAILURES
      if (!this.accepted.has(other) && !isDead)
        this.faults.push(`${lane}: ${event} was sent although ${other} was not accepted`)
    }
    sent.push(event)
  }
}

/** A session of a process that is killed before or after one of its statements. */
function killedAfter(session: Session, statements: number, isExecuted: boolean): Session {
  let sent = 0
  return {
    ...session,
    query: async (text, values) => {
      if (++sent < statements) return session.query(text, values)
      if (sent === statements && isExecuted) await session.query(text, values)
      throw new Error('killed')
    },
  }
}

/** Delivers with a session until the signal is aborted, or until the process is killed. */
async function deliver(
  database: Database,
  receiver: Receiver,
  signal: AbortSignal,
  lives: (session: Session) => Session = (session) => session,
): Promise<void> {
  await database.session(async (session) => {
    const delivery = new Delivery({
      database,
      session: lives(session),
      hook: HOOK,
      cursor: await cursorOf({ database, hook: HOOK }, session),
      retrySeconds: RETRY_SECONDS,
      concurrency: 3,
      send: receiver.send,
    })
    await delivery.run(signal)
  })
}

describe('webhooks while processes are killed and the receiver fails', () => {
  it.each(todaysFrom(1, 16))(
    'arrive at least once and in the order of their reference (seed %i)',
    async (seed) => {
      const random = seededRandom(seed)
      const receiving = new Receiver(random)
      const { database, open } = await scene()
      const custody = await open()
      const { pool } = database as unknown as { readonly pool: CustodyOptions['database'] }
      const webhooks = await openWebhooks({ database: pool, schema: database.schema })
      await cursorOf({ database, hook: HOOK })
      const add = async (n: number) => {
        const key = `payout ${n}`
        const reference = random.chance(0.9) ? `user ${random.below(4)}` : undefined
        await custody.requestPayouts([{ key, to: receiver(n), amount: AVAX, reference }])
        if (random.chance(0.5)) await custody.hold([key])
        if (random.chance(0.5)) await custody.cancel([key])
      }
      let added = 0
      for (let crash = 0; crash < CRASHES; crash++) {
        while (added < (PAYOUTS * (crash + 1)) / CRASHES) await add(added++)
        const lives = (session: Session) =>
          killedAfter(session, 3 + random.below(40), random.chance(0.5))
        const stop = new AbortController()
        const running = deliver(database, receiving, stop.signal, lives)
        // One with nothing left to do is stopped.
        const timer = setTimeout(() => stop.abort(), 2_000)
        await running.catch((error) => expect(String(error)).toContain('killed'))
        clearTimeout(timer)
        if (random.chance(0.3)) await webhooks.replay(HOOK.name)
      }
      receiving.isHealed = true
      const stop = new AbortController()
      const running = deliver(database, receiving, stop.signal)
      const isDone = async () => {
        await webhooks.replay(HOOK.name)
        const [state] = await webhooks.list()
        return state!.behind === 0 && state!.waiting === 0 && state!.dead === 0
      }
      for (let tries = 0; tries < 300 && !(await isDone()); tries++) await sleep(100)
      stop.abort()
      await running
      expect(await isDone()).toBe(true)
      expect(receiving.faults).toEqual([])
      const events = await custody.events()
      const missing = events.filter(({ cursor }) => !receiving.hasAccepted(cursor))
      expect(missing).toEqual([])
      expect(events.length).toBeGreaterThan(PAYOUTS)
    },
  )
})
