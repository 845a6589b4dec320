import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import { encodeUTXO, type UTXO } from '../../core/chain/x/utxo.ts'
import type { Acceptance } from '../../wallet/store/store.ts'
import type { Channels } from '../database/channels.ts'
import type { Queries } from '../database/database.ts'
import { amountOf, type Bytes, type Digits, idColumns } from '../database/values.ts'

/**
 * Kind of a deposit. `plain`: a known asset, one owner, spendable now. `own`: change, a sweep or a refill of this system.
 * `time-locked`: not spendable yet. `multisig`: not spendable by one owner alone. `unknown-asset`: an asset that is not
 * configured. `nft`: an NFT, a property or a minting right. `void`: a dishonest server had invented it; it does not
 * exist. Only `plain` deposits should be credited without further checks.
 */
export type DepositKind =
  | 'plain'
  | 'own'
  | 'time-locked'
  | 'multisig'
  | 'unknown-asset'
  | 'nft'
  | 'void'

/** The part of the funds that an address belongs to: deposits of customers, the hot wallet, or cold storage. */
export type WalletName = 'deposit' | 'hot' | 'cold'

/** An address of this system. */
export type KnownAddress = {
  readonly address: Uint8Array
  readonly watched: boolean
  readonly wallet: WalletName
  readonly xpub: string | null
  readonly xpub_index: Digits | null
}

/** Known addresses by their hex. */
export type KnownAddresses = ReadonlyMap<string, KnownAddress>

/** An output to an address of this system. */
export type KnownOutput = {
  readonly utxo: UTXO
  /** The owner that `ownerOf` returns. */
  readonly owner: KnownAddress
  /** Whether it is change or a sweep of this system, a payout of it, or comes from elsewhere. */
  readonly origin: 'other' | 'change' | 'payout'
  readonly kind: DepositKind
}

/** Returns those of the addresses that belong to this system. */
export async function knownAddresses(
  queries: Queries,
  addresses: readonly Uint8Array[],
): Promise<KnownAddresses> {
  if (addresses.length === 0) return new Map()
  const rows = await queries.query<KnownAddress>(
    `SELECT address, watched, wallet, xpub, xpub_index FROM @.addresses WHERE address = ANY($1::bytea[])`,
    [addresses],
  )
  return new Map(rows.map((row) => [hex.encode(row.address), row]))
}

/** The first owner of an output that belongs to this system; one that is watched, if any, so that it is a deposit. */
export function ownerOf({ output }: UTXO, known: KnownAddresses): KnownAddress | undefined {
  const owners = output.addresses.flatMap((address) => known.get(hex.encode(address)) ?? [])
  return owners.find(({ watched }) => watched) ?? owners[0]
}

/**
 * Classifies outputs to addresses of this system.
 *
 * @param time - Unix seconds at which locks are judged
 */
export async function describeOutputs(
  queries: Queries,
  utxos: readonly UTXO[],
  known: KnownAddresses,
  { assets, time }: { readonly assets: readonly Uint8Array[]; readonly time: bigint },
): Promise<KnownOutput[]> {
  const ours = utxos.flatMap((utxo) => {
    const owner = ownerOf(utxo, known)
    return owner === undefined ? [] : [{ utxo, owner }]
  })
  if (ours.length === 0) return []
  const payouts = await ownPayouts(
    queries,
    ours.map(({ utxo }) => utxo.txID),
  )
  return ours.map(({ utxo, owner }) => {
    const origin = originOf(utxo, owner, payouts)
    return { utxo, owner, origin, kind: kindOf(utxo, origin, assets, time) }
  })
}

/**
 * The payouts to own addresses of this system's transactions: by transaction ID in hex, then the number of payouts by
 * address, asset and amount.
 */
type OwnPayouts = ReadonlyMap<string, Map<string, number>>

