import { equalBytes } from '../../base/bytes/compare.ts'
import { formatAddress } from '../../base/encoding/address.ts'
import { hex } from '../../base/encoding/hex.ts'
import { formatID, formatUTXOID } from '../../base/encoding/ids.ts'
import { requireBigint, requireFields, requireList } from '../../base/require.ts'
import { type NetworkContext, networkName, requireNetwork } from '../../chain/networks.ts'
import type { OutputOwners } from '../../chain/owners.ts'
import { haveSameOwners } from '../../chain/owners.ts'
import { type FxOperation, isCredential } from '../../chain/x/fx.ts'
import { MAX_TX_SIZE, signedSize } from '../../chain/x/size.ts'
import { type Spend, signersOf, spendsOf } from '../../chain/x/spends.ts'
import { type SignedTx, signedTx, type UnsignedTx } from '../../chain/x/tx.ts'
import { requireUTXOs, type UTXO } from '../../chain/x/utxo.ts'
import { feeOf } from '../../chain/x/verify/verify.ts'
import { requireEncodable } from '../../codec/codec.ts'
import { type AssetAmount, type Draft, requireDraft } from '../../draft/x/draft.ts'
import { digestOf } from '../digest.ts'
import { type AttributedOutput, NEW_ASSET, viewOwnership } from '../ownership.ts'
import type { Proven } from '../proofs.ts'
import { requireChange } from '../request/request-check.ts'
import { matchUTXOs } from '../spends.ts'
import { readMemo } from '../text.ts'
import { burnsOf, intendedNetwork } from '../warnings.ts'
import { isReturned, warningsOf } from './explain-warnings.ts'
import type {
  AssetDetails,
  ExplainedChain,
  ExplainedOperation,
  ExplainedOutput,
  ExplainedOwners,
  ExplainedSpend,
  ExplainOptions,
  ExplainTxOptions,
  Explanation,
  OurAddresses,
} from './explanation.ts'
import { totalsOf } from './totals.ts'

/** A transaction to explain, and what is known about it. */
export type Subject = {
  readonly unsignedTx: UnsignedTx
  /** In the order of the credentials; undefined for unknown ones. */
  readonly utxos: readonly (UTXO | undefined)[]
  readonly context: NetworkContext
  /** Change as stated by the builder. */
  readonly change: readonly AssetAmount[]
  /** Number of signatures that exist already. */
  readonly signaturesMade: number
  /** What is proven; undefined if the caller vouches for the UTXOs. */
  readonly proven?: Proven | undefined
}

/**
 * Explains what a draft does before it is signed. The caller has built the draft and vouches for its UTXOs.
 *
 * @example
 * console.log(formatExplanation(explainDraft(draft, { ours: keys })))
 */
export function explainDraft(draft: Draft, options: ExplainOptions = {}): Explanation {
  requireDraft(draft)
  requireChange(draft)
  return explain({ ...draft, signaturesMade: 0 }, options)
}

/** Explains what a signed transaction does, as far as its UTXOs are known. Signatures are not checked. */
export function explainTx(tx: SignedTx, options: ExplainTxOptions): Explanation {
  requireEncodable(signedTx, tx)
  requireFields(options, 'options', ['context'])
  const { unsignedTx, credentials } = tx
  const { context, utxos = [], change = [] } = options
  requireNetwork(context)
  requireUTXOs(utxos)
  requireChange({ change })
  const signaturesMade = credentials
    .flatMap((slot) => (isCredential(slot) ? slot.signatures : []))
    .filter((signature) => signature.some((byte) => byte !== 0)).length
  const known = matchUTXOs(unsignedTx, utxos)
  return explain({ unsignedTx, utxos: known, context, change, signaturesMade }, options)
}

/** Explains a transaction. Callers have checked the subject. */
export function explain(subject: Subject, options: ExplainOptions): Explanation {
  const { unsignedTx: tx, utxos, context, signaturesMade, change } = subject
  const network = intendedNetwork(context, options)
  const { ours, now = 0n } = options
  // Comparisons with NaN are false: every lock would count as passed.
  requireBigint(now, 'now')
  const own = ours === undefined ? ours : addressesIn(ours)
  const certain = utxos.map((utxo, i) => (subject.proven?.utxos[i] === false ? undefined : utxo))
  const view = viewOwnership(tx, certain, own)
  const sourceChain = tx.type === 'ImportTx' ? explainChain(tx.sourceChain, network) : undefined
  const destinationChain =
    tx.type === 'ExportTx' ? explainChain(tx.destinationChain, network) : undefined
  const assetText = repeatedID()
  const outputs = view.outputs.map((item) =>
    explainOutput(item, subject, destinationChain, assetText),
  )
  const fee = feeOf(tx, network)
  const burns = burnsOf(tx, network)
  const spent = spendsOf(tx)
  const assets = assetsOf(subject, options, formatID(network.assetID))
  const totals = totalsOf(spent, view.outputs, { assetID: network.assetID, fee }, burns.beyondFee)
  const details: Omit<Explanation, 'warnings'> = {
    type: tx.type,
    title: titleOf(tx, sourceChain ?? destinationChain),
    network: {
      name: tx.networkID === network.networkID ? network.name : networkName(tx.networkID),
      networkID: tx.networkID,
      chainAlias: network.chainAlias,
      chainID: formatID(tx.blockchainID),
      assetID: formatID(network.assetID),
    },
    sourceChain,
    destinationChain,
    newAsset:
      tx.type === 'CreateAssetTx'
        ? { name: tx.name, symbol: tx.symbol, denomination: tx.denomination }
        : undefined,
    digest: digestOf({
      unsignedTx: tx,
      utxos,
      proven: certain.map((utxo) => utxo !== undefined),
      // Only assets of this transaction: signers may know different other ones.
      assets: Object.fromEntries(totals.flatMap(({ assetID = '' }) => entryOf(assets, assetID))),
    }),
    totals,
    spends: explainSpends(subject, spent, certain),
    pays: outputs.filter(({ ownership }) => ownership === 'payment'),
    returns: outputs.filter(({ ownership }) => ownership !== 'payment'),
    operations: tx.type === 'OperationTx' ? tx.operations.map(explainOperation) : [],
    fee,
    burned: burns.beyondFee.map(({ assetID, amount }) => ({ assetID: formatID(assetID), amount })),
    memo: readMemo(tx.memo),
    size: signedSize(tx),
    maxSize: MAX_TX_SIZE,
    signatures: {
      needed: signatureCount(tx),
      made: signaturesMade,
    },
    assets,
  }
  const { proven } = subject
  return {
    ...details,
    warnings: warningsOf(
      { unsignedTx: tx, context, change, burns, view, proven },
      details,
      options,
    ),
  }
}

