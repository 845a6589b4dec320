import { formatAddress } from '../../core/base/encoding/address.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import { goQuote } from '../go/text.ts'
import type { UTXOIndex } from '../ledger/utxo-index.ts'
import { type AddressContext, parseServiceAddress, readCB58 } from './arguments.ts'
import { MethodError } from './envelope.ts'
import { type Cursor, type KeyPage, MAX_PAGE, START } from './paging.ts'
import type { Encoding, RequestParams } from './params.ts'

const MAX_U32 = 0xffffffffn
const MAX_ADDRESSES = 1024

/** Arguments of `avm.getUTXOs`, `platform.getUTXOs` and `avax.getUTXOs`. */
export type UTXOPageRequest = {
  readonly addresses: readonly string[]
  readonly sourceChain: string
  /** Maximum number of UTXOs, 1 to 1024. */
  readonly limit: number
  /** The end of the previous page; empty for the first page. */
  readonly startAddress: string
  readonly startUTXO: string
  readonly encoding: Encoding
}

/** Reads the arguments. All of them are decoded, so that one of the wrong type is always rejected. */
export function pageRequest(params: RequestParams): UTXOPageRequest {
  const addresses = params.strings('addresses')
  const sourceChain = params.string('sourceChain')
  const limit = Number(params.uint('limit', MAX_U32))
  const startIndex = params.object('startIndex')
  return {
    addresses,
    sourceChain,
    limit: limit === 0 || limit > MAX_PAGE ? MAX_PAGE : limit,
    startAddress: startIndex.string('address'),
    startUTXO: startIndex.string('utxo'),
    encoding: params.encoding(),
  }
}

/** Rejects an empty list of addresses, or too many. */
export function checkAddressCount({ addresses }: UTXOPageRequest): void {
  if (addresses.length === 0) throw new MethodError('no addresses provided')
  if (addresses.length > MAX_ADDRESSES)
    throw new MethodError(
      `number of addresses given, ${addresses.length}, exceeds maximum, ${MAX_ADDRESSES}`,
    )
}

/** Returns the ID of the source chain by alias or ID. */
export function sourceChainID(
  { sourceChain }: UTXOPageRequest,
  { lookup }: AddressContext,
  prefix = 'problem parsing source chainID',
): Uint8Array {
  const id = lookup(sourceChain)
  if (id === undefined)
    throw new MethodError(
      `${prefix} ${goQuote(sourceChain)}: there is no ID with alias: ${sourceChain}`,
    )
  return id
}

/** Returns the start of the page. */
export function startOf(
  { startAddress, startUTXO }: UTXOPageRequest,
  parse: (text: string) => Uint8Array,
): Cursor {
  if (startAddress === '' && startUTXO === '') return START
  let address: Uint8Array
  try {
    address = parse(startAddress)
  } catch (error) {
    if (!(error instanceof MethodError)) throw error
    throw new MethodError(
      `couldn't parse start index address ${goQuote(startAddress)}: ${error.message}`,
    )
  }
  const id = readCB58(startUTXO, 32)
  if (typeof id === 'string') throw new MethodError(`couldn't parse start index utxo: ${id}`)
  return { address, utxo: hex.encode(id) }
}

/** Parses addresses as the X-Chain and P-Chain do. The C-Chain has another error text. */
export function pageAddresses(request: UTXOPageRequest, context: AddressContext): Uint8Array[] {
  return request.addresses.map((text) => parseServiceAddress(text, context))
}

/**
 * Returns the reply, with `sourceChain` if given.
 *
 * @param unsupported - the error text for the encoding `json`
 */
export function pageReply(
  set: UTXOIndex,
  { keys, end }: KeyPage,
  { encoding }: UTXOPageRequest,
  chain: { readonly alias: string; readonly hrp: string },
  unsupported: (firstKey: string) => string,
  sourceChain?: string,
): string {
  const [first] = keys
  if (encoding === 'json' && first !== undefined) throw new MethodError(unsupported(first))
  const address = formatAddress({ chain: chain.alias, hrp: chain.hrp, address: end.address })
  const utxo = cb58.encode(hex.decode(end.utxo))
  // Formatted by hand for speed: a page has a quarter of a megabyte, and its texts are stored as they are and need no
  // escapes.
  const utxos = keys.map((key) =>
    encoding === 'hexnc' ? `"${set.plainText(key)}"` : `"${set.text(key)}"`,
  )
  const source = sourceChain === undefined ? '' : `"sourceChain":${stringifyJSON(sourceChain)},`
  return `{"numFetched":"${keys.length}","utxos":[${utxos.join(',')}],"endIndex":{"address":"${address}","utxo":"${utxo}"},${source}"encoding":"${encoding}"}`
}
