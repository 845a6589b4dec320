import { base64 } from '@scure/base'
import { writeAddress } from '../../core/base/encoding/address.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { P_CHAIN_ID } from '../../core/chain/networks.ts'
import type { OutputOwners } from '../../core/chain/owners.ts'
import { unlockedOutput } from '../../core/chain/p/transferables.ts'
import type { CreateChainTx } from '../../core/chain/x/genesis.ts'
import { FX_IDS } from '../../core/chain/x/json.ts'
import type { Json } from '../../core/codec/json.ts'
import type { AddValidatorTx, StoredGenesisTx } from './genesis-txs.ts'

const PRIMARY_NETWORK = /* @__PURE__ */ cb58.encode(P_CHAIN_ID)

/** The JSON of a transaction of the genesis, as `platform.getTx` returns it for `encoding: json`. */
export function genesisTxJSON({ tx, id }: StoredGenesisTx, hrp: string): Json {
  const base = {
    networkID: tx.networkID,
    blockchainID: PRIMARY_NETWORK,
    outputs: [],
    inputs: [],
    memo: '0x',
  }
  const own = tx.type === 'CreateChainTx' ? createChainJSON(tx) : addValidatorJSON(tx, hrp)
  return { unsignedTx: { ...base, ...own }, credentials: [], id: cb58.encode(id) }
}

function createChainJSON(tx: CreateChainTx): { readonly [member: string]: Json } {
  return {
    subnetID: PRIMARY_NETWORK,
    chainName: tx.chainName,
    vmID: cb58.encode(tx.vmID),
    fxIDs: tx.fxIDs.map((id) => cb58.encode(id)),
    genesisData: base64.encode(tx.genesisData),
    subnetAuthorization: { signatureIndices: [] },
  }
}

function addValidatorJSON(tx: AddValidatorTx, hrp: string): { readonly [member: string]: Json } {
  const { nodeID, start, end, weight, signer, rewardsOwner, shares } = tx
  const owner = ownersJSON(rewardsOwner, hrp)
  return {
    validator: { nodeID, start, end, weight },
    subnetID: PRIMARY_NETWORK,
    signer,
    stake: tx.stake.map(({ assetID, output }) => {
      const unlocked = unlockedOutput(output)
      const { addresses, ...rest } = ownersJSON(unlocked, hrp)
      return {
        assetID: cb58.encode(assetID),
        fxID: FX_IDS[0]!,
        output: { addresses, amount: unlocked.amount, ...rest },
      }
    }),
    validationRewardsOwner: owner,
    delegationRewardsOwner: owner,
    shares,
  }
}

function ownersJSON(
  { addresses, locktime, threshold }: OutputOwners,
  hrp: string,
): { readonly addresses: string[]; readonly locktime: bigint; readonly threshold: number } {
  return {
    addresses: addresses.map((address) => writeAddress('P', hrp, address)),
    locktime,
    threshold,
  }
}
