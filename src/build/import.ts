import type { NetworkContext } from '../chain/networks.ts'
import { MAX_TX_SIZE, signedSize, transferableOutputSize } from '../chain/size.ts'
import type { TransferableOutput, UTXOID } from '../chain/transferables.ts'
import type { ImportTx } from '../chain/tx.ts'
import { FundsError } from '../coins/errors.ts'
import type { Selection } from '../coins/need.ts'
import { packCoins } from '../coins/pack.ts'
import { type Coin, Pool, type PoolOptions } from '../coins/pool.ts'
import type { UTXOSet } from '../coins/utxo-set.ts'
import {
  type ChangeArgument,
  type IDArgument,
  type OwnersArgument,
  type Peer,
  toBytes,
  toOwners,
  toPeer,
} from './arguments.ts'
import type { Draft } from './draft.ts'
import { checkedFee, finish } from './finish.ts'
import { changeOwners, outputFor, sortedOutputs, toInput } from './funds.ts'
import { leftBehind, type Plan } from './plan.ts'
import { Sponsors } from './sponsors.ts'
import { assetNumbers, payouts, wantedAssets } from './sweep.ts'

/** Who pays: the imported coins, coins of this chain, or the first as far as they go and then the second. */
export type FeeSource = 'imported' | 'local' | 'either'

/** What to import from which chain, and to whom. */
export type ImportOptions = OwnersArgument &
  Omit<PoolOptions, 'sourceChain' | 'pinned' | 'only'> & {
    readonly context: NetworkContext
    /** Holds the UTXOs exported by the other chain, and those of this chain for fees. */
    readonly coins: UTXOSet
    /** An alias of the context (`P`, `C`) or a chain's ID. */
    readonly fromChain: IDArgument
    /** Only these of the exported UTXOs; all where none are named. */
    readonly utxos?: readonly UTXOID[]
    /** Only these assets; all where none are named. */
    readonly assets?: readonly IDArgument[]
    readonly withoutAssets?: readonly IDArgument[]
    readonly feeFrom?: FeeSource
    /** Where change of local coins goes; the first of the owners where nobody is named. */
    readonly changeTo?: ChangeArgument
    readonly memo?: Uint8Array | string
    readonly maxFee?: bigint
    readonly maxSize?: number
  }

/**
 * Drafts the import of everything that waits from a chain. Fails where that does not fit into one
 * transaction, or nobody can pay the fee; `planImport` makes several, and says what it leaves.
 *
 * @example
 * coins.add(reply.utxos, { sourceChain: networks.fuji.chains.P })
 * buildImport({ context: networks.fuji, coins, owners: keys.addresses, now, fromChain: 'P', to: 'X-fuji1…' })
 */
export function buildImport(options: ImportOptions): Draft {
  const { context, coins } = options
  const plan = planImport(options)
  const [draft] = plan.transactions === 1 ? plan.drafts() : []
  const unpaid = plan.leftBehind.some(({ reason }) => reason === 'fee')
  if (draft !== undefined && !unpaid) return draft
  const { owners, now, excluded = [] } = options
  // What is unpaid beside a transaction had no room in it.
  const least = plan.transactions + (unpaid ? 1 : 0)
  if (plan.transactions > 0)
    throw new FundsError(
      'FUNDS_DO_NOT_FIT',
      `everything to import takes ${unpaid ? 'at least ' : ''}${least} transactions`,
      [],
      { hint: 'use planImport' },
    )
  // Nothing there, or nothing to pay with: choosing coins for the fee says which, and how much.
  const amounts = [{ assetID: context.assetID, amount: checkedFee('ImportTx', options) }]
  const { chainID } = toPeer(options.fromChain, context)
  const source = unpaid && options.feeFrom !== 'imported' ? {} : { sourceChain: chainID }
  coins.select({
    owners,
    now,
    excluded,
    ...source,
    need: { amounts, baseSize: 0, changeSize: 0 },
  })
  throw new FundsError(
    'BUILDER_INSUFFICIENT_FUNDS',
    unpaid ? 'found nothing that can pay for the import' : 'found nothing to import',
  )
}

/**
 * Plans the import of everything that waits from a chain, in as few transactions as fit. Each pays its fee
 * from what it imports, or from local coins of its own.
 */
export function planImport(options: ImportOptions): Plan {
  const { context, coins, feeFrom = 'either', maxSize = MAX_TX_SIZE, utxos } = options
  const peer = toPeer(options.fromChain, context)
  const fee = checkedFee('ImportTx', options)
  const owners = toOwners(options, context)
  const source = { sourceChain: peer.chainID }
  const pool = new Pool(coins, { ...options, ...source, ...(utxos && { only: utxos }) })
  const isWanted = wantedAssets(options)
  const sponsors = new Sponsors(options)
  const packing = packCoins(pool, {
    room: {
      max: maxSize,
      base: signedSize(emptyImport(options, peer)),
      output: transferableOutputSize(outputFor(owners, { assetID: context.assetID, amount: 0n })),
    },
    fee,
    feeAsset: pool.store.findAsset(context.assetID),
    assets: assetNumbers(pool, isWanted),
    leaveDust: false,
    dustLine: 0n,
    always: feeFrom === 'local',
    ...(feeFrom !== 'imported' && { sponsor: (missing: bigint) => sponsors.find(missing) }),
  })
  // What could not pay for itself is not too small: somebody must pay.
  const unpaid = { transactions: [], dust: [], unpaid: [...packing.dust, ...packing.unpaid] }
  const balances = () => coins.balances({ ...options, ...source })
  return {
    transactions: packing.transactions.length,
    leftBehind: leftBehind(pool, unpaid, balances, isWanted),
    *drafts() {
      let sponsored = 0
      for (const packed of packing.transactions) {
        const sponsor = packed.sponsored > 0n ? sponsors.selections[sponsored++] : undefined
        const imported = pool.coins(packed.rows)
        const paid = payouts(pool.sums(packed.rows), owners, context, fee - packed.sponsored)
        yield importDraft(options, peer, imported, paid, sponsor)
      }
    },
  }
}

function importDraft(
  options: ImportOptions,
  peer: Peer,
  imported: readonly Coin[],
  paid: readonly TransferableOutput[],
  sponsor: Selection | undefined,
): Draft {
  const { context, maxSize = MAX_TX_SIZE } = options
  const { coins: local, change } = sponsor ?? { coins: [], change: [] }
  const changeTo = changeOwners(options.changeTo, options.owners, context)
  const unsignedTx: ImportTx = {
    ...emptyImport(options, peer),
    outputs: sortedOutputs([...paid, ...change.map((amount) => outputFor(changeTo, amount))]),
    inputs: local.map(toInput),
    importedInputs: imported.map(toInput),
  }
  const utxos = [...local, ...imported].map(({ utxo }) => utxo)
  const fee = checkedFee('ImportTx', options)
  return finish({ unsignedTx, utxos, context, fee, change, burned: [] }, maxSize)
}

function emptyImport({ context, memo }: ImportOptions, { chainID }: Peer): ImportTx {
  return {
    type: 'ImportTx',
    networkID: context.networkID,
    blockchainID: context.chainID,
    outputs: [],
    inputs: [],
    memo: toBytes(memo),
    sourceChain: chainID,
    importedInputs: [],
  }
}
