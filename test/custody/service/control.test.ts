import { describe, expect, it } from 'vitest'
import { AVAX, receiver } from '../setup.ts'
import { served } from './setup.ts'

const rule = { type: 'approvals', name: 'large', amount: String(AVAX), count: 2 }

describe('limits and approvals over HTTP', () => {
  it('count each identity once, and never that of the requester', async () => {
    const { ask, tokenFor, tokens, database } = await served()
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
    const faults = () =>
      database.query(`SELECT fault FROM @.limit_faults((SELECT array_agg(seq) FROM @.payments))`)
    // The same person, spelled in another way, counts once.
    expect((await approve(again)).status).toBe(200)
    expect(await faults()).toEqual([{ fault: 'has 1 of 2 approvals' }])
    expect((await approve(dave)).status).toBe(200)
    expect(await faults()).toEqual([])
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