function addressesIn(ours: OurAddresses): readonly Uint8Array[] {
  requireFields(ours, 'ours', [])
  const addresses = 'addresses' in ours ? ours.addresses : ours
  requireList(addresses, 'ours')
  return addresses
}

/** Assets with known decimals: the native one, those that the caller vouches for, and proven ones. */
function assetsOf(
  { proven }: Subject,
  { assets }: ExplainOptions,
  native: string,
): { readonly [assetID: string]: AssetDetails } {
  const details: { [assetID: string]: AssetDetails } = { ...assets }
  for (const [name, { symbol, denomination }] of proven?.assets ?? [])
    details[formatID(hex.decode(name))] = { symbol, denomination }
  // Set last, so that neither the caller nor a proof can replace it.
  details[native] = { symbol: 'AVAX', denomination: 9 }
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
export function addressFormatter(
  context: NetworkContext,
  chain: string = context.chainAlias,
): (address: Uint8Array) => string {
  return (address) => formatAddress({ chain, hrp: context.hrp, address })
}

function explainOwners(
  owners: OutputOwners,
  context: NetworkContext,
  chain?: string,
): ExplainedOwners {
  const { threshold, addresses, locktime } = owners
  return { threshold, addresses: addresses.map(addressFormatter(context, chain)), locktime }
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
function repeatedOwners(context: NetworkContext): (owners: OutputOwners) => ExplainedOwners {
  let last: { readonly owners: OutputOwners; readonly explained: ExplainedOwners } | undefined
  return (owners) => {
    if (
      last === undefined ||
      last.owners.locktime !== owners.locktime ||
      !haveSameOwners(last.owners, owners)
    )
      last = { owners, explained: explainOwners(owners, context) }
    return last.explained
  }
}

/** Returns the number of signatures that a transaction needs. */
export function signatureCount(tx: UnsignedTx): number {
  return signersOf(tx).reduce((sum, { signatureIndices }) => sum + signatureIndices.length, 0)
}

function explainSpends(
  { utxos, context }: Subject,
  spends: readonly Spend[],
  certain: readonly (UTXO | undefined)[],
): ExplainedSpend[] {
  const assetText = repeatedID()
  const ownersOf = repeatedOwners(context)
  return spends.map(({ list, assetID, utxoIDs, amount }, i) => {
    const utxo = utxos[i]
    return {
      utxo: utxoIDs.length === 1 ? formatUTXOID(utxoIDs[0]!) : '',
      assetID: assetText(assetID),
      amount,
      owners: utxo && ownersOf(utxo.output),
      proven: certain[i] !== undefined,
      imported: list === 'importedInputs',
    }
  })
}

function explainOutput(
  item: AttributedOutput,
  { context, change }: Subject,
  destinationChain: ExplainedChain | undefined,
  assetText: (id: Uint8Array) => string,
): ExplainedOutput {
  const { assetID, outputIndex, output, ownership, source } = item
  const amount = output.type === 'secp256k1fx.TransferOutput' ? output.amount : undefined
  const exported = source === 'exportedOutputs'
  // The prefix of an address names the chain on which the output will be spent.
  const chain = exported ? (destinationChain?.alias ?? destinationChain?.chainID) : undefined
  return {
    outputIndex,
    type: output.type,
    // The asset that the transaction creates has no ID until the transaction is signed.
    assetID: assetID === NEW_ASSET ? undefined : assetText(assetID),
    amount,
    owners: explainOwners(output, context, chain),
    ownership,
    change:
      isReturned(item) && change.some((c) => c.amount === amount && equalBytes(c.assetID, assetID)),
    exported,
  }
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
  }
}

function explainChain(chainID: Uint8Array, network: NetworkContext): ExplainedChain {
  const alias = Object.entries(network.chains).find(([, id]) => equalBytes(id, chainID))?.[0]
  return { alias, chainID: formatID(chainID) }
}

function titleOf(tx: UnsignedTx, other: ExplainedChain | undefined): string {
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
