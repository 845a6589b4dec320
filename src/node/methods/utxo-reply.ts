import {
  type Check,
  integerFrom,
  list,
  type Members,
  object,
  optional,
  text,
} from '../../core/base/argument.ts'
import { encodingOf, type HexEncoding, hexEncoding } from './encoded.ts'
import type { Params } from './method.ts'
import {
  type Address,
  address,
  addressText,
  type ID,
  mayBeSameChain,
  nameOrID,
  nameText,
} from './params.ts'
import type { Reply } from './reply.ts'

/** End of a page of UTXOs, from which the next page starts. */
export type PageIndex = { readonly address: string; readonly utxo: string }

/** A page of UTXOs as sent by the node. `utxoPages` of the client reads all pages. */
export type RawUTXOPage = {
  readonly numFetched: number
  /** In `encoding`; decode them with `decodeUTXOPage`. */
  readonly utxos: readonly string[]
  /** The last address and UTXO that the node examined; they need not be in the page. */
  readonly endIndex: PageIndex
  /** Alias or ID of the chain that exported them; not sent by current nodes. */
  readonly sourceChain: string | undefined
  readonly encoding: HexEncoding
}

/** Parameters of a page of UTXOs, on every chain. */
export type GetUTXOsParams = {
  /** 1 to 1,024 addresses. */
  readonly addresses: readonly Address[]
  /**
   * Maximum number of UTXOs per page; the node treats 0 and values above 1,024 as 1,024.
   *
   * @defaultValue 1024
   */
  readonly limit?: number | undefined
  /**
   * The `endIndex` of the previous page.
   *
   * @defaultValue the first page
   */
  readonly startIndex?: PageIndex | undefined
  /** Alias or ID of the chain that exported them to this one. */
  readonly sourceChain?: ID | undefined
  /**
   * `hexnc` has no checksums.
   *
   * @defaultValue `hex`
   */
  readonly encoding?: HexEncoding | undefined
}

/** Describes the members of `GetUTXOsParams`. */
export const getUTXOsMembers: Members<GetUTXOsParams> = {
  addresses: list(address),
  limit: optional(integerFrom(0)),
  startIndex: optional(object<PageIndex>({ address: text, utxo: text })),
  sourceChain: optional(nameOrID),
  encoding: optional(hexEncoding),
}

/** Describes `GetUTXOsParams`. */
export const getUTXOsParams: Check<GetUTXOsParams> = object<GetUTXOsParams>(getUTXOsMembers)

/** Returns the parameters of a request for a page of UTXOs. */
export function utxoPageRequest(p: GetUTXOsParams): Params {
  return {
    addresses: p.addresses.map(addressText),
    limit: p.limit,
    startIndex: p.startIndex,
    sourceChain: p.sourceChain === undefined ? undefined : nameText(p.sourceChain),
    encoding: p.encoding ?? 'hex',
  }
}

/**
 * Reads a page of UTXOs of the chain with the alias `own`. Before Helicon, the C-Chain ends a page with the index of
 * its last UTXO, which the next page repeats; since Helicon, with the index of the first UTXO of the next page.
 * Reading that removes duplicates and stops at a short page works for both. The terminal index of Helicon leads to an
 * empty page.
 */
export function utxoPageReply(r: Reply, p: GetUTXOsParams, own: string): RawUTXOPage {
  const utxos = r.present('utxos').strings('utxos')
  const numFetched = r.u32('numFetched')
  // Otherwise a truncated list would look like the last page.
  if (numFetched !== utxos.length)
    throw r.mismatch('numFetched', `${utxos.length}, the length of utxos`, String(numFetched))
  if (p.limit !== undefined && p.limit > 0 && utxos.length > p.limit)
    throw r.mismatch('utxos', `at most ${p.limit} UTXOs`, String(utxos.length))
  const end = r.object('endIndex')
  return {
    numFetched,
    utxos,
    endIndex: { address: end.string('address'), utxo: end.string('utxo') },
    sourceChain: statedSourceChain(r, p.sourceChain ?? own),
    encoding: encodingOf(r, p.encoding),
  }
}

function statedSourceChain(r: Reply, requested: ID): string | undefined {
  const stated = r.optionalString('sourceChain') || undefined
  if (stated !== undefined && !mayBeSameChain(nameText(requested), stated))
    throw r.mismatch('sourceChain', nameText(requested), stated)
  return stated
}
