import { describe, expect, it } from 'vitest'
import { AvmError } from '../../../src/core/base/errors.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import { encodeNote } from '../../../src/wallet/moves/note.ts'
import {
  missingAmong,
  moveError,
  moveRecord,
  type UnfinishedMove,
} from '../../../src/wallet/moves/record.ts'
import type { NonceMismatch, Side, Sides } from '../../../src/wallet/moves/side.ts'
import { exportOnC as anExport, importOnP as anImport } from '../machine/setup.ts'
import { addressOf } from '../setup.ts'
import { keys } from './setup.ts'

const { local } = networks
const id = (n: number) => new Uint8Array(32).fill(n)
const utxo = (n: number): UTXOID => ({ txID: id(n), outputIndex: 0 })
const down = new AvmError('HTTP_UNREACHABLE', 'down')
const plan = {
  from: 'C',
  to: 'P',
  amount: 5n,
  assetID: local.assetID,
  recipient: keys.addresses[0]!,
  maxFee: 1n,
} as const
const leg = { ...anExport.leg!, note: encodeNote(plan) }
const older = { ...anExport, txID: id(1), leg }
const exported = { ...anExport, txID: id(2), leg }
const imported = { ...anImport, txID: id(3), leg: { ...leg, chain: 'P' as const } }

/** Two chains: the destination lists a UTXO, and the node reports a nonce. */
function chains({
  listed = [utxo(2), utxo(8)],
  nonce,
}: {
  listed?: readonly UTXOID[] | Error
  nonce?: NonceMismatch | Error
} = {}): Sides {
  const atomicUTXOs = async () => {
    if (listed instanceof Error) throw listed
    return { utxos: listed, disputed: [] }
  }
  const side = {
    atomicUTXOs,
    exportedBy: () => [{ ...utxo(2), assetID: local.assetID, output: {} }],
    importedBy: () => [utxo(2), utxo(8)],
    nonceMismatch: async () => {
      if (nonce instanceof Error) throw nonce
      return nonce
    },
  } as unknown as Side
  return { X: side, P: side, C: side }
}

const unfinished = (changes: Partial<UnfinishedMove>): UnfinishedMove => ({
  payments: [{ key: 'a', digest: id(0) }],
  attempts: [],
  exported: undefined,
  error: undefined,
  ...changes,
})
const exporting = unfinished({ attempts: [older, exported], error: down })
const between = unfinished({ attempts: [older, exported], exported: older })
const importing = unfinished({ attempts: [older, exported, imported], exported: older })
const used = (nonce: bigint): NonceMismatch => ({ account: '0xabc', export: nonce, next: 5n })

describe('moveRecord', () => {
  const recordOf = (move: UnfinishedMove, given?: Parameters<typeof chains>[0]) =>
    moveRecord(move, chains(given), local)

  it('describes a move whose export is pending, by its newest export', async () => {
    expect(await recordOf(exporting)).toMatchObject({
      key: 'a',
      from: 'C',
      to: 'P',
      amount: 5n,
      recipient: addressOf(keys, 'P'),
      stage: 'exporting',
      exportTxID: id(2),
      importTxID: undefined,
      utxos: [],
      missing: [],
      needs: expect.stringContaining('export must be accepted'),
      nonce: undefined,
      error: down,
    })
  })

  it('describes a move whose export was accepted', async () => {
    const record = await recordOf(between)
    expect(record).toMatchObject({
      stage: 'exported',
      exportTxID: id(1),
      importTxID: undefined,
      location: expect.stringContaining('to be imported'),
      missing: [],
      needs: expect.stringContaining('must be imported'),
    })
    expect(record.utxos).toEqual([utxo(2)])
  })

  it('describes a move whose import is pending', async () => {
    expect(await recordOf(importing)).toMatchObject({
      stage: 'importing',
      exportTxID: id(1),
      importTxID: id(3),
      utxos: [utxo(2), utxo(8)],
      missing: [],
      needs: expect.stringContaining('import must be accepted'),
    })
  })

  it('describes an import of stray UTXOs, which has no export', async () => {
    expect(await recordOf(unfinished({ attempts: [imported] }))).toMatchObject({
      stage: 'importing',
      exportTxID: undefined,
      importTxID: id(3),
    })
  })

  it('names UTXOs that the destination does not list', async () => {
    const listed = [utxo(8)]
    for (const move of [between, importing])
      expect(await recordOf(move, { listed })).toMatchObject({
        missing: [utxo(2)],
        needs: expect.stringContaining('does not list'),
      })
    const { location } = await recordOf(between, { listed })
    expect(location).toContain('not listed on the P-Chain')
    expect(await moveRecord(between, chains({ listed }), local, [])).toMatchObject({ missing: [] })
  })

  it('tells what an export with another nonce than the next one needs', async () => {
    expect(await recordOf(exporting, { nonce: used(7n) })).toMatchObject({
      nonce: used(7n),
      needs: expect.stringMatching(/^2 transactions .* must be accepted first/),
    })
    expect(await recordOf(exporting, { nonce: used(4n) })).toMatchObject({
      needs: expect.stringContaining('has used nonce 4'),
    })
    expect(await recordOf(exporting, { nonce: down })).toMatchObject({ nonce: undefined })
  })

  it('does not ask for the nonce of an export that was accepted', async () => {
    for (const move of [between, importing])
      expect((await recordOf(move, { nonce: used(4n) })).nonce).toBeUndefined()
  })
})

describe('missingAmong', () => {
  const missing = (utxos: readonly UTXOID[], listed?: readonly UTXOID[] | Error) =>
    missingAmong(utxos, chains(listed && { listed }).P, 'C', { totalMs: 1 })

  it('lists what is not listed', async () => {
    expect(await missing([utxo(1), utxo(2)])).toEqual([utxo(1)])
    expect(await missing([utxo(1), utxo(2)], [])).toEqual([utxo(1), utxo(2)])
  })
  it('is empty if the node does not answer', async () => {
    expect(await missing([utxo(1)], down)).toEqual([])
  })
  it('asks for nothing if there is nothing', async () => {
    expect(await missing([], new TypeError('asked'))).toEqual([])
  })
})

describe('moveError', () => {
  const errorOf = (move: UnfinishedMove, signal?: AbortSignal) =>
    moveError(move, chains(), local, signal, [])

  it('tells whether anything was exported', async () => {
    expect(await errorOf(exporting)).toMatchObject({
      code: 'TX_PENDING',
      cause: down,
      move: { stage: 'exporting' },
    })
    for (const move of [between, importing])
      expect(await errorOf(move)).toMatchObject({ code: 'MOVE_UNFINISHED' })
  })

  it('is caused by the caller if that has aborted', async () => {
    const aborted = await errorOf(exporting, AbortSignal.abort('why'))
    expect(aborted.cause).toMatchObject({ code: 'ABORTED', cause: 'why' })
    expect((await errorOf(exporting, new AbortController().signal)).cause).toBe(down)
  })
})
