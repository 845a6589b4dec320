import { expect } from 'vitest'
import { formatAddress } from '../../../../src/core/base/encoding/address.ts'
import * as cChain from '../../../../src/core/c-chain.ts'
import type { NetworkContext } from '../../../../src/core/chain/networks.ts'
import type { TransferOutput } from '../../../../src/core/chain/secp256k1fx.ts'
import { exportedUTXOs } from '../../../../src/core/chain/x/created.ts'
import type { UTXO } from '../../../../src/core/chain/x/utxo.ts'
import { chooseCoins } from '../../../../src/core/coins/chosen.ts'
import { UTXOSet } from '../../../../src/core/coins/utxo-set.ts'
import { KeyChain } from '../../../../src/core/crypto/keychain.ts'
import type { Draft } from '../../../../src/core/draft/draft.ts'
import { buildExport } from '../../../../src/core/draft/x/export.ts'
import { buildImport } from '../../../../src/core/draft/x/import.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import { requireSigned } from '../../../../src/core/sign/job.ts'
import { signDraft } from '../../../../src/core/sign/sign.ts'
import {
  type CChainClient,
  createCChainClient,
  createNodeClient,
  createPChainClient,
  type Fetch,
  type NodeClient,
  type PChainClient,
} from '../../../../src/node/index.ts'

export type ChainAlias = 'X' | 'P' | 'C'

/** What a mover must know of a node; a development node has it all. */
export type Surroundings = {
  readonly context: NetworkContext
  readonly now: () => bigint
  readonly url?: string
  readonly fetch?: Fetch
}

/** One key with clients of all three chains of a node. */
export class Mover {
  readonly keys: KeyChain
  readonly account: string
  readonly x: NodeClient
  readonly p: PChainClient
  readonly c: CChainClient
  private readonly node: Surroundings

  constructor(node: Surroundings, key: Uint8Array | KeyChain) {
    this.node = node
    this.keys = key instanceof KeyChain ? key : new KeyChain([key])
    this.account = cChain.evmAddressOf(this.keys.publicKeys[0]!)
    const { url = 'http://localhost', fetch } = node
    const options = fetch === undefined ? { url } : { url, fetch }
    this.x = createNodeClient(options)
    this.p = createPChainClient(options)
    this.c = createCChainClient(options)
  }

  get owners(): readonly Uint8Array[] {
    return this.keys.addresses
  }

  addressOn(chain: ChainAlias): string {
    const { hrp } = this.node.context
    return formatAddress({ chain, hrp, address: this.owners[0]! })
  }

  /** Everything in AVAX that the key can spend on a chain now, in nAVAX. */
  async balance(chain: ChainAlias): Promise<bigint> {
    if (chain === 'C') return (await this.c.account(this.account)).balance / 1_000_000_000n
    let sum = 0n
    const { assetID } = this.node.context
    if (chain === 'X') {
      for (const utxo of await this.xUTXOs())
        if (utxo.output.type === 'secp256k1fx.TransferOutput') sum += utxo.output.amount
    } else
      for (const { output, assetID: id } of await this.pUTXOs())
        if (output.type === 'secp256k1fx.TransferOutput' && id.every((b, i) => b === assetID[i]))
          sum += output.amount
    return sum
  }

  async xUTXOs(sourceChain?: string): Promise<UTXO[]> {
    const all: UTXO[] = []
    const walk = { addresses: this.owners, ...(sourceChain === undefined ? {} : { sourceChain }) }
    for await (const { utxos } of this.x.utxoPages(walk)) all.push(...utxos)
    return all
  }

  async pUTXOs(sourceChain?: string): Promise<pChain.UTXO[]> {
    const all: pChain.UTXO[] = []
    const walk = { addresses: this.owners, ...(sourceChain === undefined ? {} : { sourceChain }) }
    for await (const { utxos } of this.p.utxoPages(walk)) all.push(...utxos)
    return all
  }

  async cUTXOs(sourceChain: string): Promise<UTXO[]> {
    const all: UTXO[] = []
    for await (const { utxos } of this.c.utxoPages({ addresses: this.owners, sourceChain }))
      all.push(...utxos)
    return all
  }

