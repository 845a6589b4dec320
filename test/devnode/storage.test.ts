import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { networks } from '../../src/chain/networks.ts'
import { createDevNode } from '../../src/devnode/index.ts'
import { RecordLog } from '../../src/devnode/storage.ts'
import { codeOf } from '../helpers/vectors.ts'
import { ask, call } from './client.ts'
import { amountOf, ewoq, others, outputTo, transfer, txParams, utxosOf } from './txs.ts'

const FEE = networks.local.txFee
const [alice, bob] = others as [(typeof others)[0], (typeof others)[0]]
let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'devnode-'))
  path = join(folder, 'chain.log')
})
afterEach(() => rmSync(folder, { recursive: true }))

const bytes = (...values: number[]) => Uint8Array.from(values)

/** What the log of the folder holds when it is opened anew. */
function reopened(): number[][] {
  const log = new RecordLog(folder)
  const records = log.records.map((record) => [...record])
  log.close()
  return records
}

function written(...records: Uint8Array[]): Buffer {
  const log = new RecordLog(folder)
  for (const record of records) log.append(record)
  log.close()
  return readFileSync(path)
}

describe('RecordLog', () => {
  it('keeps records', () => {
    written(bytes(1), bytes(2, 3))
    expect(reopened()).toEqual([[1], [2, 3]])
  })

  it('cuts off a record that was not finished, wherever it ends', () => {
    const first = written(bytes(1, 1, 1)).length
    const whole = written(bytes(2, 2, 2, 2))
    for (let size = first; size < whole.length; size++) {
      writeFileSync(path, whole.subarray(0, size))
      expect([size, reopened()]).toEqual([size, [[1, 1, 1]]])
      expect(readFileSync(path)).toHaveLength(first)
    }
  })

  it('cuts off a last record of which not all pages were written', () => {
    const first = written(bytes(1, 1, 1)).length
    const whole = written(bytes(2, 2, 2, 2))
    whole.fill(0, whole.length - 2)
    writeFileSync(path, whole)
    expect(reopened()).toEqual([[1, 1, 1]])
    writeFileSync(path, Buffer.concat([whole.subarray(0, first), Buffer.alloc(50)]))
    expect(reopened()).toEqual([[1, 1, 1]])
  })

  it('goes on behind what it repaired', () => {
    const whole = written(bytes(1), bytes(2))
    writeFileSync(path, whole.subarray(0, whole.length - 1))
    written(bytes(3))
    expect(reopened()).toEqual([[1], [3]])
  })

  it('does not cut off records behind a damaged one', () => {
    const whole = written(bytes(1, 2, 3), bytes(4))
    whole[8 + 8 + 1]! ^= 1
    writeFileSync(path, whole)
    expect(codeOf(() => new RecordLog(folder))).toBe('LOG_CORRUPT')
    expect(readFileSync(path)).toEqual(whole)
  })

  it('refuses a file that is none of its own', () => {
    writeFileSync(path, 'something else entirely')
    expect(codeOf(() => new RecordLog(folder))).toBe('LOG_CORRUPT')
  })

  it('begins anew where a crash left only a part of the first bytes', () => {
    const whole = written()
    writeFileSync(path, whole.subarray(0, 3))
    expect(reopened()).toEqual([])
  })

  it('is open only once', () => {
    const log = new RecordLog(folder)
    expect(codeOf(() => new RecordLog(folder))).toBe('LOG_FAILED')
    log.close()
    expect(reopened()).toEqual([])
  })

  it('begins anew with other records', () => {
    const log = new RecordLog(folder)
    for (const value of [1, 2, 3]) log.append(bytes(value))
    log.replace([bytes(1)])
    log.append(bytes(4))
    log.close()
    expect(reopened()).toEqual([[1], [4]])
  })
})

describe('a node with a folder', () => {
  it('is there again with everything that was accepted, and nothing that was pending', async () => {
    const node = await createDevNode({ folder, now: 1_700_000_000, blocks: 'manual' })
    node.fund(alice.address, 10n * FEE)
    node.exportFrom('C', { address: bob.text, amount: 5n })
    node.addChain(new Uint8Array(32).fill(7), new Uint8Array(32).fill(8))
    const coins = await utxosOf(node, alice)
    await call(node, 'avm.issueTx', txParams(transfer(coins, [outputTo(bob, FEE)])))
    const digest = node.stateDigest()
    await node.close()

    const again = await createDevNode({ folder, now: 1_700_000_000, blocks: 'manual' })
    expect(again.stateDigest()).toEqual(digest)
    expect(codeOf(() => again.produceBlock())).toBe('NO_TRANSACTIONS')
    expect((await utxosOf(again, alice)).map(amountOf)).toEqual([10n * FEE])
    await again.close()
  })

  it('goes back to a snapshot on disk too', async () => {
    const node = await createDevNode({ folder, blocks: 'manual' })
    node.fund(alice.address, 10n)
    const snapshot = node.snapshot()
    const digest = node.stateDigest()
    node.fund(alice.address, 20n)
    const later = node.snapshot()
    node.restore(snapshot)
    await node.close()
    const again = await createDevNode({ folder })
    expect(again.stateDigest()).toEqual(digest)
    again.restore(later)
    const laterDigest = again.stateDigest()
    await again.close()
    const last = await createDevNode({ folder })
    expect(last.stateDigest()).toEqual(laterDigest)
    expect(laterDigest).not.toEqual(digest)
    await last.close()
  })

  it('keeps the settings it was made with', async () => {
    const allocations = [{ address: ewoq.address, amount: 7n }]
    await (await createDevNode({ folder, networkID: 1337, allocations })).close()
    const again = await createDevNode({ folder })
    expect(again.context.networkID).toBe(1337)
    expect(await ask(again, 'avm.getHeight')).toEqual({ height: '0' })
    await again.close()
    await expect(createDevNode({ folder, networkID: 1338 })).rejects.toMatchObject({
      code: 'BAD_OPTION',
    })
    await (await createDevNode({ folder, networkID: 1337, allocations })).close()
  })
})
