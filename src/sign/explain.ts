import type { AssetAmount, Draft } from '../build/draft.ts'
import { equalBytes } from '../bytes/compare.ts'
import { createdUTXOs, exportedUTXOs } from '../chain/created.ts'
import { type FxOperation, isCredential } from '../chain/fx.ts'
import { type NetworkContext, networkName } from '../chain/networks.ts'
import type { OutputOwners } from '../chain/owners.ts'
import { signerInputs } from '../chain/signers.ts'
import { MAX_TX_SIZE, signedSize } from '../chain/size.ts'
import type { UTXOID } from '../chain/transferables.ts'
import type { SignedTx, UnsignedTx } from '../chain/tx.ts'
import type { UTXO } from '../chain/utxo.ts'
import { feeOf } from '../chain/verify.ts'
import { formatAddress } from '../encoding/address.ts'
import { hex } from '../encoding/hex.ts'
import { formatID, formatUTXOName } from '../encoding/ids.ts'
import { outputWarnings } from './explain-warnings.ts'
import type {
  ExplainedOperation,
  ExplainedOutput,
  ExplainedOwners,
  ExplainedSpend,
  ExplainOptions,
  ExplainTxOptions,
  Explanation,
} from './explanation.ts'
import { requestStatus, type SigningRequest } from './request.ts'
import { matchUTXOs, spentIDs } from './spends.ts'
import { readMemo } from './text.ts'
import { burnedOf, dangersOf, gapsOf } from './warnings.ts'

type Subject = {
  readonly unsignedTx: UnsignedTx
  readonly utxos: readonly (UTXO | undefined)[]
  readonly context: NetworkContext
  readonly change: readonly AssetAmount[]
  readonly made: number
}

/**
 * Says what a draft does before it is signed.
 *
 * @example
 * console.log(formatExplanation(explainDraft(draft, { ours: keys })))
 */
export function explainDraft(draft: Draft, options: ExplainOptions = {}): Explanation {
  return explain({ ...draft, made: 0 }, options)
}

/** Says what a signing request asks for and who has signed. */
export function explainRequest(request: SigningRequest, options: ExplainOptions = {}): Explanation {
  const { context, variants } = request
  const { unsignedTx } = variants[0]!
  const text = addressText(context)
  const status = requestStatus(request)
  const needed = signerInputs(unsignedTx).reduce((sum, i) => sum + i.signatureIndices.length, 0)
  const fewest = Math.min(...status.map(({ missing }) => missing.length))
  return {
    ...explain({ ...request, unsignedTx, made: needed - fewest }, options),
    signerSets: status.map(({ signers, missing }) => ({
      signers: signers.map(text),
      missing: [...new Set(missing.map(({ address }) => text(address)))],
    })),
  }
}

/** Says what a signed transaction does, as far as its UTXOs are known. It does not check signatures. */
export function explainTx(tx: SignedTx, options: ExplainTxOptions): Explanation {
  const { unsignedTx, credentials } = tx
  const { context, utxos = [], change = [] } = options
  const made = credentials
    .flatMap((slot) => (isCredential(slot) ? slot.signatures : []))
    .filter((signature) => signature.some((byte) => byte !== 0)).length
  const known = matchUTXOs(unsignedTx, utxos)
  return explain({ unsignedTx, utxos: known, context, change, made }, options)
}

function explain(subject: Subject, options: ExplainOptions): Explanation {
  const { unsignedTx: tx, context, made } = subject
  const network = options.network ?? context
  const peer = peerOf(tx, network)
  const outputs = explainOutputs(subject, peer, options)
  const fee = feeOf(tx, network)
  const native = formatID(network.assetID)
  const memo = readMemo(tx.memo)
  const size = signedSize(tx)
  const spends = explainSpends(subject)
  const facts: Omit<Explanation, 'warnings'> = {
    type: tx.type,
    title: titleOf(tx, peer),
    network: {
      name: tx.networkID === network.networkID ? network.name : networkName(tx.networkID),
      networkID: tx.networkID,
      chainAlias: network.chainAlias,
      chainID: formatID(tx.blockchainID),
      assetID: native,
    },
    ...(peer === undefined ? {} : { peer }),
    ...(tx.type === 'CreateAssetTx'
      ? { newAsset: { name: tx.name, symbol: tx.symbol, denomination: tx.denomination } }
      : {}),
    spends,
    pays: outputs.filter(({ ours }) => !ours),
    returns: outputs.filter(({ ours }) => ours),
    operations: tx.type === 'OperationTx' ? tx.operations.map(explainOperation) : [],
    fee,
    burned: burnedOf(gapsOf(tx), network.assetID, fee).map(({ assetID, amount }) => ({
      assetID: formatID(assetID),
      amount,
    })),
    memo,
    size,
    maxSize: MAX_TX_SIZE,
    signatures: {
      needed: signerInputs(tx).reduce((sum, input) => sum + input.signatureIndices.length, 0),
      made,
    },
    assets: { [native]: { symbol: 'AVAX', denomination: 9 }, ...options.assets },
  }
  const dangers = dangersOf(tx, context, options)
  return { ...facts, warnings: [...dangers, ...outputWarnings(facts, outputs, options.now)] }
}

