import { describe, expect, it, onTestFinished } from 'vitest'
import { formatUTXOID } from '../../../src/core/base/encoding/ids.ts'
import { sha256 } from '../../../src/core/base/hash/sha256.ts'
import * as cChain from '../../../src/core/c-chain.ts'
import type { ChainAlias } from '../../../src/core/chain/chain-types.ts'
import type { Draft } from '../../../src/core/draft/draft.ts'
import * as pChain from '../../../src/core/p-chain.ts'
import { createRequest, finishRequest } from '../../../src/core/sign/request/request.ts'
import { formatRequest, parseRequest } from '../../../src/core/sign/request/request-file.ts'
import type { AddressPath } from '../../../src/core/sign/signer.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import {
  createCChainClient,
  createNodeClient,
  createPChainClient,
} from '../../../src/node/index.ts'
import {
  addKeystoneSignatures,
  keystoneFrames,
  keystoneSigner,
} from '../../../src/signers/keystone/index.ts'
import { createCrossChainWallet } from '../../../src/wallet/moves/index.ts'
import { codeOf } from '../../helpers/vectors.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'
import { EmulatedKeystone, FINGERPRINT } from './emulated-keystone.ts'

const AVAX = 1_000_000_000n
const FIRST = { change: 0, index: 0 } as const

/** A wallet on three chains whose keys are on a device. */
async function surroundings() {
  const node = await createDevNode()
  onTestFinished(() => node.close())
  const clock = virtualClock()
  const connection = { url: 'http://node.test', fetch: node.fetch, clock }
  const clients = {
    client: createNodeClient(connection),
    pChain: createPChainClient(connection),
    cChain: createCChainClient(connection),
  }
  const device = new EmulatedKeystone()
  const own = device.pathOf(FIRST)
  const account = device.pathOf(FIRST, device.evm)
  const publicKey = device.evm.watch.publicKey(FIRST)
  node.fund(own.address, 20n * AVAX)
  const signer = keystoneSigner({
    fingerprint: FINGERPRINT,
    paths: [own, account],
    exchange: (frames) => device.answer(frames),
  })
  const wallet = createCrossChainWallet({
    ...clients,
    signers: [signer],
    publicKeys: [publicKey],
    clock,
  })
  return { ...clients, node, device, own, account, publicKey, wallet }
}

/** The request of a draft, as it travels to the signer and back. */
function exchanged<A extends ChainAlias>(
  draft: Draft<A>,
  paths: readonly AddressPath[],
  device: EmulatedKeystone,
): Uint8Array {
  const file = formatRequest(createRequest(draft, { parents: [], paths }))
  const request = parseRequest(file, { network: draft.context })
  const frames = keystoneFrames(request, { fingerprint: FINGERPRINT })
  return finishRequest(addKeystoneSignatures(request, device.answer(frames))).bytes
}

