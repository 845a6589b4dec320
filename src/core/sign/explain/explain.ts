import {
  argument,
  bigintFrom,
  type Check,
  integerFrom,
  list,
  type Members,
  object,
  optional,
  record,
  text,
} from '../../base/argument.ts'
import { equalBytes } from '../../base/bytes/compare.ts'
import { formatAddress } from '../../base/encoding/address.ts'
import { hex } from '../../base/encoding/hex.ts'
import { formatID, formatUTXOID } from '../../base/encoding/ids.ts'
import type { AssetAmount } from '../../chain/amounts.ts'
import type { ChainAlias, SignedTxOf } from '../../chain/chain-types.ts'
import { type NetworkContext, networkContext, networkName } from '../../chain/networks.ts'
import { haveSameOwners, type OutputOwners } from '../../chain/owners.ts'
import type { FxOperation } from '../../chain/x/fx.ts'
import type { Draft } from '../../draft/draft.ts'
import { accountsOf } from '../account-keys.ts'
import {
  address,
  chainArgument,
  changeArgument,
  checkDraft,
  oursArgument,
  struct,
} from '../arguments.ts'
import {
  type AnyTx,
  type AnyUTXO,
  aliasOf,
  type Chain,
  NEW_ASSET,
  type NewOutput,
  type Spend,
} from '../chain.ts'
import { digestOf } from '../digest.ts'
import { type AttributedOutput, type SpentOutput, viewOwnership } from '../ownership.ts'
import type { Proven } from '../proofs/proofs.ts'
import { chainNamed } from '../registry.ts'
import { dangerMembers } from '../sign.ts'
import { matchUTXOs } from '../spends.ts'
import { readMemo } from '../text.ts'
import { countSignatures, type SignatureCount } from '../verify.ts'
import { burnsOf, viewTx } from '../warnings.ts'
import { isReturned, warningsOf } from './explain-warnings.ts'
import type {
  AssetDetails,
  CheckedExplainOptions,
  ExplainedAsset,
  ExplainedChain,
  ExplainedOperation,
  ExplainedOutput,
  ExplainedOwners,
  ExplainedSpend,
  ExplainOptions,
  ExplainTxOptions,
  Explanation,
} from './explanation.ts'
import { totalsOf } from './totals.ts'

/** A transaction to explain, and what is known about it. */
export type Subject = {
  readonly chain: Chain
  readonly unsignedTx: AnyTx
  /** In the order of the credentials; undefined for unknown ones. */
  readonly utxos: readonly (AnyUTXO | undefined)[]
  readonly context: NetworkContext
  /** Change as stated by the builder. */
  readonly change: readonly AssetAmount[]
  readonly signatures: SignatureCount
  /** What is proven; undefined if the caller vouches for the UTXOs. */
  readonly proven?: Proven | undefined
}

/** Descriptions of the options that all explanations have. */
export const explainMembers: Members<CheckedExplainOptions> = {
  ...dangerMembers,
  ours: optional(oursArgument),
  accounts: optional(list(address)),
  assets: optional(
    record(
      object<AssetDetails>({
        symbol: text,
        denomination: integerFrom(0, 255),
      }),
    ),
  ),
  now: optional(bigintFrom(0n)),
}

/** Description of `ExplainOptions`. */
export const explainOptions: Check<CheckedExplainOptions> =
  object<CheckedExplainOptions>(explainMembers)

type CheckedTxOptions = CheckedExplainOptions &
  Omit<ExplainTxOptions<ChainAlias>, keyof ExplainOptions | 'utxos'> & {
    readonly utxos?: unknown
  }

const explainTxOptions: Check<CheckedTxOptions> = object<CheckedTxOptions>({
  ...explainMembers,
  context: networkContext,
  chain: optional(chainArgument),
  utxos: optional(struct),
  change: optional(changeArgument),
})

/**
 * Explains what a draft does before it is signed. The caller has built the draft and vouches for its UTXOs.
 *
 * @example
 * console.log(formatExplanation(explainDraft(draft, { ours: keys })))
 */
