import { equalBytes } from '../../core/base/bytes/compare.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import { MAX_U64 } from '../../core/base/integers.ts'
import { decodeBlock } from '../../core/chain/x/block.ts'
import { blockToJSON, txToJSON } from '../../core/chain/x/json.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import type { Json } from '../../core/codec/json.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import { reasonOf } from '../errors.ts'
import { UTXOIndex } from '../ledger/utxo-index.ts'
import type { Chain } from '../x-chain/chain.ts'
import type { ChainTx } from '../x-chain/execute.ts'
import {
  type AddressContext,
  decodeBytes,
  givenTxID,
  parseServiceAddress,
  readCB58,
} from './arguments.ts'
import { MethodError, type MethodHandler } from './envelope.ts'
import { atomicPage, localPage } from './paging.ts'
import type { Encoding, RequestParams } from './params.ts'
import {
  checkAddressCount,
  pageAddresses,
  pageReply,
  pageRequest,
  sourceChainID,
  startOf,
} from './utxo-page.ts'

/** Data that the methods of the X-Chain need. */
export type AvmService = {
  readonly chain: Chain
  /** Unix seconds. */
  readonly now: () => bigint
  /** Returns chain IDs by alias and by ID text. */
  readonly lookup: AddressContext['lookup']
  /** Aliases of genesis assets, by asset ID in hex. */
  readonly aliases: ReadonlyMap<string, string>
  /** Called with each transaction added to the mempool; resolves when the call may be answered. */
  readonly admitted: (item: ChainTx) => void | Promise<void>
  /** Whether this process started from the genesis: the node formats objects that it created itself differently. */
  readonly fresh: boolean
  /** Whether UTXO pages contain the requested source chain, as documented; the node omits it. */
  readonly echoesSourceChain: boolean
}

/** The methods of `avm.*` by name. */
export function avmHandlers(service: AvmService): { readonly [name: string]: MethodHandler } {
  const { context } = service.chain
  const addresses: AddressContext = {
    hrp: context.hrp,
    chainID: context.chainID,
    lookup: service.lookup,
  }

  return {
    getHeight: () => stringifyJSON({ height: String(service.chain.state.tip.height) }),
    getTxFee: () =>
      stringifyJSON({
        txFee: String(context.txFee),
        createAssetTxFee: String(context.createAssetTxFee),
      }),
    getAssetDescription(params) {
      const key = assetKey(params.string('assetID'), service)
      const tx = service.chain.state.tx(key)
      if (tx === undefined) throw new MethodError('not found')
      const { unsignedTx } = tx
      if (unsignedTx.type !== 'CreateAssetTx')
        throw new MethodError("transaction doesn't create an asset")
      return stringifyJSON({
        assetID: cb58.encode(hex.decode(key)),
        name: unsignedTx.name,
        symbol: unsignedTx.symbol,
        denomination: String(unsignedTx.denomination),
      })
    },
    getBalance(params) {
      const address = params.string('address')
      const asset = params.string('assetID')
      const partial = params.bool('includePartial')
      const owner = parseAddressParam(address, addresses)
      const wanted = assetKey(asset, service)
      const counted = transfersOf(owner, partial, service).filter(
        (utxo) => hex.encode(utxo.assetID) === wanted,
      )
      const balance = counted.reduce((sum, { output }) => sum + output.amount, 0n)
      if (balance > MAX_U64) throw new MethodError('overflow')
      return stringifyJSON({
        balance: String(balance),
        utxoIDs: counted.map(({ txID, outputIndex }) => ({ txID: cb58.encode(txID), outputIndex })),
      })
    },
    getAllBalances(params) {
      const address = params.string('address')
      const partial = params.bool('includePartial')
      const balances = new Map<string, bigint>()
      for (const { assetID, output } of transfersOf(
        parseAddressParam(address, addresses),
        partial,
        service,
      )) {
        const key = hex.encode(assetID)
        const sum = (balances.get(key) ?? 0n) + output.amount
        balances.set(key, saturated(sum))
      }
      return stringifyJSON({
        balances: [...balances].map(([key, balance]) => ({
          asset: service.aliases.get(key) ?? cb58.encode(hex.decode(key)),
          balance: String(balance),
        })),
      })
    },
    getBlock(params) {
      const id = params.id('blockID')
      const encoding = params.encoding()
      const bytes = service.chain.state.blockBytes(hex.encode(id))
      if (bytes === undefined)
        throw new MethodError(`couldn't get block with id ${cb58.encode(id)}: not found`)
      return blockReply(bytes, encoding, service)
    },
    getBlockByHeight(params) {
      const height = params.uint('height', MAX_U64)
      const encoding = params.encoding()
      const bytes = service.chain.state.blockAt(height)
      if (bytes === undefined)
        throw new MethodError(`couldn't get block at height ${height}: not found`)
      return blockReply(bytes, encoding, service)
    },
    getTx(params) {
      const encoding = params.encoding()
      const key = hex.encode(givenTxID(params))
      const { state } = service.chain
      const bytes = state.txBytes(key)
      if (bytes === undefined) throw new MethodError('not found')
      if (encoding !== 'json') return encodedReply('tx', bytes, encoding)
      const json = txToJSON(state.tx(key)!, context) as { [member: string]: Json }
      const genesis = service.fresh && service.aliases.has(key)
      return jsonReply('tx', genesis ? { ...json, credentials: null } : json)
    },
    getTxStatus(params) {
      const known = service.chain.state.txBytes(hex.encode(givenTxID(params))) !== undefined
      return stringifyJSON({ status: known ? 'Accepted' : 'Unknown' })
    },
    getUTXOs: (params) => utxoReply(params, service, addresses),
    issueTx: (params) => issueReply(params, service, (bytes) => service.chain.issue(bytes)),
  }
}

