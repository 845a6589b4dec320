import type { NetworkContext } from '../../../core/chain/networks.ts'
import { FundsError } from '../../../core/coins/errors.ts'
import type { Draft } from '../../../core/draft/draft.ts'
import { explainRequest } from '../../../core/sign/request/explain-request.ts'
import { formatRequest } from '../../../core/sign/request/request-file.ts'
import type { SigningRequest } from '../../../core/sign/request/signing-request.ts'
import type { AddressPath } from '../../../core/sign/signer.ts'
import { requestJSON } from '../../../inspect/request-json.ts'
import { createWallet, type TxOptions, type Wallet } from '../../../wallet/index.ts'
import { parentReader } from '../../chains/clients.ts'
import type { Result } from '../../command.ts'
import { CliError, UsageError } from '../../errors.ts'
import type { Invocation } from '../../invocation.ts'
import { onlyAccount, parseOwnerTexts, pathsIn, payersOn } from '../../keys/addresses.ts'
import { accountWallet, noteSearches, searched } from '../../keys/discover.ts'
import { type BatchParser, type CallParser, prepare, preview } from '../../spending/calls.ts'
import { parseOwners } from '../../spending/payments.ts'
import { batchesOf, batchSize, payoutsOf, readPayoutRows } from '../../spending/payouts.ts'
import {
  outFolder,
  requestFile,
  requireChangeOwner,
  writeRequests,
} from '../../spending/request-files.ts'
import { explanationText } from '../../terminal/explanation-text.ts'
import { clientWithProgress } from '../../terminal/walk-progress.ts'
import * as assets from '../spend/assets.ts'
import { parseConsolidate, parseImport, parseSweep } from '../spend/batch.ts'
import { parseExport, parseSend } from '../spend/pay.ts'
import { outputRequest } from './request.ts'

/** What a command needs to draft transactions of owners whose keys are elsewhere. */
type RequestDrafting = {
  readonly wallet: Wallet
  readonly context: NetworkContext
  /** Gets the change, unless others own what is spent; undefined for an account, which has addresses for it. */
  readonly first: Uint8Array | undefined
  /** The owners, and addresses of their accounts that own nothing yet, such as the next change address. */
  readonly ours: readonly Uint8Array[]
  /** Of several accounts; a wallet of one knows its own. */
  readonly paths: readonly AddressPath[]
  readonly tx: Pick<TxOptions, 'memo' | 'changeTo'>
}

async function openDrafting(invocation: Invocation): Promise<RequestDrafting> {
  const { values } = invocation
  const payers = await payersOn(invocation)
  const context = await invocation.context()
  const change = values.text('change-to')
  const changeTo = change === undefined ? undefined : parseOwners(change)
  const tx = { memo: values.text('memo'), changeTo }
  const account = await onlyAccount(payers(context), invocation)
  if (account !== undefined) {
    const wallet = await accountWallet(account, invocation, { freshChange: true })
    const found = await searched(wallet, account, invocation)
    noteSearches([found], invocation)
    return {
      wallet,
      context,
      first: undefined,
      ours: pathsIn([found]).map(addressIn),
      paths: [],
      tx,
    }
  }
  const { owners, searches } = await parseOwnerTexts(payers(context), invocation, context)
  noteSearches(searches, invocation)
  const client = await clientWithProgress(invocation)
  const paths = pathsIn(searches)
  const ours = [...owners, ...paths.map(addressIn)]
  const wallet = createWallet({ client, addresses: owners, quorum: await invocation.quorum() })
  return { wallet, context, first: owners[0]!, ours, paths, tx }
}

function addressIn({ address }: AddressPath): Uint8Array {
  return address
}

async function draftSingle(invocation: Invocation, parse: CallParser): Promise<Result> {
  const callFor = parse(invocation)
  const drafting = await openDrafting(invocation)
  const call = await callFor(drafting.context)
  const { draft } = await prepare(drafting.wallet, call, drafting.tx, invocation.callOptions())
  const request = await requestOf(draft, drafting, invocation)
  const explanation = explainRequest(request, { ours: drafting.ours, now: invocation.now() })
  return outputRequest(request, invocation, explanationText(explanation, invocation.paint))
}

async function draftBatch(invocation: Invocation, parse: BatchParser): Promise<Result> {
  const out = outFolder(invocation)
  const callFor = parse(invocation)
  const drafting = await openDrafting(invocation)
  const { wallet, context, tx } = drafting
  const call = await callFor(context)
  // The result of a consolidation goes to its owner; it has no separate change.
  const { changeTo: _changeTo, ...withoutChange } = tx
  const plan = await preview(wallet, call, call.method === 'consolidate' ? withoutChange : tx)
  return writeDraftRequests(
    out,
    call.method,
    plan.drafts(),
    plan.transactions,
    drafting,
    invocation,
  )
}

