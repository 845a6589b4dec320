import {
  bigintFrom,
  boolean,
  type Check,
  object,
  optional,
  signal,
} from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import { utxosIn } from '../../node/view/utxo-votes.ts'
import { pause } from '../database/channels.ts'
import { amountOf, type Bytes, bytesOf, type Digits, idColumns } from '../database/values.ts'
import type { Settings } from '../settings.ts'
import { limitFaults } from './audit-limits.ts'
import { type AuditFault, findFaults } from './audit-rows.ts'

/** The sums of one asset, in its smallest unit. */
export type AssetAudit = {
  readonly assetID: Uint8Array
  /** Outputs to watched addresses, payouts to own addresses included. */
  readonly deposits: bigint
  /** Outputs to the hot wallet and to cold storage that are neither change nor sweeps. */
  readonly refills: bigint
  readonly payouts: bigint
  /** Fees of transactions that were claimed here; 0 for assets other than the native one. */
  readonly fees: bigint
  /** Spent by transactions that were not claimed here: those of cold keys, or of other holders of the keys. */
  readonly spentByOthers: bigint
  /** Deposits + refills − payouts − fees − spentByOthers. */
  readonly expected: bigint
  /** Sum of the unspent outputs in the table. */
  readonly utxos: bigint
  /**
   * Sum of the UTXOs that the node lists, and of disputed ones in the table. For an earlier height: without those that later
   * blocks created, and with those that later blocks spent, because a node lists only current UTXOs.
   */
  readonly node: bigint
  readonly balanced: boolean
}

/** An output that only the table or only the node has with this asset and amount. */
export type AuditDifference = UTXOID & { readonly assetID: Uint8Array; readonly amount: bigint }

/** A UTXO that servers disagree about: too few list it, and too few do not. */
export type AuditDispute = AuditDifference & {
  /** Host and port of the servers that list it. */
  readonly listedBy: readonly string[]
  /** Host and port of the servers that do not list it, or list it with other content. */
  readonly missingFrom: readonly string[]
}

/** Result of an audit. */
export type Audit = {
  /**
   * Whether, for all assets, expected sums, table and node agree, the servers of the node agree with each other, and no row
   * is at fault.
   */
  readonly balanced: boolean
  /** Height of the last block that is counted. */
  readonly height: bigint
  readonly assets: readonly AssetAudit[]
  /** Listed by the node, not in the table. */
  readonly missing: readonly AuditDifference[]
  /** In the table, not listed by the node. */
  readonly extra: readonly AuditDifference[]
  /**
   * Paid payouts and deposits that differ from the chain, rows whose status is not that of their last event, payouts that
   * were claimed although a limit did not allow it, and transactions that paid own funds to others without a claim, until an
   * operator decides about them.
   */
  readonly faults: readonly AuditFault[]
  /** UTXOs that servers disagree about; not compared with the table, so neither in `missing` nor in `extra`. */
  readonly disputed: readonly AuditDispute[]
}

/** Options of an audit. */
export type AuditOptions = {
  /**
   * Counts blocks up to this height.
   *
   * @defaultValue the last block that was applied
   */
  readonly height?: bigint | undefined
  /**
   * Requests the transactions of all paid payouts and deposits, also of those that an earlier audit has confirmed.
   *
   * @defaultValue false
   */
  readonly whole?: boolean | undefined
  /** Aborts the audit with an AbortError. */
  readonly signal?: AbortSignal | undefined
}

/** Describes the argument of `custody.audit`. */
export const auditOptions: Check<AuditOptions> = object<AuditOptions>({
  height: optional(bigintFrom(0n)),
  whole: optional(boolean),
  signal: optional(signal),
})

/** Number of addresses that are compared together. */
const ADDRESSES_PER_COMPARISON = 1_000
/** Number of comparisons in all of which a row must differ: while blocks are accepted, differences are temporary. */
const MAX_COMPARISONS = 4
const TRY_PAUSE_MS = 1_000

type Books = {
  readonly asset_id: Bytes
  readonly deposits: Digits
  readonly refills: Digits
  readonly payouts: Digits
  readonly fees: Digits
  readonly others: Digits
  readonly utxos: Digits
}

/**
 * Adds up the books and compares the UTXOs with those of the node. Can run while workers are active.
 *
 * @throws ArgumentError if the block at the given height was not applied yet
 */
