import { equalBytes } from '../../src/core/base/bytes/compare.ts'
import { evmAddressBytes } from '../../src/core/chain/c/evm-address.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { utxoKey } from '../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../src/core/chain/x/transferables.ts'
import {
  type CChainClient,
  createCChainClient,
  createNodeClient,
  createPChainClient,
  type NodeClient,
  type PChainClient,
} from '../../src/node/index.ts'
import type { Wallet } from '../../src/wallet/index.ts'
import type { CrossChainWallet, MoveChain } from '../../src/wallet/moves/index.ts'
import type { Attempt } from '../../src/wallet/store/index.ts'
import type { Account } from './accounts.ts'
import type { Caller } from './calls.ts'
import { type Cluster, nameOf } from './cluster.ts'
import { UNIT } from './payments.ts'
import type { Random } from './random.ts'
import type { Scene } from './scene.ts'
import { patiently } from './world.ts'

const AVAX = 1_000_000_000n
/** More than both legs of a move may burn. */
const MAX_FEES = AVAX / 5n
const CHAINS: readonly MoveChain[] = ['X', 'P', 'C']
/** From each chain to each other one. */
const ROUTES = CHAINS.flatMap((from) =>
  CHAINS.filter((to) => to !== from).map((to) => [from, to] as const),
)

/** A UTXO that one chain has exported to another. */
export type Exported = UTXOID & { readonly assetID: Uint8Array; readonly output: object }

/** A move that callers ask for. Nobody else pays its recipient, so the chains show how often it was made. */
export type Move = {
  readonly key: string
  readonly from: MoveChain
  readonly to: MoveChain
  readonly amount: bigint
  readonly recipient: Uint8Array
  /** Whether somebody tries to cancel it. */
  readonly cancels: boolean
  /** Calls in progress; those of crashed processes stay. */
  calls: number
  /** Whether a caller was told that it was canceled. */
  isCanceled: boolean
  /** Whether another call may have made it again after that. */
  isAskedAgain: boolean
  /** Whether the store has recorded its acceptance. */
  isAccepted: boolean
}

/** Draws the moves of an account. */
export function randomMoves(random: Random): Move[] {
  return Array.from({ length: 1 + random.below(3) }, (_, i): Move => {
    const from = random.pick(CHAINS)
    return {
      key: `move ${i}`,
      from,
      to: random.pick(CHAINS.filter((chain) => chain !== from)),
      amount: AVAX + BigInt(random.below(1000)),
      recipient: new Uint8Array(20).fill(200 + i),
      cancels: from === 'X' && random.chance(0.2),
      calls: 0,
      isCanceled: false,
      isAskedAgain: false,
      isAccepted: false,
    }
  })
}

/** Produces blocks of the P- and C-Chain, whose fees change. */
export function startOtherChains({ world, cluster }: Scene): void {
  const { random, time } = world
  const { node } = cluster.nodes[0]!
  const produce = () => {
    const excess = random.chance(0.2) ? random.below(4_000_000) : undefined
    if (excess !== undefined && !world.isHealed)
      node.pChain.setFeeState({ capacity: 1_000_000n, excess: BigInt(excess) })
    if (random.chance(0.2) && !world.isHealed)
      node.cChain.setBaseFee(BigInt(1 + random.below(200)) * AVAX)
    node.pChain.produceBlock()
    node.cChain.produceBlock()
    time.after(world.isHealed ? 1000 : 500 + random.below(3000), produce)
  }
  time.after(700, produce)
}

/** The calls for the moves of an account. */
export function moveCalls(caller: Caller): (() => Promise<void>)[] {
  return caller.account.moves.flatMap((move) => [
    () => make(caller, move),
    ...(move.cancels ? [() => cancel(caller, move)] : []),
  ])
}

