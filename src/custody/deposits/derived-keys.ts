import type { UTXO } from '../../core/chain/x/utxo.ts'
import type { HDPosition } from '../../core/crypto/hd/path.ts'
import type { HDKeys, Keys } from '../../core/sign/signer.ts'
import type { Queries } from '../database/database.ts'
import type { Bytes, Digits } from '../database/values.ts'

/** An account whose private keys this process has, such as an `HDAccount`. */
export type CustodyAccount = HDKeys<HDPosition> & {
  readonly watch: { readonly extendedPublicKey: string }
}

/** Sources of keys. */
export type KeySources = {
  readonly keys: Keys | undefined
  /** Accounts of watched xpubs, by xpub. */
  readonly accounts: ReadonlyMap<string, CustodyAccount>
}

/** Keys for one transaction. `wipe` erases those that were derived for it. */
export type TransactionKeys = { readonly keys: Keys | undefined; readonly wipe: () => void }

/**
 * The keys that can spend UTXOs: those in memory, and those of watched xpubs whose accounts this process has, each
 * derived by the index of its address.
 */
export async function keysFor(
  queries: Queries,
  { keys, accounts }: KeySources,
  utxos: readonly Pick<UTXO, 'output'>[],
): Promise<TransactionKeys> {
  const unknown = utxos
    .flatMap(({ output }) => output.addresses)
    .filter((address) => keys?.has(address) !== true)
  if (accounts.size === 0 || unknown.length === 0) return { keys, wipe: () => {} }
  const rows = await queries.query<{ address: Bytes; xpub: string; xpub_index: Digits }>(
    `SELECT DISTINCT address, xpub, xpub_index FROM @.addresses
     WHERE address = ANY($1::bytea[]) AND xpub = ANY($2::text[])`,
    [unknown, [...accounts.keys()]],
  )
  const derived = [...accounts].flatMap(([xpub, account]) => {
    const own = rows.filter((row) => row.xpub === xpub)
    const positions = own.map((row) => ({ change: 0, index: Number(row.xpub_index) }))
    return positions.length === 0 ? [] : [account.keyChain(positions)]
  })
  return {
    keys: derived.reduce<Keys | undefined>(combined, keys),
    wipe: () => {
      for (const chain of derived) chain.wipe()
    },
  }
}

function combined(a: Keys | undefined, b: Keys): Keys {
  if (a === undefined) return b
  return {
    addresses: [...a.addresses, ...b.addresses],
    has: (address) => a.has(address) || b.has(address),
    sign: (address, ...more) => (a.has(address) ? a : b).sign(address, ...more),
  }
}
