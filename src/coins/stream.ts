import { AssetSums } from '../chain/amounts.ts'
import { FundsError } from './errors.ts'
import type { Selection, SelectOptions } from './need.ts'
import { Pool } from './pool.ts'
import { type Page, UTXOSet } from './utxo-set.ts'

/** A selection that was made while reading. */
export type StreamedSelection = Selection & {
  /** What was read, to go on with. */
  readonly set: UTXOSet
  readonly pagesRead: number
}

/**
 * Chooses UTXOs from pages as they come, and asks for no more of them once the need is met. Which
 * are chosen depends on which come first; with all pages read, it is what `select` of the set would choose.
 *
 * @example
 * const selection = await selectFromPages(client.utxoPages({ addresses }), { need, owners, now })
 */
export async function selectFromPages(
  pages: AsyncIterable<Page> | Iterable<Page>,
  options: SelectOptions & { readonly set?: UTXOSet },
): Promise<StreamedSelection> {
  const set = options.set ?? new UTXOSet()
  const needs = new AssetSums(options.need.amounts).list()
  const { owners, now, sourceChain } = options
  const view = { owners, now, ...(sourceChain && { sourceChain }) }
  let pagesRead = 0
  let tried = 0
  const attempt = (): Selection | undefined => {
    const pool = new Pool(set, view)
    const covered = needs.every(
      ({ assetID, amount }) => pool.candidates(pool.store.findAsset(assetID)).sum >= amount,
    )
    const size = set.size(options)
    // If there is enough but in too many UTXOs, try again only when the set has grown by a quarter.
    if (!covered || options.strategy === 'all' || size < tried * 1.25) return undefined
    tried = size
    return tryToSelect(set, options)
  }
  // What was read before may do.
  const already = set.size(options) > 0 ? attempt() : undefined
  if (already !== undefined) return { ...already, set, pagesRead }
  for await (const page of pages) {
    pagesRead++
    set.add(page, options)
    const selection = attempt()
    if (selection !== undefined) return { ...selection, set, pagesRead }
  }
  return { ...set.select(options), set, pagesRead }
}

function tryToSelect(set: UTXOSet, options: SelectOptions): Selection | undefined {
  try {
    return set.select(options)
  } catch (error) {
    // A pinned UTXO may be on a page to come; what remains wrong shows when all are read.
    if (error instanceof FundsError) return undefined
    throw error
  }
}