export async function audit(settings: Settings, options: AuditOptions): Promise<Audit> {
  await requireApplied(settings, options.height)
  const { missing, extra, disputed } = await compareWithNode(settings, options)
  const height = options.height ?? (await appliedHeight(settings))
  const { whole: isWhole = false, signal } = options
  const faults = [
    ...(await findFaults(settings, { isWhole, signal })),
    ...(await limitFaults(settings.database)),
  ]
  const rows = await readBooks(settings, height)
  const assets = rows.map((row): AssetAudit => {
    const assetID = bytesOf(row.asset_id)
    const [deposits, refills, payouts, fees, spentByOthers, utxos] = [
      BigInt(row.deposits),
      BigInt(row.refills),
      BigInt(row.payouts),
      BigInt(row.fees),
      BigInt(row.others),
      BigInt(row.utxos),
    ] as const
    const expected = deposits + refills - payouts - fees - spentByOthers
    const node = utxos + sumOfDifferences(missing, assetID) - sumOfDifferences(extra, assetID)
    return {
      assetID,
      deposits,
      refills,
      payouts,
      fees,
      spentByOthers,
      expected,
      utxos,
      node,
      balanced: expected === utxos && node === utxos && !hasAsset(disputed, assetID),
    }
  })
  const balanced =
    assets.every((asset) => asset.balanced) &&
    missing.length === 0 &&
    extra.length === 0 &&
    disputed.length === 0 &&
    faults.length === 0
  return { balanced, height, assets, missing, extra, disputed, faults }
}

async function requireApplied(settings: Settings, height: bigint | undefined): Promise<void> {
  if (height === undefined) return
  const applied = await appliedHeight(settings)
  bigintFrom(0n, applied)(height, { call: 'audit', path: 'height' })
}

/** Height of the highest applied block. `next_height` alone is lower while blocks are read again. */
async function appliedHeight({ database }: Settings): Promise<bigint> {
  const [row] = await database.query<{ height: Digits }>(
    'SELECT greatest((SELECT max(height) FROM @.blocks), (SELECT next_height - 1 FROM @.chain), 0) AS height',
  )
  return BigInt(row!.height)
}

/** One statement, so that all sums are from the same snapshot. */
async function readBooks({ database, context }: Settings, height: bigint): Promise<Books[]> {
  return database.report<Books>(
    `WITH own AS (
       SELECT tx_id, fee FROM @.attempts WHERE outcome = 'accepted' AND purpose <> 'wallet' AND decided_height <= $1
     ), made AS (
       SELECT * FROM @.outputs WHERE (height IS NULL OR height <= $1) AND spent_tx IS DISTINCT FROM tx_id
     ), entries (asset_id, column_name, amount) AS (
       SELECT asset_id, CASE WHEN wallet = 'deposit' THEN 'deposits' ELSE 'refills' END, amount
         FROM made WHERE origin <> 'change'
       UNION ALL
       SELECT p.asset_id, 'payouts', p.amount FROM @.payments p JOIN own ON own.tx_id = p.outcome_tx
         WHERE p.outcome = 'accepted' AND p.address IS NOT NULL
       UNION ALL
       SELECT $2, 'fees', fee FROM own
       UNION ALL
       SELECT asset_id, 'others', amount FROM made
         WHERE spent_height <= $1 AND NOT EXISTS (SELECT FROM own WHERE own.tx_id = spent_tx)
       UNION ALL
       SELECT asset_id, 'utxos', amount FROM made WHERE spent_tx IS NULL OR spent_height > $1
     )
     SELECT asset_id, ${['deposits', 'refills', 'payouts', 'fees', 'others', 'utxos']
       .map((name) => `coalesce(sum(amount) FILTER (WHERE column_name = '${name}'), 0) AS ${name}`)
       .join(', ')}
     FROM entries GROUP BY asset_id ORDER BY asset_id`,
    [height, context.assetID],
  )
}

function hasAsset(differences: readonly AuditDifference[], assetID: Uint8Array): boolean {
  return differences.some((one) => equalBytes(one.assetID, assetID))
}

function sumOfDifferences(differences: readonly AuditDifference[], assetID: Uint8Array): bigint {
  return differences
    .filter((one) => equalBytes(one.assetID, assetID))
    .reduce((sum, { amount }) => sum + amount, 0n)
}

type Differences = Pick<Audit, 'missing' | 'extra' | 'disputed'>

