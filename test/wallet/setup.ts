import { onTestFinished } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { networks } from '../../src/core/chain/networks.ts'
import type { UTXO } from '../../src/core/chain/x/utxo.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import { requireSigned } from '../../src/core/sign/job.ts'
import { signDraft } from '../../src/core/sign/sign.ts'
import { createDevNode, type DevNode, type DevNodeOptions } from '../../src/devnode/index.ts'
import { createNodeClient, type Fetch, type NodeClient } from '../../src/node/index.ts'
import { createWallet, type Wallet, type WalletOptions } from '../../src/wallet/index.ts'
import { type VirtualClock, virtualClock } from '../helpers/virtual-clock.ts'
import { type Interceptor, intercepted } from './requests.ts'

export const AVAX: Uint8Array = networks.local.assetID
export const fee: bigint = networks.local.txFee
export const now = 1_700_000_000

/** Key chains of one key each, made of one repeated byte. */
export const people: readonly KeyChain[] = [1, 2, 3, 4].map(
  (byte) => new KeyChain([new Uint8Array(32).fill(byte)]),
)

/** The first address of a key chain, on a chain of the local network. */
export function addressOf(keys: KeyChain, chain = 'X'): string {
  return formatAddress({ chain, hrp: 'local', address: keys.addresses[0]! })
}

/** A development node, and a client with a clock that never waits. */
export type Scene = {
  readonly node: DevNode
  readonly clock: VirtualClock
  readonly client: NodeClient
  /** Creates a wallet with the scene's client; by default with the first of `people`. */
  readonly wallet: (options?: Partial<WalletOptions>) => Wallet
}

/** Starts a new node. */
export async function scene(
  options: DevNodeOptions & {
    /** Wraps the fetch function of the client. */
    readonly through?: (fetch: Fetch) => Fetch
    /** Called with each request before the node; may answer it instead. */
    readonly intercept?: Interceptor
    readonly url?: string | readonly string[]
  } = {},
): Promise<Scene> {
  const { through = (fetch: Fetch) => fetch, intercept, url, ...settings } = options
  const node = await createDevNode({ now, ...settings })
  onTestFinished(() => node.close())
  const clock = virtualClock()
  const reach: Fetch = (to, init) => node.fetch(to, init)
  const client = createNodeClient({
    url: url ?? 'http://node.test',
    fetch: through(intercept === undefined ? reach : intercepted(reach, intercept)),
    clock,
  })
  const wallet = (own: Partial<WalletOptions> = {}) =>
    createWallet({ client, keys: people[0]!, clock, ...own })
  return { node, clock, client, wallet }
}

/** The balance of the first address of a key chain, as the node reports it to a direct client. */
export async function balanceOf(
  node: DevNode,
  keys: KeyChain,
  assetID: Uint8Array = AVAX,
): Promise<bigint> {
  return (await direct(node).avm.getBalance({ address: addressOf(keys), assetID })).balance
}

/** A client that reaches the node directly, without the interceptor of a test. */
export function direct(node: DevNode): NodeClient {
  return createNodeClient({ url: 'http://node.test', fetch: node.fetch })
}

/** All UTXOs of a key chain, as the node lists them to a direct client. */
export async function utxosOf(node: DevNode, keys: KeyChain): Promise<UTXO[]> {
  const found: UTXO[] = []
  const { addresses } = keys
  for await (const { utxos } of direct(node).utxoPages({ addresses })) found.push(...utxos)
  return found
}

/** Creates many UTXOs in few transactions, from the funds that the genesis of the local network contains. */
export async function scatter(
  { node, clock }: Scene,
  keys: KeyChain,
  amounts: readonly bigint[],
): Promise<void> {
  const rich = createWallet({
    client: direct(node),
    keys: new KeyChain(['PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN']),
    clock,
  })
  const to = addressOf(keys)
  for (let i = 0; i < amounts.length; i += 500)
    await rich.transfer({ outputs: amounts.slice(i, i + 500).map((amount) => ({ to, amount })) })
}

/** Creates an asset that supports only NFTs and yet has amounts, which can never be spent. */
export async function poison(
  wallet: Wallet,
  keys: KeyChain,
  ...amounts: readonly bigint[]
): Promise<Uint8Array> {
  const { draft } = await wallet.prepare.createAsset({
    name: 'Bait',
    symbol: 'BAIT',
    nftMinters: [{ groupID: 0, to: addressOf(keys) }],
  })
  const { unsignedTx } = draft
  if (unsignedTx.type !== 'CreateAssetTx') throw new Error('not a CreateAssetTx')
  const type = 'secp256k1fx.TransferOutput' as const
  const owners = { locktime: 0n, threshold: 1, addresses: [keys.addresses[0]!] }
  const outputs = amounts.map((amount) => ({ type, amount, ...owners }))
  const initialStates = [{ fxIndex: 1, outputs }]
  const poisoned = { ...draft, unsignedTx: { ...unsignedTx, initialStates } }
  const signed = requireSigned(signDraft(poisoned, keys))
  await wallet.submit(signed)
  return signed.txID
}

/** Wraps a fetch function so that the transactions that created these assets cannot be read. */
export const hiding =
  (assetIDs: readonly Uint8Array[]): ((fetch: Fetch) => Fetch) =>
  (fetch) =>
  async (url, init) => {
    const body = String(init.body)
    const hidden = assetIDs.some((id) => body.includes(formatID(id)))
    if (body.includes('"avm.getTx"') && hidden) return new Response('no', { status: 403 })
    return fetch(url, init)
  }

/** Produces blocks until no transaction is pending. */
export function produceBlocks(node: DevNode): void {
  for (let i = 0; i < 100; i++)
    try {
      node.produceBlock()
    } catch {
      return
    }
}
