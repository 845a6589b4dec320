import { utxoKey } from '../../chain/ids.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import type { UTXOID } from '../../chain/transferables.ts'
import { formatID, formatUTXOName } from '../../encoding/ids.ts'
import { AbortError } from '../../rpc/errors.ts'
import type { AttemptGroup } from '../attempts.ts'
import { exportedOf } from './decide.ts'
import { decodeNote } from './note.ts'
import { recipientText } from './plan.ts'
import type { MoveChain, NonceMismatch, Sides } from './side.ts'
import { MoveError, type MoveRecord } from './types.ts'

/** Time limit for reading what may tell why a move is not finished: the account's nonce, or the exported UTXOs. */
const REASON_TIMEOUT_MS = 5_000

/** What is known of an unfinished move: its stage, where the funds are, and what is needed. */
export async function moveRecord(
  group: AttemptGroup,
  sides: Sides,
  context: NetworkContext,
): Promise<MoveRecord> {
  const { attempts, lastError, payments } = group
  const exported = exportedOf(group)
  const { from, to, amount, assetID, ...rest } = decodeNote(attempts[0]!.half!.note)
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
  const listed =
    utxos.length === 0
      ? []
      : await sides[to]
          .atomicUTXOs(from, { totalMs: REASON_TIMEOUT_MS })
          // Omitted if the node does not answer.
          .catch(() => utxos)
  const known = new Set(listed.map(utxoKey))
  const ids = utxos.map(({ txID, outputIndex }) => ({ txID, outputIndex }))
  const missing = ids.filter((id) => !known.has(utxoKey(id)))
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
    utxos: ids,
    missing,
    needs:
      nonce !== undefined
        ? nonceNeeds(nonce)
        : missing.length > 0
          ? missingNeeds(missing, to)
          : NEEDS[stage],
    nonce,
    error: lastError,
  }
}

const NEEDS = {
  exporting: 'the export must be accepted: resume the move',
  exported: 'the exported UTXOs must be imported: resume the move, or import them at any time',
  importing: 'the import must be accepted: resume the move',
} as const

/** What is needed if exported UTXOs are not listed at their destination. */
function missingNeeds(missing: readonly UTXOID[], to: MoveChain): string {
  const names = missing.map(formatUTXOName)
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
  group: AttemptGroup,
  sides: Sides,
  context: NetworkContext,
  signal: AbortSignal | undefined,
): Promise<MoveError> {
  const move = await moveRecord(group, sides, context)
  const isExported = move.stage !== 'exporting'
  return new MoveError(
    isExported ? 'MOVE_UNFINISHED' : 'TX_PENDING',
    `the move from ${move.from} to ${move.to} is not finished: the funds are ${move.location}`,
    move,
    {
      cause: signal?.aborted ? new AbortError('wallet', signal.reason) : group.lastError,
      hint: `${move.needs}; do not move them again under another key`,
    },
  )
}
