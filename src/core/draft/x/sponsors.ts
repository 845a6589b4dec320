import type { NetworkContext } from '../../chain/networks.ts'
import { credentialSize } from '../../chain/x/size.ts'
import type { UTXOID } from '../../chain/x/transferables.ts'
import { FundsError } from '../../coins/errors.ts'
import type { Selection } from '../../coins/need.ts'
import { type AddedBytes, PATH_SIZE } from '../../coins/pack/packing.ts'
import { selectCoins } from '../../coins/select.ts'
import type { UTXOSet } from '../../coins/utxo-set.ts'
import type { ChangeArgument } from '../arguments.ts'
import { changeSize, type SpendableSet } from './funds.ts'

/** The UTXOs that may pay fees, and the owner of their change. */
export type SponsorOptions = {
  readonly context: NetworkContext
  readonly funds: Omit<SpendableSet, 'utxos'>
  readonly changeTo?: ChangeArgument | undefined
}

/** UTXOs of this chain that pay fees for other UTXOs. Each pays in one transaction only. */
export class Sponsors {
  /** One selection for each successful `find`. */
  readonly selections: Selection[] = []
  private readonly set: UTXOSet
  private readonly options: SponsorOptions
  private readonly used: UTXOID[] = []

  /** `set` are the UTXOs to which `options.funds` applies. */
  constructor(set: UTXOSet, options: SponsorOptions) {
    this.set = set
    this.options = options
  }

  /** Selects UTXOs for the missing part of a fee, in nAVAX. Returns their size, or undefined if they do not suffice. */
  find(missing: bigint): AddedBytes | undefined {
    const { context, funds, changeTo } = this.options
    const { assetID } = context
    const { owners, now, excluded = [], only } = funds
    try {
      const selection = selectCoins(this.set, {
        owners,
        now,
        only,
        excluded: [...excluded, ...this.used],
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

/** Bytes sent to a hardware wallet: no credentials, but the key paths of the signers, counted once per signature. */
function shownSize({ coins, size }: Selection): number {
  return coins.reduce(
    (shown, { signatureIndices: { length } }) =>
      shown - credentialSize(length) + PATH_SIZE * length,
    size,
  )
}
