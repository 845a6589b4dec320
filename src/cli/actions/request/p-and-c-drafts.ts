import { equalBytes } from '../../../core/base/bytes/compare.ts'
import { formatID } from '../../../core/base/encoding/ids.ts'
import * as cChain from '../../../core/c-chain.ts'
import type { ChainAlias } from '../../../core/chain/chain-types.ts'
import { contextOn, type NetworkContext } from '../../../core/chain/networks.ts'
import { unlockedOutput } from '../../../core/chain/p/transferables.ts'
import { type HDPosition, WatchAccount } from '../../../core/crypto/hd/index.ts'
import type {
  ChangeArgument,
  OutputArgument,
  OwnersArgument,
} from '../../../core/draft/arguments.ts'
import type { Draft } from '../../../core/draft/draft.ts'
import type { Plan } from '../../../core/draft/plan.ts'
import * as pChain from '../../../core/p-chain.ts'
import { collectProofs } from '../../../core/sign/proofs/collect.ts'
import { explainRequest } from '../../../core/sign/request/explain-request.ts'
import { createRequest } from '../../../core/sign/request/request.ts'
import { formatRequest } from '../../../core/sign/request/request-file.ts'
import type { SigningRequest } from '../../../core/sign/request/signing-request.ts'
import type { AddressPath } from '../../../core/sign/signer.ts'
import { requestJSON } from '../../../inspect/request-json.ts'
import type { ExportDetails } from '../../../node/c-chain-client.ts'
import { agreedAccount, agreedBaseFee, agreedFees } from '../../../node/view/other-reads.ts'
import { reachedBy } from '../../../node/view/votes.ts'
import { pAndCViews, parentReader } from '../../chains/clients.ts'
import { listOnC, listOnP, noteDisputes, type Walk } from '../../chains/listing.ts'
import type { Result } from '../../command.ts'
import { CliError, UsageError } from '../../errors.ts'
import type { Invocation } from '../../invocation.ts'
import {
  defaultChange,
  type Owners,
  parseOwnerTexts,
  pathsIn,
  payersOn,
} from '../../keys/addresses.ts'
import { noteSearches } from '../../keys/discover.ts'
import { feeMargin, withMargin } from '../../spending/current-fee.ts'
import { lookUpAssets } from '../../spending/lookup.ts'
import {
  locktimeOf,
  outputsOf,
  type Payment,
  parseAsset,
  parseOwners,
  parsePayments,
} from '../../spending/payments.ts'
import {
  outFolder,
  requestFile,
  requireChangeOwner,
  writeRequests,
} from '../../spending/request-files.ts'
import { explanationText } from '../../terminal/explanation-text.ts'
import { counted } from '../../terminal/print.ts'
import { outputRequest } from './request.ts'

/** The key of an xpub whose account a C-Chain export debits. */
const FIRST_KEY: HDPosition = { change: 0, index: 0 }

/** That of Ethereum. Devices, and wallets such as Core, have their accounts of the C-Chain there. */
const EVM_COIN_TYPE = 60

/** Drafts a payment on the P-Chain, or an export of the P- or C-Chain. */
export async function create(chain: 'P' | 'C', invocation: Invocation): Promise<Result> {
  feeMargin(invocation)
  return chain === 'P' ? createOnP(invocation) : createOnC(invocation)
}