function addressText(
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
  return { threshold, addresses: addresses.map(addressText(context, chain)), locktime }
}

function explainSpends({ unsignedTx: tx, utxos, context }: Subject): ExplainedSpend[] {
  const inputs = tx.type === 'ImportTx' ? [...tx.inputs, ...tx.importedInputs] : tx.inputs
  const operations = tx.type === 'OperationTx' ? tx.operations : []
  return spentIDs(tx).map((id: UTXOID | undefined, i) => {
    const input = inputs[i]
    const utxo = utxos[i]
    const assetID = input?.assetID ?? operations[i - inputs.length]!.assetID
    return {
      utxo: id === undefined ? '' : formatUTXOName(id),
      assetID: formatID(assetID),
      ...(input === undefined ? {} : { amount: input.input.amount }),
      ...(utxo === undefined ? {} : { owners: explainOwners(utxo.output, context) }),
      imported: tx.type === 'ImportTx' && i >= tx.inputs.length,
    }
  })
}

/** Everything the transaction makes. The asset that it creates itself has no ID before it is signed. */
function explainOutputs(
  subject: Subject,
  peer: Explanation['peer'],
  options: ExplainOptions,
): ExplainedOutput[] {
  const { unsignedTx: tx, utxos, context, change } = subject
  const { ours = utxos.flatMap((utxo) => utxo?.output.addresses ?? []) } = options
  const own = new Set(('addresses' in ours ? ours.addresses : ours).map(hex.encode))
  const vault = soleOwners(utxos)
  const unsigned = { unsignedTx: tx, credentials: [] }
  const newAsset = new Uint8Array(32)
  const made = [...createdUTXOs(unsigned, newAsset), ...exportedUTXOs(unsigned, newAsset)]
  return made.map(({ assetID, outputIndex, output }) => {
    const amount = output.type === 'secp256k1fx.TransferOutput' ? output.amount : undefined
    const mine = output.addresses.filter((address) => own.has(hex.encode(address))).length
    const exported = tx.type === 'ExportTx' && outputIndex >= tx.outputs.length
    // An address is read together with its chain, so it is shown on the one where it will be spent.
    const chain = exported ? (peer?.alias ?? peer?.chainID) : undefined
    return {
      outputIndex,
      type: output.type,
      ...(assetID === newAsset ? {} : { assetID: formatID(assetID) }),
      ...(amount === undefined ? {} : { amount }),
      owners: explainOwners(output, context, chain),
      ours:
        (output.threshold > 0 && mine >= output.threshold) ||
        (mine > 0 && ownersKey(output) === vault),
      change:
        outputIndex < tx.outputs.length &&
        change.some((c) => c.amount === amount && equalBytes(c.assetID, assetID)),
      exported,
    }
  })
}

/** Those who own all that is spent, if they are the same for every coin: what goes to them, comes back. */
function soleOwners(utxos: readonly (UTXO | undefined)[]): string | undefined {
  const [first, ...others] = new Set(utxos.map((utxo) => utxo && ownersKey(utxo.output)))
  return others.length === 0 ? first : undefined
}

function ownersKey({ threshold, addresses }: OutputOwners): string {
  return `${threshold}:${addresses.map(hex.encode).join()}`
}

const OPERATION_WORDS: { readonly [Type in FxOperation['type']]: string } = {
  'secp256k1fx.MintOperation': 'mint more',
  'nftfx.MintOperation': 'mint an NFT',
  'nftfx.TransferOperation': 'transfer an NFT',
  'propertyfx.MintOperation': 'mint a property',
  'propertyfx.BurnOperation': 'burn a property',
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
    ...(nft === undefined ? {} : { groupID: nft.groupID, payload: hex.encode(nft.payload) }),
  }
}

function peerOf(tx: UnsignedTx, network: NetworkContext): Explanation['peer'] {
  const chainID =
    tx.type === 'ImportTx'
      ? tx.sourceChain
      : tx.type === 'ExportTx'
        ? tx.destinationChain
        : undefined
  if (chainID === undefined) return undefined
  const alias = Object.entries(network.chains).find(([, id]) => equalBytes(id, chainID))?.[0]
  return { ...(alias === undefined ? {} : { alias }), chainID: formatID(chainID) }
}

function titleOf(tx: UnsignedTx, peer: Explanation['peer']): string {
  const chain = peer?.alias === undefined ? 'a chain without a name' : `the ${peer.alias}-Chain`
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
