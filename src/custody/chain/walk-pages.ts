import { hex } from '../../core/base/encoding/hex.ts'
import { formatUTXOID } from '../../core/base/encoding/ids.ts'
import { AvmError } from '../../core/base/errors.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import { encodeUTXO, type UTXO } from '../../core/chain/x/utxo.ts'
import { type Clock, sleepFor, systemClock } from '../../node/clock.ts'
import { AbortError, isRetryable } from '../../node/errors.ts'
import type { CallOptions } from '../../node/http.ts'
import { utxosIn } from '../../node/view/utxo-votes.ts'
import type { ChainView } from '../../node/view/view.ts'
import { eachInFlight } from '../../wallet/in-flight.ts'
import type { Settings } from '../settings.ts'

const TXS_IN_FLIGHT = 8

/** Number of walks while servers disagree, because some may be behind, and the pause between them. */
const MAX_WALKS = 5
const WALK_RETRY_MS = 1_000

/** What the walked servers agree on. */
export type WalkedUTXOs = {
  readonly utxos: readonly UTXO[]
  /** Height that all of these servers had reached before. */
  readonly height: bigint
}

/**
 * The UTXOs of addresses that servers agree on. Each must be an output of the transaction that its ID
 * names: the transaction is read and its hash compared, so a server cannot change amounts, assets or owners.
 *
 * @throws AvmError if fewer servers than `quorum` answer
 */
export async function walkUTXOs(
  { chain, log }: Pick<Settings, 'chain' | 'log'>,
  addresses: readonly Uint8Array[],
  call: CallOptions,
  clock: Clock = systemClock,
): Promise<WalkedUTXOs> {
  const list = { addresses, sources: [{}], withHeight: true }
  let walked = await chain.utxos(list, call)
  for (let walks = 1; walked.disputed.length > 0 && walks < MAX_WALKS; walks++) {
    await sleepFor(clock, WALK_RETRY_MS, 'avm.getUTXOs', call.signal)
    walked = await chain.utxos(list, call)
  }
  const { set, disputed, height } = walked
  const agreed = utxosIn(set, {})
  const proven = await provenUTXOs(chain, agreed, call)
  const refused = [
    ...disputed.map(({ utxo }) => utxo),
    ...agreed.filter((utxo) => !proven.has(utxo)),
  ]
  if (refused.length > 0)
    await log('error', 'walk.disputed', 'UTXOs were ignored: too few servers list or prove them', {
      utxos: refused.slice(0, 20).map(formatUTXOID),
    })
  return { utxos: [...proven], height }
}

/** Those of the UTXOs that are outputs of the transactions that their IDs name. */
async function provenUTXOs(
  chain: ChainView,
  utxos: readonly UTXO[],
  call: CallOptions,
): Promise<ReadonlySet<UTXO>> {
  const byTx = new Map<string, UTXO[]>()
  for (const utxo of utxos) {
    const name = hex.encode(utxo.txID)
    const group = byTx.get(name) ?? []
    group.push(utxo)
    byTx.set(name, group)
  }
  const proven = new Set<UTXO>()
  await eachInFlight([...byTx.values()], TXS_IN_FLIGHT, async (group) => {
    const { txID } = group[0]!
    const tx = await findTx(chain, txID, call)
    const created = new Map(
      (tx === undefined ? [] : createdUTXOs(tx, txID)).map((one) => [utxoKey(one), one]),
    )
    for (const utxo of group) {
      const real = created.get(utxoKey(utxo))
      if (real !== undefined && hex.encode(encodeUTXO(real)) === hex.encode(encodeUTXO(utxo)))
        proven.add(utxo)
    }
  })
  return proven
}

/** A transaction from any server that has it; undefined if the answers of all servers are invalid. */
async function findTx(
  chain: ChainView,
  txID: Uint8Array,
  call: CallOptions,
): Promise<SignedTx | undefined> {
  try {
    return await chain.findTx(txID, call)
  } catch (error) {
    if (!(error instanceof AvmError) || error instanceof AbortError || isRetryable(error))
      throw error
    return undefined
  }
}