function make(caller: Caller, move: Move): Promise<void> {
  const { key, from, to, amount, recipient } = move
  const { account, scene } = caller
  const wallet = caller.wallet as CrossChainWallet
  return caller.repeat(
    key,
    async (options) => {
      move.calls++
      await wallet.move({ from, to, amount, recipient }, { ...options, key }).finally(() => {
        move.calls--
      })
      scene.world.note(`${key} from ${from} to ${to} arrived`)
      account.done.add(key)
    },
    (code) => {
      // Every transaction is in the store, so none can have made a move that it does not know.
      if (code === 'PAYMENT_MAYBE_MADE') scene.world.violate(`${key}: unexpected ${code}`)
      if (code !== 'PAYMENT_CANCELED') return false
      move.isCanceled = true
      if (move.calls > 0) move.isAskedAgain = true
      account.done.add(key)
      return true
    },
  )
}

function cancel(caller: Caller, { key }: Move): Promise<void> {
  const { wallet, scene } = caller
  return caller.repeat(key, async (options) => {
    const { status } = await wallet.cancel(key, options)
    scene.world.note(`cancel ${key}: ${status}`)
  })
}

/** What a wallet has elsewhere is what the other chains hold, whatever one of several servers lists. */
async function checkElsewhere({ world, cluster, keys }: Scene, wallet: Wallet): Promise<void> {
  const balances = await patiently(() => wallet.balances({ everywhere: true }))
  const reported = balances.flatMap(({ waiting = [] }) => waiting)
  const on = balancesOf(cluster)
  const truth = async (chain: MoveChain, from: MoveChain | undefined) => {
    if (from !== undefined) return sumOf(await exportedUTXOs(cluster, keys.addresses, from, chain))
    if (chain === 'C') return on.C(evmAddressBytes(keys.publicKeys[0]!))
    let sum = 0n
    for (const owner of keys.addresses) sum += await on.P(owner)
    return sum
  }
  const places = [['P', undefined], ['C', undefined], ...ROUTES.map(([from, to]) => [to, from])]
  for (const [chain, from] of places as [MoveChain, MoveChain | undefined][]) {
    const found = reported.filter((one) => one.chain === chain && one.from === from)
    const amount = found.reduce((sum, one) => sum + one.amount, 0n)
    if (amount !== (await truth(chain, from)))
      world.violate(`the balance on ${chain} from ${from ?? chain} is not that of the chain`)
  }
}

/** Once everything has ended, a wallet finds nothing unfinished, and the records say what callers were told. */
export async function checkMoveRecords(
  scene: Scene,
  { moves }: Account,
  opened: Wallet,
): Promise<void> {
  if (moves.length === 0) return
  const { world } = scene
  const wallet = opened as CrossChainWallet
  await checkElsewhere(scene, wallet)
  for (const { key, stage, location } of await patiently(() => wallet.moves()))
    world.violate(`${key} is unfinished: ${stage}, ${location}`)
  for (const move of moves) {
    const [record] = await patiently(() => wallet.payments([move.key]))
    const { status } = record!
    move.isAccepted = status === 'accepted'
    const expected = move.isCanceled ? 'canceled' : 'accepted'
    if (status !== expected && !move.isAskedAgain && !scene.isBelieved)
      world.violate(`${move.key} is recorded as ${status}, expected ${expected}`)
  }
}

/**
 * Compares what the chains hold with what callers were told. Returns how many moves arrived. With a quorum of 1 a liar may
 * have shown an import or a cancellation as accepted that never was: then the caller was told something false, but nothing
 * arrives twice.
 */
export async function checkMoves(
  { world, cluster, isBelieved }: Scene,
  { moves, done }: Account,
): Promise<number> {
  const on = balancesOf(cluster)
  let arrived = 0
  for (const { key, to, amount, recipient, ...move } of moves) {
    const received = await on[to](recipient)
    const times = received === 0n ? 0 : received < 2n * amount ? 1 : 2
    if (times === 1) arrived++
    const isPaid = move.isAskedAgain ? move.isAccepted : !move.isCanceled
    const expected = done.has(key) && isPaid ? 1 : 0
    if (times > 1) world.violate(`${key} was moved twice`)
    if (done.has(key) && times !== expected && !isBelieved)
      world.violate(`${key} arrived ${times} times, expected ${expected}`)
    if (times === 1 && received < amount - MAX_FEES)
      world.violate(`${key} arrived with ${received} of ${amount}`)
  }
  return arrived
}

