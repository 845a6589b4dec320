import { hex } from '../base/encoding/hex.ts'
import { requireList } from '../base/require.ts'
import { encodeUTXO, type UTXO } from '../chain/x/utxo.ts'
import { verifyOutput } from '../chain/x/verify/verify-fx.ts'
import { notSpendable } from './errors.ts'
import type { Selection } from './need.ts'
import type { Coin } from './pool.ts'
import { checkViewpoint, type Viewpoint } from './viewpoint.ts'

/** UTXOs to spend, all of them, and the addresses that sign. By default, change goes to the first owner. */
export type ChosenCoins = Pick<Selection, 'coins' | 'owners'>

/**
 * Prepares UTXOs that the caller has selected, and determines who signs for each. Does not use `UTXOSet`, so a
 * program that knows its UTXOs does not load coin selection.
 *
 * @throws FundsError `UTXO_NOT_SPENDABLE` if one of them cannot be spent by these owners at this time
 * @throws CodecError, VerifyError if one of them cannot be encoded or violates a rule of the chain
 *
 * @example
 * const funds = chooseCoins(page.map(decodeUTXO), { owners: keys.addresses, now })
 * const draft = buildTransfer({ context, funds, outputs })
 */
export function chooseCoins(utxos: readonly UTXO[], view: Viewpoint): ChosenCoins {
  checkViewpoint(view)
  requireList(utxos, 'utxos')
  const { owners, now } = view
  const ours = new Set(owners.map(hex.encode))
  return { coins: utxos.map((utxo) => toCoin(utxo, ours, now)), owners }
}

function toCoin(utxo: UTXO, ours: ReadonlySet<string>, now: bigint): Coin {
  // A UTXO that cannot be encoded or violates a rule cannot exist on the chain.
  encodeUTXO(utxo)
  verifyOutput(utxo.output, 'output')
  const { output } = utxo
  const signers = output.addresses.flatMap((address, i) =>
    ours.has(hex.encode(address)) ? [i] : [],
  )
  if (signers.length < output.threshold)
    throw notSpendable(
      utxo,
      signers.length > 0 ? 'also needs signatures of other owners' : 'belongs to other owners',
    )
  if (output.locktime > now) throw notSpendable(utxo, `is locked until ${output.locktime}`)
  if (output.type !== 'secp256k1fx.TransferOutput')
    throw notSpendable(utxo, 'is not a transfer output')
  return { utxo, signatureIndices: signers.slice(0, output.threshold) }
}
