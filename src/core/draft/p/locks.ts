import { hex } from '../../base/encoding/hex.ts'
import { formatUTXOID } from '../../base/encoding/ids.ts'
import { type LockOut, output, type TransferableOutput } from '../../chain/p/transferables.ts'
import type { UTXO } from '../../chain/p/utxo.ts'
import { utxoKey } from '../../chain/x/ids.ts'
import type { UTXOID } from '../../chain/x/transferables.ts'
import { encodeBare } from '../../codec/codec.ts'
import { FundsError, notSpendable } from '../../coins/errors.ts'
import type { Coin, ListedUTXOs } from '../../coins/listed.ts'
import { isSet } from '../../coins/set-argument.ts'
import { coinsOf } from './coins.ts'

/**
 * The UTXOs with these IDs. Each must have a stakeable lock that has not passed, and be spendable otherwise.
 *
 * @throws FundsError `UTXO_NOT_FOUND` or `UTXO_NOT_SPENDABLE` for one that is not.
 */
export function lockedCoins(funds: ListedUTXOs<UTXO>, names: readonly UTXOID[]): Coin<UTXO>[] {
  // A set has no UTXOs with stakeable locks.
  const listed = isSet(funds.utxos) ? [] : funds.utxos
  const byKey = new Map(listed.map((utxo) => [utxoKey(utxo), utxo]))
  const found = names.map((name) => {
    const utxo = byKey.get(utxoKey(name))
    if (utxo !== undefined) return utxo
    throw new FundsError('UTXO_NOT_FOUND', `missing UTXO ${formatUTXOID(name)}`)
  })
  for (const utxo of found)
    if (utxo.output.type !== 'stakeable.LockOut' || utxo.output.locktime <= funds.now)
      throw notSpendable(utxo, 'is not locked for staking')
  // Only the stakeable lock is removed: the owners and the locktime of the inner output are still checked.
  const unlocked = found.map((utxo) => ({ ...utxo, output: (utxo.output as LockOut).output }))
  const coins = coinsOf({ ...funds, utxos: unlocked })
  // Throws for those that are excluded or cannot be spent.
  coins.named(names)
  return coins.spendable.map((coin) => ({ ...coin, utxo: byKey.get(utxoKey(coin.utxo))! }))
}

/** The outputs that return locked UTXOs under the same locks: one for each asset, locktime and owners. */
export function mergedLocks(coins: readonly Coin<UTXO>[]): TransferableOutput[] {
  const merged = new Map<string, { assetID: Uint8Array; lock: LockOut; amount: bigint }>()
  for (const { utxo, amount } of coins) {
    const lock = utxo.output as LockOut
    const withoutAmount = { ...lock, output: { ...lock.output, amount: 0n } }
    const key = hex.encode(utxo.assetID) + hex.encode(encodeBare(output, withoutAmount))
    const entry = merged.get(key) ?? { assetID: utxo.assetID, lock, amount: 0n }
    entry.amount += amount
    merged.set(key, entry)
  }
  return [...merged.values()].map(({ assetID, lock, amount }) => ({
    assetID,
    output: { ...lock, output: { ...lock.output, amount } },
  }))
}
