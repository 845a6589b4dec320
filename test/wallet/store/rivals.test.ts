import { expect, it } from 'vitest'
import { Rivals } from '../../../src/wallet/store/rivals.ts'

const id = (n: number) => new Uint8Array(32).fill(n)

it('evidence is followed through any number of own transactions', () => {
  const rivals = new Rivals()
  const rival = rivals.of({ txID: id(1), inputs: [], own: [0], bytes: id(1) })
  rivals.add({ txID: id(200), keys: ['a'], inputs: [{ txID: id(201), outputIndex: 0 }] }, rival)
  for (let n = 1; n < 100; n++)
    rivals.follow({
      txID: id(n + 1),
      inputs: [{ txID: id(n), outputIndex: 0 }],
      own: [0],
      bytes: id(n + 1),
    })
  const [ended] = rivals.endedFor('a')
  expect(ended?.evidence).toEqual([{ txID: id(100), outputIndex: 0 }])
  expect(ended?.txs).toHaveLength(16)
  expect(ended?.txs.at(-1)).toEqual(id(100))
  expect(rivals.isFollowed({ txID: id(9), inputs: [{ txID: id(50), outputIndex: 0 }] })).toBe(false)
})

it('the oldest of very many outputs are forgotten, never all of them', () => {
  const rivals = new Rivals()
  const rival = rivals.of({ txID: id(1), inputs: [], own: [0, 1], bytes: id(1) })
  rivals.add({ txID: id(200), keys: ['a'], inputs: [{ txID: id(201), outputIndex: 0 }] }, rival)
  const own = Array.from({ length: 1000 }, (_, i) => i)
  rivals.follow({ txID: id(2), inputs: [{ txID: id(1), outputIndex: 0 }], own, bytes: id(2) })
  expect(rivals.endedFor('a')[0]?.evidence).toHaveLength(64)
  expect(rivals.isFollowed({ txID: id(9), inputs: [{ txID: id(1), outputIndex: 1 }] })).toBe(false)
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
