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
import { hex } from '../../base/encoding/hex.ts'
import { formatID } from '../../base/encoding/ids.ts'
import type { ChainAlias, SignedTxOf } from '../../chain/chain-types.ts'
import { networkContext, networkName, paysAVAX } from '../../chain/networks.ts'
import type { Draft } from '../../draft/draft.ts'
import { accountsOf } from '../account-keys.ts'
import {
  address,
  chainArgument,
  changeArgument,
  checkDraft,
  oursArgument,
  present,
} from '../arguments.ts'
import { type AnyTx, aliasOf } from '../chain.ts'
import { digestOf } from '../digest.ts'
import { spentOutputs, viewOwnership } from '../ownership.ts'
import type { PolicyLabel } from '../policy.ts'
import { chainNamed } from '../registry.ts'
import { dangerMembers } from '../sign.ts'
import { matchUTXOs } from '../spends.ts'
import { readMemo } from '../text.ts'
import { countSignatures } from '../verify.ts'
import { burnsOf, viewTx } from '../warnings.ts'
import {
  explainOperation,
  explainOutput,
  explainSpends,
  repeatedID,
  type Subject,
  signatureCount,
} from './explain-parts.ts'
import { warningsOf } from './explain-warnings.ts'
import type {
  AssetDetails,
  CheckedExplainOptions,
  ExplainedAsset,
  ExplainedChain,
  ExplainOptions,
  ExplainTxOptions,
  Explanation,
} from './explanation.ts'
import { totalsOf } from './totals.ts'

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
  utxos: optional(present),
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
  const signatures = { needed, made: 0, invalid: [], unverified: 0 }
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
  const copy = argument('explainTx', tx, (value) => chain.copyTx(value as never), 'tx')
  const { unsignedTx } = copy
  const known = argument('explainTx', checked.utxos ?? [], (value) =>
    chain.copyUTXOs(value as never),
  )
  const utxos = matchUTXOs(chain, unsignedTx, known)
  const signatures = countSignatures(chain, copy, utxos)
  return explain({ chain, unsignedTx, utxos, context, change, signatures }, checked)
}

/** Explains a transaction. Callers have checked the subject and the options. */
export function explain(subject: Subject, options: CheckedExplainOptions): Explanation {
  const { chain, unsignedTx: tx, utxos, context, proven } = subject
  const { network: expected = context, ours } = options
  const txView = viewTx(chain, tx)
  const { policy } = options
  const spent = spentOutputs(chain, txView.spends, utxos, proven?.utxos)
  const accounts = options.accounts ?? accountsOf(chain, ours?.publicKeys ?? [])
  const view = viewOwnership(spent, txView.outputs, {
    addresses: ours?.addresses,
    accounts,
    vaults: policy?.vaults,
  })
  const refusals = policy?.judge({
    chain: chain.alias,
    unsignedTx: tx,
    utxos,
    certain: spent.map(({ isCertain }) => isCertain),
    network: expected,
    ours: ours?.addresses,
    accounts,
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
  const assets = assetsOf(subject, options, paysAVAX(expected) ? native : undefined)
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
    signatures: { ...subject.signatures, invalid: subject.signatures.invalid.length },
    assets,
    ...(policy && { policy: labelOf(policy) }),
  }
  return {
    ...details,
    warnings: warningsOf(
      { ...subject, proven, txView, burns, view, spent, refusals: refusals ?? [] },
      details,
      options,
    ),
  }
}

/**
 * Assets with known decimals: AVAX, those that the caller vouches for, and proven ones. Anyone can create an
 * asset with any symbol, so proven ones are not `known`.
 */
function assetsOf(
  { proven }: Subject,
  { assets: given, policy }: CheckedExplainOptions,
  avax: string | undefined,
): { readonly [assetID: string]: ExplainedAsset } {
  const details: { [assetID: string]: ExplainedAsset } = {}
  for (const [name, { symbol, denomination }] of proven?.assets ?? [])
    details[formatID(hex.decode(name))] = { symbol, denomination, known: false }
  for (const [assetID, { symbol, denomination }] of Object.entries({
    ...given,
    ...policy?.assets,
  })) {
    // What is proven cannot be replaced, but the caller knows the asset.
    const { symbol: provenSymbol = symbol, denomination: decimals = denomination } =
      details[assetID] ?? {}
    details[assetID] = { symbol: provenSymbol, denomination: decimals, known: true }
  }
  // Set last, so that neither the caller nor a proof can replace it.
  if (avax !== undefined) details[avax] = { symbol: 'AVAX', denomination: 9, known: true }
  return details
}

function entryOf(
  assets: { readonly [assetID: string]: AssetDetails },
  assetID: string,
): [string, AssetDetails][] {
  const details = assets[assetID]
  return details === undefined ? [] : [[assetID, details]]
}

function labelOf({ name, checksum, addressBook }: PolicyLabel): PolicyLabel {
  return { name, checksum, addressBook }
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
