import { argument, bulk, type Check, type Members, object, optional } from '../../base/argument.ts'
import { formatAmount } from '../../base/encoding/amount.ts'
import { hex } from '../../base/encoding/hex.ts'
import { MAX_U64 } from '../../base/integers.ts'
import { contextOn } from '../../chain/networks.ts'
import { gasOf } from '../../chain/p/gas.ts'
import { DEFAULT_PRICE_CONFIG } from '../../chain/p/price.ts'
import type { ImportTx } from '../../chain/p/tx.ts'
import type { UTXO } from '../../chain/p/utxo.ts'
import { FundsError } from '../../coins/errors.ts'
import {
  type Coin,
  type Coins,
  chunksOf,
  type ListedUTXOs,
  listedMembers,
  sortedAsInputs,
  sumsOf,
} from '../../coins/listed.ts'
import {
  type IDArgument,
  type OwnersArgument,
  toAssetID,
  toOtherChain,
  toOwners,
} from '../arguments.ts'
import { assetIDs, chain, ownersMembers } from '../descriptions.ts'
import type { BuildError } from '../errors.ts'
import { DEFAULT_MAX_FEE, isTooLarge } from '../fees.ts'
import { type LeftBehindReason, type LeftUTXO, type Plan, planOf } from '../plan.ts'
import { assemble, emptyBase, gasOfInput } from './assemble.ts'
import { coinsOf, isAVAX, outputFor, sortedOutputs, toInput } from './coins.ts'
import { type CommonOptions, commonMembers, type Draft, finishDraft, requireSums } from './draft.ts'

/** Options of an import to the P-Chain. */
export type ImportOptions = CommonOptions &
  OwnersArgument & {
    /** `X`, `C` or a chain's ID. */
    readonly sourceChain: IDArgument
    readonly funds: ImportFunds
  }

/**
 * UTXOs that another chain exported to the P-Chain, and those that may pay fees. `only` limits the exported ones,
 * `excluded` both.
 */
export type ImportFunds = ListedUTXOs<UTXO> & {
  /**
   * UTXOs of the P-Chain that may pay the fee of imports with too little AVAX. In plans they pay only for AVAX and for
   * tokens that `assets` names.
   *
   * @defaultValue none
   */
  readonly local?: readonly UTXO[] | undefined
}

const importMembers: Members<ImportOptions> = {
  ...commonMembers,
  ...ownersMembers,
  sourceChain: chain,
  funds: object<ImportFunds>({
    ...listedMembers<UTXO>(),
    local: optional(bulk<UTXO>()),
  }),
}

const importOptions: Check<ImportOptions> = object<ImportOptions>(importMembers)

/**
 * Drafts the import of all given UTXOs that are not excluded in one transaction. The fee is taken from the imported AVAX, and also
 * from `funds.local` if the imported AVAX does not suffice.
 *
 * @throws FundsError if one of them cannot be spent, if they do not fit into one transaction, or if the fee
 * cannot be paid; `planImport` imports what it can instead.
 * @example
 * const funds = { utxos, owners: keys.addresses, now }
 * pChain.buildImport({ context, sourceChain: 'X', funds, fees, to: 'P-fuji1…' })
 */
export function buildImport(given: ImportOptions): Draft {
  const options = withOwners('buildImport', argument('buildImport', given, importOptions))
  const coins = coinsOf(options.funds, sourceOf(options))
  coins.requireAll()
  if (coins.spendable.length === 0)
    throw new FundsError('BUILDER_INSUFFICIENT_FUNDS', 'no UTXOs to import')
  return importDraft(options, coins.spendable)
}

/** Options of {@link planImport}. */
export type ImportPlanOptions = ImportOptions & {
  /**
   * The assets to import beside AVAX. All imported AVAX and `funds.local` may pay for them.
   *
   * @defaultValue assets that were exported together with AVAX, as far as that AVAX pays for their import
   */
  readonly assets?: readonly IDArgument[] | undefined
}

const planOptions: Check<ImportPlanOptions> = object<ImportPlanOptions>({
  ...importMembers,
  assets: assetIDs,
})

/**
 * Plans the import of everything that can be imported now, in as few transactions as gas and `maxFee` allow. AVAX is
 * divided into transactions first, then tokens are added to them. Anyone can export worthless tokens to an address:
 * unless `assets` names them, their import costs no more than the AVAX that was exported in the same transaction.
 *
 * @throws BuildError `FEE_ABOVE_MAX` if not a single UTXO can be imported within `maxFee`
 * @example
 * for (const draft of pChain.planImport(options).drafts())
 *   await client.issueTx(requireSigned(signDraft(draft, keys)).bytes)
 */
