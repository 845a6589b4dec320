import { formatID, formatUTXOID } from '../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { AbortError, ignoreAvmError } from '../../node/errors.ts'
import type { CallOptions } from '../../node/http.ts'
import type { Unfinished } from '../payments/ended.ts'
import { decodeNote } from './note.ts'
import { recipientText } from './plan.ts'
import type { MoveChain, NonceMismatch, Side, Sides } from './side.ts'
import { MoveError, type MoveRecord } from './types.ts'

/** Time limit for reading what may tell why a move is not finished: the account's nonce, or the exported UTXOs. */
const REASON_TIMEOUT_MS = 5_000

/** A move that has not ended. */
export type UnfinishedMove = Omit<Unfinished, 'rejection'>

/**
 * What is known of an unfinished move: its stage, where the funds are, and what is needed.
 *
 * @param knownMissing - exported UTXOs that are not listed. Default: the destination is asked
 */
export async function moveRecord(
  { payments, attempts, exported, error }: UnfinishedMove,
  sides: Sides,
  context: NetworkContext,
  knownMissing?: readonly UTXOID[],
): Promise<MoveRecord> {
  const { from, to, amount, assetID, ...rest } = decodeNote(attempts[0]!.leg!.note)
  const exporting = exported ?? attempts.findLast(({ kind }) => kind === 'export')
  const importing = attempts.findLast(({ kind }) => kind === 'import')
  const stage = importing ? 'importing' : exported ? 'exported' : 'exporting'
  const nonce =
    stage === 'exporting'
      ? await sides[from]
          .nonceMismatch?.(exporting!.bytes, { totalMs: REASON_TIMEOUT_MS })
          // Omitted if the node does not answer.
          .catch(() => undefined)
      : undefined
  const utxos: readonly UTXOID[] = importing
    ? sides[to].importedBy(importing.bytes)
    : exported
      ? sides[from].exportedBy(exported.bytes)
      : []
  const limits = { totalMs: REASON_TIMEOUT_MS }
  const missing = knownMissing ?? (await missingAmong(utxos, sides[to], from, limits))
  return {
    key: payments[0]!.key,
    from,
    to,
    amount,
    assetID,
    recipient: recipientText({ to, ...rest }, context),
    stage,
    exportTxID: exporting?.txID,
    importTxID: importing?.txID,
    location:
      stage === 'exporting'
        ? `on the ${from}-Chain, unless ${formatID(exporting!.txID)} is accepted`
        : stage === 'exported'
          ? `exported from the ${from}-Chain, ${missing.length > 0 ? 'and not listed on' : 'to be imported to'} the ${to}-Chain`
          : `exported from the ${from}-Chain, unless ${formatID(importing!.txID)} is accepted on the ${to}-Chain`,
    utxos: utxos.map(idOf),
    missing: missing.map(idOf),
    needs:
      nonce !== undefined
        ? nonceNeeds(nonce)
        : missing.length > 0
          ? missingNeeds(missing, to)
          : NEEDS[stage],
    nonce,
    error,
  }
}

/** UTXOs that a chain exported and that its destination does not list; none if the node does not answer. */
export async function missingAmong(
  utxos: readonly UTXOID[],
  destination: Side,
  sourceChain: MoveChain,
  call: CallOptions,
): Promise<readonly UTXOID[]> {
  if (utxos.length === 0) return []
  const listed = await destination.atomicUTXOs(sourceChain, call).catch(ignoreAvmError)
  const known = new Set((listed?.utxos ?? utxos).map(utxoKey))
  return utxos.filter((utxo) => !known.has(utxoKey(utxo)))
}

function idOf({ txID, outputIndex }: UTXOID): UTXOID {
  return { txID, outputIndex }
}

const NEEDS = {
  exporting: 'the export must be accepted: resume the move',
  exported: 'the exported UTXOs must be imported: resume the move, or import them at any time',
  importing: 'the import must be accepted: resume the move',
} as const

/** What is needed if exported UTXOs are not listed at their destination. */
function missingNeeds(missing: readonly UTXOID[], to: MoveChain): string {
  const names = missing.map(formatUTXOID)
  return `the ${to}-Chain does not list ${names.join(', ')}: unless the node is behind, another holder of the keys has imported them; resume the move with a node that is not behind, and look for the import in an explorer`
}

/**
 * What is needed for an export whose nonce is not the next one of the account. The export is replaced by one with the
 * next nonce only if another transaction with its nonce is found. The node's answer alone is no proof: both exports
 * could be accepted, one after the other.
 */
function nonceNeeds({ account, export: used, next }: NonceMismatch): string {
  if (used > next)
    return `${used - next} transactions of the account ${account} must be accepted first, because the export has nonce ${used} and the next one is ${next}: make them, then resume the move`
  return `another transaction of the account ${account} has used nonce ${used}, unless the node is behind and it was the export: resume the move with a node that keeps the states of old blocks, which shows it`
}

/** The error of a call whose move is not finished. */
export async function moveError(
  unfinished: UnfinishedMove,
  sides: Sides,
  context: NetworkContext,
  signal: AbortSignal | undefined,
  missing: readonly UTXOID[],
): Promise<MoveError> {
  const move = await moveRecord(unfinished, sides, context, missing)
  const isExported = move.stage !== 'exporting'
  return new MoveError(
    isExported ? 'MOVE_UNFINISHED' : 'TX_PENDING',
    `the move from ${move.from} to ${move.to} is not finished: the funds are ${move.location}`,
    move,
    {
      cause: signal?.aborted ? new AbortError('wallet', signal.reason) : unfinished.error,
      hint: `${move.needs}; do not move them again under another key`,
    },
  )
}
