import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { FundsError } from '../../../src/core/coins/errors.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { BuildError } from '../../../src/core/draft/errors.ts'
import type { Wallet } from '../../../src/wallet/index.ts'
import { runs } from '../../helpers/runs.ts'
import { addressOf, fee, now, people, scene } from '../setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const both = new KeyChain([1, 2].map((byte) => new Uint8Array(32).fill(byte)))

/** Anybody's address, so that outputs are ours, others' and shared. */
const owners = fc.oneof(
  fc.constantFrom(me, you, third).map((keys) => ({ to: addressOf(keys) })),
  fc.record({
    to: fc
      .constantFrom([me, you], [you, third], [me, you, third])
      .map((all) => all.map((k) => addressOf(k))),
    threshold: fc.integer({ min: 1, max: 2 }),
  }),
)
const locktime = fc.constantFrom(0n, BigInt(now - 100), BigInt(now + 10_000))
const amount = fc.oneof(fc.bigInt({ min: 1n, max: 50n }), fc.bigInt({ min: fee, max: 9n * fee }))
const pick = fc.nat(20)
const output = fc
  .tuple(owners, locktime, amount, fc.option(pick))
  .map(([owner, lock, value, asset]) => ({ ...owner, locktime: lock, amount: value, asset }))
const memo = fc.uint8Array({ maxLength: 256 })
const payload = fc.uint8Array({ maxLength: 1024 })
const strategy = fc.constantFrom('fewest', 'smallest', 'exact')

/** Something to do to a wallet that has made some assets. */
type Action = (wallet: Wallet, assets: readonly Uint8Array[]) => Promise<unknown>

const assetAt = (assets: readonly Uint8Array[], i: number) => assets[i % assets.length]!
const owned = (make: (owner: { to: string | string[]; threshold?: number }) => Action) =>
  owners.map(make)

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.tuple(fc.array(output, { minLength: 1, maxLength: 4 }), memo, strategy).map(
    ([outputs, text, how]): Action =>
      (wallet, assets) =>
        wallet.transfer({
          memo: text,
          choose: { strategy: how as 'fewest' },
          outputs: outputs.map(({ asset, ...rest }) =>
            asset === null ? rest : { ...rest, assetID: assetAt(assets, asset) },
          ),
        }),
  ),
  fc.tuple(owners, fc.option(pick)).map(
    ([owner, asset]): Action =>
      (wallet, assets) =>
        wallet.sendAll({
          ...owner,
          ...(asset === null ? {} : { assetID: assetAt(assets, asset) }),
        }),
  ),
  fc.tuple(amount, fc.constantFrom('P', 'C')).map(
    ([value, destinationChain]): Action =>
      (wallet) =>
        wallet.export({ destinationChain, to: addressOf(third, destinationChain), amount: value }),
  ),
  fc.constant<Action>((wallet) => wallet.import({ sourceChain: 'P' })),
  fc.constant<Action>((wallet) => wallet.consolidate()),
  fc.tuple(owners, pick, amount).map(
    ([owner, asset, value]): Action =>
      (wallet, assets) =>
        wallet.mint({ ...owner, assetID: assetAt(assets, asset), amount: value }),
  ),
  fc.tuple(fc.array(owners, { minLength: 1, maxLength: 3 }), pick, payload).map(
    ([recipients, asset, bytes]): Action =>
      (wallet, assets) =>
        wallet.mintNFT({ recipients, assetID: assetAt(assets, asset), payload: bytes }),
  ),
  owned((owner) => (wallet, assets) => wallet.transferNFT({ ...owner, assetID: assets[0]! })),
  owned((owner) => (wallet, assets) => wallet.mintProperty({ ...owner, assetID: assets[0]! })),
  fc.constant<Action>((wallet, assets) => wallet.burnProperty({ assetID: assets[0]! })),
  owned(
    (owner) => (wallet) =>
      wallet.createAsset({
        name: 'Another one',
        symbol: 'ANO',
        holders: [{ ...owner, amount: 5n }],
        nfts: [{ ...owner, groupID: 3, payload: 'x' }],
        properties: [owner],
      }),
  ),
  owned((owner) => (wallet) => wallet.sweep({ ...owner, maxSize: 2_000 })),
)

/** What may keep a transaction from being built. Nothing may keep a built one from being accepted. */
function isPoor(error: unknown): boolean {
  const codes = ['NO_USABLE_UTXO', 'AMBIGUOUS_NFT']
  return error instanceof FundsError || (error instanceof BuildError && codes.includes(error.code))
}

describe('whatever is built and signed by its owners', () => {
  test.prop(
    [
      fc.array(fc.tuple(fc.constantFrom([me], [you], [me, you]), pick, amount), {
        minLength: 3,
        maxLength: 12,
      }),
      fc.array(action, { minLength: 3, maxLength: 10 }),
    ],
    runs(25),
  )('is accepted by the node', async (coins, actions) => {
    const { node, wallet } = await scene()
    for (const [keys, , value] of coins)
      node.fund(
        keys.map((k) => addressOf(k)),
        value,
      )
    node.fund(addressOf(me), 30n * fee)
    node.fund(addressOf(you), 30n * fee)
    for (const [keys, , value] of coins.slice(0, 4)) {
      const address = keys.map((k) => addressOf(k))
      node.exportFrom('P', { address, amount: value, threshold: address.length })
    }
    const ours = wallet({ keys: both })
    const to = addressOf(me)
    const assets: Uint8Array[] = []
    for (const name of ['First', 'Second']) {
      const { txID } = await ours.createAsset({
        name,
        symbol: 'ONE',
        holders: [{ to, amount: 20n * fee }],
        minters: [{ to }],
        nftMinters: [
          { groupID: 1, to },
          { groupID: 2, to: [addressOf(me), addressOf(you)], threshold: 2 },
        ],
        propertyMinters: [{ to: addressOf(you) }],
      })
      assets.push(txID)
    }
    for (const act of actions) {
      const before = hex.encode(node.stateDigest())
      try {
        await act(ours, assets)
      } catch (error) {
        if (!isPoor(error)) throw error
        expect(hex.encode(node.stateDigest())).toBe(before)
      }
    }
    expect(await ours.resume()).toEqual([])
  })
})
