import {
  argument,
  type Check,
  list,
  type Members,
  object,
  oneOf,
  optional,
  variants,
} from '../../base/argument.ts'
import { equalBytes } from '../../base/bytes/compare.ts'
import { hex } from '../../base/encoding/hex.ts'
import { formatID, formatUTXOID, id, utxoReference } from '../../base/encoding/ids.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import type { FxOperation, Output } from '../../chain/x/fx.ts'
import { sortedBy } from '../../chain/x/order.ts'
import { type Operation, operation, type UTXOID } from '../../chain/x/transferables.ts'
import type { UTXO } from '../../chain/x/utxo.ts'
import { encodeBare } from '../../codec/codec.ts'
import { type Coin, Pool } from '../../coins/pool.ts'
import {
  type IDArgument,
  type OwnersArgument,
  toAmount,
  toBytes,
  toID,
  toOwners,
} from '../arguments.ts'
import { amount, memo, owners, ownersMembers } from '../descriptions.ts'
import type { Draft } from '../draft.ts'
import { BuildError } from '../errors.ts'
import { assemble, type BuildOptions, commonMembers } from './assemble.ts'
import { groupID } from './create-asset.ts'
import { type CoinSource, coinSource, toSet } from './funds.ts'

/**
 * The asset to operate on, and the UTXO.
 *
 * @inline
 */
type OperationTarget = {
  /** The asset to operate on. */
  readonly assetID: IDArgument
  /**
   * The UTXO to operate on. Required if several different NFTs are possible.
   *
   * @defaultValue the first usable one
   */
  readonly utxo?: UTXOID | undefined
}

/** Mints more of a fungible asset. */
export type MintArgument = OperationTarget &
  OwnersArgument & {
    /** In the asset's smallest unit. */
    readonly amount: bigint
  }

/** Mints NFTs of a group, one with the same payload for each recipient. Uses up the mint right. */
export type MintNFTArgument = OperationTarget & {
  /** Owners of the new NFTs. */
  readonly recipients: readonly OwnersArgument[]
  /** At most 1024 bytes; text is encoded as UTF-8. */
  readonly payload: Uint8Array | string
  /**
   * The group of the mint right to use.
   *
   * @defaultValue any
   */
  readonly groupID?: number | undefined
}

/** Transfers an NFT. */
export type TransferNFTArgument = OperationTarget &
  OwnersArgument & {
    /**
     * The group of the NFT.
     *
     * @defaultValue any
     */
    readonly groupID?: number | undefined
  }

/** Mints a property. */
export type MintPropertyArgument = OperationTarget & OwnersArgument

/** Destroys a property. */
export type BurnPropertyArgument = OperationTarget

/** An operation on a UTXO without an amount. */
export type OperationArgument =
  | ({ readonly type: 'mint' } & MintArgument)
  | ({ readonly type: 'mintNFT' } & MintNFTArgument)
  | ({ readonly type: 'transferNFT' } & TransferNFTArgument)
  | ({ readonly type: 'mintProperty' } & MintPropertyArgument)
  | ({ readonly type: 'burnProperty' } & BurnPropertyArgument)

/** An operation of a type. */
export type OperationOf<Type> = Extract<OperationArgument, { readonly type: Type }>

/** Options of the operation builders. `funds` pays the fee and contains the UTXOs to operate on. */
export type OperationBuildOptions = Omit<BuildOptions, 'funds'> & { readonly funds: CoinSource }

const buildOptions: Members<OperationBuildOptions> = { ...commonMembers, funds: coinSource }

const targetMembers: Members<OperationTarget> = {
  assetID: id,
  utxo: optional(utxoReference),
}

const mintPropertyMembers: Members<MintPropertyArgument> = { ...targetMembers, ...ownersMembers }

