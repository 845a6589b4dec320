import { argument, bulk, type Check, ignored, list, object, u32 } from '../base/argument.ts'
import { hex } from '../base/encoding/hex.ts'
import { encodeUTXO, type UTXO, utxo as utxoCodec } from '../chain/x/utxo.ts'
import { verifyOutput } from '../chain/x/verify/verify-fx.ts'
import { struct } from '../codec/codec.ts'
import { notSpendable } from './errors.ts'
import type { Selection } from './need.ts'
import type { Coin } from './pool.ts'
import { type Viewpoint, viewpoint, viewpointMembers } from './viewpoint.ts'

/** UTXOs to spend, all of them, and the addresses that sign. By default, change goes to the first owner. */
export type ChosenCoins = Pick<Selection, 'coins' | 'owners'>

/** A UTXO that cannot be encoded cannot exist on the chain. UTXOs are not copied. */
const utxoStruct: Check<UTXO> = /* @__PURE__ */ struct(utxoCodec)

/** Describes chosen coins. A `Selection` or a `StreamedSelection` has more members and is accepted as it is. */
export const chosenCoins: Check<ChosenCoins> = object<
  ChosenCoins & {
    readonly change?: unknown
    readonly size?: unknown
    readonly set?: unknown
    readonly pagesRead?: unknown
  }
>({
  coins: list(
    object<Coin>({
      utxo: utxoStruct,
      signatureIndices: list(u32),
    }),
  ),
  owners: viewpointMembers.owners,
  // A builder computes the others again.
  change: ignored,
  size: ignored,
  set: ignored,
  pagesRead: ignored,
})

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
  const { owners, now } = argument('chooseCoins', view, viewpoint)
  const listed = argument('chooseCoins', utxos, bulk<UTXO>(), 'utxos')
  return { coins: spendCoins(listed, { owners, now }), owners }
}

/**
 * Determines who signs for each UTXO.
 *
 * @throws FundsError, CodecError, VerifyError like `chooseCoins`
 */
export function spendCoins(utxos: readonly UTXO[], { owners, now }: Viewpoint): Coin[] {
  const ours = new Set(owners.map(hex.encode))
  return utxos.map((utxo) => toCoin(utxo, ours, now))
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
