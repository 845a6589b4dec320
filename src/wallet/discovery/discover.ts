import {
  argument,
  type Check,
  capability,
  fn,
  integerFrom,
  list,
  object,
  optional,
  signal,
  text,
} from '../../core/base/argument.ts'
import { formatAddress } from '../../core/base/encoding/address.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { contextWith, type NetworkContext } from '../../core/chain/networks.ts'
import type { OutputOwners } from '../../core/chain/owners.ts'
import type { WatchAccount } from '../../core/crypto/hd/account.ts'
import type { DiscoveredAddress, Discovery } from '../../core/crypto/hd/discovery.ts'
import type { HDPosition } from '../../core/crypto/hd/path.ts'

/** Number of consecutive unused addresses that end the search of a branch, by the convention of BIP-44. */
export const DEFAULT_GAP_LIMIT = 20

/** Description of a gap limit. */
export const gapLimit: Check<number> = integerFrom(1, 10_000)

/** Maximum number of addresses that one round adds to a branch. Those of both branches fit into one request. */
const MAX_ADDRESSES_PER_ROUND = 512

/** The part of a client that a search uses. A `NodeClient` is one. */
export type DiscoveryClient = {
  /** Iterates over the UTXOs of addresses, page by page. */
  readonly utxoPages: (walk: {
    readonly addresses: readonly string[]
    readonly sourceChain?: string | undefined
    readonly signal?: AbortSignal | undefined
  }) => AsyncIterable<{
    readonly utxos: readonly { readonly output: Pick<OutputOwners, 'addresses'> }[]
  }>
}

/** Options of {@link discoverAccount}. */
export type DiscoveryOptions = {
  readonly client: DiscoveryClient
  readonly context: Pick<NetworkContext, 'hrp' | 'chainAlias'>
  /**
   * A branch ends after this many consecutive unused addresses; 1 to 10,000.
   *
   * @defaultValue 20
   */
  readonly gapLimit?: number | undefined
  /**
   * Aliases of chains, such as `P`, whose exports to an address also count as use.
   *
   * @defaultValue none
   */
  readonly sourceChains?: readonly string[] | undefined
  /**
   * Returns for each address (20 bytes) whether it was ever used. Without it, an address counts as used only if it owns
   * a UTXO now, because the node has no index of past use.
   */
  readonly wasUsed?: ((addresses: readonly Uint8Array[]) => Promise<readonly boolean[]>) | undefined
  /** Aborts the search with an AbortError. */
  readonly signal?: AbortSignal | undefined
  /** Called after every round, with the number of addresses checked and used so far. */
  readonly onProgress?:
    | ((progress: { readonly checked: number; readonly used: number }) => void)
    | undefined
}

const discoveryOptions: Check<DiscoveryOptions> = object<DiscoveryOptions>({
  client: capability<DiscoveryClient>('a node client', 'utxoPages'),
  context: contextWith('hrp', 'chainAlias'),
  gapLimit: optional(gapLimit),
  sourceChains: optional(list(text)),
  wasUsed: optional(fn<NonNullable<DiscoveryOptions['wasUsed']>>()),
  signal: optional(signal),
  onProgress: optional(fn<NonNullable<DiscoveryOptions['onProgress']>>()),
})

const watchAccount: Check<WatchAccount> = capability<WatchAccount>('an account', 'address', 'path')

type Branch = {
  readonly change: number
  /** Number of addresses checked. */
  checked: number
  /** Index of the last used address; -1 if none. */
  lastUsed: number
}

/**
 * Finds the used addresses of an account on its two branches, by asking a node for the UTXOs of up to 1,024 addresses
 * at a time. A branch ends after `gapLimit` consecutive unused addresses.
 *
 * @throws ArgumentError if an option is invalid
 * @example
 * const { addresses, checked } = await discoverAccount(new WatchAccount('xpub6C…'), { client, context })
 */
