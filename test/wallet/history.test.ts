import { fc } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { createdUTXOs } from '../../src/core/chain/x/created.ts'
import { txID as idOf, utxoKey } from '../../src/core/chain/x/ids.ts'
import { consumedUTXOs } from '../../src/core/chain/x/spends.ts'
import type { KeyChain } from '../../src/core/crypto/keychain.ts'
import type { DevNode } from '../../src/devnode/index.ts'
import { createWallet, formatBalances, type WalletHistoryEntry } from '../../src/wallet/index.ts'
import { runs } from '../helpers/runs.ts'
import { moveScene, AVAX as ONE } from './moves/setup.ts'
import { AVAX, addressOf, direct, fee, people, scene } from './setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]

/** Net amounts of AVAX by transaction, from all blocks: what an address owned before and after each. */
async function reference(node: DevNode, keys: KeyChain): Promise<[string, bigint, bigint][]> {
  const client = direct(node)
  const own = hex.encode(keys.addresses[0]!)
  const owned = new Map<string, bigint>()
  const found: [string, bigint, bigint][] = []
  const end = await client.avm.getHeight({})
  for (let height = 1n; height <= end; height++)
    for (const tx of (await client.avm.getBlockByHeight({ height })).txs) {
      let net = 0n
      let isOurs = false
      for (const id of consumedUTXOs(tx.unsignedTx)) {
        const amount = owned.get(utxoKey(id))
        if (amount === undefined) continue
        owned.delete(utxoKey(id))
        net -= amount
        isOurs = true
      }
      for (const utxo of createdUTXOs(tx)) {
        const { output } = utxo
        if (!('amount' in output) || !output.addresses.some((one) => hex.encode(one) === own))
          continue
        owned.set(utxoKey(utxo), output.amount)
        net += output.amount
        isOurs = true
      }
      if (isOurs) found.push([hex.encode(idOf(tx)), height, net])
    }
  return found
}

/** Net amounts of every asset by transaction: what an address could own before and after each, from all blocks. */
async function referenceOfAssets(node: DevNode, keys: KeyChain): Promise<Net[]> {
  const client = direct(node)
  const own = hex.encode(keys.addresses[0]!)
  const owned = new Map<string, readonly [asset: string, amount: bigint]>()
  const found: Net[] = []
  const end = await client.avm.getHeight({})
  for (let height = 1n; height <= end; height++)
    for (const tx of (await client.avm.getBlockByHeight({ height })).txs) {
      const before = sumOf(owned)
      let isOurs = false
      for (const id of consumedUTXOs(tx.unsignedTx)) isOurs = owned.delete(utxoKey(id)) || isOurs
      for (const utxo of createdUTXOs(tx)) {
        const { output } = utxo
        if (!output.addresses.some((one) => hex.encode(one) === own)) continue
        isOurs = true
        if ('amount' in output) owned.set(utxoKey(utxo), [hex.encode(utxo.assetID), output.amount])
      }
      if (!isOurs) continue
      const after = sumOf(owned)
      const net = new Map<string, bigint>()
      for (const asset of new Set([...before.keys(), ...after.keys()])) {
        const change = (after.get(asset) ?? 0n) - (before.get(asset) ?? 0n)
        if (change !== 0n) net.set(asset, change)
      }
      found.push([hex.encode(idOf(tx)), height, sorted(net)])
    }
  return found
}

type Net = readonly [
  txID: string,
  height: bigint | undefined,
  amounts: readonly (readonly [string, bigint])[],
]

function sumOf(owned: ReadonlyMap<string, readonly [string, bigint]>): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const [asset, amount] of owned.values()) sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  return sums
}

function sorted(net: ReadonlyMap<string, bigint>): readonly (readonly [string, bigint])[] {
  return [...net].sort(([a], [b]) => (a < b ? -1 : 1))
}

