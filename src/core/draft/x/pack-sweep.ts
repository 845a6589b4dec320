import { compareBytes, equalBytes } from '../../base/bytes/compare.ts'
import { type AssetAmount, AssetSums } from '../../chain/amounts.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import type { OutputOwners } from '../../chain/owners.ts'
import { compareInputs } from '../../chain/x/order.ts'
import { MAX_TX_SIZE, signedSize, transferableOutputSize } from '../../chain/x/size.ts'
import type { TransferableInput, TransferableOutput } from '../../chain/x/transferables.ts'
import type { UnsignedTx } from '../../chain/x/tx.ts'
import type { UTXO } from '../../chain/x/utxo.ts'
import type { Selection } from '../../coins/need.ts'
import { packCoins } from '../../coins/pack/pack.ts'
import type { Packing, Room } from '../../coins/pack/packing.ts'
import { Pool } from '../../coins/pool.ts'
import { inputOrder, type Rows } from '../../coins/store/sort-rows.ts'
import type { UTXOSet } from '../../coins/utxo-set.ts'
import { type IDArgument, type OwnersArgument, toAmount, toID, toOwners } from '../arguments.ts'
import type { Draft } from '../draft.ts'
import { checkedFee } from '../fees.ts'
import { emptyBase, type SpendAllOptions } from './assemble.ts'
import { finishDraft } from './finish.ts'
import {
  changeOwners,
  inputFor,
  outputFor,
  type SpendableSet,
  sortedOutputs,
  toInput,
} from './funds.ts'
import { requireRoom } from './plan.ts'
import { Sponsors } from './sponsors.ts'

/** Maximum number of bytes that a hardware wallet can display instead of signing blindly. */
export const CLEAR_SIGN_SIZE = 8192

/** What a sweep sends and how, without the UTXOs. */
export type SweepRules = SpendAllOptions &
  OwnersArgument & {
    /**
     * The assets to sweep. Without AVAX, its UTXOs only pay the fees.
     *
     * @defaultValue all
     */
    readonly assets?: readonly IDArgument[] | undefined
    /**
     * Assets not to sweep. Some assets cannot be transferred, and one UTXO of them invalidates a transaction.
     *
     * @defaultValue none
     */
    readonly withoutAssets?: readonly IDArgument[] | undefined
    /**
     * Keeps every transaction small enough for a hardware wallet to display.
     *
     * @defaultValue false
     */
    readonly clearSign?: boolean | undefined
    /**
     * UTXOs of AVAX below this amount, in nAVAX, are left out.
     *
     * @defaultValue 0n
     */
    readonly dustThreshold?: bigint | undefined
  }

/** A sweep without its UTXOs. */
export type Sweep = {
  readonly room: Room
  /** Whether an asset is swept. */
  readonly isWanted: (assetID: Uint8Array) => boolean
  /** Packs the UTXOs of a set into transactions. */
  readonly pack: (set: UTXOSet, spendable: Omit<SpendableSet, 'utxos'>) => PackedSweep
}

/**
 * Returns the sweep by these rules.
 *
 * @param call - the function that is called
 * @throws BuildError, ArgumentError, VerifyError
 */
