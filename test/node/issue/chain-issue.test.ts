import { describe, expect, it } from 'vitest'
import { AbortError, IssueError, RpcError, TimeoutError } from '../../../src/node/errors.ts'
import {
  type ChainCalls,
  issueChainTx,
  waitForChainTx,
} from '../../../src/node/issue/chain-issue.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'
import { fakeClock } from '../fake-clock.ts'
import { bytes, txID } from '../script-node.ts'

type Answers = {
  readonly send?: () => Promise<unknown>
  readonly statusOf?: ChainCalls['statusOf']
}

/** Issues a transaction to a node that does not know it, except for the given answers. */
const issue = ({ send = async () => ({}), statusOf }: Answers) =>
  issueChainTx(
    {
      send,
      statusOf: statusOf ?? (async () => ({ status: 'unknown' })),
      remembers: false,
      clock: fakeClock(),
    },
    { txID, bytes },
    {},
  )

const aborted = new AbortError('platform.issueTx', 'enough')
const defect = new TypeError('x is not a function')
const silence = new TimeoutError('RPC_TIMEOUT', 'no answer', 1)
const failing = (error: unknown) => () => Promise.reject(error)

describe('issueChainTx', () => {
  it('throws if the caller aborts, and errors of the program', async () => {
    for (const error of [aborted, defect]) {
      await expect(issue({ send: failing(error) })).rejects.toBe(error)
      const send = failing(silence)
      await expect(issue({ send, statusOf: failing(error) })).rejects.toBe(error)
    }
  })

  it('asks for the status if a server does not answer', async () => {
    const send = failing(silence)
    await expect(issue({ send })).rejects.toMatchObject({ code: 'TX_UNKNOWN', cause: silence })
    for (const status of ['accepted', 'pending'] as const)
      expect(await issue({ send, statusOf: async () => ({ status }) })).toEqual({ txID, status })
  })

  it('is unknown if the node rejected it and the status is not known', async () => {
    const send = failing(new RpcError('platform.issueTx', -32000, 'not found'))
    const failure = await issue({ send, statusOf: failing(silence) }).catch((error) => error)
    expect(failure).toBeInstanceOf(IssueError)
    expect(failure).toMatchObject({ code: 'TX_UNKNOWN', status: 'unknown', cause: silence })
  })
})

describe('waitForChainTx', () => {
  it('gives each call what is left of its time, and sends again when it is time', async () => {
    // Pauses that are not jittered.
    const clock = virtualClock({ random: () => 0.5 })
    const left = () => Math.max(1, 10_000 - clock.slept())
    const polled: number[] = []
    const sent: number[] = []
    const calls: ChainCalls = {
      clock,
      remembers: false,
      statusOf: async (_, { totalMs }) => {
        expect(totalMs).toBe(left())
        polled.push(clock.slept())
        return { status: 'unknown' }
      },
      send: async (_, { totalMs }) => {
        expect(totalMs).toBe(left())
        sent.push(clock.slept())
      },
    }
    const options = { timeoutMs: 10_000, pollMs: 2_000, resendMs: 4_000 }
    await expect(waitForChainTx(calls, { txID, bytes }, options)).rejects.toMatchObject({
      code: 'TX_TIMEOUT',
    })
    expect(sent).toEqual([4_000, 8_000])
    expect(polled).toEqual([0, 2_000, 4_000, 4_000, 6_000, 8_000, 8_000, 10_000])
  })
})