/** Once all moves and imports have ended, nothing that a move has exported lies between the chains. */
export async function checkBetween({ world, cluster, keys, exported }: Scene): Promise<void> {
  for (const [from, to] of ROUTES)
    for (const utxo of await exportedUTXOs(cluster, keys.addresses, from, to))
      if (!exported.has(utxoKey(utxo))) world.violate(`a UTXO lies between ${from} and ${to}`)
}

/**
 * Whether honest servers refuse the export of a move that is not accepted: its fee has risen, or it spends UTXOs that were
 * listed falsely.
 */
export async function isRefusedExport(
  cluster: Cluster,
  { kind, leg, txID, bytes }: Attempt,
): Promise<boolean> {
  if (kind !== 'export' || leg === undefined) return false
  const clients = clientsOf(cluster)
  const isAccepted =
    leg.chain === 'X'
      ? cluster.accepted().some((one) => equalBytes(one.txID, txID))
      : await clients[leg.chain].isAccepted(txID)
  if (isAccepted) return false
  return clients[leg.chain].issueTx(bytes).then(
    () => false,
    () => true,
  )
}

/** AVAX of the wallets and of all recipients of an account, on all chains and between them. */
export async function totalValue(
  { cluster, keys }: Scene,
  { moves, payments }: Account,
): Promise<bigint> {
  const on = balancesOf(cluster)
  const distinct = new Map(payments.map(({ to }) => [nameOf(to), to]))
  let total = await on.C(evmAddressBytes(keys.publicKeys[0]!))
  for (const owner of [...keys.addresses, ...distinct.values()]) total += await on.X(owner)
  for (const owner of keys.addresses) total += await on.P(owner)
  for (const { to, recipient } of moves) total += await on[to](recipient)
  for (const [from, to] of ROUTES)
    total += sumOf(await exportedUTXOs(cluster, keys.addresses, from, to))
  return total
}

/** The most that fees can have burned. */
export function maxFees({ cluster }: Scene, { moves, batches }: Account): bigint {
  const others = moves.length + batches.length
  return MAX_FEES * BigInt(others) + UNIT * BigInt(cluster.accepted().length)
}

/** UTXOs that one chain has exported to another for some addresses. */
export async function exportedUTXOs(
  cluster: Cluster,
  addresses: readonly Uint8Array[],
  sourceChain: MoveChain,
  to: MoveChain,
): Promise<Exported[]> {
  if (to === 'X') return cluster.utxosOf(addresses, sourceChain)
  const found: Exported[] = []
  const pages = clientsOf(cluster)[to].utxoPages({ addresses, sourceChain })
  for await (const { utxos } of pages) found.push(...utxos)
  return found
}

/** Balances of AVAX on the chains of the first node, in nAVAX. */
function balancesOf(cluster: Cluster): {
  readonly [chain in MoveChain]: (owner: Uint8Array) => Promise<bigint>
} {
  const { P, C } = clientsOf(cluster)
  return {
    X: async (owner) => sumOf(await cluster.utxosOf([owner])),
    P: async (owner) => {
      let sum = 0n
      for await (const { utxos } of P.utxoPages({ addresses: [owner] })) sum += sumOf(utxos)
      return sum
    },
    C: async (owner) => (await C.account(owner)).balance / AVAX,
  }
}

/** Clients of the first node, without faults. */
function clientsOf(cluster: Cluster): {
  readonly X: NodeClient
  readonly P: PChainClient
  readonly C: CChainClient
} {
  const { fetch } = cluster.nodes[0]!.node
  const connection = {
    url: 'http://n0',
    fetch: (url: string, init: RequestInit) => fetch(url, init),
  }
  return {
    X: createNodeClient(connection),
    P: createPChainClient(connection),
    C: createCChainClient(connection),
  }
}

function sumOf(utxos: readonly Pick<Exported, 'assetID' | 'output'>[]): bigint {
  let sum = 0n
  for (const { output, assetID } of utxos)
    if ('amount' in output && equalBytes(assetID, networks.local.assetID))
      sum += output.amount as bigint
  return sum
}
