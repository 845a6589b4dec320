import { join } from 'node:path'
import type { ChangeArgument, Draft } from '../../build/index.ts'
import { equalBytes } from '../../bytes/compare.ts'
import type { NetworkContext } from '../../chain/index.ts'
import { FundsError } from '../../coins/errors.ts'
import { DEFAULT_GAP_LIMIT, type Discovery } from '../../discovery/index.ts'
import {
  type AddressPath,
  explainRequest,
  formatRequest,
  type SigningRequest,
} from '../../sign/index.ts'
import { createWallet, type Wallet } from '../../wallet/index.ts'
import { parseOwnerTexts } from '../addresses.ts'
import type { Result } from '../command.ts'
import { CliError, UsageError } from '../errors.ts'
import { makeFolder, writeText } from '../files.ts'
import { type BatchParser, type IntentParser, prepare, preview } from '../intents.ts'
import type { Invocation } from '../invocation.ts'
import { atomicParents } from '../lookup.ts'
import { parseOwners } from '../payments.ts'
import { batchesOf, readPayouts } from '../payouts.ts'
import { counted, explanationText } from '../print.ts'
import { requestJSON } from '../texts.ts'
import * as assets from './assets.ts'
import { consolidateIntent, importIntent, sweepIntent } from './batch.ts'
import { exportIntent, sendIntent } from './pay.ts'
import { deliver } from './request.ts'

/** Drafting for owners whose keys are elsewhere. */
type Drafting = {
  readonly wallet: Wallet
  readonly context: NetworkContext
  readonly owners: readonly Uint8Array[]
  readonly paths: readonly AddressPath[]
  readonly tx: { readonly memo?: string; readonly changeTo?: ChangeArgument }
}

async function openDrafting(invocation: Invocation): Promise<Drafting> {
  const { values } = invocation
  const from = values.list('from')
  if (from.length === 0)
    throw new UsageError('MISSING_OPTION', 'the option --from is required', {
      hint: 'repeat it for every owner whose UTXOs may be spent',
    })
  const client = await invocation.client()
  const context = await invocation.context()
  const chain = values.text('source-chain')
  const { owners, discoveries } = await parseOwnerTexts(
    from,
    invocation,
    context,
    chain === undefined ? [] : [chain],
  )
  const change = values.text('change-to')
  const changeTo = change === undefined ? defaultChange(from, discoveries) : parseOwners(change)
  const memo = values.text('memo')
  return {
    wallet: createWallet({ client, addresses: owners }),
    context,
    owners,
    paths: pathsIn(discoveries),
    tx: {
      ...(memo === undefined ? {} : { memo }),
      ...(changeTo === undefined ? {} : { changeTo }),
    },
  }
}

async function draftSingle(invocation: Invocation, parse: IntentParser): Promise<Result> {
  const intentFor = parse(invocation)
  const drafting = await openDrafting(invocation)
  const intent = await intentFor(drafting.context)
  const { draft } = await prepare(drafting.wallet, intent, drafting.tx, invocation.callOptions())
  const request = await requestOf(draft, drafting, invocation)
  const explanation = explainRequest(request, { ours: drafting.owners, now: invocation.now() })
  return deliver(request, invocation, explanationText(explanation, invocation.paint))
}

async function draftBatch(invocation: Invocation, parse: BatchParser): Promise<Result> {
  const out = outFolder(invocation)
  const intentFor = parse(invocation)
  const drafting = await openDrafting(invocation)
  const { wallet, context, tx } = drafting
  const intent = intentFor(context)
  // What a consolidation returns is its result: it has no change of its own.
  const { changeTo: _changeTo, ...plain } = tx
  const plan = await preview(wallet, intent, intent.method === 'consolidate' ? plain : tx)
  return writeAll(out, intent.method, plan.drafts(), plan.transactions, drafting, invocation)
}

export const create = (invocation: Invocation): Promise<Result> =>
  draftSingle(invocation, invocation.values.has('destination-chain') ? exportIntent : sendIntent)
export const assetCreate = (invocation: Invocation): Promise<Result> =>
  draftSingle(invocation, assets.createIntent)
export const assetMint = (invocation: Invocation): Promise<Result> =>
  draftSingle(invocation, assets.mintIntent)
export const nftMint = (invocation: Invocation): Promise<Result> =>
  draftSingle(invocation, assets.nftMintIntent)
export const nftTransfer = (invocation: Invocation): Promise<Result> =>
  draftSingle(invocation, assets.nftTransferIntent)
