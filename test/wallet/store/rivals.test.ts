import { expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import { Rivals } from '../../../src/wallet/store/rivals.ts'
import { outputOf, shown } from './samples.ts'

const id = (n: number) => new Uint8Array(32).fill(n)

const output = (txID: Uint8Array, outputIndex = 0): UTXOID => ({ txID, outputIndex })

/** An attempt that a rival with these own outputs ended. */
function endedBy(own: number[]) {
  const rivals = new Rivals()
  const { txID, bytes } = shown(output(id(201)), 'rival')
  rivals.add(
    { txID: id(200), keys: ['a'], inputs: [output(id(201))] },
    rivals.of({ txID, inputs: [], own, bytes: bytes! }),
  )
  return { rivals, rival: txID }
}

it('evidence is followed through any number of own transactions', () => {
  const { rivals, rival } = endedBy([0])
  const chain = [shown(output(rival), '1')]
  while (chain.length < 100) chain.push(shown(outputOf(chain.at(-1)!), `${chain.length}`))
  for (const tx of chain) rivals.follow(tx)
  const last = chain.at(-1)!
  const [ended] = rivals.endedFor('a')
  expect(ended?.evidence).toEqual([outputOf(last)])
  expect(ended?.txs).toHaveLength(16)
  expect(ended?.txs.at(-1)).toEqual(last.bytes)
  expect(rivals.isFollowed({ txID: id(9), inputs: [outputOf(chain[50]!)] })).toBe(false)
  // Blocks may be read again.
  for (const tx of chain) expect(rivals.isFollowed(tx)).toBe(false)
})

it('of two transactions that spend the same evidence, the outputs of both are evidence', () => {
  const { rivals, rival } = endedBy([0, 1])
  const [lie, truth] = [shown(output(rival), 'lie'), shown(output(rival), 'truth')] as const
  const afterLie = shown(outputOf(lie), 'after the lie')
  for (const tx of [lie, afterLie]) rivals.follow(tx)
  expect(rivals.isFollowed(truth)).toBe(true)
  expect(rivals.isNews(truth)).toBe(true)
  expect(rivals.excludedBy(truth)).toEqual(
    new Set([lie, afterLie].map(({ txID }) => hex.encode(txID))),
  )
  const restored = new Rivals()
  for (const one of rivals.endedFor('a')) restored.restore(one)
  for (const one of [rivals, restored]) {
    one.follow(truth)
    expect(one.endedFor('a')[0]?.evidence).toEqual([
      output(rival, 1),
      outputOf(afterLie),
      outputOf(truth),
    ])
    expect(one.isFollowed(truth)).toBe(false)
    one.forget('a')
    for (const input of [output(rival), outputOf(lie), outputOf(truth)])
      expect(one.isTouched(input)).toBe(false)
  }
})

it('the oldest of very many outputs are forgotten, never all of them', () => {
  const { rivals, rival } = endedBy([0, 1])
  const own = Array.from({ length: 1000 }, (_, i) => i)
  rivals.follow({ ...shown(output(rival), 'many'), own })
  expect(rivals.endedFor('a')[0]?.evidence).toHaveLength(64)
  expect(rivals.isFollowed({ txID: id(9), inputs: [output(rival, 1)] })).toBe(false)
})

it('a rival is kept until all payments are made whose attempts it ended', () => {
  const rivals = new Rivals()
  const rival = rivals.of({ txID: id(1), inputs: [], own: [0] })
  const input = (n: number) => ({ txID: id(n), outputIndex: 0 })
  rivals.add({ txID: id(200), keys: ['a', 'b'], inputs: [input(201)] }, rival)
  rivals.add({ txID: id(202), keys: ['c'], inputs: [input(203)] }, rival)
  const spent = { txID: id(9), inputs: [input(1)] }
  for (const key of ['a', 'c']) {
    rivals.forget(key)
    expect(rivals.isFollowed(spent)).toBe(true)
  }
  expect(rivals.endedFor('b')).toHaveLength(1)
  rivals.forget('b')
  expect(rivals.isFollowed(spent)).toBe(false)
  expect([rivals.all.size, rivals.ended.size, rivals.endedBy.size]).toEqual([0, 0, 0])
})
