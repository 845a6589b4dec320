import { type Check, type Members, memberOf, object, type Place } from '../../base/argument.ts'
import { compareBytes, equalBytes } from '../../base/bytes/compare.ts'
import { ADDRESS_SIZE } from '../../base/encoding/address.ts'
import { formatUTXOID, type UTXOID } from '../../base/encoding/ids.ts'
import { ArgumentError, VerifyError } from '../../base/errors.ts'
import { isBytes } from '../../base/require.ts'
import { type AssetAmount, AssetSums } from '../../chain/amounts.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import type { OutputOwners } from '../../chain/owners.ts'
import { utxoKey } from '../../chain/x/ids.ts'
import { sortedBy } from '../../chain/x/order.ts'
import { transferableOutputSize } from '../../chain/x/size.ts'
import {
  type TransferableInput,
  type TransferableOutput,
  transferableOutput,
} from '../../chain/x/transferables.ts'
import type { UTXO } from '../../chain/x/utxo.ts'
import { encodeBare } from '../../codec/codec.ts'
import { type ChosenCoins, chosenCoins, spendCoins } from '../../coins/chosen.ts'
import { describeShortfall, FundsError, type Shortfall } from '../../coins/errors.ts'
import { type ListedUTXOs, listedMembers } from '../../coins/listed.ts'
import { type ChoiceOptions, choiceMembers, type Need } from '../../coins/need.ts'
import type { Coin } from '../../coins/pool.ts'
import { isSet } from '../../coins/set-argument.ts'
import { UTXOSet } from '../../coins/utxo-set.ts'
import {
  type AmountArgument,
  type ChangeArgument,
  toAmount,
  toAssetID,
  toOwners,
} from '../arguments.ts'
import { BuildError } from '../errors.ts'

/** UTXOs, and which of them may be spent: signers, time, and UTXOs that are excluded or solely allowed. */
export type SpendableSet = ListedUTXOs<UTXO>

/** UTXOs to select from, and how to select them. */
export type CoinSource = SpendableSet &
  Pick<ChoiceOptions, 'pinned' | 'strategy' | 'order' | 'consolidate'>

/** Where the UTXOs come from: already selected ones, all of which are spent, or a set or list to select from. */
export type Funds = ChosenCoins | CoinSource

/** Members of `SpendableSet`. */
export const spendableMembers: Members<SpendableSet> = /* @__PURE__ */ listedMembers<UTXO>()

/* @__NO_SIDE_EFFECTS__ */
function sourceOptions(): Check<CoinSource> {
  const { pinned, strategy, order, consolidate } = choiceMembers
  return object<CoinSource>({ ...spendableMembers, pinned, strategy, order, consolidate })
}

const anySource: Check<CoinSource> = /* @__PURE__ */ sourceOptions()

/** Description of a `CoinSource`. */
export const coinSource: Check<CoinSource> = (value, at) => {
  const source = anySource(value, at)
  if (!isSet(source.utxos))
    for (const name of ['strategy', 'order', 'consolidate'] as const)
      if (source[name] !== undefined) throw onlyWith('a set', memberOf(at, name))
  return source
}

/** The error for an option that has an effect only if `funds.utxos` is a set, or only if it is a list. */
export function onlyWith(what: string, { call, path }: Place): ArgumentError {
  return new ArgumentError('ENC_INVALID', `${call}: ${path} needs ${what} of UTXOs`, { path })
}

/**
 * Description of a `SpendableSet`. Options that say how to select are accepted and have no effect: the same funds may
 * be passed to builders that select and to those that spend everything.
 */
export const spendableSet: Check<SpendableSet> = (value, at) => {
  const { utxos, owners, now, excluded, only } = coinSource(value, at)
  return { utxos, owners, now, excluded, only }
}

/** Description of `Funds`. */
export const fundsArgument: Check<Funds> = (value, at) =>
  isChosen(value as Funds) ? chosenCoins(value, at) : coinSource(value, at)

/** The set of UTXOs; those of a list are added to a new one. */
export function toSet(utxos: UTXOSet | readonly UTXO[], sourceChain?: Uint8Array): UTXOSet {
  if (isSet(utxos)) return utxos
  const set = new UTXOSet()
  set.add(utxos, { sourceChain })
  return set
}

/** Returns the UTXOs of `funds` if they are already selected; otherwise selects them. */
export function chooseFrom(funds: Funds, need: Need, maxSize: number): ChosenCoins {
  if (isChosen(funds)) return funds
  const { utxos, ...options } = funds
  return isSet(utxos) ? utxos.select({ ...options, need, maxSize }) : selectListed(funds, need)
}

/**
 * Selects the pinned UTXOs of a list, and the largest others of each asset until they cover the need. Simpler than the
 * selection from a set, so that programs that know their UTXOs do not contain its code.
 */
