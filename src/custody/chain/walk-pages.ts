import { hex } from '../../core/base/encoding/hex.ts'
import { formatUTXOID } from '../../core/base/encoding/ids.ts'
import { AvmError } from '../../core/base/errors.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import { encodeUTXO, type UTXO } from '../../core/chain/x/utxo.ts'
import { isRetryable } from '../../node/errors.ts'
import type { CallOptions } from '../../node/http.ts'
import type { NodeClient } from '../../node/node.ts'
import { utxosIn } from '../../node/view/utxo-votes.ts'
import { eachInFlight } from '../../wallet/in-flight.ts'
import type { Settings } from '../settings.ts'

const TXS_IN_FLIGHT = 8

/**
 * The UTXOs of addresses that servers agree on. Each must be an output of the transaction that its ID
 * names: the transaction is read and its hash compared, so a server cannot change amounts, assets or owners.
 *
 * @throws AvmError if fewer servers than `quorum` answer
 */
export async function walkUTXOs(
  { client, chain, log }: Settings,
  addresses: readonly Uint8Array[],
  call: CallOptions,
): Promise<UTXO[]> {
  const { set, disputed } = await chain.utxos({ addresses, sources: [{}] }, call)
  const agreed = utxosIn(set, {})
  const proven = await provenUTXOs(client, agreed, call)
  const refused = [
    ...disputed.map(({ utxo }) => utxo),
    ...agreed.filter((utxo) => !proven.has(utxo)),
  ]
  if (refused.length > 0)
    await log('error', 'walk.disputed', 'UTXOs were ignored: too few servers list or prove them', {
      utxos: refused.slice(0, 20).map(formatUTXOID),
    })
  return [...proven]
}

/** Those of the UTXOs that are outputs of the transactions that their IDs name. */
async function provenUTXOs(
  client: NodeClient,
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
    const tx = await findTxOnAny(client, txID, call)
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

/** A transaction from any server that has it: a server that is behind does not know it yet. */
async function findTxOnAny(
  client: NodeClient,
  txID: Uint8Array,
  call: CallOptions,
): Promise<SignedTx | undefined> {
  for (const server of new Set([client, ...client.servers()]))
    try {
      // Fails if the transaction has another ID.
      return await server.avm.getTx({ txID }, call)
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
      // `client` uses any server that answers, so none can be reached.
      if (server === client && isRetryable(error)) throw error
    }
  return undefined
}
