import { argument, boolean, type Check, object, optional } from '../../base/argument.ts'
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
import { Pool } from '../../coins/pool.ts'
import { inputOrder, type Rows } from '../../coins/store/sort-rows.ts'
import { type IDArgument, type OwnersArgument, toAmount, toID, toOwners } from '../arguments.ts'
import { amount, assetIDs, ownersMembers } from '../descriptions.ts'
import type { Draft } from '../draft.ts'
import { checkedFee } from '../fees.ts'
import type { Plan } from '../plan.ts'
import { emptyBase, type SpendAllOptions, spendAllMembers } from './assemble.ts'
import { finishDraft } from './finish.ts'
import {
  changeOwners,
  inputFor,
  outputFor,
  type SpendableSet,
  sortedOutputs,
  spendableSet,
  toInput,
  toSet,
} from './funds.ts'
import { leftBehind, requireRoom } from './plan.ts'
import { Sponsors } from './sponsors.ts'

/** Maximum number of bytes that a hardware wallet can display instead of signing blindly. */
export const CLEAR_SIGN_SIZE = 8192

/** Options of `planSweep`. */
export type SweepOptions = SpendAllOptions &
  OwnersArgument & {
    /** The set to sweep. Options about how to select UTXOs have no effect. */
    readonly funds: SpendableSet
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

const sweepOptions: Check<SweepOptions> = object<SweepOptions>({
  ...spendAllMembers,
  ...ownersMembers,
  funds: spendableSet,
  assets: assetIDs,
  withoutAssets: assetIDs,
  clearSign: optional(boolean),
  dustThreshold: optional(amount),
})

/**
 * Plans to send everything to one recipient in as few transactions as the size limit allows. The transactions are
 * independent: they can be signed and issued in any order.
 *
 * @throws BuildError `TX_TOO_LARGE` if `maxSize` is too small for any transaction
 * @throws BuildError, ArgumentError, VerifyError
 *
 * @example
 * const plan = planSweep({ context, funds: { utxos, owners: keys.addresses, now }, to: 'X-fuji1…' })
 * for (const draft of plan.drafts()) await client.issueTx(requireSigned(signDraft(draft, keys)).bytes)
 */
export function planSweep(given: SweepOptions): Plan {
  const options = argument('planSweep', given, sweepOptions)
  const { context, funds, maxSize = MAX_TX_SIZE, clearSign = false, dustThreshold = 0n } = options
  const fee = checkedFee('BaseTx', options)
  const owners = toOwners(options, context, context.chainAlias, { call: 'planSweep', path: '' })
  const { utxos, ...spendable } = funds
  const set = toSet(utxos)
  const pool = new Pool(set, spendable)
  const isWanted = wantedAssets(options)
  const sponsors = isWanted(context.assetID) ? undefined : new Sponsors(set, options)
  const packing = packCoins(pool, {
    room: requireRoom({
      max: maxSize,
      base: signedSize({ type: 'BaseTx', ...emptyBase(options) }),
      output: transferableOutputSize(outputFor(owners, { assetID: context.assetID, amount: 0n })),
      maxShown: clearSign ? CLEAR_SIGN_SIZE : undefined,
    }),
    fee,
    feeAsset: pool.store.findAsset(context.assetID),
    assets: assetNumbers(pool, isWanted),
    leaveDust: true,
    dustThreshold: toAmount(dustThreshold),
    sponsorsPayAll: sponsors !== undefined,
    sponsor: sponsors && ((missing: bigint) => sponsors.find(missing)),
  })
  return {
    transactions: packing.transactions.length,
    leftBehind: leftBehind(
      pool,
      packing,
      () => set.balances({ owners: funds.owners, now: funds.now }),
      isWanted,
    ),
    *drafts() {
      let drafted = 0
      for (const { rows } of packing.transactions) {
        const sponsor = sponsors?.selections[drafted++]
        const outputs = sweepOutputs(
          pool.sums(rows),
          owners,
          context,
          sponsor === undefined ? fee : 0n,
        )
        yield sweepDraft(
          options,
          fee,
          outputs,
          spendingOf(pool, rows, sponsor),
          sponsor?.change ?? [],
        )
      }
    },
  }
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

function sweepDraft(
  options: SweepOptions,
  fee: bigint,
  outputs: readonly TransferableOutput[],
  { utxos, inputs }: SpentInputs,
  change: readonly AssetAmount[],
): Draft {
  const { context, maxSize = MAX_TX_SIZE } = options
  const changeTo = changeOwners(options.changeTo, options.funds.owners, context)
  const unsignedTx: UnsignedTx = {
    type: 'BaseTx',
    ...emptyBase(options),
    outputs: sortedOutputs([...outputs, ...change.map((amount) => outputFor(changeTo, amount))]),
    inputs,
  }
  return finishDraft({ chain: 'X', unsignedTx, utxos, context, fee, change, burned: [] }, maxSize)
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
}: Pick<SweepOptions, 'assets' | 'withoutAssets'>): (assetID: Uint8Array) => boolean {
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
