import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { AvmError } from '../../core/base/errors.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import { txID as idOf } from '../../core/chain/x/ids.ts'
import { decodeTx, encodeTx, type SignedTx } from '../../core/chain/x/tx.ts'
import { decodeUTXO, encodeUTXO } from '../../core/chain/x/utxo.ts'
import { eachInFlight } from '../../wallet/in-flight.ts'
import { type Database, sqlStateOf } from '../database/database.ts'
import { amountOf, type Bytes, bytesOf, type Digits, keyOf } from '../database/values.ts'
import type { Settings } from '../settings.ts'

/** A row that contradicts its history or the chain. */
export type AuditFault = {
  readonly kind: 'payout' | 'attempt' | 'deposit' | 'payment'
  /** Idempotency key of a payout. */
  readonly key?: string | undefined
  /** The transaction concerned. */
  readonly txID?: Uint8Array | undefined
  readonly message: string
}

/** Number of rows that are read at a time, and of transactions that are requested concurrently. */
const ROWS_PER_PAGE = 500
const TXS_IN_FLIGHT = 8
const INSUFFICIENT_PRIVILEGE = '42501'

/** SQL: rows whose status is not that of their last event. */
const UNEXPLAINED = `SELECT 'payout' AS kind, p.key, p.outcome_tx AS tx_id, p.status AS status, e.new_status AS event
  FROM @.payments p LEFT JOIN LATERAL (SELECT new_status FROM @.events
    WHERE kind = 'payout' AND subject = p.seq ORDER BY seq DESC LIMIT 1) AS e ON true
  WHERE p.address IS NOT NULL AND e.new_status IS DISTINCT FROM p.status
  UNION ALL
  SELECT 'attempt', NULL, a.tx_id, coalesce(a.outcome, 'pending'), e.new_status
  FROM @.attempts a LEFT JOIN LATERAL (SELECT new_status FROM @.events
    WHERE kind = 'attempt' AND subject = a.seq ORDER BY seq DESC LIMIT 1) AS e ON true
  WHERE e.new_status IS DISTINCT FROM coalesce(a.outcome, 'pending')
  UNION ALL
  SELECT 'deposit', NULL, o.tx_id, o.kind, e.new_status
  FROM @.outputs o LEFT JOIN LATERAL (SELECT new_status FROM @.events
    WHERE kind = 'deposit' AND subject = o.cursor ORDER BY seq DESC LIMIT 1) AS e ON true
  WHERE o.cursor IS NOT NULL AND e.new_status IS DISTINCT FROM o.kind
  LIMIT 1000`

/**
 * Compares rows with their events, with the bytes of their transactions and with the chain. Transactions that as many
 * servers as the quorum have confirmed for an earlier audit are not requested again, unless the audit is whole.
 */
export async function findFaults(
  settings: Settings,
  { isWhole, signal }: { readonly isWhole: boolean; readonly signal?: AbortSignal | undefined },
): Promise<AuditFault[]> {
  const { database } = settings
  const faults: AuditFault[] = []
  const rows = await database.report<{
    kind: 'payout' | 'attempt' | 'deposit'
    key: string | null
    tx_id: Bytes | null
    status: string
    event: string | null
  }>(UNEXPLAINED)
  for (const { kind, key, tx_id, status, event } of rows)
    faults.push({
      kind,
      key: key === null ? undefined : keyOf(key),
      txID: tx_id === null ? undefined : bytesOf(tx_id),
      message: `is ${status}, its last event is ${event ?? 'missing'}`,
    })
  const unknown = await database.report<{ tx_id: Bytes; outputs: Digits }>(
    `SELECT tx_id, count(*) AS outputs FROM @.unknown_outputs WHERE resolved_at IS NULL
     GROUP BY tx_id ORDER BY tx_id`,
  )
  for (const { tx_id, outputs } of unknown)
    faults.push({
      kind: 'payment',
      txID: bytesOf(tx_id),
      message: `paid own funds to others (outputs: ${outputs}) and was not claimed here`,
    })
  const confirmed = new Confirmed(settings, isWhole, signal)
  for (const fault of await paidPayouts(database, confirmed)) faults.push(fault)
  for (const fault of await creditedDeposits(database, confirmed)) faults.push(fault)
  return faults
}

/** Asks servers for transactions, each once. */
class Confirmed {
  private readonly settings: Settings
  private readonly isWhole: boolean
  private readonly signal: AbortSignal | undefined

  constructor(settings: Settings, isWhole: boolean, signal: AbortSignal | undefined) {
    this.settings = settings
    this.isWhole = isWhole
    this.signal = signal
  }

