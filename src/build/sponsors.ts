import type { NetworkContext } from '../chain/networks.ts'
import { credentialSize } from '../chain/size.ts'
import type { UTXOID } from '../chain/transferables.ts'
import { FundsError } from '../coins/errors.ts'
import type { Selection } from '../coins/need.ts'
import { type Added, PATH_SIZE } from '../coins/packing.ts'
import type { UTXOSet } from '../coins/utxo-set.ts'
import type { Viewpoint } from '../coins/viewpoint.ts'
import type { ChangeArgument } from './arguments.ts'
import { changeSize } from './funds.ts'

/** Whose coins pay, and which of them do not. */
export type SponsorOptions = Viewpoint & {
  readonly context: NetworkContext
  readonly coins: UTXOSet
  readonly excluded?: readonly UTXOID[]
  readonly only?: readonly UTXOID[]
  readonly changeTo?: ChangeArgument
}

/** Coins of this chain that pay fees for others; those of one transaction are not offered to the next. */
export class Sponsors {
  /** One for each time that coins were found. */
  readonly selections: Selection[] = []
  private readonly options: SponsorOptions
  private readonly used: UTXOID[] = []

  constructor(options: SponsorOptions) {
    this.options = options
  }

  /** Finds coins for what is missing of a fee; returns what they add, or undefined. */
  find(missing: bigint): Added | undefined {
    const { coins, owners, now, context, excluded = [], only, changeTo } = this.options
    const { assetID } = context
    try {
      const selection = coins.select({
        owners,
        now,
        excluded: [...excluded, ...this.used],
        ...(only && { only }),
        need: {
          amounts: [{ assetID, amount: missing }],
          baseSize: 0,
          changeSize: changeSize(changeTo, context),
        },
      })
      this.selections.push(selection)
      this.used.push(...selection.coins.map(({ utxo }) => utxo))
      return { size: selection.size, shown: shownSize(selection) }
    } catch (error) {
      if (error instanceof FundsError) return undefined
      throw error
    }
  }
}

/** Credentials are not shown, but a path for each signer is: at most one for each signature. */
function shownSize({ coins, size }: Selection): number {
  return coins.reduce(
    (shown, { signatureIndices: { length } }) =>
      shown - credentialSize(length) + PATH_SIZE * length,
    size,
  )
}
