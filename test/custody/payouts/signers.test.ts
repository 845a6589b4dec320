import { describe, expect, it } from 'vitest'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { HDAccount, seedFromMnemonic } from '../../../src/core/crypto/hd/index.ts'
import type { Signer } from '../../../src/core/sign/signer.ts'
import type { CustodyOptions } from '../../../src/custody/index.ts'
import { bookOf, bookRule, policyOf } from '../../signers/policy/fixtures.ts'
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

  it('with a policy hold what it forbids, with a note, and pay the rest', async () => {
    const { node, hot, open, work, events } = await scene()
    for (let i = 0; i < 4; i++) node.fund(hot, 100n * AVAX)
    const [alice, mallory] = [receiver(1), receiver(2)]
    const asset = formatID(node.context.assetID)
    const policy = policyOf(
      { addressBook: bookRule, maximum: { [asset]: 50n * AVAX } },
      { addressBook: bookOf([{ name: 'Alice', to: alice }]) },
    )
    const custody = await open({ signing: { policy } })
    await custody.requestPayouts([
      { key: 'first', to: alice, amount: 30n * AVAX },
      { key: 'stranger', to: mallory, amount: AVAX },
      // Together with the first one it is above the maximum of a transaction.
      { key: 'second', to: alice, amount: 30n * AVAX },
      { key: 'large', to: alice, amount: 51n * AVAX },
    ])
    const stop = work(custody)
    await allPayouts(custody, 'paid', ['first', 'second'])
    const held = await until('held', async () => {
      const payouts = await custody.payouts({ keys: ['stranger', 'large'] })
      return payouts.every((each) => each.held) ? payouts : undefined
    })
    expect(held.map(({ note }) => note)).toEqual([
      expect.stringMatching(/^refused by the policy of the signer: .*address book/),
      expect.stringMatching(/^refused by the policy of the signer: .*maximum/),
    ])
    // Released, it is refused again: nobody but the policy's owner can allow it.
    await custody.release(['stranger'])
    await until('held again', async () => {
      const [payout] = await custody.payouts({ keys: ['stranger'] })
      return payout!.held ? payout : undefined
    })
    await stop()
    expect(await custody.audit()).toMatchObject({ balanced: true })
    expect(events.map(({ event }) => event)).not.toContain('worker.failed')
  }, 120_000)

  it('with a policy that has sums over time hold what they limit: custody has limits of its own', async () => {
    const { node, hot, open, work } = await scene()
    node.fund(hot, 100n * AVAX)
    const assetID = formatID(node.context.assetID)
    const policy = policyOf({ sums: [{ assetID, amount: 50n * AVAX, seconds: 86_400 }] })
    const custody = await open({ signing: { policy } })
    await custody.requestPayouts([{ key: 'a', to: receiver(1), amount: AVAX }])
    const stop = work(custody)
    const held = await until('held', async () => {
      const [payout] = await custody.payouts({ keys: ['a'] })
      return payout!.held ? payout : undefined
    })
    expect(held.note).toMatch(/^refused by the policy of the signer: .*within 86400 s/)
    await stop()
  }, 120_000)
})