function netOf(entries: readonly WalletHistoryEntry[]): Net[] {
  return entries.map(({ txID, height, amounts }) => [
    hex.encode(txID),
    height,
    sorted(new Map(amounts.map(({ assetID, amount }) => [hex.encode(assetID), amount]))),
  ])
}

describe('the history of a wallet', () => {
  const payment = fc.record({
    from: fc.nat({ max: 2 }),
    to: fc.nat({ max: 2 }),
    amount: fc.bigInt({ min: 1n, max: fee }),
  })

  it('is what all blocks say, in pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(payment, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 4 }),
        async (payments, limit) => {
          const here = await scene()
          const all = [me, you, third]
          for (const keys of all) here.node.fund(addressOf(keys), 50n * fee)
          const wallets = all.map((keys) => here.wallet({ keys }))
          for (const { from, to, amount } of payments)
            await wallets[from]!.transfer({ to: addressOf(all[to]!), amount })
          const read = []
          for (let after: string | undefined; ; ) {
            const page = await wallets[0]!.history({ after, limit, fromHeight: 1n })
            read.push(...page)
            if (page.length < limit) break
            after = page.at(-1)!.cursor
          }
          const net = read.map(({ txID, height, amounts }) => [
            hex.encode(txID),
            height,
            amounts.reduce((sum, { amount }) => sum + amount, 0n),
          ])
          expect(net).toEqual(await reference(here.node, me))
          await here.node.close()
        },
      ),
      runs(20),
    )
  })

  const step = fc.oneof(
    fc.record({
      kind: fc.constant('pay' as const),
      ...{ to: fc.nat({ max: 2 }), amount: fc.bigInt({ min: 1n, max: fee }) },
    }),
    fc.record({
      kind: fc.constantFrom(
        'toP',
        'fromP',
        'toC',
        'fromC',
        'token',
        'payToken',
        'payouts',
        'consolidate',
        'shared',
        'deposit',
      ),
    }),
  )

  it('is what all blocks say of every asset, with moves, batches and co-owners', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        const here = await moveScene()
        const wallet = here.wallet()
        const rest = createWallet({ client: here.client, keys: you, clock: here.clock })
        here.node.fund(addressOf(you), 50n * fee)
        let token: Uint8Array | undefined
        let payout = 0
        const amount = ONE
        for (const one of steps)
          if (one.kind === 'pay')
            await wallet.transfer({ to: addressOf([me, you, third][one.to]!), amount: one.amount })
          else if (one.kind === 'toP') await wallet.move({ from: 'X', to: 'P', amount })
          else if (one.kind === 'fromP') await wallet.move({ from: 'P', to: 'X', amount })
          else if (one.kind === 'toC') await wallet.move({ from: 'X', to: 'C', amount })
          else if (one.kind === 'fromC') await wallet.move({ from: 'C', to: 'X', amount })
          else if (one.kind === 'token') {
            const holders = [me, you].map((keys) => ({ to: addressOf(keys), amount: 40n }))
            token = (await wallet.createAsset({ name: 'Token', symbol: 'TOK', holders })).txID
          } else if (one.kind === 'payToken') {
            if (token !== undefined)
              await wallet.transfer({ to: addressOf(you), amount: 3n, assetID: token })
          } else if (one.kind === 'payouts') {
            const to = [you, third].map((keys, i) => ({
              to: addressOf(keys),
              amount: BigInt(i + 1),
              key: `${keys.addresses[0]![0]}/${++payout}`,
            }))
            await wallet.payouts({ payments: to })
          } else if (one.kind === 'consolidate') await wallet.consolidate()
          else if (one.kind === 'deposit') await rest.transfer({ to: addressOf(me), amount: 2n })
          else {
            // Both own it, and the other one spends it.
            await wallet.transfer({
              outputs: [{ to: [addressOf(me), addressOf(you)], threshold: 1, amount: 5n }],
            })
            await rest.sendAll({ to: addressOf(third), assetID: AVAX })
            here.node.fund(addressOf(you), 50n * fee)
          }
        const entries = await wallet.history({ fromHeight: 1n, limit: 10_000 })
        expect(netOf(entries)).toEqual(await referenceOfAssets(here.node, me))
        await here.node.close()
      }),
      runs(40),
    )
  })

  it('names direction, fee, counterparties, memo and keys', async () => {
    const here = await scene()
    here.node.fund(addressOf(me), 20n * fee)
    here.node.fund(addressOf(you), 20n * fee)
    const mine = here.wallet()
    await mine.transfer({ to: addressOf(you), amount: 5n, memo: 'rent' }, { key: 'a' })
    await mine.transfer({ to: addressOf(me), amount: 7n }, { key: 'b' })
    await here.wallet({ keys: you }).transfer({ to: addressOf(me), amount: 9n })
    // Reads the block of the payment before.
    await mine.balances()
    await mine.sendAll({ to: addressOf(third) }, { key: 'all' })
    const entries = (await mine.history({ fromHeight: 1n })).slice(1)
    const common = { chain: 'X', type: 'BaseTx', time: expect.any(BigInt) }
    const left = 20n * fee - 5n - 2n * fee + 9n
    expect(entries).toMatchObject([
      {
        ...common,
        direction: 'out',
        amounts: [{ assetID: AVAX, amount: -5n - fee }],
        fee,
        counterparties: [addressOf(you)],
        memo: new TextEncoder().encode('rent'),
        keys: ['a'],
      },
      {
        ...common,
        direction: 'self',
        amounts: [{ amount: -fee }],
        counterparties: [],
        keys: ['b'],
      },
      {
        ...common,
        direction: 'in',
        amounts: [{ amount: 9n }],
        fee: 0n,
        counterparties: [addressOf(you)],
        keys: [],
      },
      {
        ...common,
        direction: 'out',
        amounts: [{ amount: -left }],
        counterparties: [addressOf(third)],
        keys: ['all'],
      },
    ])
  })

  it('refuses what is no cursor', async () => {
    const here = await scene()
    here.node.fund(addressOf(me), fee)
    for (const after of ['', 'x', '1/x', `1/${'1'.repeat(40)}`])
      await expect(here.wallet().history({ after })).rejects.toMatchObject({
        code: 'ENC_INVALID',
        path: 'after',
      })
  })
})

