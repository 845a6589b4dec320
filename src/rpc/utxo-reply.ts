import type { GetUTXOsParams, RawUTXOPage } from './avm.ts'
import { encodingOf } from './encoded.ts'
import type { Params } from './method.ts'
import { addressTexts, nameText } from './params.ts'
import type { Reply } from './reply.ts'

/** The request for a page of UTXOs, alike on the P- and C-Chain. */
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
 * A page of UTXOs. Before Helicon the C-Chain ends a page with the index of its last UTXO, which the next page
 * repeats; since Helicon with the index of the first UTXO of the next page. A walk that removes duplicates and
 * stops at a short page works on both; the terminal index of Helicon leads to an empty page.
 */
export function utxoPageReply(r: Reply, p: GetUTXOsParams): RawUTXOPage {
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
    encoding: encodingOf(r, p.encoding),
  }
}
