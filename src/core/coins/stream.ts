import { argument, type Check, invalid, object, optional } from '../base/argument.ts'
import { AssetSums } from '../chain/amounts.ts'
import { FundsError } from './errors.ts'
import { type Selection, type SelectOptions, selectMembers } from './need.ts'
import { Pool } from './pool.ts'
import { selectCoins } from './select.ts'
import { utxoSet } from './set-argument.ts'
import { type Page, UTXOSet } from './utxo-set.ts'

/** The result of `selectFromPages`. */
export type StreamedSelection = Selection & {
  /** The UTXOs read so far. */
  readonly set: UTXOSet
  /** Number of pages read. */
  readonly pagesRead: number
}

/** Options of `selectFromPages`. */
export type StreamOptions = SelectOptions & {
  /**
   * A set to add the UTXOs to. Those already in it are used first.
   *
   * @defaultValue an empty set
   */
  readonly set?: UTXOSet | undefined
}

const streamOptions: Check<StreamOptions> = object<StreamOptions>({
  ...selectMembers,
  set: optional(utxoSet),
})

/** Description of pages, which are not copied. */
export const pageSource: Check<AsyncIterable<Page> | Iterable<Page>> = (value, at) => {
  const pages = value as AsyncIterable<Page> & Iterable<Page>
  if (!(pages?.[Symbol.asyncIterator] ?? pages?.[Symbol.iterator]))
    throw invalid(value, at, 'pages to iterate over')
  return pages
}

/**
 * Selects UTXOs from pages as they arrive and stops reading when the need is met. The selection depends on the order
 * of the pages; after reading all pages it equals that of `UTXOSet.select`.
 *
 * @throws FundsError if all pages together do not suffice
 *
 * @example
 * const selection = await selectFromPages(client.utxoPages({ addresses }), { need, owners, now })
 */
export async function selectFromPages(
  pages: AsyncIterable<Page> | Iterable<Page>,
  options: StreamOptions,
): Promise<StreamedSelection> {
  const { set = new UTXOSet(), ...choice } = argument('selectFromPages', options, streamOptions)
  const source = argument('selectFromPages', pages, pageSource, 'pages')
  const { owners, now, sourceChain } = choice
  const needs = new AssetSums(choice.need.amounts).list()
  const view = { owners, now, sourceChain }
  let pagesRead = 0
  let sizeTried = 0
  const attempt = (): Selection | undefined => {
    const pool = new Pool(set, view)
    const covered = needs.every(
      ({ assetID, amount }) => pool.candidates(pool.store.findAsset(assetID)).sum >= amount,
    )
    const size = set.size({ sourceChain })
    // If the amount suffices but is in too many UTXOs, try again only when the set has grown by a quarter.
    if (!covered || choice.strategy === 'all' || size < sizeTried * 1.25) return undefined
    sizeTried = size
    return tryToSelect(set, choice)
  }
  // The UTXOs already in the set may suffice.
  const initial = set.size({ sourceChain }) > 0 ? attempt() : undefined
  if (initial !== undefined) return { ...initial, set, pagesRead }
  for await (const page of source) {
    pagesRead++
    set.add(page, { sourceChain })
    const selection = attempt()
    if (selection !== undefined) return { ...selection, set, pagesRead }
  }
  return { ...selectCoins(set, choice), set, pagesRead }
}

function tryToSelect(set: UTXOSet, options: SelectOptions): Selection | undefined {
  try {
    return selectCoins(set, options)
  } catch (error) {
    // A pinned UTXO may be on a later page. A real error is thrown after the last page.
    if (error instanceof FundsError) return undefined
    throw error
  }
}
