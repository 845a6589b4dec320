import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import { encodeUTXO, type UTXO } from '../../core/chain/x/utxo.ts'
import type { UTXOPage } from '../../core/chain/x/utxo-page.ts'
import { type OpaqueEntry, type Source, UTXOSet } from '../../core/coins/utxo-set.ts'
import type { Disputed } from './votes.ts'

/** The UTXOs that one server lists. */
export type ListedUTXOs = { readonly server: string; readonly set: UTXOSet }

/** A UTXO that servers disagree about, and the chain that exported it, if any. */
export type DisputedUTXO = Disputed<UTXO> & { readonly source: Source }

/** What servers agree on. */
export type VotedUTXOs = { readonly set: UTXOSet; readonly disputed: readonly DisputedUTXO[] }

const OUTPUT_TYPES = [
  'secp256k1fx.TransferOutput',
  'secp256k1fx.MintOutput',
  'nftfx.TransferOutput',
  'nftfx.MintOutput',
  'propertyfx.OwnedOutput',
  'propertyfx.MintOutput',
] as const

/**
 * Compares lists of UTXOs. A UTXO exists if `quorum` servers list it with the same content, and does not if as many do
 * not list it. The servers may be at different heights: blocks that are applied afterwards add what was created since,
 * and remove what was spent. With a quorum of 1 any difference is a dispute, because both would hold.
 */
export function votedUTXOs(
  lists: readonly ListedUTXOs[],
  quorum: number,
  sources: readonly Source[],
): VotedUTXOs {
  const [first] = lists as readonly [ListedUTXOs]
  const contested = sources.map((source) => contestedIn(lists, source))
  const isEqual = contested.every(({ size }) => size === 0)
  const hasOpaque = lists.some(({ set }) => sources.some((source) => set.opaque(source).length > 0))
  if (isEqual && !hasOpaque) return { set: first.set, disputed: [] }
  const set = new UTXOSet()
  const disputed: DisputedUTXO[] = []
  sources.forEach((source, i) => {
    const names = contested[i]!
    const utxos = utxosIn(first.set, source).filter((utxo) => !names.has(utxoKey(utxo)))
    set.add({ utxos, opaque: votedOpaque(lists, quorum, source) }, source)
    for (const variants of names.values())
      for (const utxo of variants) {
        const listedBy: string[] = []
        const missingFrom: string[] = []
        for (const list of lists)
          (hasSame(list.set, utxo, source) ? listedBy : missingFrom).push(list.server)
        if (quorum > 1 && listedBy.length >= quorum) set.add([utxo], source)
        else if (quorum === 1 || missingFrom.length < quorum)
          disputed.push({ utxo, source, listedBy, missingFrom })
      }
  })
  return { set, disputed }
}

/** Entries that cannot be decoded and that enough servers list. They are only reported, so there is no dispute. */
function votedOpaque(
  lists: readonly ListedUTXOs[],
  quorum: number,
  source: Source,
): UTXOPage['opaque'] {
  const entries = new Map<string, { readonly entry: OpaqueEntry; votes: number }>()
  for (const { set } of lists)
    for (const entry of set.opaque(source)) {
      const name = typeof entry.raw === 'string' ? entry.raw : hex.encode(entry.raw)
      const known = entries.get(name) ?? { entry, votes: 0 }
      known.votes++
      entries.set(name, known)
    }
  return [...entries.values()]
    .filter(({ votes }) => votes >= quorum)
    .map(({ entry }, index) => ({ ...entry, index }))
}

/** UTXOs that not all servers list with the same content: all contents, by UTXO key. */
function contestedIn(
  [first, ...others]: readonly ListedUTXOs[],
  source: Source,
): Map<string, UTXO[]> {
  const contested = new Map<string, UTXO[]>()
  const add = (utxos: readonly UTXO[]) => {
    for (const utxo of utxos) {
      const variants = contested.get(utxoKey(utxo)) ?? []
      if (!variants.some((known) => isSameUTXO(known, utxo))) variants.push(utxo)
      contested.set(utxoKey(utxo), variants)
    }
  }
  for (const { set } of others) {
    add(notIn(set, first!.set, source))
    add(notIn(first!.set, set, source))
  }
  return contested
}

function hasSame(set: UTXOSet, utxo: UTXO, source: Source): boolean {
  const listed = set.get(utxo, source)
  return listed !== undefined && isSameUTXO(listed, utxo)
}

/** All UTXOs of a source. */
export function utxosIn(set: UTXOSet, source: Source): UTXO[] {
  return OUTPUT_TYPES.flatMap((type): UTXO[] => set.ofType(type, source))
}

/** The UTXOs of `set` that `other` does not have, or has with other content. */
export function notIn(other: UTXOSet, set: UTXOSet, source: Source = {}): UTXO[] {
  return utxosIn(set, source).filter((utxo) => !hasSame(other, utxo, source))
}

/** Whether two UTXOs have the same ID and content. */
export function isSameUTXO(a: UTXO, b: UTXO): boolean {
  return equalBytes(encodeUTXO(a), encodeUTXO(b))
}
