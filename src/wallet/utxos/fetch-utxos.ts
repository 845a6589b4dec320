import { equalBytes } from '../../core/base/bytes/compare.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { encodeUTXO, type UTXO } from '../../core/chain/x/utxo.ts'
import type { UTXOPage } from '../../core/chain/x/utxo-page.ts'
import { type Source, UTXOSet } from '../../core/coins/utxo-set.ts'
import type { Clock } from '../../node/clock.ts'
import { ReplyError } from '../../node/errors.ts'
import type { CallOptions } from '../../node/http.ts'
import type { NodeClient } from '../../node/node.ts'
import { findEventually, findOnAny } from './find.ts'

/** How the wallet's UTXOs differ from those that the node lists. A UTXO whose content differs is in both lists. */
export type UTXODifferences = {
  /** Listed by the node, not known here. */
  readonly missing: readonly UTXOID[]
  /** Known here, not listed by the node. */
  readonly extra: readonly UTXOID[]
}

const OUTPUT_TYPES = [
  'secp256k1fx.TransferOutput',
  'secp256k1fx.MintOutput',
  'nftfx.TransferOutput',
  'nftfx.MintOutput',
  'propertyfx.OwnedOutput',
  'propertyfx.MintOutput',
] as const

const REQUEST_TIMEOUT_MS = 10_000

/** What a walk needs. */
export type WalkOptions = {
  /** All servers. */
  readonly client: NodeClient
  readonly clock: Clock
  readonly addresses: readonly Uint8Array[]
}

/**
 * Walks `getUTXOs` of a server into a new set: the UTXOs of this chain and those that `source`, if any, exported.
 *
 * @throws ReplyError `REPLY_MISMATCH` if the server lists UTXOs that do not exist. Only a few are checked, because each
 * check takes a request; UTXOs of other chains cannot be checked.
 */
export async function fetchUTXOs(
  server: NodeClient,
  source: Source,
  options: WalkOptions,
  call: CallOptions = {},
): Promise<UTXOSet> {
  const { addresses } = options
  const set = new UTXOSet()
  const sources: Source[] = source.sourceChain === undefined ? [{}] : [{}, source]
  await Promise.all(
    sources.map(async (from) => {
      let pages = 0
      for await (const page of server.utxoPages({ addresses, ...from, ...call })) {
        set.add(page, from)
        const isChecked = ++pages > 1 && from.sourceChain === undefined
        // After 2, 4, 8, … pages: the walk of a server that lists UTXOs without end is at most about twice as long as
        // that of all true ones.
        if (isChecked && Number.isInteger(Math.log2(pages))) await requireReal(page, options, call)
      }
    }),
  )
  return set
}

/** Checks one UTXO of a page: a dishonest server can invent UTXOs, but not the transactions that create them. */
async function requireReal(
  { utxos }: UTXOPage,
  { client, clock }: WalkOptions,
  { signal }: CallOptions,
): Promise<void> {
  const utxo = utxos[Math.floor(clock.random() * utxos.length) % utxos.length]
  if (utxo === undefined) throw invented('has a page without a valid UTXO')
  const { txID, outputIndex } = utxo
  const call = { signal, totalMs: REQUEST_TIMEOUT_MS }
  const find = () => findOnAny(client.servers(), txID, call)
  const tx = await findEventually(find, clock, signal)
  const created = tx && createdUTXOs(tx, txID)[outputIndex]
  if (created === undefined || !isSame(created, utxo))
    throw invented(
      `has a UTXO of transaction ${formatID(txID)}, which did not create it or does not exist`,
    )
}

function invented(message: string): ReplyError {
  return new ReplyError('REPLY_MISMATCH', 'avm.getUTXOs', 'result.utxos', message)
}

/** How a wallet's set differs from what the node lists. */
export function differencesOf(listed: UTXOSet, known: UTXOSet): UTXODifferences {
  return { missing: notIn(known, listed), extra: notIn(listed, known) }
}

/** The UTXOs of `set` that `other` does not have, or has with other content. */
function notIn(other: UTXOSet, set: UTXOSet): UTXO[] {
  return OUTPUT_TYPES.flatMap((type): UTXO[] => set.ofType(type)).filter((utxo) => {
    const same = other.get(utxo)
    return same === undefined || !isSame(same, utxo)
  })
}

function isSame(a: UTXO, b: UTXO): boolean {
  return equalBytes(encodeUTXO(a), encodeUTXO(b))
}
