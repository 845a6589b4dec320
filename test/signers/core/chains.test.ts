import { describe, expect, it, onTestFinished } from 'vitest'
import { cb58 } from '../../../src/core/base/encoding/cb58.ts'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import * as cCodec from '../../../src/core/c-chain.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { publicKeyOf } from '../../../src/core/crypto/secp256k1.ts'
import * as pCodec from '../../../src/core/p-chain.ts'
import type { GetTx } from '../../../src/core/sign/proofs/collect.ts'
import { keyChainSigner } from '../../../src/core/sign/signers.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import {
  createCChainClient,
  createNodeClient,
  createPChainClient,
} from '../../../src/node/index.ts'
import {
  type ConsentQuery,
  coreProvider,
  type EIP1193Provider,
  handleAvalancheRequest,
} from '../../../src/signers/core/index.ts'
import { createCrossChainWallet, type MoveChain } from '../../../src/wallet/moves/index.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'
import { policyOf } from '../policy/fixtures.ts'
import { ReferenceCore } from './reference-core.ts'
import { AVAX, key } from './setup.ts'

const [xp, evm] = [key(1), key(3)]
const account = cCodec.evmAddressOf(publicKeyOf(evm))

/** A node, and clients of its three chains. */
async function chains() {
  const node = await createDevNode()
  onTestFinished(() => node.close())
  const clock = virtualClock()
  const connection = { url: 'http://node.test', fetch: node.fetch, clock }
  const clients = {
    client: createNodeClient(connection),
    pChain: createPChainClient(connection),
    cChain: createCChainClient(connection),
  }
  node.fund(new KeyChain([xp]).addresses[0]!, 20n * AVAX)
  const issue = async (signed: Uint8Array, chain: MoveChain): Promise<Uint8Array> => {
    if (chain === 'P') return (await clients.pChain.issueTx(signed)).txID
    if (chain === 'C') return (await clients.cChain.issueTx(signed)).txID
    return (await clients.client.issueTx(signed)).txID
  }
  const core = new ReferenceCore(
    [xp],
    async (text, chain) => cb58.encode(await issue(checkedHex.decode(text), chain)),
    evm,
  )
  /** A wallet on three chains that a provider signs for. */
  const walletWith = async (provider: EIP1193Provider, policy?: ReturnType<typeof policyOf>) => {
    const signer = await coreProvider(provider)
    return createCrossChainWallet({
      ...clients,
      signers: [signer, signer.account],
      publicKeys: [signer.publicKeys[1]],
      ...(policy && { signing: { policy } }),
      clock,
    })
  }
  const getTx: GetTx = async (txID, chain) => {
    const { client, pChain, cChain } = clients
    if (chain === 'P') return pCodec.encodeTx(await pChain.platform.getTx({ txID }))
    if (chain === 'C') return cCodec.encodeTx((await cChain.avax.getAtomicTx({ txID })).tx)
    return client.avm.getTx({ txID })
  }
  return { ...clients, node, core, issue, getTx, walletWith }
}

type Chains = Awaited<ReturnType<typeof chains>>

/** The wallet of an author, which answers with this library. */
function answersOf({ node, issue, getTx }: Chains, asked: ConsentQuery[] = []) {
  const keys = new KeyChain([xp, evm])
  const answering = {
    network: node.context,
    signers: [keyChainSigner(keys)],
    publicKeys: { xp: publicKeyOf(xp), evm: publicKeyOf(evm) },
    getTx,
    issueTx: ({ bytes }: { readonly bytes: Uint8Array }, chain: MoveChain) => issue(bytes, chain),
  }
  const consent = (query: ConsentQuery) => asked.push(query) > 0
  const provider: EIP1193Provider = {
    request: (request) => handleAvalancheRequest(answering, request, { consent }),
  }
  return provider
}

/** Moves between all pairs of chains, each with a little more than the following ones need. */
const ROUND: readonly (readonly [from: MoveChain, to: MoveChain, amount: bigint])[] = [
  ['X', 'P', 4n * AVAX],
  ['P', 'C', 2n * AVAX],
  ['C', 'P', AVAX],
  ['P', 'X', AVAX],
  ['X', 'C', AVAX],
  ['C', 'X', AVAX],
]

