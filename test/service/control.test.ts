import { describe, expect, it } from 'vitest'
import { AVAX, receiver } from '../custody/setup.ts'
import { served } from './setup.ts'

const rule = { type: 'approvals', name: 'large', amount: String(AVAX), count: 2 }

describe('limits and approvals over HTTP', () => {
  it('count each identity once, and never that of the requester', async () => {
    const { ask, tokenFor, tokens } = await served()
    const operator = await tokenFor('operator')
    const both = await tokenFor('requester', 'approver')
    const carol = await tokenFor('approver')
    const again = (await tokens.add({ name: 'APPROVER', roles: ['approver'] })).token
    const dave = (await tokens.add({ name: 'dave', roles: ['approver'] })).token
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect((await ask('POST', '/v1/limits', { token: operator, body: rule })).status).toBe(200)
    const body = { to: receiver(1), amount: String(2n * AVAX) }
    expect((await ask('POST', '/v1/payouts', { token: both, key: 'w', body })).status).toBe(201)

    const approve = (token: string) => ask('POST', '/v1/payouts/w/approve', { token, body: {} })
    expect((await approve(both)).json).toMatchObject({ status: 403, code: 'APPROVAL_REFUSED' })
    expect((await approve(carol)).status).toBe(200)
    // The same person, spelled in another way: it counts once, so the payout still waits for one more.
    await approve(again)
    const approvals = async () => {
      const { json } = await ask('GET', '/v1/events?after=0', { token: operator })
      const events = json.events as unknown as { kind: string; newStatus: string; actor: string }[]
      return events.filter(({ kind, newStatus }) => kind === 'approval' && newStatus === 'approved')
    }
    const names = new Set((await approvals()).map(({ actor }) => actor.toLowerCase()))
    expect([...names].map((name) => name.replace(/^.*\//, ''))).toEqual(['approver'])
    expect((await approve(dave)).status).toBe(200)
  })

  it('refuse rules with unknown members, other types and numbers as amounts', async () => {
    const { ask, tokenFor } = await served()
    const token = await tokenFor('operator')
    const codeOf = async (body: object) =>
      (await ask('POST', '/v1/limits', { token, body })).json.code
    expect(await codeOf({ ...rule, cuont: 2 })).toBe('UNKNOWN_OPTION')
    expect(await codeOf({ ...rule, type: 'limits' })).toBe('ENC_INVALID')
    expect(await codeOf({ ...rule, amount: 5 })).toBe('ENC_INVALID')
    // A sum without a window.
    const unlimited = { type: 'limit', name: 'a', per: 'total', amount: '5' }
    expect(await codeOf(unlimited)).toBe('MISSING_OPTION')
    expect(await codeOf([] as never)).toBe('ENC_INVALID')
    const removed = await ask('DELETE', '/v1/limits/none', { token })
    expect(removed.json).toMatchObject({ status: 404, code: 'LIMIT_UNKNOWN' })
    expect((await ask('GET', '/v1/limits', { token })).json.limits).toEqual([])
  })
})
