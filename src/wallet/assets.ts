import { equalBytes } from '../core/base/bytes/compare.ts'
import { hex } from '../core/base/encoding/hex.ts'
import { formatID } from '../core/base/encoding/ids.ts'
import { AvmError } from '../core/base/errors.ts'
import { type NetworkContext, paysAVAX } from '../core/chain/networks.ts'
import type { Draft } from '../core/draft/draft.ts'
import type { AssetDetails } from '../core/sign/explain/explanation.ts'
import type { CallOptions } from '../node/http.ts'
import { waitFor } from '../node/transport/time-limit.ts'
import type { ChainView } from '../node/view/view.ts'
import { WalletError } from './errors.ts'
import { eachInFlight } from './in-flight.ts'

/**
 * Why amounts of an asset cannot be spent. `INCOMPATIBLE_FX`: the asset does not support secp256k1fx transfers.
 * `NOT_AN_ASSET`: the transaction with this ID did not create an asset. `ASSET_NOT_FOUND`: no such transaction, or it
 * could not be read.
 */
export type AssetFault = 'INCOMPATIBLE_FX' | 'NOT_AN_ASSET' | 'ASSET_NOT_FOUND'

/** What the creator of an asset calls it. */
export type NamedAsset = AssetDetails & { readonly name: string }

const AVAX: NamedAsset = { symbol: 'AVAX', name: 'Avalanche', denomination: 9 }

/** Result of a lookup. Without `fault` the asset can be spent. */
type AssetRecord = { readonly details?: NamedAsset; readonly fault?: AssetFault }

const LOOKUPS_IN_FLIGHT = 8

/**
 * Details about assets, from the transactions that created them. The asset ID is the hash of that transaction, so a
 * node can withhold the details but not change them.
 */
export class AssetLookup {
  private readonly chain: Pick<ChainView, 'findTx'>
  private readonly records = new Map<string, Promise<AssetRecord | undefined>>()

  constructor(chain: Pick<ChainView, 'findTx'>) {
    this.chain = chain
  }

  /** Looks up an asset; undefined if the node returns no usable response, which is not cached. */
  private async lookUp(assetID: Uint8Array, call: CallOptions): Promise<AssetRecord | undefined> {
    const name = hex.encode(assetID)
    let record = this.records.get(name)
    if (record === undefined) {
      // Shared by concurrent calls, so the request continues when one of them is aborted.
      record = this.read(assetID, call)
      this.records.set(name, record)
      const forget = () => this.records.delete(name)
      // An asset that is not found may be created later.
      record.then((read) => {
        if (read === undefined || read.fault === 'ASSET_NOT_FOUND') forget()
      }, forget)
    }
    return waitFor('wallet', record, { signal: call.signal })
  }

  private async read(
    assetID: Uint8Array,
    { totalMs }: CallOptions,
  ): Promise<AssetRecord | undefined> {
    try {
      const tx = await this.chain.findTx(assetID, { totalMs })
      if (tx === undefined) return { fault: 'ASSET_NOT_FOUND' }
      const { unsignedTx } = tx
      if (unsignedTx.type !== 'CreateAssetTx') return { fault: 'NOT_AN_ASSET' }
      const { symbol, name, denomination, initialStates } = unsignedTx
      const details = { symbol, name, denomination }
      const isTransferable = initialStates.some(({ fxIndex }) => fxIndex === 0)
      return isTransferable ? { details } : { details, fault: 'INCOMPATIBLE_FX' }
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      return undefined
    }
  }

  /** The assets that have a fault. An asset that could not be looked up counts as not found. */
  async faults(
    assetIDs: readonly Uint8Array[],
    call: CallOptions,
  ): Promise<{ readonly assetID: Uint8Array; readonly fault: AssetFault }[]> {
    const found: { assetID: Uint8Array; fault: AssetFault }[] = []
    await eachInFlight(assetIDs, LOOKUPS_IN_FLIGHT, async (assetID) => {
      const record = await this.lookUp(assetID, call)
      const fault = record === undefined ? 'ASSET_NOT_FOUND' : record.fault
      if (fault !== undefined) found.push({ assetID, fault })
    })
    return found
  }

  /**
   * Rejects a draft that spends an asset which no transaction can spend: it would stay pending forever. Assets that
   * cannot be looked up are let through.
   *
   * @throws WalletError `ASSET_UNSPENDABLE`
   */
  async requireSpendable({ utxos, context }: Draft, call: CallOptions): Promise<void> {
    const transferred = new Map<string, Uint8Array>()
    for (const { assetID, output } of utxos)
      if (output.type === 'secp256k1fx.TransferOutput' && !equalBytes(assetID, context.assetID))
        transferred.set(hex.encode(assetID), assetID)
    if (transferred.size === 0) return
    for (const { assetID, fault } of await this.faults([...transferred.values()], call))
      if (fault !== 'ASSET_NOT_FOUND')
        throw new WalletError(
          'ASSET_UNSPENDABLE',
          `asset ${formatID(assetID)} can never be spent: ${fault}`,
          { hint: 'nothing was signed' },
        )
  }

  /**
   * Symbols and denominations of assets, by asset ID as text. Omits AVAX and assets that cannot be read.
   */
  async details(
    assetIDs: readonly Uint8Array[],
    context: NetworkContext,
    call: CallOptions,
  ): Promise<{ readonly [assetID: string]: AssetDetails }> {
    const others = new Map(
      assetIDs
        .filter((assetID) => !isAVAX(assetID, context))
        .map((assetID) => [hex.encode(assetID), assetID]),
    )
    const details: { [assetID: string]: AssetDetails } = {}
    await eachInFlight([...others.values()], LOOKUPS_IN_FLIGHT, async (assetID) => {
      const record = await this.lookUp(assetID, call)
      if (record?.details === undefined) return
      const { symbol, denomination } = record.details
      details[formatID(assetID)] = { symbol, denomination }
    })
    return details
  }

  /** Names, symbols and denominations of assets, AVAX included, by the hex of their IDs. */
  async described(
    assetIDs: readonly Uint8Array[],
    context: NetworkContext,
    call: CallOptions,
  ): Promise<ReadonlyMap<string, NamedAsset>> {
    const found = new Map<string, NamedAsset>()
    await eachInFlight(assetIDs, LOOKUPS_IN_FLIGHT, async (assetID) => {
      const details = isAVAX(assetID, context) ? AVAX : (await this.lookUp(assetID, call))?.details
      if (details !== undefined) found.set(hex.encode(assetID), details)
    })
    return found
  }
}

function isAVAX(assetID: Uint8Array, context: NetworkContext): boolean {
  return paysAVAX(context) && equalBytes(assetID, context.assetID)
}
