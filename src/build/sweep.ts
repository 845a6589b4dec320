import { compareBytes, equalBytes } from '../bytes/compare.ts'
import { type AssetAmount, AssetSums } from '../chain/amounts.ts'
import type { NetworkContext } from '../chain/networks.ts'
import { compareInputs } from '../chain/order.ts'
import type { OutputOwners } from '../chain/owners.ts'
import { MAX_TX_SIZE, signedSize, transferableOutputSize } from '../chain/size.ts'
import type { TransferableInput, TransferableOutput } from '../chain/transferables.ts'
import type { UnsignedTx } from '../chain/tx.ts'
import type { UTXO } from '../chain/utxo.ts'
import type { Selection } from '../coins/need.ts'
import { packCoins } from '../coins/pack.ts'
import { Pool, type PoolOptions } from '../coins/pool.ts'
import { inputOrder, type Rows } from '../coins/store/sort-rows.ts'
import type { UTXOSet } from '../coins/utxo-set.ts'
import {
  type ChangeArgument,
  type IDArgument,
  type OwnersArgument,
  toBytes,
  toID,
  toOwners,
} from './arguments.ts'
import type { Draft } from './draft.ts'
import { checkedFee, finish } from './finish.ts'
import { changeOwners, inputFor, outputFor, sortedOutputs, toInput } from './funds.ts'
import { leftBehind, type Plan } from './plan.ts'
import { Sponsors } from './sponsors.ts'

/** Bytes that a hardware wallet can take in to show a transaction instead of signing blindly. */
export const CLEAR_SIGN_SIZE = 8192

/** What to sweep, and to whom. */
export type SweepOptions = OwnersArgument &
  Omit<PoolOptions, 'sourceChain' | 'pinned'> & {
    readonly context: NetworkContext
    readonly coins: UTXOSet
    /** Only these assets; all where none are named. Without the native one, its coins only pay the fees. */
    readonly assets?: readonly IDArgument[]
    /** Not these: some assets cannot be transferred at all, and one coin of them spoils a transaction. */
    readonly withoutAssets?: readonly IDArgument[]
    /** Keeps every transaction small enough for a hardware wallet to show. */
    readonly clearSign?: boolean
    /** Coins of the native asset below this stay in any case. */
    readonly dustLine?: bigint
    /** Where change goes if native coins only pay the fees; the first of the owners if nobody is named. */
    readonly changeTo?: ChangeArgument
    readonly memo?: Uint8Array | string
    readonly maxFee?: bigint
    readonly maxSize?: number
  }

/**
 * Plans to send everything to one owner, in the fewest transactions that the size limit allows. They do not
 * depend on each other: they can be signed and issued in any order.
 *
 * @example
 * const plan = planSweep({ context, coins, owners: keys.addresses, now, to: 'X-fuji1…' })
 * for (const draft of plan.drafts()) await client.issueTx(signDraft(draft, keys))
 */
export function planSweep(options: SweepOptions): Plan {
  const { context, coins, maxSize = MAX_TX_SIZE, clearSign = false } = options
  const fee = checkedFee('BaseTx', options)
  const owners = toOwners(options, context)
  const pool = new Pool(coins, options)
  const isWanted = wantedAssets(options)
  const sponsors = isWanted(context.assetID) ? undefined : new Sponsors(options)
  const packing = packCoins(pool, {
    room: {
      max: maxSize,
      base: signedSize(emptyTx(options)),
      output: transferableOutputSize(outputFor(owners, { assetID: context.assetID, amount: 0n })),
      ...(clearSign && { maxShown: CLEAR_SIGN_SIZE }),
    },
    fee,
    feeAsset: pool.store.findAsset(context.assetID),
    assets: assetNumbers(pool, isWanted),
    leaveDust: true,
    dustLine: options.dustLine ?? 0n,
    ...(sponsors && { always: true, sponsor: (missing: bigint) => sponsors.find(missing) }),
  })
  return {
    transactions: packing.transactions.length,
    leftBehind: leftBehind(pool, packing, () => coins.balances(options), isWanted),
    *drafts() {
      let drafted = 0
      for (const { rows } of packing.transactions) {
        const sponsor = sponsors?.selections[drafted++]
        const paid = payouts(pool.sums(rows), owners, context, sponsor === undefined ? fee : 0n)
        yield sweepDraft(options, fee, paid, spending(pool, rows, sponsor), sponsor?.change ?? [])
      }
    },
  }
}

/** What a draft spends, in the order of its inputs. */
type Spending = { readonly utxos: readonly UTXO[]; readonly inputs: readonly TransferableInput[] }

/** Hundreds of thousands of coins pass through here: no object is made that the draft does not hold. */
function spending(pool: Pool, rows: Rows, sponsor: Selection | undefined): Spending {
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
  paid: readonly TransferableOutput[],
  { utxos, inputs }: Spending,
  change: readonly AssetAmount[],
): Draft {
  const { context, maxSize = MAX_TX_SIZE } = options
  const changeTo = changeOwners(options.changeTo, options.owners, context)
  const unsignedTx: UnsignedTx = {
    ...emptyTx(options),
    outputs: sortedOutputs([...paid, ...change.map((amount) => outputFor(changeTo, amount))]),
    inputs,
  }
  return finish({ unsignedTx, utxos, context, fee, change, burned: [] }, maxSize)
}

/** One output for each asset with what coins bring of it, less what the fee takes. */
export function payouts(
  brought: readonly AssetAmount[],
  owners: OutputOwners,
  context: NetworkContext,
  fee: bigint,
): TransferableOutput[] {
  const sums = new AssetSums(brought)
  sums.add(context.assetID, -fee)
  return sums.list().map((amount) => outputFor(owners, amount))
}

function emptyTx({ context, memo }: SweepOptions): UnsignedTx & { type: 'BaseTx' } {
  return {
    type: 'BaseTx',
    networkID: context.networkID,
    blockchainID: context.chainID,
    outputs: [],
    inputs: [],
    memo: toBytes(memo),
  }
}

/** Which assets a plan is about. */
export function wantedAssets({
  assets,
  withoutAssets,
}: Pick<SweepOptions, 'assets' | 'withoutAssets'>): (assetID: Uint8Array) => boolean {
  const named = assets?.map(toID)
  const without = withoutAssets?.map(toID) ?? []
  const isIn = (list: readonly Uint8Array[], id: Uint8Array) =>
    list.some((one) => equalBytes(one, id))
  return (id) => (named === undefined || isIn(named, id)) && !isIn(without, id)
}

/** The wanted assets' numbers in a store, in the order of their IDs, so that plans do not depend on pages. */
export function assetNumbers(
  { store }: Pool,
  isWanted: (assetID: Uint8Array) => boolean,
): number[] {
  return Array.from({ length: store.assets.size }, (_, asset) => asset)
    .filter((asset) => isWanted(store.assetID(asset)))
    .sort((a, b) => compareBytes(store.assetID(a), store.assetID(b)))
}