  /** Those of the transactions that no earlier audit has confirmed. */
  async toAsk(txIDs: readonly Uint8Array[]): Promise<Uint8Array[]> {
    const distinct = [...new Map(txIDs.map((txID) => [hex.encode(txID), txID])).values()]
    if (this.isWhole) return distinct
    const rows = await this.settings.database.query<{ tx_id: Bytes }>(
      `SELECT t AS tx_id FROM unnest($1::bytea[]) AS given(t)
       WHERE NOT EXISTS (SELECT FROM @.audited_txs WHERE tx_id = t)`,
      [distinct],
    )
    return rows.map(({ tx_id }) => bytesOf(tx_id))
  }

  /** Reads accepted transactions; undefined for those that too few servers have. */
  async read(txIDs: readonly Uint8Array[]): Promise<Map<string, SignedTx | undefined>> {
    const { chain } = this.settings
    const found = new Map<string, SignedTx | undefined>()
    await eachInFlight([...txIDs], TXS_IN_FLIGHT, async (txID) => {
      const tx = await chain.findTx(txID, { signal: this.signal })
      const isAccepted = tx !== undefined && (await chain.isAccepted(txID, { signal: this.signal }))
      found.set(hex.encode(txID), isAccepted ? tx : undefined)
    })
    return found
  }

  /** Notes that transactions need not be requested again. A role that may only read does without. */
  async keep(txIDs: readonly Uint8Array[]): Promise<void> {
    try {
      await this.settings.database.query(
        'INSERT INTO @.audited_txs SELECT unnest($1::bytea[]) ON CONFLICT DO NOTHING',
        [txIDs],
      )
    } catch (error) {
      if (sqlStateOf(error) !== INSUFFICIENT_PRIVILEGE) throw error
    }
  }
}

type PaidRow = {
  readonly seq: Digits
  readonly key: string
  readonly tx_id: Bytes | null
  readonly address: Bytes
  readonly asset_id: Bytes
  readonly amount: Digits
}

/** Paid payouts whose transaction is missing, is not accepted, or has no output of its own for them. */
async function paidPayouts(database: Database, confirmed: Confirmed): Promise<AuditFault[]> {
  const faults: AuditFault[] = []
  for (let after: Uint8Array = new Uint8Array(); ; ) {
    // All payouts of a transaction together, because each of them needs an output of its own.
    const txs = await database.query<{ tx_id: Bytes; bytes: Bytes | null }>(
      `SELECT t.tx_id, (SELECT bytes FROM @.attempts a WHERE a.tx_id = t.tx_id AND a.outcome = 'accepted' LIMIT 1) AS bytes
       FROM (SELECT DISTINCT coalesce(outcome_tx, '') AS tx_id FROM @.payments
         WHERE status = 'accepted' AND address IS NOT NULL AND coalesce(outcome_tx, '') > $1) AS t
       ORDER BY t.tx_id LIMIT ${TXS_IN_FLIGHT}`,
      [after],
    )
    if (txs.length === 0) break
    after = txs.at(-1)!.tx_id
    const rows = await database.query<PaidRow>(
      `SELECT seq, key, outcome_tx AS tx_id, address, asset_id, amount FROM @.payments
       WHERE status = 'accepted' AND address IS NOT NULL AND outcome_tx = ANY($1::bytea[]) ORDER BY seq`,
      [txs.map(({ tx_id }) => tx_id)],
    )
    const toAsk = await confirmed.toAsk(txs.map(({ tx_id }) => bytesOf(tx_id)))
    const unread = txs.filter(({ bytes }) => bytes === null).map(({ tx_id }) => bytesOf(tx_id))
    const answers = await confirmed.read([
      ...new Map([...toAsk, ...unread].map((one) => [hex.encode(one), one])).values(),
    ])
    for (const { tx_id, bytes } of txs) {
      const name = hex.encode(tx_id)
      const paid = rows.filter((row) => hex.encode(row.tx_id!) === name)
      const own = bytes === null ? undefined : ownTx(bytesOf(bytes), bytesOf(tx_id))
      const isRefuted = answers.has(name) && answers.get(name) === undefined
      const tx = bytes === null ? answers.get(name) : own
      for (const { key, message } of judgePaid(paid, isRefuted ? undefined : tx))
        faults.push({ kind: 'payout', key, txID: bytesOf(tx_id), message })
    }
    await confirmed.keep(toAsk.filter((txID) => answers.get(hex.encode(txID)) !== undefined))
  }
  const without = await database.query<{ key: string }>(
    `SELECT key FROM @.payments WHERE status = 'accepted' AND address IS NOT NULL AND outcome_tx IS NULL`,
  )
  for (const { key } of without)
    faults.push({ kind: 'payout', key: keyOf(key), message: 'is paid without a transaction' })
  return faults
}