  /** Exports an amount; returns the fee and the UTXOs that the destination can import. */
  async export(from: ChainAlias, to: ChainAlias, amount: bigint): Promise<Exported> {
    const { context } = this.node
    const outputs = [{ to: this.addressOn(to), amount }]
    const view = { owners: this.owners, now: this.node.now() }
    if (from === 'X') {
      const funds = chooseCoins(await this.xUTXOs(), view)
      const draft = buildExport({ context, funds, destinationChain: to, outputs })
      expectOnlyFee(draft, context.txFee)
      const { signedTx } = requireSigned(signDraft(draft, this.keys))
      await this.x.issueTx(signedTx)
      await this.x.waitForTx(signedTx)
      return { fee: draft.fee, utxos: exportedUTXOs(signedTx) }
    }
    if (from === 'P') {
      const fees = await this.p.fees()
      const draft = pChain.buildExport({
        context,
        funds: { ...view, utxos: await this.pUTXOs() },
        fees,
        destinationChain: to,
        outputs,
      })
      const { price } = fees
      const burned = this.expectFeeAndDust(draft, fees)
      const { signedTx, bytes } = requireSigned(signDraft(draft, this.keys, { price }))
      await this.p.issueTx(bytes)
      await this.p.waitForTx(bytes)
      return { fee: draft.fee + burned, utxos: pChain.exportedUTXOs(signedTx) as UTXO[] }
    }
    const baseFee = await this.c.eth.baseFee()
    const draft = cChain.buildExport({
      context,
      account: await this.c.account(this.account),
      baseFee,
      destinationChain: to,
      outputs,
    })
    expectOnlyFee(draft, roundedUp(cChain.gasOf(draft.unsignedTx) * baseFee))
    const signed = signDraft(draft, this.keys, { price: baseFee })
    const { signedTx, bytes } = requireSigned(signed)
    await this.c.issueTx(bytes)
    await this.c.waitForTx(bytes)
    return { fee: draft.fee, utxos: cChain.exportedUTXOs(signedTx) }
  }

  /**
   * Checks the fee of an export from the P-Chain. It may burn more only instead of change that is worth no more than the
   * gas of its output; returns what it burns.
   */
  private expectFeeAndDust(draft: pChain.Draft, { weights, price }: pChain.FeeParameters): bigint {
    const { unsignedTx: tx, burned, change } = draft
    const gas = pChain.gasOf(tx, weights)
    expect(draft.fee).toBe(gas * price)
    if (change.length > 0 || burned.length === 0) {
      expect(burned).toEqual([])
      return 0n
    }
    const { assetID } = this.node.context
    const { amount } = burned[0]!
    expect(burned).toEqual([{ assetID, amount }])
    const output: TransferOutput = {
      type: 'secp256k1fx.TransferOutput',
      amount,
      locktime: 0n,
      threshold: 1,
      addresses: [this.owners[0]!],
    }
    const withChange = { ...tx, outputs: [...tx.outputs, { assetID, output }] } as typeof tx
    expect(amount).toBeLessThanOrEqual((pChain.gasOf(withChange, weights) - gas) * price)
    return amount
  }

  /** Imports exactly these UTXOs; returns the fee. */
  async import(from: ChainAlias, to: ChainAlias, utxos: readonly UTXO[]): Promise<bigint> {
    const { context } = this.node
    const view = { owners: this.owners, now: this.node.now() }
    if (to === 'X') {
      const set = new UTXOSet()
      set.add([...utxos], { sourceChain: context.chains[from]! })
      const funds = { ...view, utxos: set }
      const draft = buildImport({ context, funds, sourceChain: from, to: this.addressOn('X') })
      expectOnlyFee(draft, context.txFee)
      const { signedTx } = requireSigned(signDraft(draft, this.keys))
      await this.x.issueTx(signedTx)
      await this.x.waitForTx(signedTx)
      return draft.fee
    }
    if (to === 'P') {
      const fees = await this.p.fees()
      const draft = pChain.buildImport({
        context,
        funds: { ...view, utxos: utxos as pChain.UTXO[] },
        fees,
        sourceChain: from,
        to: this.addressOn('P'),
      })
      const { price, weights } = fees
      expectOnlyFee(draft, pChain.gasOf(draft.unsignedTx, weights) * price)
      const { bytes } = requireSigned(signDraft(draft, this.keys, { price }))
      await this.p.issueTx(bytes)
      await this.p.waitForTx(bytes)
      return draft.fee
    }
    const baseFee = await this.c.eth.baseFee()
    const draft = cChain.buildImport({
      context,
      funds: { ...view, utxos },
      baseFee,
      sourceChain: from,
      to: this.account,
    })
    expectOnlyFee(draft, roundedUp(cChain.gasOf(draft.unsignedTx) * baseFee))
    const { bytes } = requireSigned(signDraft(draft, this.keys, { price: baseFee }))
    await this.c.issueTx(bytes)
    await this.c.waitForTx(bytes)
    return draft.fee
  }
}

/** Checks that a draft costs this fee and burns nothing else. */
function expectOnlyFee({ fee, burned }: Pick<Draft, 'burned' | 'fee'>, expected: bigint): void {
  expect(fee).toBe(expected)
  expect(burned).toEqual([])
}

/** An amount in wei as nAVAX. */
const roundedUp = (wei: bigint) => (wei + 999_999_999n) / 1_000_000_000n

export type Exported = { readonly fee: bigint; readonly utxos: readonly UTXO[] }
