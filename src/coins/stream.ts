import { AssetSums } from '../chain/amounts.ts'
import { balancesOf } from './balances.ts'
import { FundsError } from './errors.ts'
import type { Selection, SelectOptions } from './need.ts'
import { type Page, UTXOSet } from './utxo-set.ts'

/** A selection that was made while reading. */
export type StreamedSelection = Selection & {
  /** What was read, to go on with. */
  readonly set: UTXOSet
  readonly pagesRead: number
}

/**
 * Chooses coins from pages as they come, and asks for no more of them once the need is met. Which coins
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
  const { store } = set.holdings(options)
  const needs = new AssetSums(options.need.amounts).list()
  const seen = new AssetSums()
  let pagesRead = 0
  let counted = 0
  let tried = 0
  const attempt = (): Selection | undefined => {
    for (const { assetID, spendable } of balancesOf(set, options, counted))
      seen.add(assetID, spendable)
    counted = store.size
    const covered = needs.every(({ assetID, amount }) => seen.get(assetID) >= amount)
    // Once there is enough but in too many coins, try again only when the set has grown by a quarter.
    if (!covered || options.strategy === 'all' || counted < tried * 1.25) return undefined
    tried = counted
    return tryToSelect(set, options)
  }
  // What was read before may do.
  const already = counted < store.size ? attempt() : undefined
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
    // A pinned coin may be on a page to come; what remains wrong shows when all are read.
    if (error instanceof FundsError) return undefined
    throw error
  }
}
