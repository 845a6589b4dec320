import { equalBytes } from '../../core/base/bytes/compare.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { evmAddressBytes, WEI_PER_NAVAX } from '../../core/c-chain.ts'
import { formatEVMAddress, parseEVMAddress } from '../../core/chain/c/evm-address.ts'
import { contextOn, type NetworkContext } from '../../core/chain/networks.ts'
import { UTXOSet } from '../../core/coins/utxo-set.ts'
import { coinsOf } from '../../core/draft/p/coins.ts'
import { addressText } from '../../inspect/texts.ts'
import type { Discovery } from '../../wallet/discovery/index.ts'
import type { Result } from '../command.ts'
import { UsageError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import {
  commandOwners,
  configuredKeys,
  isXpub,
  type Owners,
  parseOwnerTexts,
} from '../keys/addresses.ts'
import { discoveryJSON, discoveryText } from '../keys/discover.ts'
import { type KnownAssets, lookUpAssets } from '../spending/lookup.ts'
import { table } from '../terminal/print.ts'
import { collectUTXOs, pAndCClients } from './clients.ts'

/** The balance of an asset on one chain, in its smallest unit. */
type ChainBalance = {
  readonly chain: string
  readonly assetID: string
  readonly spendable: bigint
  readonly locked: bigint
  /** Exported to this chain and not imported yet. */
  readonly toImport: bigint
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
  const client = await invocation.forChain('X')
  const call = invocation.callOptions()
  const context = await invocation.xContext()
  const holders = await holdersOf(chain, context, invocation)
  const { addresses, balances } = await balancesOn(chain, context, holders, invocation)
  const assetIDs = balances.map(({ assetID }) => assetID)
  const known = await lookUpAssets(client, assetIDs, context, call)
  return balancesResult(addresses, balances, known, holders.discoveries, invocation)
}

/** The balances of the holders on the named chains, and their addresses there. */
async function balancesOn(
  chain: 'P' | 'C' | 'all',
  context: NetworkContext,
  { owners, accounts }: Holders,
  invocation: Invocation,
): Promise<{ readonly addresses: readonly string[]; readonly balances: readonly ChainBalance[] }> {
  const balances: ChainBalance[] = []
  const addresses: string[] = []
  if (chain === 'all') {
    addresses.push(...owners.map((owner) => addressText(owner, context)))
    balances.push(...(await balancesOnX({ context, owners }, invocation)))
  }
  if (chain !== 'C') {
    const view = contextOn('P', context)
    addresses.push(...owners.map((owner) => addressText(owner, view)))
    balances.push(...(await balancesOnP({ context, owners }, invocation)))
  }
  if (chain !== 'P') {
    addresses.push(...accounts.map(formatEVMAddress))
    balances.push(await balanceOnC({ context, owners }, accounts, invocation))
  }
  return { addresses, balances }
}

function balancesResult(
  addresses: readonly string[],
  balances: readonly ChainBalance[],
  known: KnownAssets,
  discoveries: readonly Discovery[],
  { paint }: Invocation,
): Result {
  const columns = [
    { title: 'chain' },
    { title: 'asset' },
    { title: 'spendable', right: true },
    { title: 'locked', right: true },
    { title: 'to import', right: true },
    { title: 'asset ID' },
  ] as const
  const rows = balances.map(({ chain, assetID, spendable, locked, toImport }) => {
    const { asset: details, format } = known.find(assetID)
    const label = details?.label ?? '?'
    return [chain, label, format(spendable), format(locked), format(toImport), assetID]
  })
  const namedBalances = balances.map((balance) => {
    const { name, symbol, denomination } = known.find(balance.assetID).asset ?? {}
    return { ...balance, name, symbol, denomination }
  })
  return {
    json: { addresses, balances: namedBalances, ...discoveryJSON(discoveries) },
    text: [
      rows.length === 0 ? 'nothing' : table(columns, rows, paint),
      ...discoveryText(discoveries),
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
  if (args.length === 0) {
    const { keys, discoveries } = await configuredKeys(invocation)
    const accounts = keys.publicKeys.map(evmAddressBytes)
    return { owners: keys.addresses, accounts, discoveries }
  }
  if (chain === 'P')
    return { ...(await commandOwners(args, invocation, contextOn('P', context))), accounts: [] }
  const found = await parseOwnerTexts(args.filter(isXpub), invocation, context)
  const accounts = [
    ...args.filter((text) => !isXpub(text)).map(parseEVMAddress),
    ...found.discoveries.flatMap(accountsIn),
  ]
  return { ...found, accounts }
}

/** Accounts of the used addresses, or of the first one if none is used. */
function accountsIn({ account, addresses }: Discovery): Uint8Array[] {
  const positions = addresses.length === 0 ? [{ change: 0, index: 0 }] : addresses
  return positions.map((position) => evmAddressBytes(account.publicKey(position)))
}

async function balancesOnX(
  { context, owners }: NetworkOwners,
  invocation: Invocation,
): Promise<ChainBalance[]> {
  const client = await invocation.forChain('X')
  const set = new UTXOSet()
  const call = invocation.callOptions()
  for await (const page of client.utxoPages({ addresses: owners, ...call })) set.add(page)
  for (const [sourceChain, id] of Object.entries(context.chains))
    for await (const page of client.utxoPages({ addresses: owners, sourceChain, ...call }))
      set.add(page, { sourceChain: id })
  const sums = new ChainSums('X')
  const view = { owners, now: invocation.now() }
  for (const { assetID, spendable, locked } of set.balances(view))
    sums.add(assetID, { spendable, locked })
  for (const sourceChain of Object.values(context.chains))
    for (const { assetID, spendable } of set.balances({ ...view, sourceChain }))
      sums.add(assetID, { toImport: spendable })
  return sums.list()
}

async function balancesOnP(
  { owners }: NetworkOwners,
  invocation: Invocation,
): Promise<ChainBalance[]> {
  const { pChain } = await pAndCClients(invocation)
  const sums = new ChainSums('P')
  const coinsFrom = async (sourceChain?: string) => {
    const walk = { addresses: owners, sourceChain, ...invocation.callOptions() }
    const utxos = await collectUTXOs(pChain.utxoPages(walk))
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
): Promise<ChainBalance> {
  const { cChain } = await pAndCClients(invocation)
  const call = invocation.callOptions()
  let wei = 0n
  for (const account of accounts) wei += (await cChain.account(account, call)).balance
  const exported = new UTXOSet()
  if (owners.length > 0)
    for (const sourceChain of ['X', 'P'])
      for await (const page of cChain.utxoPages({ addresses: owners, sourceChain, ...call }))
        exported.add(page)
  const { assetID } = context
  const toImport = exported
    .balances({ owners, now: invocation.now() })
    .reduce((sum, each) => (equalBytes(each.assetID, assetID) ? sum + each.spendable : sum), 0n)
  const spendable = wei / WEI_PER_NAVAX
  return { chain: 'C', assetID: formatID(assetID), spendable, locked: 0n, toImport }
}

/** Sums per asset of one chain. */
class ChainSums {
  private readonly chain: string
  private readonly byAsset = new Map<string, ChainBalance>()

  constructor(chain: string) {
    this.chain = chain
  }

  add(
    asset: Uint8Array,
    { spendable = 0n, locked = 0n, toImport = 0n }: Partial<ChainBalance>,
  ): void {
    const assetID = formatID(asset)
    const before = this.byAsset.get(assetID)
    this.byAsset.set(assetID, {
      chain: this.chain,
      assetID,
      spendable: (before?.spendable ?? 0n) + spendable,
      locked: (before?.locked ?? 0n) + locked,
      toImport: (before?.toImport ?? 0n) + toImport,
    })
  }

  list(): ChainBalance[] {
    return [...this.byAsset.values()]
  }
}
