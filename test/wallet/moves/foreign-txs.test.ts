import { describe, expect, it } from 'vitest'
import { AvmError } from '../../../src/core/base/errors.ts'
import { utxoKey } from '../../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import type { Candidate } from '../../../src/wallet/evidence/pending.ts'
import { endIfImported, endIfNonceUsed } from '../../../src/wallet/moves/foreign-txs.ts'
import type { MoveNote } from '../../../src/wallet/moves/note.ts'
import type { FoundTx, Side } from '../../../src/wallet/moves/side.ts'
import type { WalletState } from '../../../src/wallet/wallet-state.ts'
import { attempt } from '../machine/setup.ts'

const id = (n: number) => new Uint8Array(32).fill(n)
const utxo = (n: number): UTXOID => ({ txID: id(n), outputIndex: n })
const call = { totalMs: 1_000 }
const found: FoundTx = { txID: id(9), inputs: [utxo(1)] }
const exported = { ...attempt, inputs: [utxo(2)] }
const down = new AvmError('HTTP_UNREACHABLE', 'down')

/** A wallet that lists the transactions by which it would end a move. */
function wallet() {
  const ends: Candidate[] = []
  const decideBy = async (candidate: Candidate) => {
    // The evidence is read from servers.
    await new Promise((resolve) => setImmediate(resolve))
    ends.push(candidate)
  }
  return { state: { outcomes: { decideBy } } as unknown as WalletState, ends }
}

describe('endIfImported', () => {
  const note = { recipient: id(5) } as MoveNote
  const search = async (
    findImport: Side['findImport'],
    utxos: readonly UTXOID[],
    of: typeof exported | undefined = exported,
  ) => {
    const { state, ends } = wallet()
    await endIfImported(state, { findImport } as Side, of, note, utxos, call)
    return ends.map(({ txID, inputs }) => [txID[0], ...inputs.map(utxoKey)])
  }

  it('ends the move by an import that is found, with the inputs of its export', async () => {
    const asked: unknown[] = []
    const findImport = async (...given: unknown[]) => {
      asked.push(given)
      return found
    }
    expect(await search(findImport, [utxo(1)])).toEqual([[9, utxoKey(utxo(1)), utxoKey(utxo(2))]])
    expect(asked).toEqual([[[utxo(1)], id(5), call]])
  })

  it('ends an import of stray UTXOs, which has no export, in the same way', async () => {
    const { state, ends } = wallet()
    const side = { findImport: async () => found } as Partial<Side> as Side
    await endIfImported(state, side, undefined, note, [utxo(1)], call)
    expect(ends).toEqual([found])
  })

  it('does nothing if no UTXO is missing, none is found, no server answers, or none can be asked', async () => {
    expect(await search(async () => found, [])).toEqual([])
    expect(await search(async () => undefined, [utxo(1)])).toEqual([])
    expect(await search(() => Promise.reject(down), [utxo(1)])).toEqual([])
    expect(await search(undefined, [utxo(1)])).toEqual([])
  })
})

describe('endIfNonceUsed', () => {
  const used = async (
    nonce: bigint | undefined,
    findRival: Side['findRival'] = async () => undefined,
    nonceMismatch: Side['nonceMismatch'] = async () =>
      nonce === undefined ? undefined : { account: '0x', export: nonce, next: 5n },
  ) => {
    const { state, ends } = wallet()
    const side = { findRival, nonceMismatch } as Side
    const isUsed = await endIfNonceUsed(state, side, exported, call)
    return [isUsed, ends]
  }

  it('is false if the nonce is the next one, or one of the future', async () => {
    const findRival = async () => found
    expect(await used(undefined, findRival)).toEqual([false, []])
    expect(await used(6n, findRival)).toEqual([false, []])
  })

  it('is true if the nonce is used, and ends the export by what has used it', async () => {
    expect(await used(4n, async () => found)).toEqual([true, [found]])
    expect(await used(4n)).toEqual([true, []])
  })

  it('is false if no server answers', async () => {
    expect(await used(4n, () => Promise.reject(down))).toEqual([false, []])
    expect(await used(4n, undefined, () => Promise.reject(down))).toEqual([false, []])
  })

  it('does not hide defects', async () => {
    await expect(used(4n, () => Promise.reject(new TypeError('a defect')))).rejects.toThrow(
      TypeError,
    )
  })

  it('is false on chains without accounts', async () => {
    const { state } = wallet()
    expect(await endIfNonceUsed(state, {} as Side, exported, call)).toBe(false)
  })
})