/** The methods of `wallet.*` by name. */
export function walletHandlers(service: AvmService): { readonly [name: string]: MethodHandler } {
  return {
    issueTx: (params) =>
      issueReply(params, service, (bytes) => service.chain.issueUnverified(bytes)),
  }
}

async function issueReply(
  params: RequestParams,
  service: AvmService,
  submit: (bytes: Uint8Array) => ChainTx,
): Promise<string> {
  const text = params.string('tx')
  const encoding = params.encoding()
  let bytes: Uint8Array
  try {
    bytes = decodeBytes(text, encoding)
  } catch (error) {
    if (!(error instanceof MethodError)) throw error
    throw new MethodError(`problem decoding transaction: ${error.message}`)
  }
  let item: ChainTx
  try {
    item = submit(bytes)
  } catch (error) {
    if (error instanceof AvmError) throw new MethodError(reasonOf(error))
    throw error
  }
  await service.admitted(item)
  return stringifyJSON({ txID: cb58.encode(item.id) })
}

function utxoReply(params: RequestParams, service: AvmService, context: AddressContext): string {
  const request = pageRequest(params)
  const { sourceChain } = request
  checkAddressCount(request)
  const sourceID = sourceChain === '' ? context.chainID : sourceChainID(request, context)
  const owners = pageAddresses(request, context)
  const start = startOf(request, (text) => parseServiceAddress(text, context))
  const { state } = service.chain
  const local = equalBytes(sourceID, context.chainID)
  const set = local ? state.utxos : (state.incoming.get(hex.encode(sourceID)) ?? new UTXOIndex())
  const page = (local ? localPage : atomicPage)(set, owners, start, request.limit)
  return pageReply(
    set,
    page,
    request,
    { alias: service.chain.context.chainAlias, hrp: context.hrp },
    (first) =>
      `couldn't encode UTXO ${cb58.encode(hex.decode(first))} as string: unsupported encoding in method`,
    service.echoesSourceChain && sourceChain !== '' ? sourceChain : undefined,
  )
}

function parseAddressParam(text: string, context: AddressContext): Uint8Array {
  try {
    return parseServiceAddress(text, context)
  } catch (error) {
    if (!(error instanceof MethodError)) throw error
    throw new MethodError(`problem parsing address '${text}': ${error.message}`)
  }
}

/** Returns the key of an asset by alias or ID, whether or not it exists. */
function assetKey(text: string, service: AvmService): string {
  for (const [key, alias] of service.aliases) if (alias === text) return key
  const id = readCB58(text, 32)
  if (typeof id === 'string') throw new MethodError(`asset '${text}' not found`)
  return hex.encode(id)
}

function saturated(sum: bigint): bigint {
  return sum < MAX_U64 ? sum : MAX_U64
}

type Transfer = UTXO & { readonly output: Extract<UTXO['output'], { amount: bigint }> }

/**
 * Returns the UTXOs of an address that the balance methods count: transfer outputs, and without `partial` only unlocked
 * ones that have no other owner.
 */
function transfersOf(owner: Uint8Array, partial: boolean, service: AvmService): Transfer[] {
  const { utxos } = service.chain.state
  const now = service.now()
  const counted: Transfer[] = []
  for (const key of utxos.of(owner).from()) {
    const utxo = utxos.utxo(key)!
    const { output } = utxo
    if (output.type !== 'secp256k1fx.TransferOutput') continue
    if (partial || (output.addresses.length === 1 && output.locktime <= now))
      counted.push({ ...utxo, output })
  }
  return counted
}

function blockReply(bytes: Uint8Array, encoding: Encoding, service: AvmService): string {
  if (encoding !== 'json') return encodedReply('block', bytes, encoding)
  const block = decodeBlock(bytes)
  const json = blockToJSON(block, service.chain.context) as { [member: string]: Json }
  const genesis = service.fresh && block.height === 0n
  return jsonReply('block', genesis ? { ...json, txs: null } : json)
}

function encodedReply(name: string, bytes: Uint8Array, encoding: Encoding): string {
  const text = encoding === 'hexnc' ? `0x${hex.encode(bytes)}` : checkedHex.encode(bytes)
  return `{"${name}":"${text}","encoding":"${encoding}"}`
}

function jsonReply(name: string, json: Json): string {
  return stringifyJSON({ [name]: json, encoding: 'json' })
}