async function createOnP(invocation: Invocation): Promise<Result> {
  const { values } = invocation
  refuseOptions('a transaction of the P-Chain', ['memo', 'coin-type'], invocation)
  const payments = parsePayments(values.args)
  const destinationChain = values.text('destination-chain')
  const all = await allOf(payments, invocation)
  if (all !== undefined && destinationChain === undefined)
    throw new UsageError('BAD_VALUE', 'the amount all needs --destination-chain on the P-Chain')
  const context = await invocation.xContext()
  const found = await ownersOn('P', invocation, context)
  const { owners, searches } = found
  const utxos = await utxosOnP({ owners }, invocation)
  const changeTo = changeOwner(found, invocation)
  const common = {
    context,
    funds: { utxos, owners, now: invocation.now() },
    fees: await feesOnP(invocation),
  }
  const draft =
    all !== undefined
      ? pChain.buildExportAll({ ...common, ...all, destinationChain: destinationChain! })
      : destinationChain === undefined
        ? pChain.buildTransfer({
            ...common,
            changeTo,
            outputs: await outputArguments(payments, invocation),
          })
        : pChain.buildExport({
            ...common,
            changeTo,
            destinationChain,
            outputs: await outputArguments(payments, invocation),
          })
  requireChangeOwnerOnP(draft, changeTo, owners[0]!)
  return outputDraft(draft, owners, pathsIn(searches), invocation)
}

async function createOnC(invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const payments = parsePayments(values.args)
  const destinationChain = values.required('destination-chain', 'X or P')
  const context = await invocation.xContext()
  const [from, more] = (await payersOn(invocation))(context)
  if (from === undefined || more !== undefined)
    throw new UsageError(
      'MISSING_OPTION',
      'the option --from is required once: the account to debit',
      {
        hint: 'for example --from 0x…',
      },
    )
  refuseOptions('an export of the C-Chain', ['memo', 'change-to', 'signers'], invocation)
  const all = await allOf(payments, invocation)
  const coinType = values.has('coin-type') ? EVM_COIN_TYPE : undefined
  const watched = from.startsWith('xpub') ? new WatchAccount(from, { coinType }) : undefined
  if (coinType !== undefined && watched === undefined)
    throw new UsageError('BAD_VALUE', '--coin-type is for an xpub of --from')
  const address =
    watched === undefined
      ? cChain.parseEVMAddress(from)
      : cChain.evmAddressBytes(watched.publicKey(FIRST_KEY))
  const { account, baseFee } = await exportDetails(address, invocation)
  const common = { context, account, baseFee: withMargin(baseFee, invocation), destinationChain }
  const draft =
    all === undefined
      ? cChain.buildExport({ ...common, outputs: await outputArguments(payments, invocation) })
      : cChain.buildExportAll({ ...common, ...all })
  return outputDraft(draft, [], watched?.paths([FIRST_KEY]) ?? [], invocation)
}

/** Drafts the import of everything that another chain exported to the P- or C-Chain. */
export async function importFrom(chain: 'P' | 'C', invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const out = outFolder(invocation)
  feeMargin(invocation)
  const sourceChain = values.required('source-chain', 'for example --source-chain X')
  const to = values.text('to')
  if (chain === 'C' && to === undefined)
    throw new UsageError('MISSING_OPTION', 'the option --to is required: the account to credit', {
      hint: 'for example --to 0x…',
    })
  refuseOptions(
    `an import to the ${chain}-Chain`,
    chain === 'P' ? ['memo'] : ['memo', 'change-to'],
    invocation,
  )
  const context = await invocation.xContext()
  const assets = values.list('asset').map((text) => parseAsset(text, context))
  if (chain === 'C' && !isChosenAsset(context.assetID, assets))
    throw new UsageError('BAD_VALUE', 'the C-Chain imports only AVAX')
  const found = await ownersOn(chain, invocation, context)
  const source = { ...found, context, sourceChain }
  const paths = pathsIn(found.searches)
  if (chain === 'P') {
    return writeDrafts(out, await planOnP(source, assets, to, invocation), paths, invocation)
  }
  return writeDrafts(out, await planOnC(source, to!, invocation), paths, invocation)
}

/** Whether an asset is imported: one of those that the user named, or any if there are none. */
function isChosenAsset(assetID: Uint8Array, named: readonly Uint8Array[]): boolean {
  return named.length === 0 || named.some((each) => equalBytes(each, assetID))
}

/** Where imported UTXOs come from, and who owns them. */
type ImportSource = Owners & { readonly context: NetworkContext; readonly sourceChain: string }