/** Members of operations, by type. */
export const operationMembers: {
  readonly [Type in OperationArgument['type']]: Members<Omit<OperationOf<Type>, 'type'>>
} = {
  mint: { ...mintPropertyMembers, amount },
  mintNFT: {
    ...targetMembers,
    recipients: list(owners),
    payload: memo,
    groupID: optional(groupID),
  },
  transferNFT: { ...mintPropertyMembers, groupID: optional(groupID) },
  mintProperty: mintPropertyMembers,
  burnProperty: targetMembers,
}

/** Description of an operation, by its type. */
export const operationArgument: Check<OperationArgument> = variants<OperationArgument>('type', {
  mint: object({ type: oneOf('mint'), ...operationMembers.mint }),
  mintNFT: object({ type: oneOf('mintNFT'), ...operationMembers.mintNFT }),
  transferNFT: object({ type: oneOf('transferNFT'), ...operationMembers.transferNFT }),
  mintProperty: object({ type: oneOf('mintProperty'), ...operationMembers.mintProperty }),
  burnProperty: object({ type: oneOf('burnProperty'), ...operationMembers.burnProperty }),
} satisfies { [Type in OperationArgument['type']]: Check<OperationOf<Type>> })

/** Options of {@link buildOperations}. */
export type OperationsOptions = OperationBuildOptions & {
  readonly operations: readonly OperationArgument[]
}

const operationsOptions: Check<OperationsOptions> = object<OperationsOptions>({
  ...buildOptions,
  operations: list(operationArgument),
})

/**
 * Builds any number of operations in one transaction, for one fee.
 *
 * @throws BuildError `NO_USABLE_UTXO`, `AMBIGUOUS_NFT` and others; ArgumentError, FundsError, VerifyError
 *
 * @example
 * buildOperations({ context, funds, operations: [{ type: 'mint', assetID, amount: 1000n, to }] })
 */
export function buildOperations(given: OperationsOptions): Draft {
  const options = argument('buildOperations', given, operationsOptions)
  return draftOperations(options, options.operations)
}

/** Builds the minting of a fungible asset. Errors as for `buildOperations`. */
export function buildMint(given: OperationBuildOptions & MintArgument): Draft {
  const options = argument('buildMint', given, mintOptions)
  return draftOperations(options, [{ ...options, type: 'mint' }])
}

/** Builds the minting of NFTs. Errors as for `buildOperations`. */
export function buildMintNFT(given: OperationBuildOptions & MintNFTArgument): Draft {
  const options = argument('buildMintNFT', given, mintNFTOptions)
  return draftOperations(options, [{ ...options, type: 'mintNFT' }])
}

/** Builds the transfer of an NFT. Errors as for `buildOperations`. */
export function buildTransferNFT(given: OperationBuildOptions & TransferNFTArgument): Draft {
  const options = argument('buildTransferNFT', given, transferNFTOptions)
  return draftOperations(options, [{ ...options, type: 'transferNFT' }])
}

/** Builds the minting of a property. Errors as for `buildOperations`. */
export function buildMintProperty(given: OperationBuildOptions & MintPropertyArgument): Draft {
  const options = argument('buildMintProperty', given, mintPropertyOptions)
  return draftOperations(options, [{ ...options, type: 'mintProperty' }])
}

/** Builds the burning of a property. Errors as for `buildOperations`. */
export function buildBurnProperty(given: OperationBuildOptions & BurnPropertyArgument): Draft {
  const options = argument('buildBurnProperty', given, burnPropertyOptions)
  return draftOperations(options, [{ ...options, type: 'burnProperty' }])
}

const mintOptions: Check<OperationBuildOptions & MintArgument> = object<
  OperationBuildOptions & MintArgument
>({ ...buildOptions, ...operationMembers.mint })
const mintNFTOptions: Check<OperationBuildOptions & MintNFTArgument> = object<
  OperationBuildOptions & MintNFTArgument
>({ ...buildOptions, ...operationMembers.mintNFT })
const transferNFTOptions: Check<OperationBuildOptions & TransferNFTArgument> = object<
  OperationBuildOptions & TransferNFTArgument