function selectListed(
  { utxos, owners, now, excluded = [], only, pinned = [] }: CoinSource,
  need: Need,
): ChosenCoins {
  const view = { owners, now }
  const byKey = new Map((utxos as readonly UTXO[]).map((each) => [utxoKey(each), each]))
  const take = (id: UTXOID): UTXO => {
    const found = byKey.get(utxoKey(id))
    if (found === undefined)
      throw new FundsError('UTXO_NOT_FOUND', `missing UTXO ${formatUTXOID(id)}`)
    byKey.delete(utxoKey(id))
    return found
  }
  const coins = spendCoins(pinned.map(take), view)
  for (const id of excluded) byKey.delete(utxoKey(id))
  const allowed = only && new Set(only.map(utxoKey))
  const others = [...byKey].flatMap(([key, each]) => {
    if (allowed?.has(key) === false) return []
    try {
      return spendCoins([each], view)
    } catch (error) {
      if (error instanceof FundsError || error instanceof VerifyError) return []
      throw error
    }
  })
  const amountOf = ({ utxo: { output } }: Coin) => inputAmountOf(output)
  others.sort((a, b) => (amountOf(a) > amountOf(b) ? -1 : 1))
  const sums = new AssetSums()
  for (const coin of coins) sums.add(coin.utxo.assetID, amountOf(coin))
  for (const { assetID, amount } of new AssetSums(need.amounts).list())
    for (const coin of others) {
      if (sums.get(assetID) >= amount) break
      if (!equalBytes(coin.utxo.assetID, assetID)) continue
      coins.push(coin)
      sums.add(assetID, amountOf(coin))
    }
  return { coins, owners }
}

function isChosen(funds: Funds): funds is ChosenCoins {
  // Not a member that someone has added to Object.prototype.
  return typeof funds === 'object' && funds !== null && Object.hasOwn(funds, 'coins')
}

/**
 * Returns the excess of UTXOs over a need, sorted by asset ID.
 *
 * @throws FundsError `BUILDER_INSUFFICIENT_FUNDS`, BuildError `NO_USABLE_UTXO`
 */
export function changeOf(coins: readonly Coin[], need: Need): AssetAmount[] {
  const sums = new AssetSums()
  for (const { utxo } of coins) sums.add(utxo.assetID, inputAmountOf(utxo.output))
  const needs = new AssetSums(need.amounts)
  const short = needs.list().filter(({ assetID, amount }) => sums.get(assetID) < amount)
  if (short.length > 0) throw insufficientFunds(short, sums)
  for (const { assetID, amount } of needs.list()) sums.add(assetID, -amount)
  return sums.list().sort((a, b) => compareBytes(a.assetID, b.assetID))
}

function insufficientFunds(short: readonly AssetAmount[], sums: AssetSums): FundsError {
  const assets = short.map(
    ({ assetID, amount }): Shortfall => ({
      assetID,
      needed: amount,
      available: sums.get(assetID),
      didNotFit: 0n,
      locked: 0n,
      shortOfSigners: 0n,
      reserved: 0n,
      otherOwners: 0n,
      opaque: 0,
    }),
  )
  return new FundsError(
    'BUILDER_INSUFFICIENT_FUNDS',
    `insufficient funds: ${assets.map((asset) => describeShortfall(asset)).join('; ')}`,
    assets,
  )
}

/** Returns the input that spends a UTXO. */
export function toInput({ utxo, signatureIndices }: Coin): TransferableInput {
  return inputFor(utxo, signatureIndices)
}

/** Like `toInput`, for a UTXO and its signers. */
export function inputFor(utxo: UTXO, signatureIndices: readonly number[]): TransferableInput {
  return {
    txID: utxo.txID,
    outputIndex: utxo.outputIndex,
    assetID: utxo.assetID,
    input: {
      type: 'secp256k1fx.TransferInput',
      amount: inputAmountOf(utxo.output),
      signatureIndices,
    },
  }
}

function inputAmountOf(output: Coin['utxo']['output']): bigint {
  if (output.type !== 'secp256k1fx.TransferOutput')
    throw new BuildError('NO_USABLE_UTXO', `a ${output.type} cannot be an input`)
  return output.amount
}

/** Returns the owners of the change; by default the first owner. */
export function changeOwners(
  changeTo: ChangeArgument | undefined,
  owners: readonly Uint8Array[],
  context: NetworkContext,
): OutputOwners {
  const to = changeTo ?? owners[0]
  if (to === undefined)
    throw new ArgumentError('ENC_WRONG_LENGTH', 'no owner for the change: set changeTo or owners')
  const isAddress = typeof to === 'string' || isBytes(to)
  return toOwners(isAddress ? { to } : to, context)
}

/** Returns the size of a change output. */
export function changeSize(changeTo: ChangeArgument | undefined, context: NetworkContext): number {
  const owners = changeOwners(changeTo, [new Uint8Array(ADDRESS_SIZE)], context)
  return transferableOutputSize(outputFor(owners, { assetID: context.assetID, amount: 0n }))
}

/** Returns an output with an amount for these owners. */
export function outputFor(
  owners: OutputOwners,
  { assetID, amount }: AssetAmount,
): TransferableOutput {
  return { assetID, output: { type: 'secp256k1fx.TransferOutput', amount, ...owners } }
}

/** Returns the amounts to destroy, per asset. */
export function toBurned(
  burn: readonly AmountArgument[] | undefined,
  context: NetworkContext,
): AssetAmount[] {
  if (burn === undefined) return []
  const sums = new AssetSums()
  for (const { assetID, amount } of burn) sums.add(toAssetID(assetID, context), toAmount(amount))
  return sums.list().sort((a, b) => compareBytes(a.assetID, b.assetID))
}

/** Sorts outputs as the chain requires. */
export function sortedOutputs(outputs: readonly TransferableOutput[]): TransferableOutput[] {
  return sortedBy(outputs, (output) => encodeBare(transferableOutput, output))
}
