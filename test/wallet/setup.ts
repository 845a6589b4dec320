import { onTestFinished } from 'vitest'
import { networks, type UTXO } from '../../src/chain/index.ts'
import { KeyChain } from '../../src/crypto/index.ts'
import { createDevNode, type DevNode, type DevNodeOptions } from '../../src/devnode/index.ts'
import { formatAddress, formatID } from '../../src/encoding/index.ts'
import { createNodeClient, type Fetch, type NodeClient } from '../../src/rpc/index.ts'
import { requireSigned, signDraft } from '../../src/sign/index.ts'
import { createWallet, type Wallet, type WalletOptions } from '../../src/wallet/index.ts'
import { type FakeClock, fakeClock } from '../rpc/fake-clock.ts'

export const AVAX: Uint8Array = networks.local.assetID
export const fee: bigint = networks.local.txFee
export const now = 1_700_000_000

/** Keys of nobody, each from one repeated byte. */
export const people: readonly KeyChain[] = [1, 2, 3, 4].map(
  (byte) => new KeyChain([new Uint8Array(32).fill(byte)]),
)

/** The address of a person, on a chain of the local network. */
export function addressOf(keys: KeyChain, chain = 'X'): string {
  return formatAddress({ chain, hrp: 'local', address: keys.addresses[0]! })
}

/** A node and a client that never really waits. */
export type Scene = {
  readonly node: DevNode
  readonly clock: FakeClock
  readonly client: NodeClient
  /** A wallet at the scene's node, of person 0 unless told. */
  readonly wallet: (options?: Partial<WalletOptions>) => Wallet
}

/** A fresh node; `fetch` may stand between it and the client. */
export async function scene(
  options: DevNodeOptions & { readonly through?: (fetch: Fetch) => Fetch } = {},
): Promise<Scene> {
  const { through = (fetch: Fetch) => fetch, ...settings } = options
  const node = await createDevNode({ now, ...settings })
  onTestFinished(() => node.close())
  const clock = fakeClock()
  const client = createNodeClient({
    url: 'http://node.test',
    fetch: through((url, init) => node.fetch(url, init)),
    clock,
  })
  const wallet = (own: Partial<WalletOptions> = {}) =>
    createWallet({ client, keys: people[0]!, clock, ...own })
  return { node, clock, client, wallet }
}

/** What the node itself says that somebody has. */
export async function balanceOf(
  node: DevNode,
  keys: KeyChain,
  assetID: Uint8Array = AVAX,
): Promise<bigint> {
  return (await quiet(node).avm.getBalance({ address: addressOf(keys), assetID })).balance
}

/** A client past all that a test has put between. */
export function quiet(node: DevNode): NodeClient {
  return createNodeClient({ url: 'http://node.test', fetch: node.fetch })
}

/** All UTXOs of somebody, by the node. */
export async function utxosOf(node: DevNode, keys: KeyChain): Promise<UTXO[]> {
  const found: UTXO[] = []
  const { addresses } = keys
  for await (const { utxos } of quiet(node).utxoPages({ addresses })) found.push(...utxos)
  return found
}

/** Gives somebody many coins at once, in one transaction of the local network's rich key. */
export async function scatter(
  { node, clock }: Scene,
  keys: KeyChain,
  amounts: readonly bigint[],
): Promise<void> {
  const rich = createWallet({
    client: quiet(node),
    keys: new KeyChain(['PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN']),
    clock,
  })
  const to = addressOf(keys)
  for (let i = 0; i < amounts.length; i += 500)
    await rich.transfer({ outputs: amounts.slice(i, i + 500).map((amount) => ({ to, amount })) })
}

/**
 * Makes an asset that supports NFTs only and yet has amounts, which nobody can ever spend, and gives them to
 * the wallet's owner.
 */
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
  if (unsignedTx.type !== 'CreateAssetTx') throw new Error('no asset is created')
  const type = 'secp256k1fx.TransferOutput' as const
  const owners = { locktime: 0n, threshold: 1, addresses: [keys.addresses[0]!] }
  const outputs = amounts.map((amount) => ({ type, amount, ...owners }))
  const initialStates = [{ fxIndex: 1, outputs }]
  const poisoned = { ...draft, unsignedTx: { ...unsignedTx, initialStates } }
  const signed = requireSigned(signDraft(poisoned, keys))
  await wallet.submit(signed)
  return signed.txID
}

/** Keeps the transactions that created assets from being looked up. */
export const hiding =
  (assetIDs: readonly Uint8Array[]): ((fetch: Fetch) => Fetch) =>
  (fetch) =>
  async (url, init) => {
    const body = String(init.body)
    const hidden = assetIDs.some((id) => body.includes(formatID(id)))
    if (body.includes('"avm.getTx"') && hidden) return new Response('no', { status: 403 })
    return fetch(url, init)
  }
