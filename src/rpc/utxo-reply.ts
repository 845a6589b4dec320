import { encodingOf, type HexEncoding } from './encoded.ts'
import type { Params } from './method.ts'
import { type Address, addressTexts, type ID, mayBeSameChain, nameText } from './params.ts'
import type { Reply } from './reply.ts'

/** Where a page of UTXOs ends, which the next one is asked with. */
export type PageIndex = { readonly address: string; readonly utxo: string }

/** A page of UTXOs as the node sends it; `utxoPages` of the client walks them all. */
export type RawUTXOPage = {
  readonly numFetched: number
  /** In `encoding`; read them with `decodeUTXOPage`. */
  readonly utxos: readonly string[]
  /** The last address and UTXO that were looked at, which need not have been returned. */
  readonly endIndex: PageIndex
  /** Alias or ID of the chain that exported them; current nodes do not send it. */
  readonly sourceChain: string | undefined
  readonly encoding: HexEncoding
}

/** What a page of UTXOs is asked with, on every chain. */
export type GetUTXOsParams = {
  /** 1 to 1 024. */
  readonly addresses: readonly Address[]
  /**
   * Most UTXOs per page; the node treats 0 and anything above 1,024 as 1,024.
   *
   * @defaultValue 1024
   */
  readonly limit?: number | undefined
  readonly startIndex?: PageIndex | undefined
  /** Alias or ID: UTXOs that this chain exported to ours. */
  readonly sourceChain?: ID | undefined
  readonly encoding?: HexEncoding | undefined
}

/** The request for a page of UTXOs. */
export function utxoPageParams(p: GetUTXOsParams): Params {
  return {
    addresses: addressTexts(p.addresses),
    limit: p.limit,
    startIndex: p.startIndex,
    sourceChain: p.sourceChain === undefined ? undefined : nameText(p.sourceChain),
    encoding: p.encoding ?? 'hex',
  }
}

/**
 * A page of UTXOs, of the chain with the alias `own`. Before Helicon the C-Chain ends a page with the index of its last UTXO, which the next page
 * repeats; since Helicon with the index of the first UTXO of the next page. A walk that removes duplicates and
 * stops at a short page works on both; the terminal index of Helicon leads to an empty page.
 */
export function utxoPageReply(r: Reply, p: GetUTXOsParams, own: string): RawUTXOPage {
  const utxos = r.present('utxos').strings('utxos')
  const numFetched = r.u32('numFetched')
  // A list cut on its way would otherwise pass for the last page.
  if (numFetched !== utxos.length)
    throw r.mismatch('numFetched', `${utxos.length}, the length of utxos`, String(numFetched))
  if (p.limit !== undefined && p.limit > 0 && utxos.length > p.limit)
    throw r.mismatch('utxos', `at most ${p.limit} UTXOs`, String(utxos.length))
  const end = r.object('endIndex')
  return {
    numFetched,
    utxos,
    endIndex: { address: end.string('address'), utxo: end.string('utxo') },
    sourceChain: sourceChainOf(r, p.sourceChain ?? own),
    encoding: encodingOf(r, p.encoding),
  }
}

function sourceChainOf(r: Reply, asked: ID): string | undefined {
  const said = r.optionalString('sourceChain') || undefined
  if (said !== undefined && !mayBeSameChain(nameText(asked), said))
    throw r.mismatch('sourceChain', nameText(asked), said)
  return said
}