export function explainDraft<A extends ChainAlias>(
  draft: Draft<A>,
  options: ExplainOptions = {},
): Explanation {
  const checked = argument('explainDraft', options, explainOptions)
  const { chain, unsignedTx, context, change, ...given } = checkDraft('explainDraft', draft)
  const utxos = matchUTXOs(
    chain,
    unsignedTx,
    given.utxos.filter((utxo) => utxo !== undefined),
  )
  const needed = signatureCount(chain.spends(unsignedTx))
  const signatures = { needed, made: 0, invalid: [], unknown: 0 }
  return explain({ chain, unsignedTx, utxos, context, change, signatures }, checked)
}

/**
 * Explains what a signed transaction does, as far as its UTXOs are known. Signatures count only if they verify, for
 * which the UTXO must be known.
 */
export function explainTx<A extends ChainAlias = 'X'>(
  tx: SignedTxOf<A>,
  options: ExplainTxOptions<A>,
): Explanation {
  const checked = argument('explainTx', options, explainTxOptions)
  const { context, change = [] } = checked
  const chain = chainNamed(checked.chain ?? 'X')
  const copy = chain.copyTx(tx)
  const { unsignedTx } = copy
  const known = chain.copyUTXOs((checked.utxos ?? []) as readonly AnyUTXO[])
  const utxos = matchUTXOs(chain, unsignedTx, known)
  const signatures = countSignatures(chain, copy, utxos)
  return explain({ chain, unsignedTx, utxos, context, change, signatures }, checked)
}

/** Explains a transaction. Callers have checked the subject and the options. */
export function explain(subject: Subject, options: CheckedExplainOptions): Explanation {
  const { chain, unsignedTx: tx, utxos, context, change, proven } = subject
  const { network: expected = context, ours } = options
  const txView = viewTx(chain, tx)
  const spent = spentOutputs(subject, txView.spends)
  const view = viewOwnership(spent, txView.outputs, {
    addresses: ours?.addresses,
    accounts: options.accounts ?? accountsOf(chain, ours?.publicKeys ?? []),
  })
  const chainAt = (chainID: Uint8Array): ExplainedChain => ({
    alias: aliasOf(chainID, expected),
    chainID: formatID(chainID),
  })
  const sourceChain = 'sourceChain' in tx ? chainAt(tx.sourceChain) : undefined
  const destinationChain = 'destinationChain' in tx ? chainAt(tx.destinationChain) : undefined
  const assetText = repeatedID()
  const outputs = view.outputs.map((item) =>
    explainOutput(item, subject, destinationChain, assetText),
  )
  const burns = burnsOf(txView, expected)
  const native = formatID(expected.assetID)
  const assets = assetsOf(subject, options, native)
  const totals = totalsOf(
    txView.spends,
    view.outputs,
    { assetID: expected.assetID, fee: burns.fee },
    burns.beyondFee,
  )
  const details: Omit<Explanation, 'warnings'> = {
    chain: chain.alias,
    type: tx.type,
    title: titleOf(tx, sourceChain ?? destinationChain),
    network: {
      name: tx.networkID === expected.networkID ? expected.name : networkName(tx.networkID),
      networkID: tx.networkID,
      chainAlias: chain.prefixIn(expected),
      chainID: formatID(tx.blockchainID),
      assetID: native,
    },
    sourceChain,
    destinationChain,
    newAsset:
      tx.type === 'CreateAssetTx'
        ? { name: tx.name, symbol: tx.symbol, denomination: tx.denomination }
        : undefined,
    digest: digestOf({
      chain,
      unsignedTx: tx,
      utxos,
      proven: spent.map(({ isCertain }) => isCertain),
      // Only assets of this transaction: signers may know different other ones.
      assets: Object.fromEntries(totals.flatMap(({ assetID = '' }) => entryOf(assets, assetID))),
    }),
    totals,
    spends: explainSpends(subject, spent),
    pays: outputs.filter(({ ownership }) => ownership === 'payment'),
    returns: outputs.filter(({ ownership }) => ownership !== 'payment'),
    operations: tx.type === 'OperationTx' ? tx.operations.map(explainOperation) : [],
    fee: burns.fee,
    burned: burns.beyondFee.map(({ assetID, amount }) => ({ assetID: formatID(assetID), amount })),
    memo: readMemo('memo' in tx ? tx.memo : new Uint8Array(0)),
    size: chain.signedSize(tx),
    maxSize: chain.maxSize,
    signatures: {
      needed: subject.signatures.needed,
      made: subject.signatures.made,
      invalid: subject.signatures.invalid.length,
    },
    assets,
  }
  return {
    ...details,
    warnings: warningsOf(
      { txView, context, change, burns, view, spent, proven, signatures: subject.signatures },
      details,
      options,
    ),
  }
}

