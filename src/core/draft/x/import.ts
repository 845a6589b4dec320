import {
  argument,
  bulk,
  type Check,
  memberOf,
  object,
  oneOf,
  optional,
} from '../../base/argument.ts'
import { utxoIDs } from '../../base/encoding/ids.ts'
import { MAX_TX_SIZE, signedSize, transferableOutputSize } from '../../chain/x/size.ts'
import type { TransferableOutput, UTXOID } from '../../chain/x/transferables.ts'
import type { ImportTx } from '../../chain/x/tx.ts'
import type { UTXO } from '../../chain/x/utxo.ts'
import { FundsError } from '../../coins/errors.ts'
import type { Selection } from '../../coins/need.ts'
import { packCoins } from '../../coins/pack/pack.ts'
import { type Coin, Pool } from '../../coins/pool.ts'
import { selectCoins } from '../../coins/select.ts'
import { isSet } from '../../coins/set-argument.ts'
import type { UTXOSet } from '../../coins/utxo-set.ts'
import {
  type IDArgument,
  type NamedChain,
  type OwnersArgument,
  toOtherChain,
  toOwners,
} from '../arguments.ts'
import { assetIDs, chain, ownersMembers } from '../descriptions.ts'
import type { Draft } from '../draft.ts'
import { checkedFee } from '../fees.ts'
import type { Plan } from '../plan.ts'
import { emptyBase, type SpendAllOptions, spendAllMembers } from './assemble.ts'
import { finishDraft } from './finish.ts'
import {
  changeOwners,
  onlyWith,
  outputFor,
  type SpendableSet,
  sortedOutputs,
  spendableMembers,
  toInput,
  toSet,
} from './funds.ts'
import { assetNumbers, sweepOutputs, wantedAssets } from './pack-sweep.ts'
import { leftBehind, requireRoom } from './plan.ts'
import { Sponsors } from './sponsors.ts'

/**
 * Which UTXOs pay the fee: `imported` those that are imported, `local` those of this chain, `either` the imported ones
 * as far as possible and local ones for the rest.
 */
export type FeeSource = 'imported' | 'local' | 'either'

/** UTXOs to import, and those that may pay fees. */
export type ImportFunds = SpendableSet & {
  /**
   * The UTXOs of this chain that may pay fees, if `utxos` is a list. A set contains them itself.
   *
   * @defaultValue none
   */
  readonly local?: readonly UTXO[] | undefined
}

/** Options of `buildImport` and `planImport`. */
export type ImportOptions = SpendAllOptions &
  OwnersArgument & {
    /**
     * A set with the UTXOs exported by the other chain, and those of this chain that may pay fees; or a list of the
     * exported ones. `funds.only` limits those of this chain, `utxos` the exported ones.
     */
    readonly funds: ImportFunds
    /** Source chain: an alias of the context (`P`, `C`) or a chain ID. */
    readonly sourceChain: IDArgument
    /**
     * The exported UTXOs to import.
     *
     * @defaultValue all
     */
    readonly utxos?: readonly UTXOID[] | undefined
    /**
     * The assets to import.
     *
     * @defaultValue all
     */
    readonly assets?: readonly IDArgument[] | undefined
    /**
     * Assets not to import.
     *
     * @defaultValue none
     */
    readonly withoutAssets?: readonly IDArgument[] | undefined
    /** @defaultValue `'either'` */
    readonly feeFrom?: FeeSource | undefined
  }

const listedFunds: Check<ImportFunds> = object<ImportFunds>({
  ...spendableMembers,
  local: optional(bulk<UTXO>()),
})

const importFunds: Check<ImportFunds> = (value, at) => {
  const funds = listedFunds(value, at)
  if (isSet(funds.utxos) && funds.local !== undefined)
    throw onlyWith('a list', memberOf(at, 'local'))
  return funds
}

const importOptions: Check<ImportOptions> = object<ImportOptions>({
  ...spendAllMembers,
  ...ownersMembers,
  funds: importFunds,
  sourceChain: chain,
  utxos: optional(utxoIDs),
  assets: assetIDs,
  withoutAssets: assetIDs,
  feeFrom: optional(oneOf('imported', 'local', 'either')),
})

/**
 * Builds the import of everything that a chain has exported to these owners. `planImport` creates several
 * transactions and reports what it leaves behind.
 *
 * @throws FundsError `FUNDS_DO_NOT_FIT` if one transaction does not suffice, `BUILDER_INSUFFICIENT_FUNDS` if there is
 * nothing to import or nothing to pay the fee with
 * @throws BuildError, ArgumentError, VerifyError
 *
 * @example
 * utxos.add(entries, { sourceChain: networks.fuji.chains.P })
 * const funds = { utxos, owners: keys.addresses, now }
 * buildImport({ context: networks.fuji, funds, sourceChain: 'P', to: 'X-fuji1…' })
 */
