import { equalBytes } from '../../base/bytes/compare.ts'
import { writeAddress } from '../../base/encoding/address.ts'
import { hex } from '../../base/encoding/hex.ts'
import { formatID, formatUTXOID } from '../../base/encoding/ids.ts'
import type { AssetAmount } from '../../chain/amounts.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import { haveSameOwners, type OutputOwners } from '../../chain/owners.ts'
import type { FxOperation } from '../../chain/x/fx.ts'
import {
  type AnyTx,
  type AnyUTXO,
  type Chain,
  NEW_ASSET,
  type NewOutput,
  type Spend,
} from '../chain.ts'
import type { SlotPlace } from '../faults.ts'
import type { AttributedOutput, SpentOutput } from '../ownership.ts'
import type { Proven } from '../proofs/proofs.ts'
import type { SignatureCount } from '../verify.ts'
import { isReturned } from './explain-warnings.ts'
import type {
  ExplainedChain,
  ExplainedOperation,
  ExplainedOutput,
  ExplainedOwners,
  ExplainedSigners,
  ExplainedSpend,
} from './explanation.ts'

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

/** Returns a function that formats addresses of a network. */
function addressFormatter(chain: string, { hrp }: NetworkContext): (address: Uint8Array) => string {
  return (bytes) => writeAddress(chain, hrp, bytes)
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
export function repeatedID(): (id: Uint8Array) => string {
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

/** Explains what is spent. */
export function explainSpends(subject: Subject, spent: readonly SpentOutput[]): ExplainedSpend[] {
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

/** Explains an output, and whether it returns to us. */
export function explainOutput(
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

/** Explains an operation. */
export function explainOperation({
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

/** Explains who signs, and who has not signed yet. */
export function explainSigners(
  signers: readonly Uint8Array[],
  missing: readonly SlotPlace[],
  format: (signer: Uint8Array) => string,
): ExplainedSigners {
  const unsigned = new Set(missing.map(({ address }) => hex.encode(address)))
  return {
    signers: signers.map(format),
    missing: signers.filter((signer) => unsigned.has(hex.encode(signer))).map(format),
  }
}
