import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { AvmError } from '../../../src/core/base/errors.ts'
import * as cChain from '../../../src/core/c-chain.ts'
import { parseNetworkProfile } from '../../../src/core/chain/network-profile.ts'
import { type NetworkContext, networks } from '../../../src/core/chain/networks.ts'
import type { TransferOutput } from '../../../src/core/chain/secp256k1fx.ts'
import * as pChain from '../../../src/core/p-chain.ts'
import { explainDraft, signDraft } from '../../../src/index.ts'
import { coins, keysOf, owners, transfer } from './fixtures.ts'

// Songbird has the network ID of Fuji.

const profile = (name: string) =>
  parseNetworkProfile(
    readFileSync(new URL(`../../../networks/${name}.json`, import.meta.url), 'utf8'),
  ).context
const songbird = profile('songbird')
const { fuji, mainnet } = networks
const alice = keysOf(0)
const now = 1_800_000_000n
const fees = { weights: pChain.DEFAULT_GAS_WEIGHTS, price: 1n }

type AnyDraft = Parameters<typeof explainDraft>[0]

const coinsOf = (assetID: Uint8Array) =>
  coins(owners(1, 0)).map((utxo) => ({
    ...utxo,
    assetID,
    output: utxo.output as TransferOutput,
  }))

/** Drafts on each chain for a network, from UTXOs of its own asset. */
const drafts: { readonly [chain: string]: (context: NetworkContext) => AnyDraft } = {
  X: (context) => transfer(coinsOf(context.assetID), {}, context),
  P: (context) =>
    pChain.buildTransfer({
      context,
      fees,
      funds: { utxos: coinsOf(context.assetID), owners: alice.addresses, now },
      outputs: [{ to: alice.addresses[0]!, amount: 1_000_000_000n }],
      changeTo: alice.addresses[0]!,
    }),
  C: (context) =>
    cChain.buildImport({
      context,
      baseFee: 1n,
      funds: { utxos: coinsOf(context.assetID), owners: alice.addresses, now },
      sourceChain: 'X',
      to: cChain.evmAddressBytes(alice.publicKeys[0]!),
    }),
}

/** The network dangers of a draft; signing refuses the first of them. */
function dangersOf(draft: AnyDraft): string[] {
  const { warnings } = explainDraft(draft, { ours: alice })
  const dangers = warnings
    .map(({ code }) => code)
    .filter((code) => code === 'WRONG_NETWORK' || code === 'WRONG_CHAIN')
  let refused: string | undefined
  try {
    signDraft(draft, alice)
  } catch (error) {
    refused = (error as AvmError).code
  }
  expect(refused).toBe(dangers[0])
  return dangers
}

describe.each(Object.keys(drafts))('a transaction of the %s-Chain', (chain) => {
  const draftFor = drafts[chain]!

  it('of another network with a public network’s ID is signed like any other', () => {
    for (const context of [songbird, profile('flare'), fuji, mainnet])
      expect(dangersOf(draftFor(context)), context.name).toEqual([])
    const metal = { ...songbird, networkID: 1, name: 'metal', hrp: 'metal' }
    expect(dangersOf(draftFor(metal))).toEqual([])
  })

  it.each<[string, Partial<NetworkContext>]>([
    ['name', { name: fuji.name }],
    ['address prefix', { hrp: fuji.hrp }],
    ['asset', { assetID: fuji.assetID }],
    ['X-Chain', { chainID: fuji.chainID }],
    ['C-Chain', { chains: fuji.chains }],
    ['C-Chain under another name', { chains: { ...songbird.chains, D: fuji.chains.C! } }],
    ['X-Chain, beside a chain of its own', { chainAlias: 'Y', chains: { X: fuji.chainID } }],
  ])('is refused if its context has the public network’s %s', (_, borrowed) => {
    const context = { ...songbird, ...borrowed }
    if (chain === 'C' && context.chains.C === undefined) return
    expect(dangersOf(draftFor(context))).toHaveLength(1)
  })

  it('is refused if it is the public network’s own, whatever the context says', () => {
    const { networkID } = fuji
    for (const context of [songbird, { ...songbird, chains: fuji.chains }])
      expect(dangersOf({ ...draftFor(fuji), context: { ...context, networkID } })).toHaveLength(1)
  })
})

it('a fee that the context states is compared with that of the public network for its X-Chain only', () => {
  const codes = (context: NetworkContext) =>
    explainDraft(drafts.X!(context), { ours: alice }).warnings.map(({ code }) => code)
  expect(codes({ ...fuji, txFee: 50n * fuji.txFee })).toContain('HIGH_FEE')
  expect(codes({ ...songbird, txFee: 50n * songbird.txFee })).not.toContain('HIGH_FEE')
})
