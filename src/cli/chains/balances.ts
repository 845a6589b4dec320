import { equalBytes } from '../../core/base/bytes/compare.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { evmAddressBytes, WEI_PER_NAVAX } from '../../core/c-chain.ts'
import { formatEVMAddress, parseEVMAddress } from '../../core/chain/c/evm-address.ts'
import { contextOn, type NetworkContext } from '../../core/chain/networks.ts'
import type { UTXO as PUTXO } from '../../core/chain/p/utxo.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import { UTXOSet } from '../../core/coins/utxo-set.ts'
import { coinsOf } from '../../core/draft/p/coins.ts'
import { addressText } from '../../inspect/texts.ts'
import { agreedAccount } from '../../node/view/other-reads.ts'
import type { Disputed } from '../../node/view/votes.ts'
import type { Result } from '../command.ts'
import { UsageError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import {
  commandOwners,
  configuredKeys,
  isXpub,
  type Owners,
  onlyAccount,
  parseOwnerTexts,
  watchedOwners,
} from '../keys/addresses.ts'
import { type Search, searchJSON, searchText } from '../keys/discover.ts'
import { type KnownAssets, lookUpAssets } from '../spending/lookup.ts'
import { table } from '../terminal/print.ts'
import { pAndCViews } from './clients.ts'
import {
  type Dispute,
  disputeJSON,
  disputeOf,
  disputeText,
  listOnC,
  listOnP,
  listUTXOs,
} from './listing.ts'

/** The balance of an asset on one chain, in its smallest unit. */
type ChainBalance = {
  readonly chain: string
  readonly assetID: string
  readonly spendable: bigint
  readonly locked: bigint
  /** Exported to this chain and not imported yet. */
  readonly toImport: bigint
  /** In UTXOs that servers disagree about, and in no other member; absent if there are none. */
  readonly disputed?: bigint | undefined
}

/** Balances on one chain. */
type ChainBalances = {
  readonly balances: readonly ChainBalance[]
  readonly disputes: readonly Dispute[]
}

type NetworkOwners = {
  readonly context: NetworkContext
  readonly owners: readonly Uint8Array[]
}

/** Balances on the P- or C-Chain, or on all three chains; undefined for chains that run the AVM. */
export async function chainBalances(invocation: Invocation): Promise<Result | undefined> {
  const chain = await invocation.chain()
  if (chain !== 'P' && chain !== 'C' && chain !== 'all') return undefined
  const { args } = invocation.values
  if (chain === 'all' && !args.every(isXpub))
    throw new UsageError('BAD_VALUE', '--chain all shows what your keys hold, not an address', {
      hint: 'name one chain for an address, or pass --key-file FILE or an xpub',
    })
  const onX = await invocation.viewOf(await invocation.forChain('X'))
  const call = invocation.callOptions()
  const context = await invocation.xContext()
  const holders = await holdersOf(chain, context, invocation)
  const found = await balancesOn(chain, context, holders, invocation)
  const assetIDs = found.balances.map(({ assetID }) => assetID)
  const known = await lookUpAssets(onX, assetIDs, context, call)
  return balancesResult(found, known, holders.searches, invocation)
}

type FoundBalances = ChainBalances & { readonly addresses: readonly string[] }

/** The balances of the holders on the named chains, and their addresses there. */
async function balancesOn(
  chain: 'P' | 'C' | 'all',
  context: NetworkContext,
  { owners, accounts }: Holders,
  invocation: Invocation,
): Promise<FoundBalances> {
  const found: ChainBalances[] = []
  const addresses: string[] = []
  if (chain === 'all') {
    addresses.push(...owners.map((owner) => addressText(owner, context)))
    found.push(await balancesOnX({ context, owners }, invocation))
  }
  if (chain !== 'C') {
    const view = contextOn('P', context)
    addresses.push(...owners.map((owner) => addressText(owner, view)))
    found.push(await balancesOnP({ context, owners }, invocation))
  }
  if (chain !== 'P') {
    addresses.push(...accounts.map(formatEVMAddress))
    found.push(await balanceOnC({ context, owners }, accounts, invocation))
  }
  return {
    addresses,
    balances: found.flatMap(({ balances }) => balances),
    disputes: found.flatMap(({ disputes }) => disputes),
  }
}

function balancesResult(
  { addresses, balances, disputes }: FoundBalances,
  known: KnownAssets,
  searches: readonly Search[],
  { paint }: Invocation,
): Result {
  const columns = [
    { title: 'chain' },
    { title: 'asset' },
    { title: 'spendable', right: true },
    { title: 'locked', right: true },
    { title: 'to import', right: true },
    ...(disputes.length === 0 ? [] : [{ title: 'disputed', right: true } as const]),
    { title: 'asset ID' },
  ] as const
  const rows = balances.map(({ chain, assetID, spendable, locked, toImport, disputed = 0n }) => {
    const { asset: details, format } = known.find(assetID)
    const label = details?.label ?? '?'
    const amounts = [spendable, locked, toImport, ...(disputes.length === 0 ? [] : [disputed])]
    return [chain, label, ...amounts.map(format), assetID]
  })
  const namedBalances = balances.map((balance) => {
    const { name, symbol, denomination } = known.find(balance.assetID).asset ?? {}
    return { ...balance, name, symbol, denomination }
  })
  return {
    json: {
      addresses,
      balances: namedBalances,
      ...disputeJSON(disputes),
      ...searchJSON(searches),
    },
    text: [
      rows.length === 0 ? 'nothing' : table(columns, rows, paint),
      ...disputeText(disputes, known),
      ...searchText(searches),
    ].join('\n'),
  }
}

type Holders = Owners & {
  /** EVM addresses of the C-Chain, 20 bytes each. */
  readonly accounts: readonly Uint8Array[]
}

/** The holders from the arguments, or else those of the user's keys, each of which also has an account on the C-Chain. */
async function holdersOf(
  chain: string,
  context: NetworkContext,
  invocation: Invocation,
): Promise<Holders> {
  const { args } = invocation.values
  const watched = args.length === 0 ? await watchedOwners(invocation, context) : []
  if (watched.length > 0) {
    const found = await parseOwnerTexts(watched, invocation, context)
    return { ...found, accounts: found.searches.map(accountOf) }
  }
  if (args.length === 0) {
    const { keys, searches, identity } = await configuredKeys(invocation)
    const only = await onlyAccount(args, invocation)
    const accounts =
      only === undefined ? keys.publicKeys.map(evmAddressBytes) : searches.map(accountOf)
    return { owners: keys.addresses, accounts, searches, identity, sources: 0 }
  }
  if (chain === 'P')
    return { ...(await commandOwners(args, invocation, contextOn('P', context))), accounts: [] }
  const found = await parseOwnerTexts(args.filter(isXpub), invocation, context)
  const accounts = [
    ...args.filter((text) => !isXpub(text)).map(parseEVMAddress),
    ...found.searches.map(accountOf),
  ]
  return { ...found, accounts }
}

/** The account on the C-Chain of a wallet of an account: that of its first key. */
function accountOf({ account }: Search): Uint8Array {
  return evmAddressBytes(account.publicKey({ change: 0, index: 0 }))
}

async function balancesOnX(
  { context, owners }: NetworkOwners,
  invocation: Invocation,
): Promise<ChainBalances> {
  const client = await invocation.forChain('X')
  const set = new UTXOSet()
  const sums = new ChainSums('X', context)
  const read = async (sourceChain?: string) => {
    const listing = await listUTXOs(client, { owners, sourceChain }, context, invocation)
    const source = {
      sourceChain: sourceChain === undefined ? undefined : context.chains[sourceChain],
    }
    for await (const page of listing.pages) set.add(page, source)
    sums.dispute(listing.disputed)
  }
  await read()
  for (const sourceChain of Object.keys(context.chains)) await read(sourceChain)
  const view = { owners, now: invocation.now() }
  for (const { assetID, spendable, locked } of set.balances(view))
    sums.add(assetID, { spendable, locked })
  for (const sourceChain of Object.values(context.chains))
    for (const { assetID, spendable } of set.balances({ ...view, sourceChain }))
      sums.add(assetID, { toImport: spendable })
  return sums.list()
}

async function balancesOnP(
  { context, owners }: NetworkOwners,
  invocation: Invocation,
): Promise<ChainBalances> {
  const { P } = await pAndCViews(invocation)
  const sums = new ChainSums('P', context)
  const coinsFrom = async (sourceChain?: string) => {
    const { utxos, disputed } = await listOnP(P, { owners, sourceChain }, invocation.io.signal)
    sums.dispute(disputed)
    return coinsOf({ utxos, owners, now: invocation.now() })
  }
  const coins = await coinsFrom()
  for (const { utxo, amount } of coins.spendable) sums.add(utxo.assetID, { spendable: amount })
  for (const { assetID, amount, reason } of coins.unspendable())
    if (reason === 'locked') sums.add(assetID, { locked: amount })
  for (const sourceChain of ['X', 'C'])
    for (const { utxo, amount } of (await coinsFrom(sourceChain)).spendable)
      sums.add(utxo.assetID, { toImport: amount })
  return sums.list()
}

async function balanceOnC(
  { context, owners }: NetworkOwners,
  accounts: readonly Uint8Array[],
  invocation: Invocation,
): Promise<ChainBalances> {
  const { C } = await pAndCViews(invocation)
  const { assetID } = context
  const sums = new ChainSums('C', context)
  let wei = 0n
  for (const account of accounts) {
    const all = await C.askAll(
      'account',
      (server, limits) => server.account(account, limits),
      invocation.callOptions(),
    )
    wei += agreedAccount(all, C.quorum).balance
  }
  sums.add(assetID, { spendable: wei / WEI_PER_NAVAX })
  const exported = new UTXOSet()
  if (owners.length > 0)
    for (const sourceChain of ['X', 'P']) {
      const { utxos, disputed } = await listOnC(C, { owners, sourceChain }, invocation.io.signal)
      exported.add(utxos)
      sums.dispute(disputed)
    }
  for (const each of exported.balances({ owners, now: invocation.now() }))
    if (equalBytes(each.assetID, assetID)) sums.add(assetID, { toImport: each.spendable })
  return sums.list()
}

/** Sums per asset of one chain, with a row for AVAX even if there is none. */
class ChainSums {
  private readonly chain: string
  private readonly byAsset = new Map<string, ChainBalance>()
  private readonly disputes: Dispute[] = []

  constructor(chain: string, { assetID }: NetworkContext) {
    this.chain = chain
    this.add(assetID, {})
  }

  add(
    asset: Uint8Array,
    { spendable = 0n, locked = 0n, toImport = 0n, disputed }: Partial<ChainBalance>,
  ): void {
    const assetID = formatID(asset)
    const before = this.byAsset.get(assetID)
    const allDisputed = (before?.disputed ?? 0n) + (disputed ?? 0n)
    this.byAsset.set(assetID, {
      chain: this.chain,
      assetID,
      spendable: (before?.spendable ?? 0n) + spendable,
      locked: (before?.locked ?? 0n) + locked,
      toImport: (before?.toImport ?? 0n) + toImport,
      ...(allDisputed === 0n ? {} : { disputed: allDisputed }),
    })
  }

  /** Adds UTXOs that servers disagree about. */
  dispute(found: readonly Disputed<UTXO | PUTXO>[]): void {
    for (const one of found) {
      const dispute = disputeOf(this.chain, one)
      this.disputes.push(dispute)
      this.add(one.utxo.assetID, { disputed: dispute.amount })
    }
  }

  list(): ChainBalances {
    return { balances: [...this.byAsset.values()], disputes: this.disputes }
  }
}