>({
  ...buildOptions,
  ...operationMembers.transferNFT,
})
const mintPropertyOptions: Check<OperationBuildOptions & MintPropertyArgument> = object<
  OperationBuildOptions & MintPropertyArgument
>({
  ...buildOptions,
  ...operationMembers.mintProperty,
})
const burnPropertyOptions: Check<OperationBuildOptions & BurnPropertyArgument> = object<
  OperationBuildOptions & BurnPropertyArgument
>({
  ...buildOptions,
  ...targetMembers,
})

function draftOperations(
  options: OperationBuildOptions,
  wanted: readonly OperationArgument[],
): Draft {
  const { utxos, ...view } = options.funds
  const set = toSet(utxos)
  const unused = new UnusedUTXOs(new Pool(set, view))
  // Operations on a specific UTXO come before those that can use any.
  const built = wanted
    .toSorted((a, b) => freedom(a) - freedom(b))
    .map((item) => buildOperation(item, unused, options.context))
  const sorted = sortedBy(built, (item) => encodeBare(operation, item.operation))
  return assemble(
    { ...options, funds: { ...view, utxos: set } },
    {
      outputs: [],
      spent: sorted.map(({ utxo }) => utxo),
      complete: (base) => ({
        type: 'OperationTx',
        ...base,
        operations: sorted.map((item) => item.operation),
      }),
    },
  )
}

/** How freely the UTXO can be chosen: 0 a specific one, 1 any of a group, 2 any. */
function freedom(argument: OperationArgument): number {
  if (argument.utxo !== undefined) return 0
  return 'groupID' in argument && argument.groupID !== undefined ? 1 : 2
}

type NFT = Extract<Output, { type: 'nftfx.TransferOutput' }>

/** An operation and the UTXO it spends. */
type BuiltOperation = { readonly operation: Operation; readonly utxo: UTXO }

function buildOperation(
  wanted: OperationArgument,
  unused: UnusedUTXOs,
  context: NetworkContext,
): BuiltOperation {
  const target = { assetID: toID(wanted.assetID), utxo: wanted.utxo }
  switch (wanted.type) {
    case 'mint': {
      const { coin, output } = unused.take('secp256k1fx.MintOutput', target)
      return operationOn(coin, {
        type: 'secp256k1fx.MintOperation',
        mintInput: indicesOf(coin),
        mintOutput: output,
        transferOutput: {
          type: 'secp256k1fx.TransferOutput',
          amount: toAmount(wanted.amount),
          ...toOwners(wanted, context),
        },
      })
    }
    case 'mintNFT': {
      const { recipients } = wanted
      if (recipients.length === 0)
        throw new BuildError(
          'UNINTENDED_BURN',
          'minting for no recipients uses up the mint right',
          {
            hint: 'add at least one recipient',
          },
        )
      const { coin, output } = unused.take('nftfx.MintOutput', target, wanted.groupID)
      return operationOn(coin, {
        type: 'nftfx.MintOperation',
        mintInput: indicesOf(coin),
        groupID: output.groupID,
        payload: toBytes(wanted.payload),
        outputs: recipients.map((owners) => toOwners(owners, context)),
      })
    }
    case 'transferNFT': {
      const { coin, output } = unused.take('nftfx.TransferOutput', target, wanted.groupID)
      return operationOn(coin, {
        type: 'nftfx.TransferOperation',
        input: indicesOf(coin),
        output: { ...output, ...toOwners(wanted, context) },
      })
    }
    case 'mintProperty': {
      const { coin, output } = unused.take('propertyfx.MintOutput', target)
      return operationOn(coin, {
        type: 'propertyfx.MintOperation',
        mintInput: indicesOf(coin),
        mintOutput: output,
        ownedOutput: { type: 'propertyfx.OwnedOutput', ...toOwners(wanted, context) },
      })
    }
    case 'burnProperty': {
      const { coin } = unused.take('propertyfx.OwnedOutput', target)
      return operationOn(coin, { type: 'propertyfx.BurnOperation', ...indicesOf(coin) })
    }
  }
}

