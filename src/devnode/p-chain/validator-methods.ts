import { equalBytes } from '../../core/base/bytes/compare.ts'
import { writeAddress } from '../../core/base/encoding/address.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { networks, P_CHAIN_ID } from '../../core/chain/networks.ts'
import { transferableOutput, unlockedOutput } from '../../core/chain/p/transferables.ts'
import { decodeUTXO } from '../../core/chain/p/utxo.ts'
import { encode } from '../../core/codec/codec.ts'
import type { Json } from '../../core/codec/json.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import { type AddressContext, parseServiceAddress } from '../rpc/arguments.ts'
import { MethodError, type MethodHandler } from '../rpc/envelope.ts'
import type { RequestParams } from '../rpc/params.ts'
import {
  type GenesisValidator,
  LOCAL_REWARD_OWNER,
  LOCAL_STAKE,
  LOCAL_STAKE_OWNER,
  LOCAL_SUPPLY,
  LOCAL_VALIDATORS,
} from './local-validators.ts'
import type { PService } from './service.ts'

/** Methods of the node that only make sense with staking, which a development node does not have. */
const STAKING_METHODS = [
  'getAllValidatorsAt',
  'getL1Validator',
  'getRewardUTXOs',
  'getValidatorFeeConfig',
  'getValidatorFeeState',
  'getValidatorsAt',
  'sampleValidators',
]

/** Maximum number of addresses of `getStake`. */
const MAX_STAKE_ADDRESSES = 256

/** The minimum stakes of validators and delegators in nAVAX (avalanchego `genesis/`). */
const MIN_STAKES = { validator: 2_000_000_000_000n, delegator: 25_000_000_000n }
const FUJI_MIN_STAKES = { validator: 1_000_000_000n, delegator: 1_000_000_000n }

/** The methods of `platform.*` that tell of validators: those of the local network's genesis, which never change. */
export function validatorHandlers(
  service: PService,
  addresses: AddressContext,
): { readonly [name: string]: MethodHandler } {
  const { ledger, context } = service
  const validators = context.networkID === 12345 ? LOCAL_VALIDATORS : []
  const staked = BigInt(validators.length) * LOCAL_STAKE
  const assetID = cb58.encode(context.assetID)
  return {
    ...Object.fromEntries(STAKING_METHODS.map((name) => [name, () => refuseStaking(name)])),
    getMinStake(params) {
      requirePrimaryNetwork(params)
      const isFuji = context.networkID === networks.fuji.networkID
      const { validator, delegator } = isFuji ? FUJI_MIN_STAKES : MIN_STAKES
      return stringifyJSON({
        minValidatorStake: String(validator),
        minDelegatorStake: String(delegator),
      })
    },
    getStakingAssetID(params) {
      requirePrimaryNetwork(params)
      return stringifyJSON({ assetID })
    },
    getCurrentSupply(params) {
      if (!isPrimaryNetwork(params))
        throw new MethodError('fetching current supply failed: not found')
      const supply = validators.length > 0 ? LOCAL_SUPPLY : totalOf(service)
      return stringifyJSON({ supply: String(supply), height: String(ledger.height) })
    },
    getTotalStake(params) {
      const stake = String(isPrimaryNetwork(params) ? staked : 0n)
      return stringifyJSON({ stake, weight: stake })
    },
    getCurrentValidators(params) {
      const isPrimary = isPrimaryNetwork(params)
      const nodeIDs = new Set(params.nodeIDs('nodeIDs'))
      const shown = validators.filter(
        ({ nodeID }) => isPrimary && (nodeIDs.size === 0 || nodeIDs.has(nodeID)),
      )
      // The node lists delegators only if it is asked for one validator.
      const delegators = nodeIDs.size === 1 ? { delegators: [] } : {}
      return stringifyJSON({
        validators: shown.map((validator) => ({
          ...validatorJSON(validator, service),
          ...delegators,
        })),
      })
    },
    getStake(params) {
      const texts = params.strings('addresses')
      params.bool('validatorsOnly') // There are no delegators.
      const encoding = params.encoding()
      if (texts.length > MAX_STAKE_ADDRESSES)
        throw new MethodError(
          `${texts.length} addresses provided but this method can take at most ${MAX_STAKE_ADDRESSES}`,
        )
      const owner = hex.decode(LOCAL_STAKE_OWNER)
      const isOwner = texts
        .map((text) => parseServiceAddress(text, addresses))
        .some((address) => equalBytes(address, owner))
      const count = isOwner ? validators.length : 0
      if (count > 0 && encoding === 'json')
        throw new MethodError(
          `couldn't encode output ${assetID} as json: unsupported encoding in method`,
        )
      const bytes = stakedOutput(context.assetID, owner)
      const text = encoding === 'hexnc' ? `0x${hex.encode(bytes)}` : checkedHex.encode(bytes)
      const total = String(count === 0 ? 0n : staked)
      return stringifyJSON({
        staked: total,
        stakeds: count === 0 ? {} : { [assetID]: total },
        stakedOutputs: new Array<string>(count).fill(text),
        encoding,
      })
    },
  }
}

function refuseStaking(name: string): never {
  throw new MethodError(`platform.${name} is not available: a development node has no staking`)
}

function isPrimaryNetwork(params: RequestParams): boolean {
  return equalBytes(params.id('subnetID'), P_CHAIN_ID)
}

function requirePrimaryNetwork(params: RequestParams): void {
  if (isPrimaryNetwork(params)) return
  const subnetID = cb58.encode(params.id('subnetID'))
  throw new MethodError(`failed fetching subnet transformation for ${subnetID}: not found`)
}

/** All AVAX on the P-Chain: the supply of a network whose genesis is not known here. */
function totalOf({ ledger, context }: PService): bigint {
  let total = 0n
  for (const [, bytes] of ledger.utxos.entries()) {
    const { assetID, output } = decodeUTXO(bytes)
    if (equalBytes(assetID, context.assetID)) total += unlockedOutput(output).amount
  }
  return total
}

function stakedOutput(assetID: Uint8Array, owner: Uint8Array): Uint8Array {
  const owners = { locktime: 0n, threshold: 1, addresses: [owner] }
  return encode(transferableOutput, {
    assetID,
    output: { type: 'secp256k1fx.TransferOutput', amount: LOCAL_STAKE, ...owners },
  })
}

function validatorJSON(
  { nodeID, duration, shares, potentialReward, signer }: GenesisValidator,
  { ledger, context }: PService,
): { readonly [name: string]: Json } {
  const address = writeAddress('P', context.hrp, hex.decode(LOCAL_REWARD_OWNER))
  const owner = { locktime: '0', threshold: '1', addresses: [address] }
  const stored = ledger.genesisTxs.find(({ tx }) => 'nodeID' in tx && tx.nodeID === nodeID)!
  return {
    txID: cb58.encode(stored.id),
    startTime: String(ledger.genesisTime),
    endTime: String(ledger.genesisTime + duration),
    weight: String(LOCAL_STAKE),
    nodeID,
    validationRewardOwner: owner,
    delegationRewardOwner: owner,
    potentialReward: String(potentialReward),
    accruedDelegateeReward: '0',
    delegationFee: (shares / 10_000).toFixed(4),
    uptime: '100.0000',
    connected: false,
    signer,
    delegatorCount: '0',
    delegatorWeight: '0',
  }
}
