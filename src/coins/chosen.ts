import type { UTXO } from '../chain/utxo.ts'
import { hex } from '../encoding/hex.ts'
import { notSpendable } from './errors.ts'
import type { Selection } from './need.ts'
import type { Coin } from './pool.ts'
import type { Viewpoint } from './utxo-set.ts'

/** Coins all of which are spent, and where change goes if nothing else is said: to the first owner. */
export type ChosenCoins = Pick<Selection, 'coins' | 'owners'>

/**
 * Takes the caller's own choice of coins and finds out who signs for each. Fails where one of them cannot be
 * spent. Needs no `UTXOSet`, so a small program that knows its coins carries no selection.
 *
 * @example
 * const funds = chooseCoins(page.map(decodeUTXO), { owners: keys.addresses, now })
 * const draft = buildTransfer({ context, funds, outputs })
 */
export function chooseCoins(utxos: readonly UTXO[], { owners, now }: Viewpoint): ChosenCoins {
  const ours = new Set(owners.map(hex.encode))
  return { coins: utxos.map((utxo) => toCoin(utxo, ours, now)), owners }
}

function toCoin(utxo: UTXO, ours: ReadonlySet<string>, now: bigint): Coin {
  const { output } = utxo
  const signers = output.addresses.flatMap((address, i) =>
    ours.has(hex.encode(address)) ? [i] : [],
  )
  if (signers.length < output.threshold)
    throw notSpendable(utxo, signers.length > 0 ? 'short of signers' : 'of another owner')
  if (output.locktime > now) throw notSpendable(utxo, `locked until ${output.locktime}`)
  if (output.type !== 'secp256k1fx.TransferOutput')
    throw notSpendable(utxo, 'no amount of an asset')
  return { utxo, signatureIndices: signers.slice(0, output.threshold) }
}