export function planImport(given: ImportPlanOptions): Plan<'P'> {
  const options = withOwners('planImport', argument('planImport', given, planOptions))
  const { context, funds } = options
  const coins = coinsOf(funds, sourceOf(options))
  const left: LeftUTXO[] = coins.unspendable()
  const leave = (chunk: readonly Coin<UTXO>[], reason: LeftBehindReason): void => {
    left.push(...chunk.map(({ utxo: { assetID }, amount }) => ({ assetID, amount, reason })))
  }
  const avax = coins.of(context.assetID)
  const isDust = (coin: Coin<UTXO>) => coin.amount <= inputFee(options, coin)
  leave(avax.filter(isDust), 'dust')
  const local = new Set(funds.local)
  const drafts: Draft[] = []
  let feeError: BuildError | undefined
  const add = (chunk: readonly Coin<UTXO>[]): void => {
    try {
      const draft = importDraft({ ...options, funds: { ...funds, local: [...local] } }, chunk)
      // A local UTXO that pays for this import cannot pay for another.
      for (const utxo of draft.utxos) local.delete(utxo)
      drafts.push(draft)
    } catch (error) {
      if (!(error instanceof FundsError) && !isTooLarge(error)) throw error
      if (!(error instanceof FundsError)) feeError ??= error
      leave(chunk, 'fee')
    }
  }
  const fits = (chunk: readonly Coin<UTXO>[]) => fitsOne(options, chunk)
  const tokens = new TokenQueue(options, coins)
  leave(tokens.unwanted, 'otherAsset')
  for (const chunk of chunksOf(
    avax.filter((coin) => !isDust(coin)),
    fits,
  ))
    add([...chunk, ...tokens.takeFor(chunk)])
  const { named, others } = tokens.remaining()
  for (const chunk of chunksOf(named, fits)) add(chunk)
  leave(others, 'fee')
  // One UTXO with many signers must not prevent the import of the others. Only if nothing can be imported, the fee is
  // the caller's problem.
  if (drafts.length === 0 && feeError !== undefined) throw feeError
  return planOf(drafts, left)
}

/** Options with the addresses of the owners as bytes. */
function withOwners<Options extends ImportOptions>(call: string, options: Options): Options {
  const at = { call, path: '' }
  const owners = toOwners(options, contextOn('P', options.context), 'P', at)
  const { addresses: to, threshold, locktime } = owners
  return { ...options, to, threshold, locktime }
}

/** ID of the chain that has exported the UTXOs. */
function sourceOf({ context, sourceChain }: ImportOptions): Uint8Array {
  return toOtherChain(sourceChain, contextOn('P', context)).chainID
}

/** Tokens to import, until AVAX is found that pays for their import. */
class TokenQueue {
  /** Tokens that `assets` does not name. */
  readonly unwanted: readonly Coin<UTXO>[]
  private readonly options: ImportPlanOptions
  private waiting: readonly Coin<UTXO>[]

  constructor(options: ImportPlanOptions, coins: Coins<UTXO>) {
    const { assets, context } = options
    const named = assets && new Set(assets.map((each) => hex.encode(toAssetID(each, context))))
    const isNamed = ({ utxo }: Coin<UTXO>) => named?.has(hex.encode(utxo.assetID)) ?? true
    const tokens = coins.spendable.filter(({ utxo }) => !isAVAX(utxo.assetID, context))
    this.options = options
    this.unwanted = tokens.filter((coin) => !isNamed(coin))
    this.waiting = tokens.filter(isNamed)
  }

  /** Removes and returns the tokens that are imported together with a chunk of AVAX, which pays for them. */
  takeFor(chunk: readonly Coin<UTXO>[]): Coin<UTXO>[] {
    const { options } = this
    /** AVAX exported by each transaction, less the fee of its inputs, by the hex of the transaction ID. */
    const budgets = new Map<string, bigint>()
    for (const coin of chunk) {
      const key = hex.encode(coin.utxo.txID)
      budgets.set(key, (budgets.get(key) ?? 0n) + coin.amount - inputFee(options, coin))
    }
    const added: Coin<UTXO>[] = []
    const stillWaiting: Coin<UTXO>[] = []
    let isFull = false
    const tryToAdd = (token: Coin<UTXO>): boolean => {
      const key = hex.encode(token.utxo.txID)
      const budget = budgets.get(key)
      if (isFull || (options.assets === undefined && budget === undefined)) return false
      const cost = inputFee(options, token) + outputFee(options, token)
      if (options.assets === undefined && budget! <= cost) return false
      const together = [...chunk, ...added, token]
      if (!sumsFit(together)) return false
      isFull =
        !fitsOne(options, together) || avaxIn(options, together) <= feeOfImport(options, together)
      if (isFull) return false
      budgets.set(key, (budget ?? 0n) - cost)
      added.push(token)
      return true
    }
    for (const token of this.waiting) if (!tryToAdd(token)) stillWaiting.push(token)
    this.waiting = stillWaiting
    return added
  }

