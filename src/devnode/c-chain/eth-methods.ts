import { keccak_256 } from '@noble/hashes/sha3.js'
import { hex } from '../../core/base/encoding/hex.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import type { GoValue } from '../go/json.ts'
import { evmChainID } from './chain-id.ts'
import {
  type ArgumentReader,
  addressArgument,
  type BlockName,
  blockArgument,
  blockOrHashArgument,
  booleanArgument,
  bytesArgument,
  EthError,
  hashArgument,
  readArguments,
  subscriptionArgument,
} from './eth-arguments.ts'
import { BLACKHOLE, blockJSON, headerJSON, quantity } from './eth-block.ts'
import type { CLedger } from './ledger.ts'

/** Data of the Ethereum API. */
export type EthService = {
  readonly ledger: CLedger
  readonly networkID: number
  /** Whether a method is refused, as if it did not exist. */
  readonly isRefused: (method: string) => boolean
}

/** A method: reads its arguments and returns JSON text. */
type EthMethod = (params: GoValue | undefined, service: EthService) => string

/** The smallest tip that the node suggests, in wei per unit of gas. */
const SUGGESTED_TIP = 1n

/** The precompile for messages between chains: the node gives it code and a nonce in the genesis. */
const WARP_PRECOMPILE = '0200000000000000000000000000000000000005'
const WARP_CODE = '0x01'
const WARP_NONCE = 1n

/**
 * Methods of the node that need contracts, ordinary transactions, logs or the EVM's configuration, none of which a
 * development node has.
 */
const UNSUPPORTED: readonly string[] = [
  ...['call', 'callDetailed', 'createAccessList', 'estimateGas', 'feeHistory', 'fillTransaction'],
  ...['getBlockReceipts', 'getBlockTransactionCountByHash', 'getBlockTransactionCountByNumber'],
  ...['getChainConfig', 'getFilterChanges', 'getFilterLogs', 'getLogs', 'getProof'],
  ...['getRawTransactionByBlockHashAndIndex', 'getRawTransactionByBlockNumberAndIndex'],
  ...['getRawTransactionByHash', 'getStorageAt', 'getTransactionByBlockHashAndIndex'],
  ...['getTransactionByBlockNumberAndIndex', 'getTransactionByHash', 'getTransactionReceipt'],
  ...['getUncleByBlockHashAndIndex', 'getUncleByBlockNumberAndIndex', 'newBlockFilter'],
  ...['newFilter', 'newPendingTransactionFilter', 'resend', 'sendRawTransaction'],
  ...['sendTransaction', 'sign', 'signTransaction', 'uninstallFilter'],
].map((name) => `eth_${name}`)