async function planOnP(
  source: ImportSource,
  assets: readonly Uint8Array[],
  to: string | undefined,
  invocation: Invocation,
): Promise<ReturnType<typeof pChain.planImport>> {
  const { context, sourceChain, owners } = source
  const exported = await utxosOnP({ owners, sourceChain }, invocation)
  const paysFee = isChosenAsset(context.assetID, assets)
  const changeTo = changeOwner(source, invocation)
  const plan = pChain.planImport({
    context,
    funds: {
      owners,
      now: invocation.now(),
      utxos: exported.filter(({ assetID }) => isChosenAsset(assetID, assets)),
      // Without AVAX among the imports, UTXOs of the P-Chain pay the fee.
      local: paysFee ? [] : await utxosOnP({ owners }, invocation),
    },
    assets: assets.length === 0 ? undefined : assets,
    fees: await feesOnP(invocation),
    sourceChain,
    changeTo,
    ...(to === undefined ? { to: owners[0]! } : parseOwners(to)),
  })
  for (const draft of plan.drafts()) requireChangeOwnerOnP(draft, changeTo, owners[0]!)
  return plan
}

async function planOnC(
  { context, sourceChain, owners }: ImportSource,
  to: string,
  invocation: Invocation,
): Promise<ReturnType<typeof cChain.planImport>> {
  const { C } = await pAndCViews(invocation)
  const { utxos, disputed } = await listOnC(C, { owners, sourceChain }, invocation.io.signal)
  noteDisputes(disputed, invocation)
  const baseFee = withMargin(await agreedBaseFee(C, invocation.callOptions()), invocation)
  const funds = { owners, now: invocation.now(), utxos }
  return cChain.planImport({ context, funds, baseFee, sourceChain, to })
}

/** Refuses options of the command that a kind of transaction does not have. */
function refuseOptions(kind: string, names: readonly string[], { values }: Invocation): void {
  for (const name of names)
    if (values.has(name)) throw new UsageError('BAD_VALUE', `${kind} has no --${name}`)
}

async function utxosOnP(walk: Walk, invocation: Invocation): Promise<readonly pChain.UTXO[]> {
  const { P } = await pAndCViews(invocation)
  const { utxos, disputed } = await listOnP(P, walk, invocation.io.signal)
  noteDisputes(disputed, invocation)
  return utxos
}

/** Nonce and balance of an account, and the base fee. */
async function exportDetails(address: Uint8Array, invocation: Invocation): Promise<ExportDetails> {
  const { C } = await pAndCViews(invocation)
  const all = await C.askAll(
    'exportDetails',
    (server, limits) => server.exportDetails(address, limits),
    invocation.callOptions(),
  )
  const accounts = all.map(({ account }) => account)
  const baseFees = all.map(({ baseFee }) => baseFee)
  return {
    account: { address, ...agreedAccount(accounts, C.quorum) },
    baseFee: reachedBy(baseFees, C.quorum),
  }
}

/** The owner of the change that the user named, or that of the account which pays. */
function changeOwner(owners: Owners, { values }: Invocation): ChangeArgument | undefined {
  const text = values.text('change-to')
  return text === undefined ? defaultChange(owners) : parseOwners(text)
}

function requireChangeOwnerOnP(
  { change, utxos }: pChain.Draft,
  changeTo: ChangeArgument | undefined,
  first: Uint8Array,
): void {
  const spent = utxos.map(({ output }) => ({ output: unlockedOutput(output) }))
  requireChangeOwner({ change, utxos: spent }, changeTo, first)
}

async function feesOnP(invocation: Invocation): Promise<pChain.FeeParameters> {
  const { P } = await pAndCViews(invocation)
  const { weights, price } = await agreedFees(P, invocation.callOptions())
  return { weights, price: withMargin(price, invocation) }
}

