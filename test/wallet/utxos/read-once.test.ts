import { expect, it } from 'vitest'
import { addressOf, fee, people, scene } from '../setup.ts'

it('a first sweep and a first import from one server list every UTXO once', async () => {
  const lists: string[] = []
  const { node, wallet } = await scene({
    intercept: ({ method, params }, next) => {
      if (method === 'avm.getUTXOs') lists.push(String(params.sourceChain ?? 'X'))
      return next()
    },
  })
  const [me, you] = people as [(typeof people)[0], (typeof people)[0]]
  const address = me.addresses[0]!
  node.fund(address, 10n * fee)
  const [utxo] = node.exportFrom('P', { address, amount: 5n * fee })
  expect(utxo).toBeDefined()
  const { leftBehind } = await wallet().import({ sourceChain: 'P' })
  expect(leftBehind).toEqual([])
  expect(lists).toHaveLength(2)
  lists.length = 0
  const to = addressOf(you)
  await wallet().sweep({ to })
  expect(lists).toEqual(['X'])
})