export function buildImport(given: ImportOptions): Draft {
  const options = argument('buildImport', given, importOptions)
  const { context, funds } = options
  const { chainID } = toOtherChain(options.sourceChain, context)
  const set = importSet(funds, chainID)
  const plan = planFrom('buildImport', set, options)
  const [draft] = plan.transactions === 1 ? plan.drafts() : []
  const unpaid = plan.leftBehind.some(({ reason }) => reason === 'fee')
  if (draft !== undefined && !unpaid) return draft
  // If something is unpaid although there is a transaction, it did not fit in it.
  const transactions = plan.transactions + (unpaid ? 1 : 0)
  if (plan.transactions > 0)
    throw new FundsError(
      'FUNDS_DO_NOT_FIT',
      `the import needs ${unpaid ? 'at least ' : ''}${transactions} transactions`,
      [],
      { hint: 'use planImport' },
    )
  // There is nothing to import, or nothing to pay with. Selecting UTXOs for the fee throws the precise error.
  const amounts = [{ assetID: context.assetID, amount: checkedFee('ImportTx', options) }]
  const isLocal = unpaid && options.feeFrom !== 'imported'
  selectCoins(set, {
    owners: funds.owners,
    now: funds.now,
    excluded: funds.excluded,
    ...(isLocal ? { only: funds.only } : { sourceChain: chainID }),
    need: { amounts, baseSize: 0, changeSize: 0 },
  })
  throw new FundsError(
    'BUILDER_INSUFFICIENT_FUNDS',
    unpaid ? 'no UTXOs to pay the fee of the import' : 'nothing to import',
  )
}

/**
 * Plans the import of everything that a chain has exported to these owners, in as few transactions as possible. Each
 * pays its fee from the imported UTXOs or from separate local UTXOs.
 *
 * @throws BuildError `TX_TOO_LARGE` if `maxSize` is too small for any transaction
 * @throws BuildError, ArgumentError, VerifyError
 */
export function planImport(given: ImportOptions): Plan {
  const options = argument('planImport', given, importOptions)
  const { chainID } = toOtherChain(options.sourceChain, options.context)
  return planFrom('planImport', importSet(options.funds, chainID), options)
}

/** The set of `funds`: a list contains what the other chain has exported. */
function importSet({ utxos, local = [] }: ImportFunds, sourceChain: Uint8Array): UTXOSet {
  const set = toSet(utxos, sourceChain)
  if (!isSet(utxos)) set.add(local)
  return set
}

function planFrom(call: string, set: UTXOSet, options: ImportOptions): Plan {
  const { context, funds, feeFrom = 'either', maxSize = MAX_TX_SIZE, utxos } = options
  const otherChain = toOtherChain(options.sourceChain, context)
  const fee = checkedFee('ImportTx', options)
  const owners = toOwners(options, context, context.chainAlias, { call, path: '' })
  const source = { owners: funds.owners, now: funds.now, sourceChain: otherChain.chainID }
  const pool = new Pool(set, { ...source, excluded: funds.excluded, only: utxos })
  const isWanted = wantedAssets(options)
  const sponsors = new Sponsors(set, options)
  const packing = packCoins(pool, {
    room: requireRoom({
      max: maxSize,
      base: signedSize(emptyImport(options, otherChain)),
      output: transferableOutputSize(outputFor(owners, { assetID: context.assetID, amount: 0n })),
    }),
    fee,
    feeAsset: pool.store.findAsset(context.assetID),
    assets: assetNumbers(pool, isWanted),
    leaveDust: false,
    dustThreshold: 0n,
    sponsorsPayAll: feeFrom === 'local',
    sponsor: feeFrom === 'imported' ? undefined : (missing: bigint) => sponsors.find(missing),
  })
  // In an import, UTXOs that cannot pay for themselves are reported as unpaid instead of dust.
  const unpaid = { transactions: [], dust: [], unpaid: [...packing.dust, ...packing.unpaid] }
  const balances = () => set.balances(source)
  return {
    transactions: packing.transactions.length,
    leftBehind: leftBehind(pool, unpaid, balances, isWanted),
    *drafts() {
      let sponsored = 0
      for (const packed of packing.transactions) {
        const sponsor = packed.sponsored > 0n ? sponsors.selections[sponsored++] : undefined
        const imported = pool.coins(packed.rows)
        const outputs = sweepOutputs(
          pool.sums(packed.rows),
          owners,
          context,
          fee - packed.sponsored,
        )
        yield importDraft(options, otherChain, imported, outputs, sponsor)
      }
    },
  }
}

function importDraft(
  options: ImportOptions,
  otherChain: NamedChain,
  imported: readonly Coin[],
  outputs: readonly TransferableOutput[],
  sponsor: Selection | undefined,
): Draft {
  const { context, maxSize = MAX_TX_SIZE } = options
  const { coins: local, change } = sponsor ?? { coins: [], change: [] }
  const changeTo = changeOwners(options.changeTo, options.funds.owners, context)
  const unsignedTx: ImportTx = {
    ...emptyImport(options, otherChain),
    outputs: sortedOutputs([...outputs, ...change.map((amount) => outputFor(changeTo, amount))]),
    inputs: local.map(toInput),
    importedInputs: imported.map(toInput),
  }
  const utxos = [...local, ...imported].map(({ utxo }) => utxo)
  const fee = checkedFee('ImportTx', options)
  return finishDraft({ chain: 'X', unsignedTx, utxos, context, fee, change, burned: [] }, maxSize)
}

function emptyImport(options: ImportOptions, { chainID }: NamedChain): ImportTx {
  return {
    type: 'ImportTx',
    ...emptyBase(options),
    sourceChain: chainID,
    importedInputs: [],
  }
}
