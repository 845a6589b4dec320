import { consumedUTXOs } from '../chain/consumed.ts'
import { createdUTXOs } from '../chain/created.ts'
import type { UTXOID } from '../chain/transferables.ts'
import type { SignedTx, UnsignedTx } from '../chain/tx.ts'
import { UTXOSet } from '../coins/utxo-set.ts'
import { hex } from '../encoding/hex.ts'
import { AvmError } from '../errors.ts'
import { type Clock, sleepFor, stopwatch } from '../rpc/clock.ts'
import { AbortError, IssueError, RpcError } from '../rpc/errors.ts'
import type { CallOptions } from '../rpc/http.ts'
import type { NodeClient } from '../rpc/node.ts'
import type { WaitOptions } from '../rpc/wait.ts'

/**
 * How sending ended. `refused` is for good: the bytes can never be accepted. `open` is everything that leaves
 * a doubt, and then only the same bytes may be sent again.
 */
export type Outcome =
  | { readonly status: 'accepted' }
  | { readonly status: 'refused'; readonly error: IssueError }
  | { readonly status: 'open'; readonly error: unknown }

/** Whom to ask, and whose coins are spent. */
export type Courier = {
  readonly client: NodeClient
  readonly clock: Clock
  readonly addresses: readonly Uint8Array[]
}

const CONTEST_PAUSE_MS = 500

/**
 * What depends on the moment: a transaction that was accepted, is pending, or has a rival in the mempool
 * is answered like this too.
 */
const CONTESTED: readonly string[] = ['UTXO_NOT_FOUND', 'ATOMIC_UTXO_NOT_FOUND', 'MEMPOOL_CONFLICT']

/** What says more about the node that was asked than about the transaction, which others may have. */
const ELSEWHERE: readonly string[] = ['WRONG_NETWORK_ID', 'WRONG_CHAIN_ID']

/** Sends a transaction until it is accepted, can never be accepted, or time runs out. */
export async function deliver(
  courier: Courier,
  tx: SignedTx,
  bytes: Uint8Array,
  wait: WaitOptions,
): Promise<Outcome> {
  const { clock } = courier
  const passed = stopwatch(clock)
  for (;;) {
    try {
      await send(courier.client, bytes, wait)
      return { status: 'accepted' }
    } catch (error) {
      if (!(error instanceof IssueError) || error.class === 'retry-later')
        return { status: 'open', error }
      if (ELSEWHERE.includes(error.code)) return { status: 'open', error }
      if (!CONTESTED.includes(error.code)) return { status: 'refused', error }
      try {
        if (await isOverrun(courier, tx, error.txID, wait)) return { status: 'refused', error }
        if (passed() >= (wait.timeoutMs ?? 60_000)) return { status: 'open', error }
        await sleepFor(clock, CONTEST_PAUSE_MS, 'deliver', wait.signal)
      } catch (cause) {
        return { status: 'open', error: cause }
      }
    }
  }
}

/** Resolves once accepted. */
async function send(client: NodeClient, bytes: Uint8Array, wait: WaitOptions): Promise<void> {
  try {
    if ((await client.issueTx(bytes, issueOptions(wait))).status === 'accepted') return
  } catch (error) {
    // The same bytes can be sent again only where the node does not repeat its answer.
    const again = error instanceof IssueError && error.class === 'retry-later' && !error.remembered
    if (!again) throw error
  }
  await client.waitForTx(bytes, wait)
}

function issueOptions({ signal, graceMs }: WaitOptions): WaitOptions {
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(graceMs === undefined ? {} : { graceMs }),
  }
}

/**
 * Whether something else has spent what the transaction spends, so that it can never be accepted. Servers may be
 * at different heights, so that answers of two of them prove nothing together: each is asked alone.
 */
async function isOverrun(
  courier: Courier,
  { unsignedTx }: SignedTx,
  txID: Uint8Array,
  wait: WaitOptions,
): Promise<boolean> {
  const signs: (Sign | undefined)[] = []
  let failure: unknown
  for (const client of courier.client.servers())
    try {
      const sign = await steadySign({ ...courier, client }, unsignedTx, txID, wait)
      if (sign === 'spent') return true
      signs.push(sign)
    } catch (error) {
      if (error instanceof AbortError || !(error instanceof AvmError)) throw error
      failure = error
    }
  if (failure === undefined) return signs.every((sign) => sign === 'missing')
  if (signs.length === 0) throw failure
  return false
}

/**
 * `spent` is proof: a server that has the transaction which created a UTXO, but not the UTXO. `missing` is none
 * where servers disagree: the creator is on another chain, of which a server may not know yet.
 */
type Sign = 'spent' | 'missing'

/** Behind one address several nodes may take turns, so it must show the same every time; looking up is cheap. */
const WALKS = 5
const LOOKS = 3

async function steadySign(
  { client, clock, addresses }: Courier,
  tx: UnsignedTx,
  txID: Uint8Array,
  { signal, graceMs = 1_000 }: WaitOptions,
): Promise<Sign | undefined> {
  const call: CallOptions = signal === undefined ? {} : { signal }
  const signs = new Set<Sign | undefined>()
  for (let walk = 0; walk < WALKS; walk++) {
    signs.add(await signOf(client, addresses, tx, call))
    if (signs.size > 1 || signs.has(undefined)) return undefined
    await sleepFor(clock, graceMs / WALKS, 'deliver', signal)
    // Looked for last, because it may itself have been the spender.
    for (let look = 0; look < LOOKS; look++)
      if ((await findTx(client, txID, call)) !== undefined) return undefined
  }
  return [...signs][0]
}

async function signOf(
  server: NodeClient,
  addresses: readonly Uint8Array[],
  tx: UnsignedTx,
  call: CallOptions,
): Promise<Sign | undefined> {
  const own = new Set(addresses.map(hex.encode))
  const local = tx.type === 'ImportTx' ? tx.inputs : consumedUTXOs(tx)
  for (const id of await missingFrom(server, local, { addresses, ...call })) {
    let parent = await findTx(server, id.txID, call)
    for (let look = 1; look < LOOKS && parent; look++) parent = await findTx(server, id.txID, call)
    const output = parent && createdUTXOs(parent, id.txID)[id.outputIndex]?.output
    // Of others' coins the walk shows nothing, spent or not.
    if (output?.addresses.some((address) => own.has(hex.encode(address)))) return 'spent'
  }
  if (tx.type !== 'ImportTx') return undefined
  const atomic = { addresses, sourceChain: tx.sourceChain, ...call }
  // It was there when the import was built.
  return (await missingFrom(server, tx.importedInputs, atomic)).length > 0 ? 'missing' : undefined
}

async function missingFrom(
  client: NodeClient,
  ids: readonly UTXOID[],
  walk: Parameters<NodeClient['utxoPages']>[0],
): Promise<UTXOID[]> {
  const set = new UTXOSet()
  for await (const page of client.utxoPages(walk)) set.add(page)
  return ids.filter((id) => set.get(id) === undefined)
}

/** A transaction that is accepted, or undefined. */
export async function findTx(
  client: NodeClient,
  txID: Uint8Array,
  call: CallOptions,
): Promise<SignedTx | undefined> {
  try {
    return await client.avm.getTx({ txID }, call)
  } catch (error) {
    if (error instanceof RpcError && error.code === 'RPC_NOT_FOUND') return undefined
    throw error
  }
}
