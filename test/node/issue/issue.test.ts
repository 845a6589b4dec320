import { describe, expect, it } from 'vitest'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import { AbortError, TimeoutError } from '../../../src/node/errors.ts'
import { createNodeClient, HttpError, IssueError, ReplyError } from '../../../src/node/index.ts'
import { type IssueCalls, sendOnce } from '../../../src/node/issue/issue.ts'
import { fakeClock } from '../fake-clock.ts'
import { bytes, type ScriptNode, type Step, scriptNode, txID } from '../script-node.ts'

function clientOf(node: ScriptNode, url: string | string[] = 'http://a.test') {
  return createNodeClient({ url, fetch: node.fetch, clock: fakeClock(), retry: { retries: 1 } })
}

const issue = (node: ScriptNode) => clientOf(node).issueTx(bytes)
const missing = { refuse: 'failed to verify transfer: failed to get utxo abc: not found' }
const sends = (node: ScriptNode) => node.calls.filter((call) => call.includes('issueTx')).length

describe('issueTx', () => {
  it('is pending after the node accepted it into the mempool, and polls getTx', async () => {
    const node = scriptNode(['ok'])
    expect(await issue(node)).toEqual({ status: 'pending', txID })
    expect(node.calls).toEqual(['avm.issueTx a.test', 'avm.getTx a.test'])
  })

  it('accepts a transaction as well as its bytes', async () => {
    const result = await clientOf(scriptNode(['ok'])).issueTx(decodeTx(bytes))
    expect(result.txID).toEqual(txID)
  })

  it('is accepted if getTx finds it, whatever the node answered', async () => {
    const steps: Step[] = ['ok', missing, { refuse: 'boom' }, 'lost', 'bad gateway', 'wrong ID']
    for (const step of steps) {
      const node = scriptNode([step], (n) => n.accept())
      expect(await issue(node)).toEqual({ status: 'accepted', txID })
      expect(sends(node)).toBe(1)
    }
  })

  it('is rejected with the reason if getTx does not find it', async () => {
    const node = scriptNode([{ refuse: 'tx has wrong network ID' }])
    const failure = await issue(node).catch((error) => error)
    expect(failure).toBeInstanceOf(IssueError)
    expect(failure).toMatchObject({
      code: 'WRONG_NETWORK_ID',
      status: 'rejected',
      class: 'give-up',
      remembered: true,
      nodeMessage: 'tx has wrong network ID',
      txID,
    })
    expect(node.calls).toEqual(['avm.issueTx a.test', 'avm.getTx a.test'])
  })

  it.each([
    ['UTXO_NOT_FOUND', 'failed to verify transfer: failed to get utxo abc: not found'],
    ['ASSET_NOT_FOUND', 'failed to verify transfer: not found'],
    ['MEMPOOL_CONFLICT', 'tx conflicts with other tx: abc'],
  ])('polls twice after %s, which may mean that it was accepted', async (code, refuse) => {
    const late = scriptNode([{ refuse }], (n, count) => count === 3 && n.accept())
    expect(await issue(late)).toEqual({ status: 'accepted', txID })
    const never = scriptNode([{ refuse }])
    await expect(issue(never)).rejects.toMatchObject({ code, status: 'rejected' })
    expect(never.calls).toHaveLength(3)
  })

  it.each([
    ['no answer came', 'lost', HttpError],
    ['a gateway answered', 'bad gateway', HttpError],
    ['the node named another ID', 'wrong ID', ReplyError],
  ] as const)('is unknown where %s, and never sent twice', async (_, step, cause) => {
    const node = scriptNode([step])
    const failure = await issue(node).catch((error) => error)
    expect(failure).toBeInstanceOf(IssueError)
    expect(failure).toMatchObject({ code: 'TX_UNKNOWN', status: 'unknown', class: 'retry-later' })
    expect(failure.cause).toBeInstanceOf(cause)
    expect(sends(node)).toBe(1)
  })

  it('is unknown if it was rejected and getTx fails', async () => {
    const node = scriptNode([missing], undefined, ['lost'])
    await expect(issue(node)).rejects.toMatchObject({ code: 'TX_UNKNOWN', status: 'unknown' })
  })

  it('is pending if the node confirmed it and getTx fails', async () => {
    expect(await issue(scriptNode(['ok'], undefined, ['lost']))).toMatchObject({
      status: 'pending',
    })
  })

  it('applies its time limit to all requests and delays together', async () => {
    const clock = fakeClock()
    const never = scriptNode([missing])
    const client = createNodeClient({
      url: 'http://a.test',
      clock,
      fetch: (url, init) => {
        clock.advance(400)
        return never.calls.length < 2 ? never.fetch(url, init) : new Promise(() => {})
      },
    })
    await expect(client.issueTx(bytes, { totalMs: 1000 })).rejects.toMatchObject({
      code: 'TX_UNKNOWN',
      cause: { code: 'RPC_TIMEOUT', timeoutMs: 1 },
    })
    expect(clock.pauses).toEqual([200])
  })

  it('rejects an invalid time limit before sending a request', async () => {
    const node = scriptNode(['ok'])
    for (const name of ['timeoutMs', 'totalMs', 'graceMs'])
      await expect(clientOf(node).issueTx(bytes, { [name]: Number.NaN })).rejects.toMatchObject({
        code: 'ENC_INVALID',
      })
    expect(node.calls).toEqual([])
  })

  it('rejects invalid bytes before sending a request', async () => {
    const node = scriptNode(['ok'])
    await expect(clientOf(node).issueTx(new Uint8Array(80))).rejects.toMatchObject({
      code: expect.stringMatching(/^CODEC_/),
    })
    expect(node.calls).toEqual([])
  })

  it('ends when the signal is aborted', async () => {
    const controller = new AbortController()
    const node = scriptNode([missing], (_, count) => count === 2 && controller.abort())
    await expect(
      clientOf(node).issueTx(bytes, { signal: controller.signal }),
    ).rejects.toMatchObject({ code: 'ABORTED' })
  })
})

