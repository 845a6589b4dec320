import type { OwnAddresses } from './own-addresses.ts'

/** Maximum number of lists; a server may invent UTXOs so that ever more addresses are watched. */
const MAX_LISTS = 16

/**
 * Lists UTXOs of a wallet on another chain, and again if they show that further addresses of its account are to be watched.
 *
 * @param ownersOf - the owners of what was listed
 */
export async function listOwn<T>(
  own: OwnAddresses,
  list: (addresses: readonly Uint8Array[]) => Promise<T>,
  ownersOf: (listed: T) => readonly Uint8Array[],
): Promise<T> {
  for (let lists = 1; ; lists++) {
    const listed = await list(own.list)
    if (!own.account?.note(ownersOf(listed)) || lists === MAX_LISTS) return listed
  }
}
