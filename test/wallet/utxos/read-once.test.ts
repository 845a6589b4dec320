import { expect, it } from 'vitest'
import { memoryStore } from '../../../src/wallet/store/index.ts'
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

it('an interrupted sweep lists what is left once', async () => {
  const lists: string[] = []
  const controller = new AbortController()
  const { node, wallet } = await scene({
    intercept: async ({ method }, next) => {
      if (method === 'avm.getUTXOs') lists.push(method)
      if (method !== 'avm.issueTx' || controller.signal.aborted) return next()
      // The next call issues this transaction again, and waits for it.
      controller.abort()
      throw new TypeError('offline')
    },
  })
  const [me, you] = people as [(typeof people)[0], (typeof people)[0]]
  for (let i = 0; i < 20; i++) node.fund(me.addresses[0]!, 10n * fee)
  const options = { to: addressOf(you), maxSize: 1_000 }
  const store = memoryStore()
  const interrupted = wallet({ store }).sweep(options, {
    signal: controller.signal,
    inFlight: 1,
  })
  await expect(interrupted).rejects.toThrow()
  expect(lists).toHaveLength(1)
  const { resumed, utxoCount } = await wallet({ store }).sweep(options)
  expect(resumed.length).toBeGreaterThan(0)
  expect(utxoCount).toBeGreaterThan(0)
  expect(lists).toHaveLength(2)
})