describe('sendOnce', () => {
  const sent = (error: unknown) => {
    const send = () => Promise.reject(error)
    return sendOnce({ send } as unknown as IssueCalls, bytes, 0, {})
  }

  it('throws if the caller aborts, and errors of the program', async () => {
    const aborted = new AbortError('avm.issueTx', 'enough')
    await expect(sent(aborted)).rejects.toBe(aborted)
    const defect = new TypeError('x is not a function')
    await expect(sent(defect)).rejects.toBe(defect)
  })

  it('returns what it means that a server does not answer', async () => {
    const error = new TimeoutError('RPC_TIMEOUT', 'no answer', 1)
    expect(await sent(error)).toEqual({ answer: 'none', error })
  })
})

describe('waitForTx', () => {
  const wait = (node: ScriptNode, options = {}, url?: string[]) =>
    clientOf(node, url).waitForTx(bytes, options)

  it('returns the transaction when getTx finds it', async () => {
    const node = scriptNode(['ok'], (n, count) => count === 4 && n.accept())
    expect(await wait(node)).toEqual({ status: 'accepted', txID, tx: decodeTx(bytes) })
    expect(node.calls).toEqual(Array(4).fill('avm.getTx a.test'))
  })

  it('polls with growing delays', async () => {
    const clock = fakeClock()
    const node = scriptNode(['ok'], (n, count) => count === 12 && n.accept())
    const client = createNodeClient({ url: 'http://a.test', fetch: node.fetch, clock })
    await client.waitForTx(txID)
    expect(clock.pauses[0]).toBe(125)
    expect(clock.pauses.at(-1)).toBe(2500)
    expect(clock.pauses).toEqual([...clock.pauses].sort((a, b) => a - b))
  })

  it('issues the same bytes again when it is not seen for a while', async () => {
    const node = scriptNode(['ok'], (n) => sends(n) === 2 && n.accept())
    expect(await wait(node)).toMatchObject({ status: 'accepted' })
    expect(sends(node)).toBe(2)
  })

  it('continues if the node is unreachable or its mempool is full', async () => {
    const full = { refuse: 'mempool is full: abc size (1) > available space (0)' }
    const node = scriptNode(
      [full, 'lost', { refuse: 'something new' }, 'ok'],
      (n) => sends(n) === 4 && n.accept(),
      ['lost', 'bad gateway', 'ok'],
    )
    expect(await wait(node)).toMatchObject({ status: 'accepted' })
  })

  it('fails with the reason if issuing is rejected', async () => {
    const node = scriptNode([{ refuse: 'insufficient funds' }])
    await expect(wait(node)).rejects.toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      status: 'rejected',
      class: 'rebuild',
    })
    // After the rejection it looked once more.
    expect(node.calls.slice(-2)).toEqual(['avm.issueTx a.test', 'avm.getTx a.test'])
  })

  it('returns a transaction that appears after inputs were reported missing', async () => {
    let since = 0
    const node = scriptNode([missing], (n, count) => {
      if (sends(n) === 1 && since === 0) since = count
      if (since > 0 && count === since + 3) n.accept()
    })
    expect(await wait(node, { graceMs: 30_000 })).toMatchObject({ status: 'accepted' })
    expect(sends(node)).toBe(1)
  })

  it('fails if the inputs stay missing', async () => {
    const node = scriptNode([missing])
    await expect(wait(node)).rejects.toMatchObject({ code: 'UTXO_NOT_FOUND', status: 'rejected' })
    expect(sends(node)).toBe(1)
  })

  it('asks the other nodes before it believes a remembered rejection', async () => {
    const node = scriptNode([missing, 'ok'], (n) => sends(n) === 2 && n.accept())
    const found = await wait(node, {}, ['http://a.test', 'http://b.test'])
    expect(found).toMatchObject({ status: 'accepted' })
    const issued = node.calls.filter((call) => call.includes('issueTx'))
    expect(issued).toEqual(['avm.issueTx a.test', 'avm.issueTx b.test'])
  })

  it('times out with everything observed', async () => {
    const node = scriptNode(['ok'])
    const failure = await wait(node, { timeoutMs: 12_000 }).catch((error) => error)
    expect(failure).toMatchObject({ code: 'TX_TIMEOUT', timeoutMs: 12_000 })
    const polls = node.calls.filter((call) => call.includes('getTx')).length
    expect(failure.known).toEqual({ txID, polls, sends: 2, lastAnswer: 'pending' })
  })

  it('times out with the last failure if no request succeeded', async () => {
    const node = scriptNode(['lost'], undefined, ['lost'])
    const failure = await wait(node, { timeoutMs: 3_000 }).catch((error) => error)
    expect(failure.known.lastError).toBeInstanceOf(HttpError)
    expect(failure.cause).toBe(failure.known.lastError)
  })

  it('only polls if only the ID is given', async () => {
    const node = scriptNode(['ok'])
    await expect(clientOf(node).waitForTx(txID, { timeoutMs: 20_000 })).rejects.toMatchObject({
      code: 'TX_TIMEOUT',
    })
    expect(sends(node)).toBe(0)
  })

  it('ends with the caller’s signal', async () => {
    const controller = new AbortController()
    const node = scriptNode(['ok'], (_, count) => count === 3 && controller.abort())
    await expect(wait(node, { signal: controller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    })
  })
})