  /** The tokens that no imported AVAX pays for. Local UTXOs may pay only for `named` ones. */
  remaining(): { readonly named: readonly Coin<UTXO>[]; readonly others: readonly Coin<UTXO>[] } {
    const { waiting } = this
    return this.options.assets === undefined
      ? { named: [], others: waiting }
      : { named: waiting, others: [] }
  }
}

/** Whether the sum of each asset fits in an output. Anyone can export tokens whose sum does not. */
function sumsFit(coins: readonly Coin<UTXO>[]): boolean {
  return sumsOf(coins).every(({ amount }) => amount <= MAX_U64)
}

/** Whether one transaction can import these UTXOs. */
function fitsOne(options: ImportOptions, coins: readonly Coin<UTXO>[]): boolean {
  if (!sumsFit(coins)) return false
  const { fees, funds, maxGas = DEFAULT_PRICE_CONFIG.maxCapacity } = options
  const reserve = (funds.local?.length ?? 0) > 0 ? LOCAL_GAS : 0n
  const gas = gasOf(importOf(options, coins, 0n), fees.weights) + reserve
  return gas <= maxGas && gas * fees.price <= (options.maxFee ?? DEFAULT_MAX_FEE)
}

/** The fee of the input that spends a UTXO, in nAVAX. */
function inputFee({ fees, funds }: ImportOptions, coin: Coin<UTXO>): bigint {
  return gasOfInput(toInput(coin, funds.now), fees.weights) * fees.price
}

/** The fee of an output for the asset of a UTXO, in nAVAX. */
function outputFee(options: ImportOptions, coin: Coin<UTXO>): bigint {
  return feeOfImport(options, [coin]) - feeOfImport(options, []) - inputFee(options, coin)
}

function feeOfImport(options: ImportOptions, coins: readonly Coin<UTXO>[]): bigint {
  const { fees } = options
  return gasOf(importOf(options, coins, 0n), fees.weights) * fees.price
}

function avaxIn({ context }: ImportOptions, coins: readonly Coin<UTXO>[]): bigint {
  return sumsOf(coins).find(({ assetID }) => isAVAX(assetID, context))?.amount ?? 0n
}

/** Gas reserved for a few local inputs and their change. */
const LOCAL_GAS = 20_000n

function importDraft(options: ImportOptions, imported: readonly Coin<UTXO>[]): Draft {
  const { owners, now, excluded, local = [] } = options.funds
  requireSums(sumsOf(imported))
  const sorted = sortedAsInputs(imported)
  const avax = avaxIn(options, imported)
  const fee = feeOfImport(options, sorted)
  if (avax > fee) {
    const utxos = sorted.map(({ utxo }) => utxo)
    return finishDraft({ unsignedTx: importOf(options, sorted, fee), utxos, change: [] }, options)
  }
  const tx = importOf(options, sorted, 0n)
  if (local.length === 0)
    throw new FundsError(
      'BUILDER_INSUFFICIENT_FUNDS',
      `insufficient funds: importing costs ${formatAmount(fee)} AVAX, the UTXOs bring ${formatAmount(avax)} AVAX`,
      [],
      { hint: 'add UTXOs of the P-Chain to funds.local to pay the fee' },
    )
  return assemble(
    { ...options, funds: { owners, now, excluded, utxos: local } },
    {
      outputs: tx.outputs,
      imported: sorted,
      complete: (base) => ({ ...tx, ...base }),
    },
  )
}

/** The import of these UTXOs, with one output per asset. The fee is deducted from the output of AVAX. */
function importOf(options: ImportOptions, coins: readonly Coin<UTXO>[], fee: bigint): ImportTx {
  const { context, funds } = options
  const view = contextOn('P', context)
  const owners = toOwners(options, view)
  return {
    type: 'ImportTx',
    ...emptyBase(context),
    outputs: sortedOutputs(
      sumsOf(coins).map(({ assetID, amount }) =>
        outputFor(owners, { assetID, amount: isAVAX(assetID, context) ? amount - fee : amount }),
      ),
    ),
    sourceChain: toOtherChain(options.sourceChain, view).chainID,
    importedInputs: coins.map((coin) => toInput(coin, funds.now)),
  }
}