export async function discoverAccount(
  account: WatchAccount,
  options: DiscoveryOptions,
): Promise<Discovery> {
  const watched = argument('discoverAccount', account, watchAccount, 'account')
  const checkedOptions = argument('discoverAccount', options, discoveryOptions)
  return { account: watched, ...(await discoverAddresses(watched, checkedOptions)) }
}

/** Derives the addresses of an account. */
export type AddressSource = Pick<WatchAccount, 'address' | 'path'>

/**
 * `discoverAccount` for options that need no check.
 *
 * @param known - indexes after the last addresses of both branches that are known to be used
 */
export async function discoverAddresses(
  watched: AddressSource,
  checkedOptions: DiscoveryOptions,
  known: readonly [receive: number, change: number] = [0, 0],
): Promise<Omit<Discovery, 'account'>> {
  const { gapLimit = DEFAULT_GAP_LIMIT, onProgress, wasUsed } = checkedOptions
  const branches: Branch[] = known.map((next, change) => ({
    change,
    checked: 0,
    lastUsed: next - 1,
  }))
  const found: DiscoveredAddress[] = []
  let checked = 0
  for (let window = gapLimit; ; window = Math.min(MAX_ADDRESSES_PER_ROUND, 2 * window)) {
    const positions = branches.flatMap((branch) => nextPositions(branch, gapLimit, window))
    if (positions.length === 0) break
    const used = await usedAmong(watched, positions, checkedOptions)
    found.push(...used)
    for (const { change, index } of used)
      branches[change]!.lastUsed = Math.max(branches[change]!.lastUsed, index)
    checked += positions.length
    onProgress?.({ checked, used: found.length })
  }
  const [receive, change] = branches.map((branch) => ({
    change: branch.change,
    index: branch.lastUsed + 1,
  })) as [HDPosition, HDPosition]
  return {
    addresses: found.sort((a, b) => a.change - b.change || a.index - b.index),
    checked,
    next: { receive, change },
    evidence: wasUsed === undefined ? 'utxos' : 'history',
  }
}

/**
 * Returns the next positions of a branch to check; none at its end. The window grows with every round, so that an
 * account with many used addresses takes few requests.
 */
function nextPositions(branch: Branch, gapLimit: number, window: number): HDPosition[] {
  const { change, checked, lastUsed } = branch
  if (checked >= lastUsed + 1 + gapLimit) return []
  const wanted = Math.max(lastUsed + 1 + gapLimit, checked === 0 ? 0 : checked + window)
  const end = Math.min(wanted, checked + MAX_ADDRESSES_PER_ROUND)
  branch.checked = end
  return Array.from({ length: end - checked }, (_, i) => ({ change, index: checked + i }))
}

async function usedAmong(
  account: AddressSource,
  positions: readonly HDPosition[],
  options: DiscoveryOptions,
): Promise<DiscoveredAddress[]> {
  const { client, context, sourceChains = [], wasUsed, signal } = options
  const entries = positions.map((position) => ({
    ...position,
    address: account.address(position),
    utxos: 0,
  }))
  const byKey = new Map(entries.map((entry) => [hex.encode(entry.address), entry]))
  const addresses = entries.map(({ address }) =>
    formatAddress({ chain: context.chainAlias, hrp: context.hrp, address }),
  )
  for (const sourceChain of [undefined, ...sourceChains]) {
    const pages = client.utxoPages({ addresses, sourceChain, signal })
    for await (const { utxos } of pages)
      for (const { output } of utxos)
        for (const owner of output.addresses) {
          const entry = byKey.get(hex.encode(owner))
          if (entry !== undefined) entry.utxos++
        }
  }
  const history = await wasUsed?.(entries.map(({ address }) => address))
  return entries
    .filter(({ utxos }, i) => utxos > 0 || history?.[i] === true)
    .map((entry) => ({ ...entry, path: account.path(entry) }))
}