export function sweepBy(call: string, rules: SweepRules): Sweep {
  const { context, maxSize = MAX_TX_SIZE, clearSign = false, dustThreshold = 0n } = rules
  const fee = checkedFee('BaseTx', rules)
  const owners = toOwners(rules, context, context.chainAlias, { call, path: '' })
  const isWanted = wantedAssets(rules)
  const base = emptyBase(rules)
  const room = requireRoom({
    max: maxSize,
    base: signedSize({ type: 'BaseTx', ...base }),
    output: transferableOutputSize(outputFor(owners, { assetID: context.assetID, amount: 0n })),
    maxShown: clearSign ? CLEAR_SIGN_SIZE : undefined,
  })
  return {
    room,
    isWanted,
    pack(set, spendable) {
      const pool = new Pool(set, spendable)
      const sponsors = isWanted(context.assetID)
        ? undefined
        : new Sponsors(set, { ...rules, funds: spendable })
      const packing = packCoins(pool, {
        room,
        fee,
        feeAsset: pool.store.findAsset(context.assetID),
        assets: assetNumbers(pool, isWanted),
        leaveDust: true,
        dustThreshold: toAmount(dustThreshold),
        sponsorsPayAll: sponsors !== undefined,
        sponsor: sponsors && ((missing: bigint) => sponsors.find(missing)),
      })
      const draft = (index: number): Draft => {
        const { rows } = packing.transactions[index]!
        const sponsor = sponsors?.selections[index]
        const change = sponsor?.change ?? []
        const changeTo = changeOwners(rules.changeTo, spendable.owners, context)
        const paid = sponsor === undefined ? fee : 0n
        const { utxos, inputs } = spendingOf(pool, rows, sponsor)
        const outputs = sortedOutputs([
          ...sweepOutputs(pool.sums(rows), owners, context, paid),
          ...change.map((amount) => outputFor(changeTo, amount)),
        ])
        const unsignedTx: UnsignedTx = { type: 'BaseTx', ...base, outputs, inputs }
        return finishDraft(
          { chain: 'X', unsignedTx, utxos, context, fee, change, burned: [] },
          maxSize,
        )
      }
      return { pool, packing, draft }
    },
  }
}

/** The transactions of a sweep. */
export type PackedSweep = {
  readonly pool: Pool
  readonly packing: Packing
  /** Builds one of the transactions. */
  readonly draft: (index: number) => Draft
}

/** The inputs of a draft and the UTXOs they spend. */
type SpentInputs = {
  readonly utxos: readonly UTXO[]
  readonly inputs: readonly TransferableInput[]
}

/** Returns inputs and UTXOs in input order. A sweep may spend hundreds of thousands, so few objects are created. */
function spendingOf(pool: Pool, rows: Rows, sponsor: Selection | undefined): SpentInputs {
  if (sponsor !== undefined) {
    const coins = [...pool.coins(rows), ...sponsor.coins]
    coins.sort((a, b) => compareInputs(a.utxo, b.utxo))
    return { utxos: coins.map(({ utxo }) => utxo), inputs: coins.map(toInput) }
  }
  const sorted = inputOrder(pool.store, rows)
  const utxos = pool.store.utxos(sorted)
  const inputs = new Array<TransferableInput>(sorted.length)
  for (let i = 0; i < inputs.length; i++)
    inputs[i] = inputFor(utxos[i]!, pool.signatureIndices(sorted[i]!))
  return { utxos, inputs }
}

/** Returns one output per asset with the whole amount, minus the fee. */
export function sweepOutputs(
  amounts: readonly AssetAmount[],
  owners: OutputOwners,
  context: NetworkContext,
  fee: bigint,
): TransferableOutput[] {
  const sums = new AssetSums(amounts)
  sums.add(context.assetID, -fee)
  return sums.list().map((amount) => outputFor(owners, amount))
}

/** Returns a predicate for the assets of a plan. */
export function wantedAssets({
  assets,
  withoutAssets,
}: Pick<SweepRules, 'assets' | 'withoutAssets'>): (assetID: Uint8Array) => boolean {
  const included = assets?.map(toID)
  const excluded = withoutAssets?.map(toID) ?? []
  const isIn = (list: readonly Uint8Array[], id: Uint8Array) =>
    list.some((item) => equalBytes(item, id))
  return (id) => (included === undefined || isIn(included, id)) && !isIn(excluded, id)
}

/**
 * Returns the store numbers of the wanted assets, ordered by ID so that plans do not depend on the order of pages.
 */
export function assetNumbers(
  { store }: Pool,
  isWanted: (assetID: Uint8Array) => boolean,
): number[] {
  return Array.from({ length: store.assets.size }, (_, asset) => asset)
    .filter((asset) => isWanted(store.assetID(asset)))
    .sort((a, b) => compareBytes(store.assetID(a), store.assetID(b)))
}
