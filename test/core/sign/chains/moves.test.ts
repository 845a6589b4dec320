import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { createDevNode } from '../../../../src/devnode/index.ts'
import { ewoq, others } from '../../../devnode/txs.ts'
import { runs } from '../../../helpers/runs.ts'
import { type ChainAlias, Mover } from './mover.ts'

const moves: readonly (readonly [ChainAlias, ChainAlias])[] = [
  ['X', 'P'],
  ['P', 'X'],
  ['X', 'C'],
  ['C', 'X'],
  ['C', 'P'],
  ['P', 'C'],
]

describe('a transfer between chains', () => {
  for (const helicon of [false, true])
    for (const [from, to] of moves)
      it(`moves AVAX from ${from} to ${to}${helicon ? ' after Helicon' : ''}`, async () => {
        const node = await createDevNode({ helicon })
        const mover = new Mover(node, ewoq.privateKey)
        const before = { from: await mover.balance(from), to: await mover.balance(to) }
        const exported = await mover.export(from, to, 7_000_000_000n)
        expect(exported.utxos).toHaveLength(1)
        const listed =
          to === 'X'
            ? await mover.xUTXOs(from)
            : to === 'P'
              ? await mover.pUTXOs(from)
              : await mover.cUTXOs(from)
        expect(listed).toEqual(exported.utxos)
        const fee = await mover.import(from, to, exported.utxos)
        expect(await mover.balance(from)).toBe(before.from - 7_000_000_000n - exported.fee)
        expect(await mover.balance(to)).toBe(before.to + 7_000_000_000n - fee)
        await node.close()
      })

  test.prop(
    [
      fc.array(
        fc.tuple(fc.constantFrom(...moves), fc.bigInt({ min: 10_000_000n, max: 10n ** 10n })),
        {
          minLength: 1,
          maxLength: 5,
        },
      ),
      fc.bigInt({ min: 1n, max: 100_000_000_000n }),
      fc.bigInt({ min: 0n, max: 4_000_000n }),
      fc.boolean(),
    ],
    runs(12),
  )('conserves value over both legs, less the fees', async (list, baseFee, excess, helicon) => {
    const node = await createDevNode({ now: 1_800_000_000, helicon })
    const { privateKey, address, text } = others[0]!
    const mover = new Mover(node, privateKey)
    node.fund(text, 50_000_000_000n)
    node.pChain.fund({ address, amount: 30_000_000_000n })
    node.pChain.fund({ address, amount: 20_000_000_000n })
    node.pChain.fund({ address, amount: 9_000_000_000n, stakeableLocktime: 1_900_000_000n })
    node.cChain.fund(mover.account, 50_000_000_000n)
    node.cChain.setBaseFee(baseFee)
    let total = 150_000_000_000n
    const sum = async () =>
      (await mover.balance('X')) + (await mover.balance('P')) + (await mover.balance('C'))
    expect(await sum()).toBe(total)
    for (const [[from, to], amount] of list) {
      node.setTime(node.now() + 30n)
      node.pChain.setFeeState({ capacity: 1_000_000n, excess })
      const exported = await mover.export(from, to, amount)
      total -= exported.fee + (await mover.import(from, to, exported.utxos))
      expect(await sum()).toBe(total)
    }
    await node.close()
  })
})
