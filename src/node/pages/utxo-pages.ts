import {
  type Check,
  fn,
  integerFrom,
  invalid,
  list,
  type Members,
  object,
  optional,
} from '../../core/base/argument.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { UTXOPage } from '../../core/chain/x/utxo-page.ts'
import { type Clock, countdown } from '../clock.ts'
import { TimeoutError } from '../errors.ts'
import { type CallOptions, callMembers } from '../http.ts'
import { type HexEncoding, hexEncoding } from '../methods/encoded.ts'
import {
  type Address,
  address,
  addressBytes,
  addressText,
  type ID,
  nameOrID,
} from '../methods/params.ts'
import type { GetUTXOsParams, RawUTXOPage } from '../methods/utxo-reply.ts'
import { onAbort } from '../transport/abort.ts'
import { mergeBounded } from '../transport/merge.ts'
import { SeenUTXOs } from './utxo-seen.ts'
import { walkPages } from './utxo-walk.ts'

/** Maximum number of addresses per call of the node. */
export const MAX_ADDRESSES_PER_CALL = 1024
/** Maximum number of UTXOs per page of the node. */
export const MAX_PAGE_SIZE = 1024

/** Options of `utxoPages`. `totalMs` limits the time from the first page to the last, including pauses of the caller. */
export type UTXOPagesOptions = CallOptions & {
  /** Any number of addresses; duplicates are ignored. */
  readonly addresses: readonly Address[]
  /**
   * Alias or ID of the chain that exported the UTXOs to this one.
   *
   * @defaultValue undefined: UTXOs of this chain
   */
  readonly sourceChain?: ID | undefined
  /**
   * `hexnc` has no checksums; use it if the transport protects the bytes.
   *
   * @defaultValue `'hex'`
   */
  readonly encoding?: HexEncoding | undefined
  /**
   * UTXOs per page, 2 to 1,024.
   *
   * @defaultValue 1024
   */
  readonly pageSize?: number | undefined
  /**
   * Addresses per call, 1 to 1,024.
   *
   * @defaultValue 1024
   */
  readonly groupSize?: number | undefined
  /**
   * Number of address groups read in parallel, 1 to 64.
   *
   * @defaultValue 4
   */
  readonly concurrency?: number | undefined
  /** Called after every page. */
  readonly onProgress?: ((progress: UTXOProgress) => void) | undefined
}

const addresses: Check<readonly Address[]> = (value, at) => {
  const copy = list(address)(value, at)
  if (copy.length === 0) throw invalid(value, at, 'at least one address')
  return copy
}

/** Describes the members of `UTXOPagesOptions`. */
export const utxoPagesMembers: Members<UTXOPagesOptions> = {
  ...callMembers,
  addresses,
  sourceChain: optional(nameOrID),
  encoding: optional(hexEncoding),
  pageSize: optional(integerFrom(2, MAX_PAGE_SIZE)),
  groupSize: optional(integerFrom(1, MAX_ADDRESSES_PER_CALL)),
  concurrency: optional(integerFrom(1, 64)),
  onProgress: optional(fn<(progress: UTXOProgress) => void>()),
}

/** Describes `UTXOPagesOptions`. */
export const utxoPagesOptions: Check<UTXOPagesOptions> = object<UTXOPagesOptions>(utxoPagesMembers)

/** Progress of `utxoPages`. */
export type UTXOProgress = {
  /** Number of pages so far. */
  readonly pages: number
  /** Number of distinct UTXOs so far. */
  readonly utxos: number
  /** Number of entries that cannot be decoded. */
  readonly opaque: number
  /** Number of repeated entries. */
  readonly duplicates: number
  /** Number of address groups in total. */
  readonly groups: number
}

/**
 * Iterates over all UTXOs of any number of addresses. Each page contains only new UTXOs and is requested on
 * demand. Stopping early aborts pending requests.
 *
 * @throws ReplyError, HttpError, RpcError, TimeoutError, AbortError
 */
export async function* utxoPages(
  getUTXOs: (params: GetUTXOsParams, options: CallOptions) => Promise<RawUTXOPage>,
  options: UTXOPagesOptions,
  clock: Clock,
): AsyncGenerator<UTXOPage, void, undefined> {
  const {
    pageSize = MAX_PAGE_SIZE,
    groupSize = MAX_ADDRESSES_PER_CALL,
    concurrency = 4,
    sourceChain,
    encoding = 'hex',
    timeoutMs,
    totalMs,
  } = options
  const groups = groupAddresses(distinct(options.addresses), groupSize)
  const seen = new SeenUTXOs()
  const controller = new AbortController()
  const abort = () => controller.abort(options.signal?.reason)
  if (options.signal?.aborted) abort()
  const forget = onAbort(options.signal, abort)
  const left = totalMs === undefined ? undefined : countdown(clock, totalMs)
  const call = (): CallOptions => {
    const remainingMs = left?.()
    // A server may have pages without end.
    if (remainingMs !== undefined && remainingMs <= 0)
      throw new TimeoutError('RPC_TIMEOUT', `UTXOs not listed within ${totalMs} ms`, totalMs!)
    return { signal: controller.signal, timeoutMs, totalMs: remainingMs }
  }
  let progress: UTXOProgress = {
    pages: 0,
    utxos: 0,
    opaque: 0,
    duplicates: 0,
    groups: groups.length,
  }
  const onPage = (entries: number, fresh: UTXOPage) => {
    // Counting would decode the page, which may not be needed otherwise.
    if (options.onProgress === undefined) return
    const newEntries = fresh.utxos.length + fresh.opaque.length
    progress = {
      pages: progress.pages + 1,
      utxos: progress.utxos + fresh.utxos.length,
      opaque: progress.opaque + fresh.opaque.length,
      duplicates: progress.duplicates + entries - newEntries,
      groups: groups.length,
    }
    options.onProgress(progress)
  }
  const walks = groups.map((addresses) => () => {
    const params: GetUTXOsParams = {
      addresses,
      limit: pageSize,
      encoding,
      sourceChain,
    }
    return walkPages({
      ask: (startIndex) =>
        getUTXOs(startIndex === undefined ? params : { ...params, startIndex }, call()),
      seen,
      limit: pageSize,
      addressCount: addresses.length,
      onPage,
    })
  })
  try {
    yield* mergeBounded(walks, concurrency, () => controller.abort())
  } finally {
    forget()
  }
}

/** Removes duplicate addresses and converts the others to the text that is sent. */
function distinct(addresses: readonly Address[]): string[] {
  const texts = new Map<string, string>()
  for (const address of addresses)
    texts.set(hex.encode(addressBytes(address)), addressText(address))
  return [...texts.values()]
}

function groupAddresses(addresses: readonly string[], size: number): string[][] {
  const groups: string[][] = []
  for (let at = 0; at < addresses.length; at += size) groups.push(addresses.slice(at, at + size))
  return groups
}
