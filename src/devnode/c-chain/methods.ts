import { equalBytes } from '../../core/base/bytes/compare.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import { reasonOf } from '../errors.ts'
import { goQuote } from '../go/text.ts'
import type { SharedMemory } from '../ledger/shared-memory.ts'
import { UTXOIndex } from '../ledger/utxo-index.ts'
import { txArgument } from '../p-chain/methods.ts'
import { type AddressContext, parseServiceAddress, readCB58 } from '../rpc/arguments.ts'
import { MethodError, type MethodHandler } from '../rpc/envelope.ts'
import { atomicPage, type Cursor, type KeyPage, START } from '../rpc/paging.ts'
import type { Encoding, RequestParams } from '../rpc/params.ts'
import {
  checkAddressCount,
  pageReply,
  pageRequest,
  sourceChainID,
  startOf,
  type UTXOPageRequest,
} from '../rpc/utxo-page.ts'
import type { CLedger, PendingCTx } from './ledger.ts'

/** Data that the methods of `avax.*` need. */
export type CService = {
  readonly ledger: CLedger
  readonly memory: SharedMemory
  readonly context: NetworkContext
  readonly lookup: AddressContext['lookup']
  /** Called with each transaction that was added to the pool. */
  readonly admitted: (item: PendingCTx) => void
}

/** The cursor after the last page, since Helicon. */
const TERMINAL: Cursor = { address: new Uint8Array(20).fill(255), utxo: 'ff'.repeat(32) }
const ZERO: Cursor = { address: new Uint8Array(20), utxo: '00'.repeat(32) }

/** The methods of `avax.*` by name. Their behavior and error texts depend on whether Helicon is in force. */
export function avaxHandlers(service: CService): { readonly [name: string]: MethodHandler } {
  const { ledger, context } = service
  const addresses: AddressContext = {
    hrp: context.hrp,
    chainID: context.chains.C!,
    lookup: service.lookup,
  }
  return {
    getUTXOs: (params) =>
      ledger.helicon
        ? heliconPage(pageRequest(params), service, addresses)
        : preHeliconPage(pageRequest(params), service, addresses),
    issueTx(params) {
      const text = params.string('tx')
      const encoding = params.encoding()
      const bytes = txArgument(text, encoding, ledger.helicon ? 'decoding tx' : undefined)
      let item: PendingCTx
      try {
        item = ledger.issue(bytes)
      } catch (error) {
        if (error instanceof AvmError) throw new MethodError(issueText(error, ledger.helicon))
        throw error
      }
      service.admitted(item)
      return stringifyJSON({ txID: cb58.encode(item.id) })
    },
    getAtomicTxStatus(params) {
      const key = hex.encode(givenID(params, ledger.helicon))
      const accepted = ledger.accepted(key)
      if (accepted !== undefined)
        return stringifyJSON({ status: 'Accepted', blockHeight: String(accepted.height) })
      const status = ledger.helicon
        ? 'Unknown'
        : ledger.pendingBytes(key) !== undefined
          ? 'Processing'
          : ledger.discardedBytes(key) !== undefined
            ? 'Dropped'
            : 'Unknown'
      return stringifyJSON({ status })
    },
    getAtomicTx(params) {
      const encoding = params.encoding()
      const id = givenID(params, ledger.helicon)
      const key = hex.encode(id)
      const accepted = ledger.accepted(key)
      const pooled = ledger.helicon
        ? undefined
        : (ledger.pendingBytes(key) ?? ledger.discardedBytes(key))
      const bytes = accepted?.bytes ?? pooled
      if (bytes === undefined)
        throw new MethodError(
          ledger.helicon
            ? 'fetching tx: reading tx: not found'
            : `could not find tx ${cb58.encode(id)}`,
        )
      const height = accepted === undefined ? '' : `,"blockHeight":"${accepted.height}"`
      const prefix = ledger.helicon ? 'encoding tx: encoding tx: ' : ''
      return `{"tx":"${encoded(bytes, encoding, prefix)}","encoding":"${encoding}"${height}}`
    },
  }
}

/** The error text of `issueTx`. Since Helicon each step has its own prefix. */
function issueText(error: AvmError, helicon: boolean): string {
  const reason = reasonOf(error)
  const undecodable = error.code === 'TX_UNDECODABLE'
  if (helicon) return `${undecodable ? 'parsing' : 'issuing'} tx: ${reason}`
  return undecodable ? `problem parsing transaction: ${reason}` : reason
}