describe('a Keystone device on the P- and C-Chain', () => {
  it('signs the moves of a wallet between all chains', async () => {
    const { wallet, device } = await surroundings()
    for (const [from, to, amount] of [
      ['X', 'P', 4n * AVAX],
      ['P', 'C', 2n * AVAX],
      ['C', 'X', AVAX],
      ['P', 'X', AVAX],
    ] as const)
      await wallet.move({ from, to, amount })
    expect(device.shown).toHaveLength(8)
  })

  it('signs requests for exports of the P- and C-Chain, and for imports', async () => {
    const all = await surroundings()
    const { node, wallet, device, own, account, publicKey } = all
    for (const to of ['P', 'C'] as const) await wallet.move({ from: 'X', to, amount: 4n * AVAX })
    const { context } = node
    const outputs = [{ to: own.address, amount: AVAX }]
    const utxos: pChain.UTXO[] = []
    const addresses = [own.address]
    for await (const page of all.pChain.utxoPages({ addresses })) utxos.push(...page.utxos)
    const funds = { utxos, owners: addresses, now: 0n }
    const fees = await all.pChain.fees()
    const fromP = { context, funds, fees, destinationChain: 'X', outputs, changeTo: own.address }
    const p = exchanged(pChain.buildExport(fromP), [own, account], device)
    expect(await all.pChain.isAccepted((await all.pChain.issueTx(p)).txID)).toBe(true)

    const evm = cChain.evmAddressOf(publicKey)
    const details = await all.cChain.exportDetails(evm)
    const draft = cChain.buildExport({ context, ...details, destinationChain: 'P', outputs })
    const c = exchanged(draft, [own, account], device)
    expect(await all.cChain.isAccepted((await all.cChain.issueTx(c)).txID)).toBe(true)

    const exported: pChain.UTXO[] = []
    const sourceChain = context.chains.C!
    for await (const page of all.pChain.utxoPages({ addresses, sourceChain }))
      exported.push(...page.utxos)
    expect(exported.map(formatUTXOID)).toHaveLength(1)
    const importing = pChain.buildImport({
      context,
      funds: { utxos: exported, owners: addresses, now: 0n },
      fees,
      sourceChain: 'C',
      to: own.address,
    })
    const i = exchanged(importing, [own], device)
    expect(await all.pChain.isAccepted((await all.pChain.issueTx(i)).txID)).toBe(true)
  })

  it('is not shown what it cannot sign', async () => {
    const { node, device, own, account, publicKey } = await surroundings()
    const { context } = node
    const evm = cChain.evmAddressOf(publicKey)
    const draft = cChain.buildExport({
      context,
      account: { address: evm, nonce: 0n, balance: 10n ** 19n },
      baseFee: 25n * AVAX,
      destinationChain: 'X',
      outputs: [{ to: own.address, amount: AVAX }],
    })
    const frames = (paths: readonly AddressPath[], addresses?: Uint8Array[]) =>
      keystoneFrames(createRequest(draft, { parents: [], paths }), {
        fingerprint: FINGERPRINT,
        addresses,
      })
    // No path of an account, or only that of another device.
    expect(codeOf(() => frames([own]))).toBe('KEYSTONE_PATH')
    expect(codeOf(() => frames([account], [own.address]))).toBe('KEYSTONE_PATH')
    // The path of another account: the answer is not that of the debited one.
    const other = device.pathOf({ change: 0, index: 5 }, device.evm)
    const request = createRequest(draft, { parents: [], paths: [other] })
    const answer = device.answer(keystoneFrames(request, { fingerprint: FINGERPRINT }))
    expect(codeOf(() => addKeystoneSignatures(request, answer))).toBe('KEYSTONE_SIGNATURE')
    // With both paths the foreign signature is left out.
    const both = createRequest(draft, { parents: [], paths: [other, account] })
    const two = device.answer(keystoneFrames(both, { fingerprint: FINGERPRINT }))
    expect(finishRequest(addKeystoneSignatures(both, two)).bytes.length).toBeGreaterThan(0)
  })

  it('is not shown stakeable locks', async () => {
    const { node, own } = await surroundings()
    const { context } = node
    const { assetID } = context
    const output = {
      type: 'secp256k1fx.TransferOutput' as const,
      amount: 5n * AVAX,
      locktime: 0n,
      threshold: 1,
      addresses: [own.address],
    }
    const tx = pChain.buildTransfer({
      context,
      funds: {
        utxos: [{ txID: new Uint8Array(32).fill(9), outputIndex: 0, assetID, output }],
        owners: [own.address],
        now: 0n,
      },
      fees: { weights: { bandwidth: 1n, dbRead: 1n, dbWrite: 1n, compute: 1n }, price: 1n },
      outputs: [{ to: own.address, amount: AVAX }],
      changeTo: own.address,
    }).unsignedTx
    const exchanges: (readonly string[])[] = []
    const signer = keystoneSigner({
      fingerprint: FINGERPRINT,
      paths: [own],
      exchange: (frames) => {
        exchanges.push(frames)
        return []
      },
    })
    const codeFor = async (changed: typeof tx) => {
      const unsignedBytes = pChain.encodeUnsignedTx(changed)
      const hash = sha256(unsignedBytes)
      const query = { unsignedBytes, hash, chain: 'P' as const, utxos: [], signers: [own] }
      const run = async () => signer.signAll!({ ...query, changePaths: [] })
      return run().catch((error: { readonly code: string }) => error.code)
    }
    // The answer to the plain one is empty.
    expect(await codeFor(tx)).toBe('KEYSTONE_UR')
    expect(exchanges).toHaveLength(1)
    const locktime = 50n
    const lockOut = { type: 'stakeable.LockOut' as const, locktime, output }
    expect(await codeFor({ ...tx, outputs: [{ assetID, output: lockOut }] })).toBe(
      'KEYSTONE_UNSUPPORTED',
    )
    const inputs = tx.inputs.map((each) => ({
      ...each,
      input: { type: 'stakeable.LockIn', locktime, input: each.input },
    }))
    expect(await codeFor({ ...tx, inputs } as typeof tx)).toBe('KEYSTONE_UNSUPPORTED')
    expect(exchanges).toHaveLength(1)
  })
})