/** What is spent, with the owners as far as they are known. */
function spentOutputs(
  { chain, utxos, proven }: Subject,
  spends: readonly Spend[],
): readonly SpentOutput[] {
  return spends.map((spend, i): SpentOutput => {
    const { account } = spend
    if (account !== undefined) {
      const owners = { threshold: 1, locktime: 0n, addresses: [account.address] }
      // The transaction itself names the account.
      return { spend, owners, isCertain: true, stakeableLocktime: 0n }
    }
    const utxo = utxos[i]
    const lockable = utxo && chain.outputOf(utxo)
    return {
      spend,
      owners: lockable?.output,
      isCertain: utxo !== undefined && proven?.utxos[i] !== false,
      stakeableLocktime: lockable?.stakeableLocktime ?? 0n,
    }
  })
}

/**
 * Assets with known decimals: the native one, those that the caller vouches for, and proven ones. Anyone can create an
 * asset with any symbol, so proven ones are not `known`.
 */
function assetsOf(
  { proven }: Subject,
  { assets = {} }: CheckedExplainOptions,
  native: string,
): { readonly [assetID: string]: ExplainedAsset } {
  const details: { [assetID: string]: ExplainedAsset } = {}
  for (const [name, { symbol, denomination }] of proven?.assets ?? [])
    details[formatID(hex.decode(name))] = { symbol, denomination, known: false }
  for (const [assetID, { symbol, denomination }] of Object.entries(assets)) {
    // What is proven cannot be replaced, but the caller knows the asset.
    const { symbol: provenSymbol = symbol, denomination: decimals = denomination } =
      details[assetID] ?? {}
    details[assetID] = { symbol: provenSymbol, denomination: decimals, known: true }
  }
  // Set last, so that neither the caller nor a proof can replace it.
  details[native] = { symbol: 'AVAX', denomination: 9, known: true }
  return details
}

function entryOf(
  assets: { readonly [assetID: string]: AssetDetails },
  assetID: string,
): [string, AssetDetails][] {
  const details = assets[assetID]
  return details === undefined ? [] : [[assetID, details]]
}

/** Returns a function that formats addresses of a network. */
function addressFormatter(chain: string, { hrp }: NetworkContext): (address: Uint8Array) => string {
  return (bytes) => formatAddress({ chain, hrp, address: bytes })
}

/** Returns a function that formats the signers of a transaction: addresses or accounts. */
export function signerFormatter(
  chain: Chain,
  context: NetworkContext,
  signedByAccounts: boolean,
): (signer: Uint8Array) => string {
  return (
    (signedByAccounts ? chain.accounts?.format : undefined) ??
    addressFormatter(chain.prefixIn(context), context)
  )
}

function explainOwners(
  { threshold, addresses, locktime }: OutputOwners,
  format: (address: Uint8Array) => string,
  stakeableLocktime: bigint,
): ExplainedOwners {
  return {
    threshold,
    addresses: addresses.map(format),
    locktime,
    ...(stakeableLocktime > 0n && { stakeableLocktime }),
  }
}

/** Like `formatID`, for lists in which most IDs equal the previous one: comparing is faster than encoding cb58. */
function repeatedID(): (id: Uint8Array) => string {
  let last: { readonly id: Uint8Array; readonly text: string } | undefined
  return (id) => {
    if (last === undefined || !equalBytes(last.id, id)) last = { id, text: formatID(id) }
    return last.text
  }
}

/** Like `explainOwners`, for lists in which most owners equal the previous ones. */
function repeatedOwners({
  chain,
  context,
}: Subject): (spent: SpentOutput) => ExplainedOwners | undefined {
  let last: { readonly spent: SpentOutput; readonly explained: ExplainedOwners } | undefined
  return (spent) => {
    const { owners, spend, stakeableLocktime } = spent
    if (owners === undefined) return undefined
    if (
      last?.spent.owners === undefined ||
      last.spent.stakeableLocktime !== stakeableLocktime ||
      last.spent.owners.locktime !== owners.locktime ||
      !haveSameOwners(last.spent.owners, owners)
    ) {
      const format = signerFormatter(chain, context, spend.account !== undefined)
      last = { spent, explained: explainOwners(owners, format, stakeableLocktime) }
    }
    return last.explained
  }
}