function indicesOf({ signatureIndices }: Coin): Pick<Coin, 'signatureIndices'> {
  return { signatureIndices }
}

function operationOn({ utxo }: Coin, fxOperation: FxOperation): BuiltOperation {
  const { txID, outputIndex, assetID } = utxo
  const inputIDs = [{ txID, outputIndex }]
  return { utxo, operation: { assetID, inputIDs, operation: fxOperation } }
}

/** The UTXOs that can be operated on. Each is used once. */
class UnusedUTXOs {
  private readonly pool: Pool
  private readonly used = new Set<number>()

  constructor(pool: Pool) {
    this.pool = pool
  }

  /**
   * Returns a UTXO of the given type, asset and group, and marks it as used.
   *
   * @throws BuildError `NO_USABLE_UTXO`, `AMBIGUOUS_NFT`
   */
  take<T extends Output['type']>(
    type: T,
    target: { readonly assetID: Uint8Array; readonly utxo: UTXOID | undefined },
    groupID?: number,
  ): { coin: Coin; output: Extract<Output, { type: T }> } {
    const rows =
      target.utxo === undefined ? this.pool.operable() : [this.pool.findSpendable(target.utxo)]
    const found: { row: number; coin: Coin }[] = []
    for (const row of rows) {
      if (this.used.has(row)) continue
      const coin = this.pool.coin(row)
      const { assetID, output } = coin.utxo
      if (output.type !== type || !equalBytes(assetID, target.assetID)) continue
      if (groupID !== undefined && 'groupID' in output && output.groupID !== groupID) continue
      found.push({ row, coin })
      // Other outputs of the same type are interchangeable; NFTs must all be compared.
      if (type !== 'nftfx.TransferOutput') break
    }
    const [first] = found
    if (first === undefined) {
      const group = groupID === undefined ? '' : ` in group ${groupID}`
      throw new BuildError(
        'NO_USABLE_UTXO',
        `no usable ${type} of ${formatID(target.assetID)}${group} for these owners`,
      )
    }
    requireOneKindOfNFT(found.map(({ coin }) => coin.utxo))
    this.used.add(first.row)
    return { coin: first.coin, output: first.coin.utxo.output as Extract<Output, { type: T }> }
  }
}

/** Maximum number of payload bytes, and of NFTs, in an error message. */
const SHOWN_PAYLOAD = 16
const SHOWN_NFTS = 8

/** Rejects different NFTs: it is not known which one is meant, and a transfer cannot be undone. */
function requireOneKindOfNFT(utxos: readonly UTXO[]): void {
  const nfts = utxos.flatMap(({ output, ...utxo }) =>
    output.type === 'nftfx.TransferOutput' ? [{ ...utxo, output }] : [],
  )
  const [first] = nfts
  const isEqual = (a: NFT, b: NFT) => a.groupID === b.groupID && equalBytes(a.payload, b.payload)
  if (first === undefined || nfts.every(({ output }) => isEqual(output, first.output))) return
  const list = nfts.slice(0, SHOWN_NFTS).map(({ output: { groupID, payload }, ...utxo }) => {
    const cut = payload.length > SHOWN_PAYLOAD ? '…' : ''
    const text = hex.encode(payload.subarray(0, SHOWN_PAYLOAD))
    return `${formatUTXOID(utxo)} (group ${groupID}, payload 0x${text}${cut})`
  })
  const more = nfts.length > SHOWN_NFTS ? `, and ${nfts.length - SHOWN_NFTS} more` : ''
  throw new BuildError('AMBIGUOUS_NFT', `ambiguous NFT: ${list.join(', ')}${more}`, {
    hint: 'set utxo, or a groupID in which all NFTs are equal',
  })
}
