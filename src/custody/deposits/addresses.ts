import {
  argument,
  boolean,
  type Check,
  invalid,
  kinds,
  list,
  located,
  object,
  optional,
  type Place,
  text,
} from '../../core/base/argument.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { ArgumentError } from '../../core/base/errors.ts'
import { isBytes } from '../../core/base/require.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { toAddress } from '../../core/draft/arguments.ts'
import { reference } from '../arguments.ts'
import type { WalletName } from '../chain/outputs.ts'
import { lockChain } from '../database/chain-row.ts'
import { type Database, type Queries, transactionOn } from '../database/database.ts'

/** An address to watch, with the caller's name for its user. */
export type WatchedAddress =
  | string
  | { readonly address: string; readonly reference?: string | undefined }

/** Options of watching. */
export type WatchOptions = {
  /**
   * Whether the addresses are new and cannot have received anything. If so, earlier outputs are not searched.
   *
   * @defaultValue false
   */
  readonly fresh?: boolean | undefined
}

/** Describes the options of `custody.watch`. */
export const watchOptions: Check<WatchOptions> = object<WatchOptions>({ fresh: optional(boolean) })

const watchedAddress: Check<WatchedAddress> = kinds<WatchedAddress>({
  string: text,
  object: object<Exclude<WatchedAddress, string>>({
    address: text,
    reference: optional(reference),
  }),
})

/**
 * Describes the addresses to watch. An array is copied; other iterables, which may be too large for memory, are
 * checked while they are read.
 */
export const watchedAddresses: Check<Iterable<WatchedAddress>> = (value, at) => {
  if (Array.isArray(value)) return list(watchedAddress)(value, at)
  const isIterable = typeof value === 'object' && value !== null && Symbol.iterator in value
  if (!isIterable || isBytes(value)) throw invalid(value, at, 'an array or another iterable')
  return checkedAddresses(value as Iterable<unknown>, at)
}

function* checkedAddresses(items: Iterable<unknown>, { call, path }: Place) {
  let i = 0
  for (const item of items) yield argument(call, item, watchedAddress, `${path}[${i++}]`)
}

/** Number of addresses that one statement adds. */
const ADDRESSES_PER_STATEMENT = 10_000

type WatchedRow = { readonly address: Uint8Array; readonly reference: string | null }

/**
 * Adds addresses whose outputs become deposits: all of them, or none if one is invalid. An address that is watched
 * already gets the new reference, if any.
 *
 * @returns how many addresses were given, repeated ones included
 */
export async function watchAddresses(
  database: Database,
  context: NetworkContext,
  addresses: Iterable<WatchedAddress>,
  { fresh = false }: WatchOptions,
): Promise<number> {
  const work = async (tx: Queries) => {
    let count = 0
    // One row per address: PostgreSQL refuses to update a row twice in a statement.
    const rows = new Map<string, WatchedRow>()
    for (const item of addresses) {
      const { address, reference } = rowOfAddress(item, context, `addresses[${count}]`)
      const key = hex.encode(address)
      rows.set(key, { address, reference: reference ?? rows.get(key)?.reference ?? null })
      count++
      if (rows.size < ADDRESSES_PER_STATEMENT) continue
      await insertWatched(tx, [...rows.values()], fresh)
      rows.clear()
    }
    await insertWatched(tx, [...rows.values()], fresh)
    return count
  }
  // Not `database.transaction`, which may repeat the work: an iterator can be read only once.
  return database.session((session) => transactionOn(session, work))
}

function rowOfAddress(item: WatchedAddress, context: NetworkContext, path: string): WatchedRow {
  if (typeof item !== 'string') {
    const row = rowOfAddress(item.address, context, `${path}.address`)
    return { ...row, reference: item.reference ?? null }
  }
  const address = located({ call: 'watch', path }, () => toAddress(item, context))
  return { address, reference: null }
}

async function insertWatched(
  tx: Queries,
  rows: readonly WatchedRow[],
  fresh: boolean,
): Promise<void> {
  await tx.query(
    `INSERT INTO @.addresses AS a (address, watched, reference, walked)
     SELECT address, true, reference, $3 FROM unnest($1::bytea[], $2::text[]) AS given(address, reference)
     ON CONFLICT (address) DO UPDATE SET watched = true, reference = coalesce(excluded.reference, a.reference),
       walked = a.walked AND a.watched`,
    [rows.map(({ address }) => address), rows.map(({ reference }) => reference), fresh],
  )
}

/**
 * Rejects deposit addresses: as part of the hot wallet they would not be collected any more.
 *
 * @throws ArgumentError `MISSING_OPTION`
 */
export async function refuseDepositAddresses(
  database: Database,
  addresses: readonly Uint8Array[],
): Promise<void> {
  if (addresses.length === 0) return
  const deposits = await database.query(
    `SELECT FROM @.addresses WHERE address = ANY($1::bytea[]) AND watched AND wallet = 'deposit' LIMIT 1`,
    [addresses],
  )
  if (deposits.length > 0)
    throw new ArgumentError(
      'MISSING_OPTION',
      'the keys have deposit addresses, but hot is missing',
      {
        path: 'hot',
        hint: 'name the addresses of the hot wallet: hot, or --hot in the command line',
      },
    )
}

/** Makes addresses part of the hot wallet or of cold storage. */
export async function registerWallet(
  database: Database,
  addresses: readonly Uint8Array[],
  wallet: WalletName,
): Promise<void> {
  if (addresses.length === 0) return
  const missing = await database.query(
    `SELECT FROM unnest($1::bytea[]) AS given(g)
     WHERE NOT EXISTS (SELECT FROM @.addresses WHERE address = g AND wallet = $2) LIMIT 1`,
    [addresses, wallet],
  )
  if (missing.length === 0) return
  await database.transaction(async (tx) => {
    // Blocks that pay to these addresses are applied before or after, not in between.
    await lockChain(tx)
    await tx.query(
      `INSERT INTO @.addresses (address, wallet) SELECT DISTINCT g, $2 FROM unnest($1::bytea[]) AS given(g)
       ON CONFLICT (address) DO UPDATE SET wallet = excluded.wallet`,
      [addresses, wallet],
    )
    await tx.query(
      'UPDATE @.outputs SET wallet = $2 WHERE address = ANY($1::bytea[]) AND wallet <> $2',
      [addresses, wallet],
    )
  })
}