/** Returns the number of signatures that a transaction needs. */
export function signatureCount(spends: readonly Spend[]): number {
  return spends.reduce((sum, { signers }) => sum + signers.signatureIndices.length, 0)
}

function explainSpends(subject: Subject, spent: readonly SpentOutput[]): ExplainedSpend[] {
  const assetText = repeatedID()
  const ownersOf = repeatedOwners(subject)
  return spent.map((item) => {
    const { list: place, assetID, utxoIDs, amount, account } = item.spend
    return {
      utxo: utxoIDs.length === 1 ? formatUTXOID(utxoIDs[0]!) : '',
      ...(account !== undefined && { nonce: account.nonce }),
      assetID: assetText(assetID),
      amount,
      owners: ownersOf(item),
      proven: item.isCertain,
      imported: place === 'importedInputs',
    }
  })
}

function explainOutput(
  item: AttributedOutput,
  { chain, context, change }: Subject,
  destinationChain: ExplainedChain | undefined,
  assetText: (id: Uint8Array) => string,
): ExplainedOutput {
  const { assetID, outputIndex, output, type, ownership, source, stakeableLocktime } = item
  const amount = output.type === 'secp256k1fx.TransferOutput' ? output.amount : undefined
  const exported = source === 'exportedOutputs'
  return {
    outputIndex,
    type,
    // The asset that the transaction creates has no ID until the transaction is signed.
    assetID: assetID === NEW_ASSET ? undefined : assetText(assetID),
    amount,
    owners: explainOwners(
      output,
      ownerFormatter(item, chain, context, destinationChain),
      stakeableLocktime,
    ),
    ownership,
    change:
      isReturned(item) && change.some((c) => c.amount === amount && equalBytes(c.assetID, assetID)),
    exported,
  }
}

/** The prefix of an address names the chain on which the output will be spent. */
function ownerFormatter(
  { source, isAccount }: NewOutput,
  chain: Chain,
  context: NetworkContext,
  destinationChain: ExplainedChain | undefined,
): (address: Uint8Array) => string {
  if (source !== 'exportedOutputs') return signerFormatter(chain, context, isAccount === true)
  return addressFormatter(destinationChain?.alias ?? destinationChain!.chainID, context)
}

const OPERATION_WORDS: { readonly [Type in FxOperation['type']]: string } = {
  'secp256k1fx.MintOperation': 'mint more',
  'nftfx.MintOperation': 'mint an NFT',
  'nftfx.TransferOperation': 'transfer an NFT',
  'propertyfx.MintOperation': 'mint a property',
  'propertyfx.BurnOperation': 'burn a property',
}

/** What an operation consumes without creating it again. */
const DESTROYED: { readonly [Type in FxOperation['type']]?: string } = {
  'nftfx.MintOperation': 'a right to mint NFTs',
  'propertyfx.BurnOperation': 'a property',
}

function explainOperation({
  assetID,
  operation,
}: {
  readonly assetID: Uint8Array
  readonly operation: FxOperation
}): ExplainedOperation {
  const nft =
    operation.type === 'nftfx.MintOperation'
      ? operation
      : operation.type === 'nftfx.TransferOperation'
        ? operation.output
        : undefined
  return {
    words: OPERATION_WORDS[operation.type],
    assetID: formatID(assetID),
    groupID: nft?.groupID,
    payload: nft && hex.encode(nft.payload),
    destroys: DESTROYED[operation.type],
    burnsProperty: operation.type === 'propertyfx.BurnOperation',
  }
}

function titleOf(tx: AnyTx, other: ExplainedChain | undefined): string {
  const chain = other?.alias === undefined ? 'an unknown chain' : `the ${other.alias}-Chain`
  switch (tx.type) {
    case 'BaseTx':
      return 'transfer'
    case 'CreateAssetTx':
      return 'creation of an asset'
    case 'OperationTx':
      return 'operations on assets'
    case 'ImportTx':
      return `import from ${chain}`
    case 'ExportTx':
      return `export to ${chain}`
  }
}