/** The addresses that own what is spent. Accounts of xpubs are searched on all chains. */
async function ownersOn(
  chain: 'P' | 'C',
  invocation: Invocation,
  network: NetworkContext,
): Promise<Owners> {
  const context = contextOn(chain, network)
  const from = (await payersOn(invocation))(context)
  const found = await parseOwnerTexts(from, invocation, context)
  noteSearches(found.searches, invocation)
  return found
}

/** The recipient of the amount `all`; undefined if no payment has this amount. */
async function allOf(
  payments: readonly Payment[],
  invocation: Invocation,
): Promise<OwnersArgument | undefined> {
  const all = payments.find(({ amount }) => amount === 'all')
  if (all === undefined) return undefined
  if (payments.length > 1)
    throw new UsageError('BAD_VALUE', 'the amount all must be the only payment')
  const asset = invocation.values.text('asset')
  const context = await invocation.xContext()
  if (asset !== undefined && !equalBytes(parseAsset(asset, context), context.assetID))
    throw new UsageError('BAD_VALUE', 'the amount all is possible only for AVAX on this chain', {
      hint: 'name the amount of the asset',
    })
  return { ...parseOwners(all.to), locktime: locktimeOf(invocation) }
}

async function outputArguments(
  payments: readonly Payment[],
  invocation: Invocation,
): Promise<OutputArgument[]> {
  const context = await invocation.xContext()
  const text = invocation.values.text('asset')
  const assetID = text === undefined ? context.assetID : parseAsset(text, context)
  const denomination = await denominationOf(assetID, context, invocation)
  return outputsOf(payments, { assetID, denomination }, locktimeOf(invocation))
}

/** Reads decimals from the transaction that created the asset: false decimals from a node would change the amount. */
async function denominationOf(
  assetID: Uint8Array,
  context: NetworkContext,
  invocation: Invocation,
): Promise<number> {
  if (equalBytes(assetID, context.assetID)) return 9
  const id = formatID(assetID)
  const onX = await invocation.viewOf(await invocation.forChain('X'))
  const known = await lookUpAssets(onX, [id], context, invocation.callOptions())
  const { asset: details } = known.find(id)
  if (details !== undefined) return details.denomination
  throw new CliError('ASSET_UNKNOWN', `the node does not know the asset ${id}`)
}

async function requestOf<A extends ChainAlias>(
  draft: Draft<A>,
  paths: readonly AddressPath[],
  invocation: Invocation,
): Promise<SigningRequest<A>> {
  const parents = await collectProofs(draft, await parentReader(invocation))
  const signers = invocation.values.has('signers') ? 'all' : undefined
  return createRequest(draft, { parents, paths, signers })
}

async function outputDraft<A extends ChainAlias>(
  draft: Draft<A>,
  owners: readonly Uint8Array[],
  paths: readonly AddressPath[],
  invocation: Invocation,
): Promise<Result> {
  const request = await requestOf(draft, paths, invocation)
  const ours = [...owners, ...paths.map(({ address }) => address)]
  const explanation = explainRequest(request, { ours, now: invocation.now() })
  const text = explanationText(explanation, invocation.paint)
  return outputRequest(request, invocation, text)
}

async function writeDrafts<A extends ChainAlias>(
  folder: string,
  { transactions, drafts, leftBehind }: Plan<A>,
  paths: readonly AddressPath[],
  invocation: Invocation,
): Promise<Result> {
  const requests = []
  for (const draft of drafts()) {
    const request = await requestOf(draft, paths, invocation)
    const file = requestFile(folder, 'import', requests.length, transactions)
    const state = requestJSON(request)
    requests.push({ file, text: formatRequest(request), state })
  }
  const left = leftBehind.reduce((sum, { count = 0 }) => sum + count, 0)
  if (left > 0)
    invocation.note(
      `not imported: ${counted(left, 'UTXO')} (locked, not spendable by you, or not worth the fee)`,
    )
  return writeRequests(folder, requests)
}
