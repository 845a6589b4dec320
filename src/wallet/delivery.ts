import { consumedUTXOs } from '../chain/consumed.ts'
import { createdUTXOs } from '../chain/created.ts'
import type { UTXOID } from '../chain/transferables.ts'
import type { SignedTx, UnsignedTx } from '../chain/tx.ts'
import { UTXOSet } from '../coins/utxo-set.ts'
import { hex } from '../encoding/hex.ts'
import { type Clock, sleepFor } from '../rpc/clock.ts'
import { IssueError, RpcError } from '../rpc/errors.ts'
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

/** Sends a transaction until it is accepted, can never be accepted, or time runs out. */
export async function deliver(
  courier: Courier,
  tx: SignedTx,
  bytes: Uint8Array,
  wait: WaitOptions,
): Promise<Outcome> {
  const { clock } = courier
  const deadline = clock.now() + (wait.timeoutMs ?? 60_000)
  for (;;) {
    try {
      await send(courier.client, bytes, wait)
      return { status: 'accepted' }
    } catch (error) {
      if (!(error instanceof IssueError) || error.class === 'retry-later')
        return { status: 'open', error }
      if (!CONTESTED.includes(error.code)) return { status: 'refused', error }
      try {
        if (await isOverrun(courier, tx, error.txID, wait)) return { status: 'refused', error }
        if (clock.now() >= deadline) return { status: 'open', error }
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
 * Whether something else has spent what the transaction spends, so that it can never be accepted. A UTXO that
 * the node does not show proves this only if the node has the transaction that created it, for else it may
 * just be behind; and the transaction itself is looked for last, because it may have been the spender.
 */
async function isOverrun(
  courier: Courier,
  { unsignedTx }: SignedTx,
  txID: Uint8Array,
  { signal, graceMs = 1_000 }: WaitOptions,
): Promise<boolean> {
  const call: CallOptions = signal === undefined ? {} : { signal }
  if (!(await hasSpentInput(courier, unsignedTx, call))) return false
  await sleepFor(courier.clock, graceMs, 'deliver', signal)
  return (await findTx(courier.client, txID, call)) === undefined
}

async function hasSpentInput(
  { client, addresses }: Courier,
  tx: UnsignedTx,
  call: CallOptions,
): Promise<boolean> {
  const own = new Set(addresses.map(hex.encode))
  const missing = await missingFrom(client, consumedUTXOs(tx), { addresses, ...call })
  if (tx.type === 'ImportTx') {
    const atomic = { addresses, sourceChain: tx.sourceChain, ...call }
    // Its creator is on another chain; but it was there when the import was built.
    if ((await missingFrom(client, tx.importedInputs, atomic)).length > 0) return true
  }
  for (const id of missing) {
    const parent = await findTx(client, id.txID, call)
    const output = parent && createdUTXOs(parent, id.txID)[id.outputIndex]?.output
    // Of others' coins the walk shows nothing, spent or not.
    if (output?.addresses.some((address) => own.has(hex.encode(address)))) return true
  }
  return false
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
