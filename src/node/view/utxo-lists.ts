import { formatID } from '../../core/base/encoding/ids.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import type { UTXOPage } from '../../core/chain/x/utxo-page.ts'
import { type Source, UTXOSet } from '../../core/coins/utxo-set.ts'
import { type Clock, sleepFor } from '../clock.ts'
import { ReplyError } from '../errors.ts'
import type { CallOptions } from '../http.ts'
import type { NodeClient } from '../node.ts'
import { isSameUTXO } from './utxo-votes.ts'

/** Maximum number of requests for a transaction that servers should have, and the pause between them. */
const MAX_TRIES = 5
const FIND_RETRY_MS = 200

const REQUEST_TIMEOUT_MS = 10_000

/** What a walk needs. */
export type WalkOptions = {
  readonly clock: Clock
  /** An accepted transaction, from any server. */
  readonly findTx: (txID: Uint8Array, call: CallOptions) => Promise<SignedTx | undefined>
}

/**
 * Walks `getUTXOs` of a server into a new set: the UTXOs of this chain and those that `source`, if any, exported.
 *
 * @throws ReplyError `REPLY_MISMATCH` if the server lists UTXOs that do not exist. Only a few are checked, because each
 * check takes a request; UTXOs of other chains cannot be checked.
 */
export async function listUTXOs(
  server: NodeClient,
  addresses: readonly Uint8Array[],
  sources: readonly Source[],
  options: WalkOptions,
  call: CallOptions,
): Promise<UTXOSet> {
  const set = new UTXOSet()
  await Promise.all(
    sources.map(async (from) => {
      let pages = 0
      for await (const page of server.utxoPages({ addresses, ...from, ...call })) {
        set.add(page, from)
        const isChecked = ++pages > 1 && from.sourceChain === undefined
        // After 2, 4, 8, … pages: the walk of a server that lists UTXOs without end is at most about twice as long as
        // that of all true ones.
        if (isChecked && Number.isInteger(Math.log2(pages))) await requireReal(page, options, call)
      }
    }),
  )
  return set
}

/** Checks one UTXO of a page: a dishonest server can invent UTXOs, but not the transactions that create them. */
async function requireReal(
  { utxos }: UTXOPage,
  options: WalkOptions,
  call: CallOptions,
): Promise<void> {
  const { clock } = options
  const utxo = utxos[Math.floor(clock.random() * utxos.length) % utxos.length]
  if (utxo === undefined) throw invented('has a page without a valid UTXO')
  for (let tries = 1; !(await isProven(utxo, options, call)); tries++) {
    if (tries === MAX_TRIES)
      throw invented(
        `has a UTXO of transaction ${formatID(utxo.txID)}, which did not create it or does not exist`,
      )
    // Other servers may be behind.
    await sleepFor(clock, FIND_RETRY_MS, 'wallet', call.signal)
  }
}

/** Whether a server returns the transaction that created a UTXO, with the same content. */
export async function isProven(
  utxo: UTXO,
  { findTx }: Pick<WalkOptions, 'findTx'>,
  { signal }: CallOptions,
): Promise<boolean> {
  const tx = await findTx(utxo.txID, { signal, totalMs: REQUEST_TIMEOUT_MS })
  const created = tx && createdUTXOs(tx, utxo.txID)[utxo.outputIndex]
  return created !== undefined && isSameUTXO(created, utxo)
}

function invented(message: string): ReplyError {
  return new ReplyError('REPLY_MISMATCH', 'avm.getUTXOs', 'result.utxos', message)
}