export const propertyMint = (invocation: Invocation): Promise<Result> =>
  draftSingle(invocation, assets.propertyMintIntent)
export const propertyBurn = (invocation: Invocation): Promise<Result> =>
  draftSingle(invocation, assets.propertyBurnIntent)
export const sweep = (invocation: Invocation): Promise<Result> =>
  draftBatch(invocation, sweepIntent)
export const consolidate = (invocation: Invocation): Promise<Result> =>
  draftBatch(invocation, consolidateIntent)
export const importFrom = (invocation: Invocation): Promise<Result> =>
  draftBatch(invocation, importIntent)

/** A wallet waits for reserved UTXOs; those of requests are not released soon. */
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
  const drafting = await openDrafting(invocation)
  const { wallet, context, tx } = drafting
  const payouts = await readPayouts(invocation, context)
  const batches = batchesOf(payouts, invocation)
  const drafts: Draft[] = []
  for (const { memo, payouts: group } of batches) {
    const outputs = group.map(({ output }) => output)
    const call = { ...tx, outputs, ...(memo === '' ? {} : { memo }) }
    const options = { ...invocation.callOptions(), wait: { timeoutMs: RESERVED_WAIT_MS } }
    drafts.push((await wallet.prepare.transfer(call, options).catch(explainReserved)).draft)
  }
  return writeAll(out, 'payout', drafts, drafts.length, drafting, invocation)
}

function outFolder({ values }: Invocation): string {
  return values.required('out', 'for example --out requests; one file per transaction')
}

async function writeAll(
  folder: string,
  name: string,
  drafts: Iterable<Draft>,
  total: number,
  drafting: Drafting,
  invocation: Invocation,
): Promise<Result> {
  const { progress } = invocation
  const digits = String(total).length
  const requests: { readonly file: string; readonly request: SigningRequest }[] = []
  for (const draft of drafts) {
    progress.show(requests.length, total, 'requests drafted')
    const number = String(requests.length + 1).padStart(digits, '0')
    const file = join(folder, `${name}-${number}.json`)
    requests.push({ file, request: await requestOf(draft, drafting, invocation) })
  }
  progress.end()
  if (requests.length > 0) makeFolder(folder)
  for (const { file, request } of requests) writeText(file, formatRequest(request))
  return {
    json: { requests: requests.map(({ file, request }) => ({ file, ...requestJSON(request) })) },
    text:
      requests.length === 0
        ? 'nothing to do'
        : [
            ...requests.map(({ file }) => file),
            `${counted(requests.length, 'request')} written; avmkit request sign shows and signs each`,
          ].join('\n'),
  }
}

async function requestOf(
  draft: Draft,
  { wallet, owners, paths, tx }: Drafting,
  invocation: Invocation,
): Promise<SigningRequest> {
  refuseLooseChange(draft, tx.changeTo, owners[0]!)
  return wallet.request(draft, {
    paths: [...paths],
    getAtomicParent: atomicParents(invocation),
    ...(invocation.values.has('signers') ? { signers: 'all' } : {}),
    ...invocation.callOptions(),
  })
}

/** By default change goes to the first owner alone. If others own the spent UTXOs, too, the user must decide. */
function refuseLooseChange(
  { change, utxos }: Draft,
  changeTo: ChangeArgument | undefined,
  first: Uint8Array,
): void {
  const hasOthers = utxos.some(
    ({ output: { addresses } }) => addresses.length !== 1 || !equalBytes(addresses[0]!, first),
  )
  if (changeTo !== undefined || change.length === 0 || !hasOthers) return
  throw new UsageError(
    'MISSING_OPTION',
    'the option --change-to is required: not all UTXOs belong to the first owner alone',
    { hint: 'pass 2:ADDRESS,ADDRESS for several owners, or one address' },
  )
}

/** Paths of the addresses that the searches checked; the request takes those of addresses that occur in it. */
function pathsIn(discoveries: readonly Discovery[]): AddressPath[] {
  return discoveries.flatMap(({ account, next }) =>
    account.paths(
      [next.receive, next.change].flatMap(({ change, index }) =>
        Array.from({ length: index + DEFAULT_GAP_LIMIT }, (_, i) => ({ change, index: i })),
      ),
    ),
  )
}

/** The change of one account returns to its first unused change address, unless the user says otherwise. */
function defaultChange(
  from: readonly string[],
  [first]: readonly Discovery[],
): ChangeArgument | undefined {
  return from.length === 1 && first !== undefined
    ? { to: first.account.address(first.next.change) }
    : undefined
}
