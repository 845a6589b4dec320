import { hex } from '../../core/base/encoding/hex.ts'
import { requireFields, requireIterable } from '../../core/base/require.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { toAddress } from '../../core/draft/arguments.ts'
import { type MembersOf, referenceColumn, requireMembers } from '../arguments.ts'
import type { WalletName } from '../chain/outputs.ts'
import { lockChain } from '../database/chain-row.ts'
import { type Database, type Queries, transactionOn } from '../database/database.ts'
import { CustodyError } from '../errors.ts'

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

/** Members of the options of watching. */
export const WATCH_OPTIONS: MembersOf<WatchOptions> = { fresh: true }

const ADDRESS_MEMBERS: MembersOf<Exclude<WatchedAddress, string>> = {
  address: true,
  reference: true,
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
  if (typeof addresses === 'string')
    throw new CustodyError('BAD_ARGUMENT', 'addresses: expected a list, got a single text')
  requireIterable(addresses, 'addresses')
  if (typeof fresh !== 'boolean')
    throw new CustodyError('BAD_ARGUMENT', `fresh must be a boolean, is ${typeof fresh}`)
  const work = async (tx: Queries) => {
    let count = 0
    // One row per address: PostgreSQL refuses to update a row twice in a statement.
    const rows = new Map<string, WatchedRow>()
    for (const item of addresses) {
      const { address, reference } = rowOfAddress(item, context)
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

function rowOfAddress(item: WatchedAddress, context: NetworkContext): WatchedRow {
  if (typeof item === 'string') return { address: toAddress(item, context), reference: null }
  requireMembers(item, 'address', ADDRESS_MEMBERS)
  requireFields(item, 'address', ['address'])
  return { address: toAddress(item.address, context), reference: referenceColumn(item.reference) }
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
 * @throws CustodyError `BAD_ARGUMENT`
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
    throw new CustodyError('BAD_ARGUMENT', 'the keys have deposit addresses, but hot is missing', {
      hint: 'name the addresses of the hot wallet: hot, or --hot in the command line',
    })
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
