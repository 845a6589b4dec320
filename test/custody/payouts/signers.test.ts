import { describe, expect, it } from 'vitest'
import { HDAccount, seedFromMnemonic } from '../../../src/core/crypto/hd/index.ts'
import type { Signer } from '../../../src/core/sign/signer.ts'
import type { CustodyOptions } from '../../../src/custody/index.ts'
import { AVAX, allPayouts, keysOf, receiver, scene, until } from '../setup.ts'

describe('signers', () => {
  it('outside of the process sign by address or all at once; one that fails stops nothing', async () => {
    const { node, hot, keys, open, work, events } = await scene()
    for (let i = 0; i < 3; i++) node.fund(hot, 100n * AVAX)
    const calls = { one: 0, all: 0 }
    const one: Signer = {
      addresses: keys.addresses,
      sign: async ({ address, hash, extraEntropy }) => {
        if (calls.one++ === 0) throw new TypeError('fetch failed')
        return keys.sign(address, hash, extraEntropy)
      },
    }
    const all: Signer = {
      addresses: keys.addresses,
      sign: () => {
        throw new Error('not used')
      },
      signAll: async ({ signers, hash, extraEntropy }) => {
        calls.all++
        return signers.map(({ address }) => keys.sign(address, hash, extraEntropy))
      },
    }
    const options: Partial<CustodyOptions> = { keys: undefined, limits: { maxBatch: 2 } }
    for (const [i, signer] of [one, all].entries()) {
      const custody = await open({ ...options, signers: [signer] })
      const stop = work(custody)
      const requests = [1, 2, 3].map((n) => ({
        key: `p${i} ${n}`,
        to: receiver(10 * i + n),
        amount: AVAX,
      }))
      await custody.requestPayouts(requests)
      await allPayouts(
        custody,
        'paid',
        requests.map(({ key }) => key),
      )
      await stop()
      expect(await custody.audit()).toMatchObject({ balanced: true })
    }
    expect(calls.one).toBeGreaterThan(2)
    expect(calls.all).toBeGreaterThan(1)
    expect(events.map(({ event }) => event)).toContain('worker.failed')
  })

  it.each([
    ['', keysOf(1)],
    [', without other keys', undefined],
  ])(
    'of an account sweep the addresses of its watched xpub%s',
    async (_, keys) => {
      const words =
        'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
      const account = new HDAccount(seedFromMnemonic(words))
      const { node, hot, open, work } = await scene()
      const custody = await open({
        keys,
        hot: [hot],
        accounts: [account],
        sweeps: [{ type: 'collect', above: AVAX }],
      })
      await custody.watchXpub(account.watch.extendedPublicKey, { gap: 5 })
      for (const index of [0, 3, 4])
        node.fund(account.watch.address({ change: 0, index }), 2n * AVAX)
      work(custody)
      const reserve = await until('swept', async () => {
        const { reserves } = await custody.status()
        return reserves.find(({ wallet, free }) => wallet === 'hot' && free > 5n * AVAX)
      })
      expect(reserve).toMatchObject({ free: 6n * AVAX - 1_000_000n })
      expect(await custody.audit()).toMatchObject({ balanced: true })
    },
    120_000,
  )
})
