import { toAddress } from '../build/arguments.ts'
import type { NetworkContext } from '../chain/networks.ts'
import { requireFields, requireIterable } from '../encoding/require.ts'
import { lockChain } from './chain-row.ts'
import type { Database } from './database.ts'
import { CustodyError } from './errors.ts'
import type { WalletName } from './outputs.ts'

/** An address to watch, with the caller's name for its user. */
export type WatchedAddress =
  | string
  | { readonly address: string; readonly reference?: string | undefined }

/** Options of watching. */
export type WatchOptions = {
  /**
   * The addresses are new and cannot have received payments: earlier outputs are not searched.
   *
   * @defaultValue false
   */
  readonly fresh?: boolean | undefined
}

const CHUNK = 10_000

/** Adds addresses whose outputs become deposits. An address that is watched already gets the new reference, if any. */
export async function watchAddresses(
  database: Database,
  context: NetworkContext,
  addresses: Iterable<WatchedAddress>,
  { fresh = false }: WatchOptions,
): Promise<number> {
  if (typeof addresses === 'string')
    throw new CustodyError('BAD_ARGUMENT', 'addresses: expected a list, got a single text')
  requireIterable(addresses, 'addresses')
  let count = 0
  let bytes = new Map<string, { address: Uint8Array; reference: string | null }>()
  const flush = async () => {
    const rows = [...bytes.values()]
    bytes = new Map()
    await database.query(
      `INSERT INTO @.addresses AS a (address, watched, reference, walked)
       SELECT address, true, reference, $3 FROM unnest($1::bytea[], $2::text[]) AS given(address, reference)
       ON CONFLICT (address) DO UPDATE SET watched = true, reference = coalesce(excluded.reference, a.reference),
         walked = a.walked AND a.watched`,
      [rows.map(({ address }) => address), rows.map(({ reference }) => reference), fresh],
    )
  }
  for (const item of addresses) {
    if (typeof item !== 'string') requireFields(item, 'address', ['address'])
    const { address: text, reference } = typeof item === 'string' ? { address: item } : item
    // A list with one row for each address: PostgreSQL refuses to update a row twice in a statement.
    bytes.set(text, { address: toAddress(text, context), reference: reference ?? null })
    count++
    if (bytes.size === CHUNK) await flush()
  }
  if (bytes.size > 0) await flush()
  return count
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
