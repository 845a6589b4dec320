import { describe, expect, it } from 'vitest'
import { txID as idOf, utxoKey } from '../../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import { Claims } from '../../../src/wallet/store/claims.ts'
import type { Claim } from '../../../src/wallet/store/store.ts'
import { outputOf, payment, rival, shown, txOf, utxo } from './samples.ts'

/** The payment `k`, whose first attempt spends the UTXO `a`. */
function pending() {
  const claims = new Claims()
  const claim = (input: string | UTXOID, salt: string) => {
    const made: Claim = { ...payment('k', 'a'), bytes: txOf([input], salt) }
    const attempt = claims.check(made)!
    claims.add(attempt, made.payments)
    return attempt
  }
  const evidence = () => {
    const { ended = [] } = claims.record('k')
    return ended.flatMap((one) => one.evidence.map(utxoKey))
  }
  return { claims, claim, evidence, first: claim('a', 'first') }
}

describe('a payment whose attempt was ended', () => {
  it('is shown by what own transactions have made of the outputs of the rival', () => {
    const { claims, evidence } = pending()
    const ending = shown(utxo('a'), 'rival')
    const next = shown(outputOf(ending), 'next')
    claims.recordAcceptance(ending)
    expect(evidence()).toEqual([utxoKey(outputOf(ending))])
    claims.recordAcceptance(next)
    expect(evidence()).toEqual([utxoKey(outputOf(next))])
  })

  it('is shown by every transaction that is said to have ended it', () => {
    const { claims, evidence } = pending()
    const both = ['lie', 'truth'].map((salt) => shown(utxo('a'), salt))
    for (const one of both) claims.recordAcceptance(one)
    expect(evidence()).toEqual(both.map((one) => utxoKey(outputOf(one))))
  })

  it('is shown by nothing if one of them has no output of the wallet', () => {
    const { claims, evidence } = pending()
    claims.recordAcceptance(shown(utxo('a'), 'lie'))
    claims.recordAcceptance(rival('a'))
    expect(claims.record('k').ended).toHaveLength(1)
    expect(evidence()).toEqual([])
  })

  it('is accepted with it after all, which ends the attempts that spend outputs of the rival', () => {
    const { claims, claim, first } = pending()
    const ending = shown(utxo('a'), 'lie')
    claims.recordAcceptance(ending)
    claim(outputOf(ending), 'second')
    expect(claims.record('k').status).toBe('pending')
    claims.recordAcceptance({ txID: first.txID, inputs: first.inputs })
    expect(claims.record('k')).toMatchObject({ status: 'accepted', txID: idOf(first.bytes) })
    expect(claims.attempts.size).toBe(0)
    expect(claims.spendersOf(outputOf(ending))).toEqual([])
  })
})