export async function create(invocation: Invocation): Promise<Result> {
  const chain = await pOrCChain(invocation)
  if (chain !== undefined) return (await import('./p-and-c-drafts.ts')).create(chain, invocation)
  const isExport = invocation.values.has('destination-chain')
  return draftSingle(invocation, isExport ? parseExport : parseSend)
}
export const assetCreate = (invocation: Invocation): Promise<Result> =>
  draftSingle(invocation, assets.parseCreateAsset)
export const assetMint = (invocation: Invocation): Promise<Result> =>
  draftSingle(invocation, assets.parseMint)
export const nftMint = (invocation: Invocation): Promise<Result> =>
  draftSingle(invocation, assets.parseNFTMint)
export const nftTransfer = (invocation: Invocation): Promise<Result> =>
  draftSingle(invocation, assets.parseNFTTransfer)
export const propertyMint = (invocation: Invocation): Promise<Result> =>
  draftSingle(invocation, assets.parsePropertyMint)
export const propertyBurn = (invocation: Invocation): Promise<Result> =>
  draftSingle(invocation, assets.parsePropertyBurn)
export const sweep = (invocation: Invocation): Promise<Result> => draftBatch(invocation, parseSweep)
export const consolidate = (invocation: Invocation): Promise<Result> =>
  draftBatch(invocation, parseConsolidate)
export async function importFrom(invocation: Invocation): Promise<Result> {
  const chain = await pOrCChain(invocation)
  if (chain !== undefined)
    return (await import('./p-and-c-drafts.ts')).importFrom(chain, invocation)
  return draftBatch(invocation, parseImport)
}

/** The P- or C-Chain, if the user named one. */
async function pOrCChain(invocation: Invocation): Promise<'P' | 'C' | undefined> {
  const chain = await invocation.chain()
  if (chain === 'P' || chain === 'C') return chain
  if (invocation.values.has('coin-type'))
    throw new UsageError('BAD_VALUE', '--coin-type is for exports from the C-Chain')
  if (invocation.values.has('fee-margin'))
    throw new UsageError(
      'BAD_VALUE',
      '--fee-margin is for --chain P or C: the X-Chain has a fixed fee',
    )
  return undefined
}

/**
 * How long the wallet waits for reserved UTXOs. A longer wait is useless: the requests of this command reserve their
 * UTXOs until it ends.
 */
const RESERVED_WAIT_MS = 5000

function explainReserved(cause: unknown): never {
  const isReserved =
    cause instanceof FundsError && cause.assets.some(({ reserved }) => reserved > 0n)
  if (!isReserved) throw cause
  throw new CliError('UTXOS_RESERVED', 'there are too few UTXOs for all transactions at once', {
    cause,
    hint: 'nothing was written: use fewer memos or a larger --batch, or split the UTXOs first',
  })
}

/** Drafts the payments of a file. The drafts reserve their UTXOs, so that they can all be accepted. */
export async function payout(invocation: Invocation): Promise<Result> {
  const out = outFolder(invocation)
  const rows = await readPayoutRows(invocation)
  const size = batchSize(invocation)
  const drafting = await openDrafting(invocation)
  const { wallet, context, tx } = drafting
  const batches = batchesOf(await payoutsOf(rows, invocation, context), size)
  const drafts: Draft[] = []
  for (const { memo, payouts: group } of batches) {
    const outputs = group.map(({ output }) => output)
    const call = { ...tx, outputs, ...(memo === '' ? {} : { memo }) }
    const options = { ...invocation.callOptions(), wait: { timeoutMs: RESERVED_WAIT_MS } }
    drafts.push((await wallet.prepare.transfer(call, options).catch(explainReserved)).draft)
  }
  return writeDraftRequests(out, 'payout', drafts, drafts.length, drafting, invocation)
}

async function writeDraftRequests(
  folder: string,
  name: string,
  drafts: Iterable<Draft>,
  total: number,
  drafting: RequestDrafting,
  invocation: Invocation,
): Promise<Result> {
  const { progress } = invocation
  const requests: { readonly file: string; readonly request: SigningRequest }[] = []
  for (const draft of drafts) {
    progress.show(requests.length, total, 'requests drafted')
    const file = requestFile(folder, name, requests.length, total)
    requests.push({ file, request: await requestOf(draft, drafting, invocation) })
  }
  progress.end()
  return writeRequests(
    folder,
    requests.map(({ file, request }) => ({
      file,
      text: formatRequest(request),
      state: requestJSON(request),
    })),
  )
}

async function requestOf(
  draft: Draft,
  { wallet, first, paths, tx }: RequestDrafting,
  invocation: Invocation,
): Promise<SigningRequest> {
  if (first !== undefined) requireChangeOwner(draft, tx.changeTo, first)
  return wallet.request(draft, {
    paths: [...paths],
    signers: invocation.values.has('signers') ? 'all' : undefined,
    getAtomicParent:
      draft.unsignedTx.type === 'ImportTx' ? await parentReader(invocation) : undefined,
    ...invocation.callOptions(),
  })
}