describe('a wallet on three chains', () => {
  it('moves with Core, which signs on the C-Chain with the key of the account only', async () => {
    const { core, walletWith, cChain } = await chains()
    const wallet = await walletWith(core)
    for (const [from, to, amount] of ROUND) {
      const before = core.requests.length
      const { arrived } = await wallet.move({ from, to, amount })
      expect(arrived!.length, `${from} to ${to}`).toBe(1)
      const sent = core.requests.slice(before)
      expect(sent.map(({ params }) => (params as { chainAlias: string }).chainAlias)).toEqual([
        from,
        to,
      ])
      // Exports of the C-Chain spend no UTXO; everything else comes with what it spends.
      const counts = sent.map(({ params }) => (params as { utxos: string[] }).utxos.length)
      expect(counts).toEqual([from === 'C' ? 0 : 1, 1])
    }
    // What the last export of the C-Chain has left.
    const { balance } = await cChain.account(account)
    expect(balance).toBeGreaterThan(0n)
  })

  it('moves with a wallet that answers with this library, after explanations of its own', async () => {
    const all = await chains()
    const asked: ConsentQuery[] = []
    const wallet = await all.walletWith(answersOf(all, asked))
    for (const [from, to, amount] of ROUND) {
      asked.length = 0
      await wallet.move({ from, to, amount })
      expect(asked.map(({ explanation }) => explanation!.chain)).toEqual([from, to])
      const [exported, imported] = asked.map(({ explanation }) => explanation!)
      expect(exported!.type).toBe('ExportTx')
      expect(imported!.type).toBe('ImportTx')
      // The wallet's own node proves every UTXO.
      expect(imported!.spends.every(({ proven }) => proven)).toBe(true)
    }
  })

  it('sends exports of the P- and C-Chain through Core and through a wallet of this library', async () => {
    const all = await chains()
    const { core, node, walletWith, pChain, cChain, getTx } = all
    const wallet = await walletWith(core)
    for (const to of ['P', 'C'] as const) await wallet.move({ from: 'X', to, amount: 6n * AVAX })
    const { context } = node
    const owners = new KeyChain([xp]).addresses
    const outputs = [{ to: owners[0]!, amount: AVAX }]
    for (const provider of [core, answersOf(all)]) {
      const signer = await coreProvider(provider)
      const utxos: pCodec.UTXO[] = []
      for await (const page of pChain.utxoPages({ addresses: owners })) utxos.push(...page.utxos)
      const funds = { utxos, owners, now: 0n }
      const fees = await pChain.fees()
      const fromP = { context, funds, fees, destinationChain: 'X', outputs, changeTo: owners[0]! }
      const p = await signer.send(pCodec.buildExport(fromP), { getTx })
      expect(await pChain.isAccepted(p.txID)).toBe(true)
      const details = await cChain.exportDetails(account)
      const fromC = { context, ...details, destinationChain: 'X', outputs }
      const c = await signer.send(cCodec.buildExport(fromC), { getTx })
      expect(await cChain.isAccepted(c.txID)).toBe(true)
    }
  })

  it('stops before Core is asked if the policy forbids the chain', async () => {
    const { core, walletWith } = await chains()
    const wallet = await walletWith(core, policyOf({ chains: ['X', 'P'] }))
    const before = core.requests.length
    await expect(wallet.move({ from: 'X', to: 'C', amount: AVAX })).rejects.toMatchObject({
      code: 'POLICY_CHAIN',
    })
    expect(core.requests.length).toBe(before)
    await wallet.move({ from: 'X', to: 'P', amount: AVAX })
  })

  it('exports nothing whose import the policy forbids', async () => {
    const { core, walletWith } = await chains()
    const account = cCodec.evmAddressOf(publicKeyOf(key(60)))
    const cases = [
      ['P', policyOf({ transactions: ['BaseTx', 'ExportTx'] }), undefined, 'POLICY_TYPE'],
      ['P', policyOf({ transactions: ['ImportTx'] }), undefined, 'POLICY_TYPE'],
      ['P', policyOf({ chains: ['X'] }), undefined, 'POLICY_CHAIN'],
      ['C', policyOf({ maximum: {} }), account, 'POLICY_MAXIMUM'],
    ] as const
    for (const [to, policy, recipient, code] of cases) {
      const wallet = await walletWith(core, policy)
      const before = core.requests.length
      const move = wallet.move({ from: 'X', to, amount: AVAX, recipient })
      await expect(move, code).rejects.toMatchObject({ code })
      expect(core.requests.length, code).toBe(before)
      expect((await wallet.balances())[0]!.spendable).toBe(20n * AVAX)
    }
  })
})