/** A transaction from its stored bytes; undefined if they are not those of its ID. */
function ownTx(bytes: Uint8Array, txID: Uint8Array): SignedTx | undefined {
  if (!equalBytes(idOf(bytes), txID)) return undefined
  try {
    return decodeTx(bytes)
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    return undefined
  }
}

/** Payouts that a transaction does not pay: there must be an output for each of them. */
function judgePaid(
  paid: readonly Pick<PaidRow, 'key' | 'address' | 'asset_id' | 'amount'>[],
  tx: SignedTx | undefined,
): { readonly key: string; readonly message: string }[] {
  if (tx === undefined)
    return paid.map(({ key }) => ({
      key: keyOf(key),
      message: 'is paid by a transaction that is not accepted, or not stored correctly',
    }))
  const left = new Map<string, number>()
  for (const { assetID, output } of tx.unsignedTx.outputs)
    if (output.addresses.length === 1 && output.threshold === 1 && output.locktime === 0n) {
      const name = `${hex.encode(output.addresses[0]!)} ${hex.encode(assetID)} ${amountOf(output)}`
      left.set(name, (left.get(name) ?? 0) + 1)
    }
  return paid.flatMap(({ key, address, asset_id, amount }) => {
    const name = `${hex.encode(address)} ${hex.encode(asset_id)} ${amount}`
    const count = left.get(name) ?? 0
    left.set(name, count - 1)
    if (count > 0) return []
    return { key: keyOf(key), message: 'its transaction has no output for it' }
  })
}

type DepositRow = {
  readonly cursor: Digits
  readonly tx_id: Bytes
  readonly output_index: Digits
  readonly address: Bytes
  readonly asset_id: Bytes
  readonly amount: Digits
  readonly utxo: Bytes
}

/** Deposits that differ from their output, or whose transaction is not accepted. */
async function creditedDeposits(database: Database, confirmed: Confirmed): Promise<AuditFault[]> {
  const faults: AuditFault[] = []
  for (let after: Digits = '0'; ; ) {
    const rows = await database.query<DepositRow>(
      `SELECT cursor, tx_id, output_index, address, asset_id, amount, utxo FROM @.outputs
       WHERE cursor > $1 AND kind <> 'void' ORDER BY cursor LIMIT ${ROWS_PER_PAGE}`,
      [after],
    )
    if (rows.length === 0) return faults
    after = rows.at(-1)!.cursor
    const toAsk = await confirmed.toAsk(rows.map(({ tx_id }) => bytesOf(tx_id)))
    const answers = await confirmed.read(toAsk)
    const wrong = new Set<string>()
    for (const row of rows) {
      const txID = bytesOf(row.tx_id)
      const name = hex.encode(txID)
      const message =
        judgeDeposit(row) ?? (answers.has(name) ? judgeUTXO(row, answers.get(name)) : undefined)
      if (message === undefined) continue
      wrong.add(name)
      faults.push({ kind: 'deposit', txID, message: `deposit ${row.cursor}: ${message}` })
    }
    await confirmed.keep(toAsk.filter((txID) => !wrong.has(hex.encode(txID))))
  }
}

/** Compares the columns of a deposit with the bytes of its UTXO. */
function judgeDeposit(row: DepositRow): string | undefined {
  const { txID, outputIndex, assetID, output } = decodeUTXO(bytesOf(row.utxo))
  const isSame =
    equalBytes(txID, row.tx_id) &&
    outputIndex === Number(row.output_index) &&
    equalBytes(assetID, row.asset_id) &&
    amountOf(output) === BigInt(row.amount) &&
    output.addresses.some((one) => equalBytes(one, row.address))
  return isSame ? undefined : 'its columns differ from its UTXO'
}

/** Compares the UTXO of a deposit with the output of its transaction. */
function judgeUTXO({ tx_id, utxo, output_index }: DepositRow, tx: SignedTx | undefined) {
  if (tx === undefined) return `too few servers have its transaction ${formatID(bytesOf(tx_id))}`
  const real = createdUTXOs(tx, idOf(encodeTx(tx))).find(
    ({ outputIndex }) => outputIndex === Number(output_index),
  )
  const isSame = real !== undefined && equalBytes(encodeUTXO(real), bytesOf(utxo))
  return isSame ? undefined : 'its UTXO differs from the output of its transaction'
}