async function ownPayouts(queries: Queries, txIDs: readonly Uint8Array[]): Promise<OwnPayouts> {
  const rows = await queries.query<{
    tx_id: Bytes
    address: Bytes | null
    asset_id: Bytes | null
    amount: Digits | null
  }>(
    `SELECT a.tx_id, p.address, p.asset_id, p.amount FROM @.attempts a
       LEFT JOIN @.attempt_payments ap ON ap.attempt = a.seq AND a.kind = 'payment'
       LEFT JOIN @.payments p ON p.seq = ap.payment
         AND EXISTS (SELECT FROM @.addresses k WHERE k.address = p.address)
     WHERE a.tx_id = ANY($1::bytea[]) AND a.purpose <> 'wallet'`,
    [txIDs],
  )
  const payouts = new Map<string, Map<string, number>>()
  for (const { tx_id, address, asset_id, amount } of rows) {
    const name = hex.encode(tx_id)
    const paid = payouts.get(name) ?? new Map<string, number>()
    payouts.set(name, paid)
    if (address === null || asset_id === null) continue
    const payoutKey = `${hex.encode(address)} ${hex.encode(asset_id)} ${amount}`
    paid.set(payoutKey, (paid.get(payoutKey) ?? 0) + 1)
  }
  return payouts
}

function originOf(
  { txID, assetID, output }: UTXO,
  { address }: KnownAddress,
  payouts: OwnPayouts,
): KnownOutput['origin'] {
  const paid = payouts.get(hex.encode(txID))
  if (paid === undefined) return 'other'
  if (output.type !== 'secp256k1fx.TransferOutput') return 'change'
  const payoutKey = `${hex.encode(address)} ${hex.encode(assetID)} ${output.amount}`
  const remaining = paid.get(payoutKey) ?? 0
  paid.set(payoutKey, remaining - 1)
  return remaining > 0 ? 'payout' : 'change'
}

function kindOf(
  { assetID, output }: UTXO,
  origin: KnownOutput['origin'],
  assets: readonly Uint8Array[],
  time: bigint,
): DepositKind {
  if (output.type !== 'secp256k1fx.TransferOutput') return 'nft'
  if (origin === 'change') return 'own'
  if (output.addresses.length > 1 || output.threshold !== 1) return 'multisig'
  if (output.locktime > time) return 'time-locked'
  return assets.some((asset) => equalBytes(asset, assetID)) ? 'plain' : 'unknown-asset'
}

/**
 * Adds outputs that are not in the table yet; those to watched addresses become the next deposits. The caller must have
 * locked the chain's row, so that cursors have no gaps and follow the order of commits.
 *
 * @param cursor - of the last deposit
 * @param height - of the block that created them; undefined if they were found by a walk
 * @returns how many cursors were given to deposits and corrections
 */
export async function insertOutputs(
  tx: Queries,
  outputs: readonly KnownOutput[],
  cursor: bigint,
  height: bigint | undefined,
): Promise<number> {
  if (outputs.length === 0) return 0
  // A page may list an output twice.
  const distinct = [...new Map(outputs.map((one) => [utxoKey(one.utxo), one])).values()]
  const found = await tx.query<{ n: Digits }>(
    `SELECT n FROM unnest($1::bytea[], $2::bigint[]) WITH ORDINALITY AS given(t, o, n)
     WHERE (SELECT true FROM @.outputs WHERE tx_id = t AND output_index = o)`,
    idColumns(distinct.map(({ utxo }) => utxo)),
  )
  const positions = new Set(found.map(({ n }) => Number(n) - 1))
  const added = distinct.filter((_, i) => !positions.has(i))
  const deposits = await addOutputs(tx, added, cursor, height)
  if (positions.size === 0) return deposits
  const known = distinct.filter((_, i) => positions.has(i))
  return deposits + (await renewOutputs(tx, known, cursor + BigInt(deposits), height))
}

/** Adds outputs that are not in the table. Returns how many of them are deposits. */
async function addOutputs(
  tx: Queries,
  outputs: readonly KnownOutput[],
  cursor: bigint,
  height: bigint | undefined,
): Promise<number> {
  if (outputs.length === 0) return 0
  const utxos = outputs.map(({ utxo }) => utxo)
  let last = cursor
  await tx.query(
    `INSERT INTO @.outputs (tx_id, output_index, asset_id, amount, address, wallet, kind, origin, is_simple,
       locktime, utxo, cursor, height)
     SELECT g.*, $13 FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::numeric[], $5::bytea[], $6::text[],
       $7::text[], $8::text[], $9::boolean[], $10::numeric[], $11::bytea[], $12::bigint[]) AS g`,
    [
      ...idColumns(utxos),
      utxos.map(({ assetID }) => assetID),
      utxos.map(({ output }) => amountOf(output)),
      outputs.map(({ owner }) => owner.address),
      outputs.map(({ owner }) => owner.wallet),
      outputs.map(({ kind }) => kind),
      outputs.map(({ origin }) => origin),
      utxos.map(isSimple),
      utxos.map(({ output }) => output.locktime),
      utxos.map(encodeUTXO),
      outputs.map(({ owner }) => (owner.watched ? ++last : null)),
      height ?? null,
    ],
  )
  return Number(last - cursor)
}

