import { requireFields, requireIterable } from '../base/require.ts'
import { AssetSums } from '../chain/amounts.ts'
import { FundsError } from './errors.ts'
import { requireNeed, type Selection, type SelectOptions } from './need.ts'
import { Pool } from './pool.ts'
import { type Page, UTXOSet } from './utxo-set.ts'
import { checkViewpoint } from './viewpoint.ts'

/** The result of `selectFromPages`. */
export type StreamedSelection = Selection & {
  /** The UTXOs read so far. */
  readonly set: UTXOSet
  /** Number of pages read. */
  readonly pagesRead: number
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
  options: SelectOptions & {
    /**
     * A set to add the UTXOs to. Those already in it are used first.
     *
     * @defaultValue an empty set
     */
    readonly set?: UTXOSet | undefined
  },
): Promise<StreamedSelection> {
  requireFields(options, 'options', ['need'])
  if (!(pages as AsyncIterable<Page>)?.[Symbol.asyncIterator]) requireIterable(pages, 'pages')
  requireNeed(options.need)
  checkViewpoint(options)
  const set = options.set ?? new UTXOSet()
  const needs = new AssetSums(options.need.amounts).list()
  const { owners, now, sourceChain } = options
  const view = { owners, now, sourceChain }
  let pagesRead = 0
  let sizeTried = 0
  const attempt = (): Selection | undefined => {
    const pool = new Pool(set, view)
    const covered = needs.every(
      ({ assetID, amount }) => pool.candidates(pool.store.findAsset(assetID)).sum >= amount,
    )
    const size = set.size(options)
    // If the amount suffices but is in too many UTXOs, try again only when the set has grown by a quarter.
    if (!covered || options.strategy === 'all' || size < sizeTried * 1.25) return undefined
    sizeTried = size
    return tryToSelect(set, options)
  }
  // The UTXOs already in the set may suffice.
  const initial = set.size(options) > 0 ? attempt() : undefined
  if (initial !== undefined) return { ...initial, set, pagesRead }
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
    // A pinned UTXO may be on a later page. A real error is thrown after the last page.
    if (error instanceof FundsError) return undefined
    throw error
  }
}