const METHODS: { readonly [name: string]: EthMethod } = {
  eth_chainId: method([], ({ networkID }) => quantityJSON(evmChainID(networkID))),
  net_version: method([], ({ networkID }) => stringifyJSON(String(evmChainID(networkID)))),
  net_listening: method([], () => 'true'),
  net_peerCount: method([], () => quantityJSON(0n)),
  web3_sha3: method([bytesArgument], (_, [bytes]) => hexJSON(keccak_256(bytes))),
  web3_clientVersion: method([], () => '"v1.14.2"'),
  rpc_modules: method([], () => '{"eth":"1.0","net":"1.0","rpc":"1.0","web3":"1.0"}'),
  eth_blockNumber: method([], ({ ledger }) => quantityJSON(ledger.height)),
  eth_baseFee: method([], ({ ledger }) => quantityJSON(ledger.baseFee)),
  eth_gasPrice: method([], ({ ledger }) => quantityJSON(ledger.baseFee + SUGGESTED_TIP)),
  eth_maxPriorityFeePerGas: method([], () => quantityJSON(SUGGESTED_TIP)),
  eth_suggestPriceOptions: method([], ({ ledger }) => {
    // The tip is too small for the speeds to differ.
    const price = {
      maxPriorityFeePerGas: quantity(SUGGESTED_TIP),
      maxFeePerGas: quantity(2n * ledger.baseFee + SUGGESTED_TIP),
    }
    return stringifyJSON({ slow: price, normal: price, fast: price })
  }),
  eth_coinbase: method([], () => stringifyJSON(`0x${BLACKHOLE}`)),
  eth_etherbase: method([], () => stringifyJSON(`0x${BLACKHOLE}`)),
  eth_syncing: method([], () => 'false'),
  eth_pendingTransactions: method([], () => '[]'),
  eth_getBlockByNumber: method([blockArgument, booleanArgument], ({ ledger }, [name]) =>
    blockJSON(ledger.block(heightOf(name, ledger))!),
  ),
  eth_getBlockByHash: method([hashArgument, booleanArgument], ({ ledger }, [hash]) => {
    const block = ledger.blockWithHash(hash)
    return block === undefined ? 'null' : blockJSON(block)
  }),
  eth_getHeaderByNumber: method([blockArgument], ({ ledger }, [name]) =>
    headerJSON(ledger.block(heightOf(name, ledger))!),
  ),
  eth_getHeaderByHash: method([hashArgument], ({ ledger }, [hash]) => {
    const block = ledger.blockWithHash(hash)
    return block === undefined ? 'null' : headerJSON(block)
  }),
  eth_getUncleCountByBlockNumber: method([blockArgument], ({ ledger }, [name]) =>
    typeof name === 'bigint' && name > ledger.height ? 'null' : quantityJSON(0n),
  ),
  eth_getUncleCountByBlockHash: method([hashArgument], ({ ledger }, [hash]) =>
    ledger.blockWithHash(hash) === undefined ? 'null' : quantityJSON(0n),
  ),
  eth_getBalance: method([addressArgument, blockOrHashArgument], ({ ledger }, [address, name]) =>
    quantityJSON(ledger.account(address, heightOf(name, ledger)).balance),
  ),
  eth_getTransactionCount: method(
    [addressArgument, blockOrHashArgument],
    ({ ledger }, [address, name]) => {
      const { nonce } = ledger.account(address, heightOf(name, ledger))
      return quantityJSON(isWarpPrecompile(address) && nonce === 0n ? WARP_NONCE : nonce)
    },
  ),
  eth_getCode: method([addressArgument, blockOrHashArgument], ({ ledger }, [address, name]) => {
    heightOf(name, ledger)
    return stringifyJSON(isWarpPrecompile(address) ? WARP_CODE : '0x')
  }),
}

/** The methods that exist on the node, whether or not they are supported. */
export const ETH_METHODS: readonly string[] = [
  ...Object.keys(METHODS),
  ...UNSUPPORTED,
  'eth_unsubscribe',
]

/**
 * Calls a method of the Ethereum API and returns its result as JSON text.
 *
 * @throws EthError
 */
export function callEthMethod(
  name: string,
  params: GoValue | undefined,
  service: EthService,
): string {
  const isRefused = service.isRefused(name)
  if (Object.hasOwn(METHODS, name) && !isRefused) return METHODS[name]!(params, service)
  if (!isRefused && UNSUPPORTED.includes(name))
    throw new EthError(
      -32000,
      `${name} is not available: the C-Chain of a development node has no contracts and only atomic transactions`,
    )
  if (!isRefused && name.endsWith('_unsubscribe')) {
    readArguments<readonly [string]>(params, [subscriptionArgument])
    throw new EthError(-32000, 'subscription not found')
  }
  if (name.endsWith('_subscribe')) throw new EthError(-32601, 'notifications not supported')
  throw new EthError(-32601, `the method ${name} does not exist/is not available`)
}

function method<T extends readonly unknown[]>(
  readers: { readonly [i in keyof T]: ArgumentReader<T[i]> },
  answer: (service: EthService, values: T) => string,
): EthMethod {
  return (params, service) => answer(service, readArguments<T>(params, readers))
}

/** The height of the block that a call names. */
function heightOf(name: BlockName, ledger: CLedger): bigint {
  if (name === undefined)
    throw new EthError(-32000, 'invalid arguments; neither block nor hash specified')
  if (name === 'latest' || name === 'pending') return ledger.height
  if (typeof name === 'bigint') {
    if (name > ledger.height) throw new EthError(-32000, 'cannot query unfinalized data')
    return name
  }
  const block = ledger.blockWithHash(name)
  if (block === undefined) throw new EthError(-32000, 'header for hash not found')
  return block.number
}

function isWarpPrecompile(address: Uint8Array): boolean {
  return hex.encode(address) === WARP_PRECOMPILE
}

function hexJSON(bytes: Uint8Array): string {
  return stringifyJSON(`0x${hex.encode(bytes)}`)
}

function quantityJSON(value: bigint): string {
  return stringifyJSON(quantity(value))
}
