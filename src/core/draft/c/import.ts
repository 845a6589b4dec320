import { argument, type Check, object } from '../../base/argument.ts'
import { equalBytes } from '../../base/bytes/compare.ts'
import { formatAmount } from '../../base/encoding/amount.ts'
import { evmAddress } from '../../chain/c/evm-address.ts'
import { feeOf, feeOfGas, gasOf, MAX_TX_SIZE, signedSize } from '../../chain/c/gas.ts'
import type { ImportTx } from '../../chain/c/tx.ts'
import { contextOn } from '../../chain/networks.ts'
import { type UTXO, utxo } from '../../chain/x/utxo.ts'
import { FundsError, notSpendable } from '../../coins/errors.ts'
import {
  type Coin,
  Coins,
  chunksOf,
  type ListedUTXOs,
  listedMembers,
  sortedAsInputs,
  transferOutputOf,
} from '../../coins/listed.ts'
import { type IDArgument, toOtherChain } from '../arguments.ts'
import { chain } from '../descriptions.ts'
import type { BuildError } from '../errors.ts'
import { DEFAULT_MAX_FEE, isTooLarge } from '../fees.ts'
import { type LeftBehindReason, type LeftUTXO, type Plan, planOf } from '../plan.ts'
import {
  type CommonOptions,
  commonMembers,
  DEFAULT_MAX_GAS,
  type Draft,
  finishDraft,
} from './draft.ts'
import type { EVMAddressArgument } from './export.ts'

/** Options of an import to the C-Chain. */
export type ImportOptions = CommonOptions & {
  /** `X`, `P` or a chain's ID. */
  readonly sourceChain: IDArgument
  /** UTXOs that the chain exported to the C-Chain. `only` and `excluded` limit which of them are imported. */
  readonly funds: ListedUTXOs<UTXO>
  /** The account to credit. It does not have to sign. */
  readonly to: EVMAddressArgument
}

/** Options whose account was converted to bytes. */
type CheckedImport = ImportOptions & { readonly to: Uint8Array }

const importOptions: Check<CheckedImport> = object<CheckedImport>({
  ...commonMembers,
  sourceChain: chain,
  funds: object<ListedUTXOs<UTXO>>(/* @__PURE__ */ listedMembers<UTXO>()),
  to: evmAddress,
})

/**
 * Drafts the import of all given UTXOs that are not excluded to an account. The fee is taken from the imported amount: the C-Chain
 * allows no other inputs in an import.
 *
 * @throws FundsError if one of them cannot be spent or is not AVAX, or if they do not cover the fee;
 * BuildError `TX_TOO_LARGE` if they do not fit into one transaction.
 * @example
 * const funds = { utxos, owners: keys.addresses, now }
 * cChain.buildImport({ context, sourceChain: 'X', funds, baseFee, to: '0x…' })
 */
export function buildImport(given: ImportOptions): Draft {
  const options = argument('buildImport', given, importOptions)
  const coins = coinsOf(options)
  coins.requireAll()
  const otherAsset = coins.spendable.find((coin) => !isAVAX(coin.utxo, options))
  if (otherAsset !== undefined)
    throw notSpendable(otherAsset.utxo, 'is not AVAX, the only asset that the C-Chain imports')
  if (coins.spendable.length === 0)
    throw new FundsError('BUILDER_INSUFFICIENT_FUNDS', 'no UTXOs to import')
  return importDraft(options, coins.spendable)
}

/**
 * Plans the import of everything that can be imported now, in as few transactions as size, gas and `maxFee` allow.
 *
 * @throws BuildError `FEE_ABOVE_MAX` if not a single UTXO can be imported within `maxFee`
 */
export function planImport(given: ImportOptions): Plan<'C'> {
  const options = argument('planImport', given, importOptions)
  const { baseFee, maxGas = DEFAULT_MAX_GAS, maxSize = MAX_TX_SIZE } = options
  const { maxFee = DEFAULT_MAX_FEE } = options
  const coins = coinsOf(options)
  const left: LeftUTXO[] = coins.unspendable()
  const leave = ({ utxo: { assetID }, amount }: Coin<UTXO>, reason: LeftBehindReason): void => {
    left.push({ assetID, amount, reason })
  }
  const worthImporting: Coin<UTXO>[] = []
  for (const coin of coins.spendable) {
    const isDust = coin.amount <= feeOfGas(gasOfCoin(options, coin), baseFee)
    if (!isAVAX(coin.utxo, options)) leave(coin, 'otherAsset')
    else if (isDust) leave(coin, 'dust')
    else worthImporting.push(coin)
  }
  const fitsOne = (chunk: readonly Coin<UTXO>[]): boolean => {
    const tx = importOf(options, chunk, 1n)
    return gasOf(tx) <= maxGas && signedSize(tx) <= maxSize && feeOf(tx, baseFee) <= maxFee
  }
  const drafts: Draft[] = []
  let feeError: BuildError | undefined
  for (const chunk of chunksOf(worthImporting, fitsOne))
    try {
      drafts.push(importDraft(options, chunk))
    } catch (error) {
      if (!(error instanceof FundsError) && !isTooLarge(error)) throw error
      if (!(error instanceof FundsError)) feeError ??= error
      for (const coin of chunk) leave(coin, 'fee')
    }
  // One UTXO with many signers must not prevent the import of the others. The fee is an error only if nothing can be
  // imported.
  if (drafts.length === 0 && feeError !== undefined) throw feeError
  return planOf(drafts, left)
}

function coinsOf({ funds, context, sourceChain }: ImportOptions): Coins<UTXO> {
  const { chainID } = toOtherChain(sourceChain, contextOn('C', context))
  return new Coins(funds, utxo, transferOutputOf, chainID)
}

function isAVAX({ assetID }: UTXO, { context }: ImportOptions): boolean {
  return equalBytes(assetID, context.assetID)
}

function gasOfCoin(options: CheckedImport, coin: Coin<UTXO>): bigint {
  return gasOf(importOf(options, [coin], 1n)) - gasOf(importOf(options, [], 1n))
}

function importDraft(options: CheckedImport, coins: readonly Coin<UTXO>[]): Draft {
  const sorted = sortedAsInputs(coins)
  const sum = coins.reduce((total, { amount }) => total + amount, 0n)
  const fee = feeOf(importOf(options, sorted, 1n), options.baseFee)
  if (sum <= fee)
    throw new FundsError(
      'BUILDER_INSUFFICIENT_FUNDS',
      `insufficient funds: importing costs ${formatAmount(fee)} AVAX, the UTXOs bring ${formatAmount(sum)} AVAX`,
    )
  const utxos = sorted.map(({ utxo }) => utxo)
  return finishDraft(importOf(options, sorted, sum - fee), utxos, options)
}

/** The import of these UTXOs, which credits the account with an amount. Gas does not depend on the amount. */
function importOf(
  { context, sourceChain, to }: CheckedImport,
  coins: readonly Coin<UTXO>[],
  amount: bigint,
): ImportTx {
  const view = contextOn('C', context)
  return {
    type: 'ImportTx',
    networkID: context.networkID,
    blockchainID: view.chainID,
    sourceChain: toOtherChain(sourceChain, view).chainID,
    importedInputs: coins.map((coin) => ({
      txID: coin.utxo.txID,
      outputIndex: coin.utxo.outputIndex,
      assetID: coin.utxo.assetID,
      input: {
        type: 'secp256k1fx.TransferInput',
        amount: coin.amount,
        signatureIndices: coin.signatureIndices,
      },
    })),
    outputs: [{ address: to, amount, assetID: context.assetID }],
  }
}