/** The transaction ID of a call. Before Helicon the zero ID is an error; since then it is just unknown. */
function givenID(params: RequestParams, helicon: boolean): Uint8Array {
  const id = params.id('txID')
  if (!helicon && id.every((byte) => byte === 0)) throw new MethodError('nil transaction ID')
  return id
}

function encoded(bytes: Uint8Array, encoding: Encoding, prefix: string): string {
  if (encoding === 'json') throw new MethodError(`${prefix}unsupported encoding in method`)
  return encoding === 'hexnc' ? `0x${hex.encode(bytes)}` : checkedHex.encode(bytes)
}

/** The UTXOs that a chain exported to the C-Chain; none if it is the C-Chain itself. */
function exportedFrom(source: Uint8Array, { memory, context }: CService): UTXOIndex {
  const own = context.chains.C!
  return equalBytes(source, own) ? new UTXOIndex() : memory.list(source, own)
}

function preHeliconPage(
  request: UTXOPageRequest,
  service: CService,
  context: AddressContext,
): string {
  checkAddressCount(request)
  if (request.sourceChain === '') throw new MethodError('no source chain provided')
  const source = sourceChainID(request, context)
  const owners = request.addresses.map((text) => {
    try {
      return cChainAddress(text, context)
    } catch (error) {
      if (!(error instanceof MethodError)) throw error
      throw new MethodError(`couldn't parse address ${goQuote(text)}: ${error.message}`)
    }
  })
  const start = startOf(request, (text) => cChainAddress(text, context))
  const set = exportedFrom(source, service)
  return cPageReply(set, atomicPage(set, owners, start, request.limit), request, context)
}

/** A page since Helicon. Its end is the first UTXO of the next page, or the terminal cursor. */
function heliconPage(request: UTXOPageRequest, service: CService, context: AddressContext): string {
  const source = sourceChainID(request, context, 'parsing source chainID')
  if (request.addresses.length > 1024)
    throw new MethodError(`too many addresses: ${request.addresses.length} exceeds 1024`)
  const owners = request.addresses.map((text) => {
    try {
      return cChainAddress(text, context, true)
    } catch (error) {
      if (!(error instanceof MethodError)) throw error
      throw new MethodError(`parsing address ${goQuote(text)}: ${error.message}`)
    }
  })
  const start = heliconStart(request, context)
  const set = exportedFrom(source, service)
  if (equalBytes(start.address, TERMINAL.address) && start.utxo === TERMINAL.utxo)
    return cPageReply(set, { keys: [], end: ZERO }, request, context, 'encoding utxo')
  const { keys, end } = atomicPage(set, owners, start, request.limit + 1)
  const full = keys.length > request.limit
  const shortened: KeyPage = { keys: keys.slice(0, request.limit), end: full ? end : TERMINAL }
  return cPageReply(set, shortened, request, context, 'encoding utxo')
}

function heliconStart(
  { startAddress, startUTXO }: UTXOPageRequest,
  context: AddressContext,
): Cursor {
  if (startAddress === '' && startUTXO === '') return START
  let address: Uint8Array
  try {
    address = cChainAddress(startAddress, context, true)
  } catch (error) {
    if (!(error instanceof MethodError)) throw error
    throw new MethodError(`parsing start address ${goQuote(startAddress)}: ${error.message}`)
  }
  const id = readCB58(startUTXO, 32)
  if (typeof id === 'string')
    throw new MethodError(`parsing start utxoID ${goQuote(startUTXO)}: ${id}`)
  return { address, utxo: hex.encode(id) }
}

function cPageReply(
  set: UTXOIndex,
  found: KeyPage,
  request: UTXOPageRequest,
  { hrp }: AddressContext,
  prefix = 'problem encoding utxo',
): string {
  return pageReply(
    set,
    found,
    request,
    { alias: 'C', hrp },
    () => `${prefix}: unsupported encoding in method`,
  )
}

/** Parses an address; the C-Chain has its own error text for an address of another chain. */
function cChainAddress(text: string, context: AddressContext, helicon = false): Uint8Array {
  try {
    return parseServiceAddress(text, context)
  } catch (error) {
    if (!(error instanceof MethodError)) throw error
    const reason = error.message
      .replace(/^couldn't parse address "(?:[^"\\]|\\.)*": /, '')
      .replace(
        /^mismatched chainIDs: expected (".*") but got (".*")$/,
        helicon ? 'expected chainID $1 but got $2' : 'expected chainID to be $1 but was $2',
      )
    throw new MethodError(reason)
  }
}
