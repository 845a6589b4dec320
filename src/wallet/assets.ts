import { equalBytes } from '../bytes/compare.ts'
import type { NetworkContext } from '../chain/networks.ts'
import { hex } from '../encoding/hex.ts'
import { formatID } from '../encoding/ids.ts'
import { AvmError } from '../errors.ts'
import { RpcError } from '../rpc/errors.ts'
import type { CallOptions } from '../rpc/http.ts'
import type { NodeClient } from '../rpc/node.ts'
import type { AssetFacts } from '../sign/explanation.ts'
import { orAborted } from './aborted.ts'
import { eachInFlight } from './in-flight.ts'

/** Why amounts of an asset can never be spent. */
export type AssetFault = 'INCOMPATIBLE_FX' | 'NOT_AN_ASSET' | 'ASSET_NOT_FOUND'

/** What is known of an asset. */
export type AssetRecord = { readonly facts?: AssetFacts; readonly fault?: AssetFault }

const LOOKUPS_IN_FLIGHT = 8

/**
 * What the transactions that created assets say of them. Their IDs are their hashes, so a node can hide
 * these facts but not change them.
 */
export class AssetBook {
  private readonly client: NodeClient
  private readonly records = new Map<string, Promise<AssetRecord | undefined>>()

  constructor(client: NodeClient) {
    this.client = client
  }

  /** Looks an asset up once; undefined where the node gives no answer, which is not kept. */
  async look(assetID: Uint8Array, call: CallOptions = {}): Promise<AssetRecord | undefined> {
    const name = hex.encode(assetID)
    let record = this.records.get(name)
    if (record === undefined) {
      // Others may wait for the same answer, so it is read without who left.
      record = this.read(assetID)
      this.records.set(name, record)
      const forget = () => this.records.delete(name)
      // An asset that is not there yet may come.
      record.then((read) => {
        if (read === undefined || read.fault === 'ASSET_NOT_FOUND') forget()
      }, forget)
    }
    return orAborted(record, call.signal)
  }

  private async read(assetID: Uint8Array): Promise<AssetRecord | undefined> {
    try {
      const { unsignedTx } = await this.client.avm.getTx({ txID: assetID })
      if (unsignedTx.type !== 'CreateAssetTx') return { fault: 'NOT_AN_ASSET' }
      const { symbol, denomination, initialStates } = unsignedTx
      const facts = { symbol, denomination }
      const transferable = initialStates.some(({ fxIndex }) => fxIndex === 0)
      return transferable ? { facts } : { facts, fault: 'INCOMPATIBLE_FX' }
    } catch (error) {
      if (error instanceof RpcError && error.code === 'RPC_NOT_FOUND')
        return { fault: 'ASSET_NOT_FOUND' }
      if (!(error instanceof AvmError)) throw error
      return undefined
    }
  }

  /** The faults of those assets that have one. */
  async faults(
    assetIDs: readonly Uint8Array[],
    call: CallOptions,
  ): Promise<{ readonly assetID: Uint8Array; readonly fault: AssetFault }[]> {
    const found: { assetID: Uint8Array; fault: AssetFault }[] = []
    await eachInFlight(assetIDs, LOOKUPS_IN_FLIGHT, async (assetID) => {
      const fault = (await this.look(assetID, call))?.fault
      if (fault !== undefined) found.push({ assetID, fault })
    })
    return found
  }

  /** Names and decimals for an explanation, as far as they can be had. */
  async facts(
    assetIDs: readonly Uint8Array[],
    context: NetworkContext,
    call: CallOptions,
  ): Promise<{ readonly [assetID: string]: AssetFacts }> {
    const others = new Map(
      assetIDs
        .filter((assetID) => !equalBytes(assetID, context.assetID))
        .map((assetID) => [hex.encode(assetID), assetID]),
    )
    const facts: { [assetID: string]: AssetFacts } = {}
    await eachInFlight([...others.values()], LOOKUPS_IN_FLIGHT, async (assetID) => {
      const record = await this.look(assetID, call)
      if (record?.facts !== undefined) facts[formatID(assetID)] = record.facts
    })
    return facts
  }
}