async function compareWithNode(settings: Settings, { signal }: AuditOptions): Promise<Differences> {
  const missing: AuditDifference[] = []
  const extra: AuditDifference[] = []
  const disputed: AuditDispute[] = []
  let after: Uint8Array = new Uint8Array()
  for (;;) {
    const rows = await settings.database.query<{ address: Bytes }>(
      'SELECT address FROM @.addresses WHERE address > $1 ORDER BY address LIMIT $2',
      [after, ADDRESSES_PER_COMPARISON],
    )
    if (rows.length === 0) return { missing, extra, disputed: firstOfEach(disputed) }
    const addresses = rows.map(({ address }) => bytesOf(address))
    after = addresses.at(-1)!
    const found = await compareAddresses(settings, addresses, signal)
    for (const one of found.missing) missing.push(one)
    for (const one of found.extra) extra.push(one)
    for (const one of found.disputed) disputed.push(one)
  }
}

/** Compares until no row has differed every time, at most a few times. */
async function compareAddresses(
  settings: Settings,
  addresses: readonly Uint8Array[],
  signal: AbortSignal | undefined,
): Promise<Differences> {
  let found = await compareOnce(settings, addresses, signal)
  for (
    let tries = 1;
    tries < MAX_COMPARISONS && Object.values(found).some(({ length }) => length > 0);
    tries++
  ) {
    await pause(TRY_PAUSE_MS, signal)
    const next = await compareOnce(settings, addresses, signal)
    found = {
      missing: inBoth(found.missing, next.missing),
      extra: inBoth(found.extra, next.extra),
      disputed: inBoth(found.disputed, next.disputed),
    }
  }
  return found
}

function inBoth<T extends AuditDifference>(a: readonly T[], b: readonly T[]): T[] {
  const texts = new Set(a.map(comparedText))
  return b.filter((row) => texts.has(comparedText(row)))
}

async function compareOnce(
  { chain, database }: Settings,
  addresses: readonly Uint8Array[],
  signal: AbortSignal | undefined,
): Promise<Differences> {
  const list = { addresses, sources: [{}], fromAll: true }
  const found = await chain.utxos(list, { signal })
  const listed = new Map<string, AuditDifference>()
  for (const utxo of utxosIn(found.set, {})) {
    const row = rowOf(utxo)
    listed.set(comparedText(row), row)
  }
  const disputed = found.disputed.map(({ utxo, listedBy, missingFrom }) => ({
    ...rowOf(utxo),
    listedBy,
    missingFrom,
  }))
  const isDisputed = new Set(disputed.map(utxoKey))
  const rows = await database.query<OutputColumns>(
    `SELECT tx_id, output_index, asset_id, amount FROM @.outputs
     WHERE address = ANY($1::bytea[]) AND spent_tx IS NULL`,
    [addresses],
  )
  const known = byText(rows)
  const unknown = [...listed].filter(([text]) => !known.has(text)).map(([, row]) => row)
  // The table has an output with several owners under one of them, which may not be among these addresses.
  const elsewhere = byText(
    unknown.length === 0
      ? []
      : await database.query<OutputColumns>(
          `SELECT tx_id, output_index, asset_id, amount FROM @.outputs
           JOIN unnest($1::bytea[], $2::bigint[]) AS listed(t, o) ON tx_id = t AND output_index = o
           WHERE address <> ALL($3::bytea[]) AND spent_tx IS NULL`,
          [...idColumns(unknown), addresses],
        ),
  )
  return {
    missing: unknown.filter((row) => !elsewhere.has(comparedText(row))),
    extra: [...known.values()].filter(
      (row) => !listed.has(comparedText(row)) && !isDisputed.has(utxoKey(row)),
    ),
    disputed,
  }
}

function rowOf({ txID, outputIndex, assetID, output }: UTXO): AuditDifference {
  return { txID, outputIndex, assetID, amount: amountOf(output) }
}

/** An output with several owners is compared with each of them. */
function firstOfEach(disputed: readonly AuditDispute[]): AuditDispute[] {
  return [...new Map(disputed.map((one) => [comparedText(one), one])).values()]
}

type OutputColumns = {
  readonly tx_id: Bytes
  readonly output_index: Digits
  readonly asset_id: Bytes
  readonly amount: Digits
}

function byText(rows: readonly OutputColumns[]): Map<string, AuditDifference> {
  return new Map(
    rows.map(({ tx_id, output_index, asset_id, amount }) => {
      const row = {
        txID: bytesOf(tx_id),
        outputIndex: Number(output_index),
        assetID: bytesOf(asset_id),
        amount: BigInt(amount),
      }
      return [comparedText(row), row]
    }),
  )
}

/** A text that is equal for two rows if and only if they agree in everything that is compared. */
function comparedText({ txID, outputIndex, assetID, amount }: AuditDifference): string {
  return `${utxoKey({ txID, outputIndex })} ${hex.encode(assetID)} ${amount}`
}