/** Completes outputs that are in the table. Returns how many corrections this makes. */
async function renewOutputs(
  tx: Queries,
  outputs: readonly KnownOutput[],
  cursor: bigint,
  height: bigint | undefined,
): Promise<number> {
  const [row] = await tx.query<{ corrected: Digits }>(
    `WITH given AS (
       SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::text[]) AS g(t, o, kind)
     ), dated AS (
       -- Found by a walk before its block was applied.
       UPDATE @.outputs SET height = $5 FROM given
       WHERE tx_id = t AND output_index = o AND height IS NULL AND $5::bigint IS NOT NULL
     ), revived AS (
       -- It became void when a false block was taken back, and a true block contains it as well.
       UPDATE @.outputs SET height = $5, kind = given.kind, spent_tx = NULL, spent_height = NULL FROM given
       WHERE tx_id = t AND output_index = o AND spent_tx = tx_id
       RETURNING @.outputs.cursor, given.kind
     ), corrected AS (
       INSERT INTO @.corrections (cursor, corrects, kind)
       SELECT $4::bigint + row_number() OVER (ORDER BY cursor), cursor, kind
       FROM revived WHERE cursor IS NOT NULL RETURNING cursor
     )
     SELECT count(*) AS corrected FROM corrected`,
    [
      ...idColumns(outputs.map(({ utxo }) => utxo)),
      outputs.map(({ kind }) => kind),
      cursor,
      height ?? null,
    ],
  )
  return Number(row!.corrected)
}

/**
 * Records that deposits, given by their cursors, became void. Needs the lock of the chain's row.
 *
 * @param last - cursor of the last deposit
 */
export async function recordCorrections(
  tx: Queries,
  channels: Pick<Channels, 'deposits'>,
  deposits: readonly Digits[],
  last: bigint,
): Promise<void> {
  if (deposits.length === 0) return
  await tx.query(
    `WITH corrected AS (
       INSERT INTO @.corrections (cursor, corrects, kind)
       SELECT $2::bigint + row_number() OVER (ORDER BY c), c, 'void' FROM unnest($1::bigint[]) AS voided(c)
     ), advanced AS (
       UPDATE @.chain SET deposit_cursor = $3
     )
     SELECT pg_notify($4, $3::text)`,
    [deposits, last, last + BigInt(deposits.length), channels.deposits],
  )
}

/**
 * Makes outputs `own` that return to this system: to an address of which their transaction spends an output, or from any
 * address of this system to the hot wallet or cold storage. They are change of wallets or of transactions that the
 * database has lost, and refills. The spent outputs must be marked as spent.
 */
export async function markReturned(
  tx: Queries,
  accepted: readonly Pick<Acceptance, 'txID' | 'inputs'>[],
): Promise<void> {
  if (accepted.length === 0) return
  const spends = accepted.flatMap(({ txID, inputs }) => inputs.map((input) => ({ txID, input })))
  await tx.query(
    `UPDATE @.outputs made SET kind = 'own'
     FROM unnest($1::bytea[], $2::bigint[], $3::bytea[]) AS spend(t, o, by)
       JOIN @.outputs spent ON spent.tx_id = t AND spent.output_index = o AND spent.spent_tx = by AND spent.is_simple
     WHERE made.tx_id = by AND made.origin = 'other' AND made.is_simple
       AND (made.address = spent.address OR made.wallet <> 'deposit')`,
    [...idColumns(spends.map(({ input }) => input)), spends.map(({ txID }) => txID)],
  )
}

/** Whether it is an amount of an asset that one signature of its only owner can spend. */
function isSimple({ output }: UTXO): boolean {
  return (
    output.type === 'secp256k1fx.TransferOutput' &&
    output.threshold === 1 &&
    output.addresses.length === 1
  )
}
