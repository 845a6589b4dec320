import {
  type Coin,
  chunksOf,
  type ImportPlan,
  type LeftBehindReason,
  type ListedUTXOs,
  requireFunds,
  sortedAsInputs,
  sumsOf,
} from '../../atomic/coins.ts'
import { contextFrom } from '../../atomic/view.ts'
import {
  type IDArgument,
  type OwnersArgument,
  toOtherChain,
  toOwners,
} from '../../build/arguments.ts'
import { checkPrice } from '../../build/fees.ts'
import { FundsError } from '../../coins/errors.ts'
import { formatAmount } from '../../encoding/amount.ts'
import { gasOf } from '../gas.ts'
import { DEFAULT_PRICE_CONFIG } from '../price.ts'
import type { ImportTx } from '../tx.ts'
import type { UTXO } from '../utxo.ts'
import { assemble, emptyBase, gasOfInput } from './assemble.ts'
import { coinsOf, isAVAX, outputFor, sortedOutputs, toInput } from './coins.ts'
import { type CommonOptions, type Draft, finish } from './draft.ts'

/** What to import to the P-Chain from which chain, and to whom. */
export type ImportOptions = CommonOptions &
  OwnersArgument & {
    /** `X`, `C` or a chain's ID. */
    readonly sourceChain: IDArgument
    /** UTXOs that the chain exported to the P-Chain. */
    readonly funds: ListedUTXOs<UTXO> & {
      /**
       * UTXOs of the P-Chain that may pay the fee of imports with too little AVAX.
       *
       * @defaultValue none
       */
      readonly local?: readonly UTXO[] | undefined
    }
  }

const REQUIRED = ['context', 'fees', 'sourceChain', 'to'] as const

/**
 * Drafts the import of exactly the given UTXOs in one transaction. The fee is taken from the imported AVAX, or
 * from `funds.local` if that is too little.
 *
 * @throws FundsError if one of them cannot be spent, if they do not fit into one transaction, or if the fee
 * cannot be paid; `planImport` imports what it can instead.
 * @example
 * const funds = { utxos, owners: keys.addresses, now }
 * pChain.buildImport({ context, sourceChain: 'X', funds, fees, to: 'P-fuji1…' })
 */
export function buildImport(options: ImportOptions): Draft {
  requireFunds('buildImport', options, REQUIRED)
  const coins = coinsOf(options.funds)
  coins.requireAll()
  if (coins.spendable.length === 0)
    throw new FundsError('BUILDER_INSUFFICIENT_FUNDS', 'no UTXOs to import')
  return importDraft(options, coins.spendable)
}

/**
 * Plans the import of everything that can be imported now, in as few transactions as their gas allows.
 *
 * @example
 * for (const draft of pChain.planImport(options).drafts) await client.issueTx(signed(draft))
 */
export function planImport(options: ImportOptions): ImportPlan<Draft, UTXO> {
  requireFunds('planImport', options, REQUIRED)
  const { context, fees, funds, maxGas = DEFAULT_PRICE_CONFIG.maxCapacity } = options
  checkPrice(fees.price, 'a gas price')
  const coins = coinsOf(funds)
  const leftBehind: { utxo: UTXO; reason: LeftBehindReason }[] = coins.left()
  const isDust = ({ utxo, amount, ...rest }: Coin<UTXO>): boolean =>
    isAVAX(utxo.assetID, context) &&
    amount <= gasOfInput(toInput({ utxo, amount, ...rest }, funds.now), fees.weights) * fees.price
  for (const coin of coins.spendable)
    if (isDust(coin)) leftBehind.push({ utxo: coin.utxo, reason: 'dust' })
  const worth = coins.spendable.filter((coin) => !isDust(coin))
  // AVAX first, so that it pays for the tokens beside it.
  const ordered = [
    ...worth.filter(({ utxo }) => isAVAX(utxo.assetID, context)),
    ...worth.filter(({ utxo }) => !isAVAX(utxo.assetID, context)),
  ]
  const local = new Set(funds.local)
  const reserve = local.size > 0 ? LOCAL_GAS : 0n
  const drafts: Draft[] = []
  for (const chunk of chunksOf(
    ordered,
    (some) => gasOf(importOf(options, some, 0n), fees.weights) + reserve <= maxGas,
  ))
    try {
      const draft = importDraft({ ...options, funds: { ...funds, local: [...local] } }, chunk)
      // What pays for one import cannot pay for another.
      for (const utxo of draft.utxos) local.delete(utxo)
      drafts.push(draft)
    } catch (error) {
      if (!(error instanceof FundsError)) throw error
      leftBehind.push(...chunk.map(({ utxo }) => ({ utxo, reason: 'fee' as const })))
    }
  return { drafts, leftBehind }
}

/** Room for a few local inputs and their change. */
const LOCAL_GAS = 20_000n

function importDraft(options: ImportOptions, imported: readonly Coin<UTXO>[]): Draft {
  const { context, fees, funds } = options
  const { owners, now, local = [] } = funds
  checkPrice(fees.price, 'a gas price')
  const sorted = sortedAsInputs(imported)
  const avax = sumsOf(imported).find(({ assetID }) => isAVAX(assetID, context))?.amount ?? 0n
  const fee = gasOf(importOf(options, sorted, 0n), fees.weights) * fees.price
  if (avax > fee) {
    const utxos = sorted.map(({ utxo }) => utxo)
    return finish({ unsignedTx: importOf(options, sorted, fee), utxos, change: [] }, options)
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
    { ...options, funds: { owners, now, utxos: local } },
    {
      outputs: tx.outputs,
      imported: sorted,
      complete: (base) => ({ ...tx, ...base }),
    },
  )
}

/** The import of these coins, with one output per asset; the AVAX one holds the fee less. */
function importOf(options: ImportOptions, coins: readonly Coin<UTXO>[], fee: bigint): ImportTx {
  const { context, funds } = options
  const view = contextFrom(context, 'P')
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
