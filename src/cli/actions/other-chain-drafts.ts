import { formatAtomicRequestExplanation } from '../../atomic/explain-text.ts'
import type { AtomicRequest, RequestedDraft } from '../../atomic/request-chain.ts'
import type { AtomicRequests } from '../../atomic/requests.ts'
import { contextFrom, type OtherChain } from '../../atomic/view.ts'
import type { OutputArgument } from '../../build/index.ts'
import { equalBytes } from '../../bytes/compare.ts'
import * as cChain from '../../c-chain/index.ts'
import type { NetworkContext } from '../../chain/index.ts'
import { type HDPosition, WatchAccount } from '../../crypto/hd.ts'
import { formatID } from '../../encoding/index.ts'
import * as pChain from '../../p-chain/index.ts'
import { unlockedOutput } from '../../p-chain/transferables.ts'
import type { AddressPath } from '../../sign/index.ts'
import { defaultChange, type Owners, parseOwnerTexts, pathsIn } from '../addresses.ts'
import { readAmount } from '../amounts.ts'
import type { Result } from '../command.ts'
import { noteSearches } from '../discover.ts'
import { CliError, UsageError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { assetFacts } from '../lookup.ts'
import { requestStateOf } from '../other-chain-requests.ts'
import { otherChains, parentReader, searchClient } from '../other-chains.ts'
import { locktimeOf, type Payment, parseAsset, parseOwners, parsePayments } from '../payments.ts'
import { counted } from '../print.ts'
import { outFolder, requestFile, requireChangeOwner, writeRequests } from '../request-files.ts'
import { outputAtomicRequest } from './other-chain-request.ts'

/** Factor of the current price that a request pays, because fees may rise until it is signed and issued. */
const FEE_MARGIN = 2n

/** The key of an xpub whose account a C-Chain export debits. */
const FIRST_KEY: HDPosition = { change: 0, index: 0 }

/** Drafts a payment on the P-Chain, or an export of the P- or C-Chain. */
export async function create(chain: OtherChain, invocation: Invocation): Promise<Result> {
  return chain === 'P' ? createOnP(invocation) : createOnC(invocation)
}

async function createOnP(invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const payments = parsePayments(values.args)
  const destinationChain = values.text('destination-chain')
  const all = allOf(payments)
  if (all !== undefined && destinationChain === undefined)
    throw new UsageError('BAD_VALUE', 'the amount all needs --destination-chain on the P-Chain')
  const context = await invocation.xContext()
  const { owners, discoveries } = await ownersOn('P', invocation, context)
  const { pChain: client } = await otherChains(invocation)
  const call = invocation.callOptions()
  const utxos: pChain.UTXO[] = []
  for await (const page of client.utxoPages({ addresses: owners, ...call }))
    utxos.push(...page.utxos)
  const change = values.text('change-to')
  const changeTo =
    change === undefined ? defaultChange(values.list('from'), discoveries) : parseOwners(change)
  const common = {
    context,
    funds: { utxos, owners, now: invocation.now() },
    fees: await feesOnP(invocation),
    changeTo,
  }
  const draft =
    all !== undefined
      ? pChain.buildExportAll({ ...common, ...all, destinationChain: destinationChain! })
      : destinationChain === undefined
        ? pChain.buildTransfer({ ...common, outputs: await outputsOf(payments, invocation) })
        : pChain.buildExport({
            ...common,
            destinationChain,
            outputs: await outputsOf(payments, invocation),
          })
  const spent = draft.utxos.map(({ output }) => ({ output: unlockedOutput(output) }))
  requireChangeOwner({ change: draft.change, utxos: spent }, changeTo, owners[0]!)
  return outputDraft(pChain, draft, owners, pathsIn(discoveries, invocation), invocation)
}

async function createOnC(invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const payments = parsePayments(values.args)
  const destinationChain = values.required('destination-chain', 'X or P')
  const all = allOf(payments)
  const [from, more] = values.list('from')
  if (from === undefined || more !== undefined)
    throw new UsageError(
      'MISSING_OPTION',
      'the option --from is required once: the account to debit',
      {
        hint: 'for example --from 0x…',
      },
    )
  for (const name of ['change-to', 'signers'])
    if (values.has(name))
      throw new UsageError('BAD_VALUE', `an account of the C-Chain has no --${name}`)
  const watched = from.startsWith('xpub') ? new WatchAccount(from) : undefined
  const address =
    watched === undefined
      ? cChain.parseEVMAddress(from)
      : cChain.evmAddressBytes(watched.publicKey(FIRST_KEY))
  const context = await invocation.xContext()
  const { cChain: client } = await otherChains(invocation)
  const { account, baseFee } = await client.exportFacts(address, invocation.callOptions())
  const common = { context, account, baseFee: FEE_MARGIN * baseFee, destinationChain }
  const draft =
    all === undefined
      ? cChain.buildExport({ ...common, outputs: await outputsOf(payments, invocation) })
      : cChain.buildExportAll({ ...common, ...all })
  return outputDraft(cChain, draft, [], watched?.paths([FIRST_KEY]) ?? [], invocation)
}

/** Drafts the import of everything that another chain exported to the P- or C-Chain. */
export async function importFrom(chain: OtherChain, invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const out = outFolder(invocation)
  const sourceChain = values.required('source-chain', 'for example --source-chain X')
  const to = values.text('to')
  if (chain === 'C' && to === undefined)
    throw new UsageError('MISSING_OPTION', 'the option --to is required: the account to credit', {
      hint: 'for example --to 0x…',
    })
  const context = await invocation.xContext()
  const { owners, discoveries } = await ownersOn(chain, invocation, context)
  const paths = pathsIn(discoveries, invocation)
  const clients = await otherChains(invocation)
  const walk = { addresses: owners, sourceChain, ...invocation.callOptions() }
  const view = { owners, now: invocation.now() }
  if (chain === 'P') {
    const utxos: pChain.UTXO[] = []
    for await (const page of clients.pChain.utxoPages(walk)) utxos.push(...page.utxos)
    const recipient = to === undefined ? { to: owners[0]! } : parseOwners(to)
    const fees = await feesOnP(invocation)
    const { drafts, leftBehind } = pChain.planImport({
      context,
      funds: { ...view, utxos },
      fees,
      sourceChain,
      ...recipient,
    })
    return writeDrafts(pChain, out, drafts, leftBehind.length, paths, invocation)
  }
  const utxos = []
  for await (const page of clients.cChain.utxoPages(walk)) utxos.push(...page.utxos)
  const baseFee = FEE_MARGIN * (await clients.cChain.eth.baseFee({}, invocation.callOptions()))
  const { drafts, leftBehind } = cChain.planImport({
    context,
    funds: { ...view, utxos },
    baseFee,
    sourceChain,
    to: to!,
  })
  return writeDrafts(cChain, out, drafts, leftBehind.length, paths, invocation)
}

async function feesOnP(invocation: Invocation): Promise<pChain.FeeFacts> {
  const { pChain: client } = await otherChains(invocation)
  const { weights, price } = await client.fees(invocation.callOptions())
  return { weights, price: FEE_MARGIN * price }
}

/** The addresses that own what is spent. Accounts of xpubs are searched on this chain. */
async function ownersOn(
  chain: OtherChain,
  invocation: Invocation,
  network: NetworkContext,
): Promise<Owners> {
  const from = invocation.values.list('from')
  if (from.length === 0)
    throw new UsageError('MISSING_OPTION', 'the option --from is required', {
      hint: `repeat it for every ${chain}- address or xpub whose UTXOs may be spent`,
    })
  const context = contextFrom(network, chain)
  const client = searchClient(chain, await otherChains(invocation))
  const found = await parseOwnerTexts(from, invocation, context, { client, context })
  noteSearches(found.discoveries, invocation)
  return found
}

/** The recipient of the amount `all`; undefined if no payment has this amount. */
function allOf(payments: readonly Payment[]): ReturnType<typeof parseOwners> | undefined {
  const all = payments.find(({ amount }) => amount === 'all')
  if (all !== undefined && payments.length > 1)
    throw new UsageError('BAD_VALUE', 'the amount all must be the only payment')
  return all && parseOwners(all.to)
}

async function outputsOf(
  payments: readonly Payment[],
  invocation: Invocation,
): Promise<OutputArgument[]> {
  const context = await invocation.xContext()
  const text = invocation.values.text('asset')
  const assetID = text === undefined ? context.assetID : parseAsset(text, context)
  const denomination = await denominationOf(assetID, context, invocation)
  const locktime = locktimeOf(invocation)
  return payments.map(({ to, amount }) => ({
    ...parseOwners(to),
    assetID,
    amount: readAmount(amount, denomination),
    locktime,
  }))
}

/** Reads decimals from the transaction that created the asset: false decimals from a node would change the amount. */
async function denominationOf(
  assetID: Uint8Array,
  context: NetworkContext,
  invocation: Invocation,
): Promise<number> {
  if (equalBytes(assetID, context.assetID)) return 9
  const id = formatID(assetID)
  const client = await invocation.forChain('X')
  const known = await assetFacts(client, [id], context, invocation.callOptions())
  const { facts } = known.find(id)
  if (facts !== undefined) return facts.denomination
  throw new CliError('ASSET_UNKNOWN', `the node does not know the asset ${id}`)
}

async function requestOf<Tx, U>(
  api: AtomicRequests<Tx, U>,
  draft: RequestedDraft<Tx, U>,
  paths: readonly AddressPath[],
  invocation: Invocation,
): Promise<AtomicRequest<Tx, U>> {
  const parents = await api.collectProofs(draft, await parentReader(invocation))
  const signers = invocation.values.has('signers') ? ({ signers: 'all' } as const) : {}
  return api.createRequest(draft, { parents, paths, ...signers })
}

async function outputDraft<Tx, U>(
  api: AtomicRequests<Tx, U>,
  draft: RequestedDraft<Tx, U>,
  owners: readonly Uint8Array[],
  paths: readonly AddressPath[],
  invocation: Invocation,
): Promise<Result> {
  const request = await requestOf(api, draft, paths, invocation)
  const ours = [...owners, ...paths.map(({ address }) => address)]
  const explanation = api.explainRequest(request, { ours, now: invocation.now() })
  const text = formatAtomicRequestExplanation(explanation, request.context)
  return outputAtomicRequest(api, request, invocation, text)
}

async function writeDrafts<Tx, U>(
  api: AtomicRequests<Tx, U>,
  folder: string,
  drafts: readonly RequestedDraft<Tx, U>[],
  leftBehind: number,
  paths: readonly AddressPath[],
  invocation: Invocation,
): Promise<Result> {
  const requests = []
  for (const [at, draft] of drafts.entries()) {
    const request = await requestOf(api, draft, paths, invocation)
    const file = requestFile(folder, 'import', at, drafts.length)
    requests.push({ file, text: api.formatRequest(request), state: requestStateOf(api, request) })
  }
  if (leftBehind > 0)
    invocation.note(
      `not imported: ${counted(leftBehind, 'UTXO')} (locked, not spendable by you, or not worth the fee)`,
    )
  return writeRequests(folder, requests)
}