describe('the balances of a wallet', () => {
  it('have names, and what waits on other chains', async () => {
    const here = await moveScene()
    const wallet = here.wallet()
    const [address] = (await wallet.addresses()).map((one) => one.address)
    here.node.exportFrom('P', { address: address!, amount: 3n * ONE })
    const { txID } = await wallet.createAsset({
      name: 'Team Rocket',
      symbol: 'TR',
      denomination: 2,
      holders: [{ to: address!, amount: 150n }],
    })
    const balances = await wallet.balances({ everywhere: true })
    const [avax, token] = balances.toSorted((a, b) => Number(b.spendable - a.spendable))
    expect(token).toMatchObject({
      assetID: txID,
      symbol: 'TR',
      name: 'Team Rocket',
      denomination: 2,
      waiting: [],
    })
    expect(avax).toMatchObject({ symbol: 'AVAX', name: 'Avalanche', denomination: 9 })
    expect(avax!.waiting!.toSorted((a, b) => (a.chain < b.chain ? -1 : 1))).toEqual([
      { chain: 'C', amount: 100n * ONE },
      { chain: 'P', amount: 100n * ONE },
      { chain: 'X', from: 'P', amount: 3n * ONE },
    ])
    expect(formatBalances([token!])).toBe('1.5 TR')
    const locked = { ...token!, locked: 5n, lastUnlock: 4_102_444_800n, reserved: 1n }
    expect(formatBalances([locked])).toBe('1.5 TR (0.05 locked until 2100-01-01, 0.01 reserved)')
    expect((await wallet.balances())[0]).not.toHaveProperty('waiting')
  })
})
