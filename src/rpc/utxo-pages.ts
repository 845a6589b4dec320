import type { UTXOPage } from '../chain/utxo-page.ts'
import { hex } from '../encoding/hex.ts'
import { EncodingError } from '../errors.ts'
import type { HexEncoding } from './encoded.ts'
import type { CallOptions } from './http.ts'
import { mergeBounded } from './merge.ts'
import { type Address, addressBytes, addressText, type ID } from './params.ts'
import type { GetUTXOsParams, RawUTXOPage } from './utxo-reply.ts'
import { SeenUTXOs } from './utxo-seen.ts'
import { walkPages } from './utxo-walk.ts'

/** The most addresses that the node takes in one call. */
export const MAX_ADDRESSES_PER_CALL = 1024
/** The most UTXOs that the node puts into one page. */
export const MAX_PAGE_SIZE = 1024

/** Which UTXOs to walk, and how. */
export type UTXOPagesOptions = CallOptions & {
  /** Any number; repeated ones are asked once. */
  readonly addresses: readonly Address[]
  /** Alias or ID of the chain that exported them, for UTXOs that wait to be imported. */
  readonly sourceChain?: ID | undefined
  /** `hex` unless told; `hexnc` has no checksums, for where the transport already protects the bytes. */
  readonly encoding?: HexEncoding | undefined
  /** Per page, 2 to 1 024; 1 024 unless told. */
  readonly pageSize?: number | undefined
  /** Addresses per call, 1 to 1 024; 1 024 unless told. */
  readonly groupSize?: number | undefined
  /** Groups of addresses that are walked at the same time; 4 unless told. */
  readonly concurrency?: number | undefined
  readonly onProgress?: ((progress: UTXOProgress) => void) | undefined
}

/** How far a walk has come. */
export type UTXOProgress = {
  readonly pages: number
  /** Handed out so far, each once. */
  readonly utxos: number
  /** Entries that cannot be read. */
  readonly opaque: number
  /** Entries that came again. */
  readonly duplicates: number
  readonly groups: number
}

/**
 * Walks all UTXOs of any number of addresses. Each page holds only what was not handed out before, and is
 * asked for only when the consumer wants it; stopping early ends the requests under way.
 */
export async function* utxoPages(
  getUTXOs: (params: GetUTXOsParams, options: CallOptions) => Promise<RawUTXOPage>,
  options: UTXOPagesOptions,
): AsyncGenerator<UTXOPage, void, undefined> {
  const pageSize = within('pageSize', options.pageSize ?? MAX_PAGE_SIZE, 2, MAX_PAGE_SIZE)
  const groupSize = within('groupSize', options.groupSize ?? MAX_ADDRESSES_PER_CALL, 1, 1024)
  const concurrency = within('concurrency', options.concurrency ?? 4, 1, 64)
  const { sourceChain, encoding = 'hex', timeoutMs, totalMs } = options
  const groups = split(distinct(options.addresses), groupSize)
  const seen = new SeenUTXOs()
  const controller = new AbortController()
  const onAbort = () => controller.abort(options.signal?.reason)
  if (options.signal?.aborted) onAbort()
  options.signal?.addEventListener('abort', onAbort, { once: true })
  const call: CallOptions = {
    signal: controller.signal,
    timeoutMs,
    totalMs,
  }
  let progress: UTXOProgress = {
    pages: 0,
    utxos: 0,
    opaque: 0,
    duplicates: 0,
    groups: groups.length,
  }
  const onPage = (entries: number, fresh: UTXOPage) => {
    // Counting decodes the page, for which there may be no other reason.
    if (options.onProgress === undefined) return
    const news = fresh.utxos.length + fresh.opaque.length
    progress = {
      pages: progress.pages + 1,
      utxos: progress.utxos + fresh.utxos.length,
      opaque: progress.opaque + fresh.opaque.length,
      duplicates: progress.duplicates + entries - news,
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
        getUTXOs(startIndex === undefined ? params : { ...params, startIndex }, call),
      seen,
      limit: pageSize,
      addressCount: addresses.length,
      onPage,
    })
  })
  try {
    yield* mergeBounded(walks, concurrency, () => controller.abort())
  } finally {
    options.signal?.removeEventListener('abort', onAbort)
  }
}

/** Each address once, as it is sent. */
function distinct(addresses: readonly Address[]): string[] {
  if (addresses.length === 0)
    throw new EncodingError('ENC_INVALID', 'expected at least one address, found none')
  const texts = new Map<string, string>()
  for (const address of addresses)
    texts.set(hex.encode(addressBytes(address)), addressText(address))
  return [...texts.values()]
}

function split(addresses: readonly string[], size: number): string[][] {
  const groups: string[][] = []
  for (let at = 0; at < addresses.length; at += size) groups.push(addresses.slice(at, at + size))
  return groups
}

function within(name: string, value: number, min: number, max: number): number {
  if (!Number.isInteger(value) || value < min || value > max)
    throw new EncodingError('ENC_INVALID', `expected ${name} from ${min} to ${max}, found ${value}`)
  return value
}
