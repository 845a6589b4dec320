import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { networks } from '../../../src/core/chain/networks.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import { RecordLog } from '../../../src/devnode/saved/storage.ts'
import { codeOf } from '../../helpers/vectors.ts'
import { ask, call } from '../client.ts'
import { amountOf, ewoq, others, outputTo, transfer, txParams, utxosOf } from '../txs.ts'

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

/** The system gives the lowest free number to the next file that is opened. */
function nextDescriptor(): number {
  const file = openSync(process.execPath, 'r')
  closeSync(file)
  return file
}

/** The records of the log after opening it again. */
async function reopened(): Promise<number[][]> {
  const log = await RecordLog.open(folder)
  const records = log.records.map((record) => [...record])
  await log.close()
  return records
}

async function written(...records: Uint8Array[]): Promise<Buffer> {
  const log = await RecordLog.open(folder)
  for (const record of records) log.append(record)
  await log.close()
  return readFileSync(path)
}

describe('RecordLog', () => {
  it('returns the records it was given', async () => {
    await written(bytes(1), bytes(2, 3))
    expect(await reopened()).toEqual([[1], [2, 3]])
  })

  it('removes an incomplete last record, wherever it ends', async () => {
    const first = (await written(bytes(1, 1, 1))).length
    const whole = await written(bytes(2, 2, 2, 2))
    for (let size = first; size < whole.length; size++) {
      writeFileSync(path, whole.subarray(0, size))
      expect([size, await reopened()]).toEqual([size, [[1, 1, 1]]])
      expect(readFileSync(path)).toHaveLength(first)
    }
  })

  it('removes a last record whose sectors were not all written', async () => {
    const first = (await written(bytes(1, 1, 1))).length
    const whole = await written(new Uint8Array(2000).fill(2))
    whole.fill(0, 1024)
    writeFileSync(path, whole)
    expect(await reopened()).toEqual([[1, 1, 1]])
    writeFileSync(path, Buffer.concat([whole.subarray(0, first), Buffer.alloc(50)]))
    expect(await reopened()).toEqual([[1, 1, 1]])
  })

  it('continues after a repair', async () => {
    const whole = await written(bytes(1), bytes(2))
    writeFileSync(path, whole.subarray(0, whole.length - 1))
    await written(bytes(3))
    expect(await reopened()).toEqual([[1], [3]])
  })

  it('does not remove records after a damaged one', async () => {
    const whole = await written(bytes(1, 2, 3), bytes(4))
    // Inside the payload of the first record, after the header of the file (32) and of the frame (16).
    whole[32 + 16 + 1]! ^= 1
    writeFileSync(path, whole)
    await expect(RecordLog.open(folder)).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
    expect(readFileSync(path)).toEqual(whole)
  })

  it('rejects a file of another kind', async () => {
    writeFileSync(path, 'something else entirely')
    await expect(RecordLog.open(folder)).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
  })

  it('cannot be opened where no directory can be created', async ({ skip }) => {
    if (!existsSync('/proc/1')) skip()
    const opening = RecordLog.open('/proc/1/folder/node')
    await expect(opening).rejects.toMatchObject({ code: 'LOG_FAILED' })
  })

  it('can be opened only once at a time', async () => {
    const log = await RecordLog.open(folder)
    await expect(RecordLog.open(folder)).rejects.toMatchObject({ code: 'LOG_FAILED' })
    await log.close()
    expect(await reopened()).toEqual([])
  })

  it('replaces its records', async () => {
    const log = await RecordLog.open(folder)
    for (const value of [1, 2, 3]) log.append(bytes(value))
    log.replace([bytes(1)])
    log.append(bytes(4))
    await log.close()
    expect(await reopened()).toEqual([[1], [4]])
  })

  it('keeps its records and its number of open files if they cannot be replaced', async () => {
    const log = await RecordLog.open(folder)
    log.append(bytes(1))
    // A folder in the place of the log: the new file is written, but cannot be renamed.
    rmSync(path)
    mkdirSync(path)
    const before = nextDescriptor()
    for (let i = 0; i < 3; i++) expect(codeOf(() => log.replace([bytes(2)]))).toBe('LOG_FAILED')
    expect(nextDescriptor()).toBe(before)
    expect(log.records).toEqual([bytes(1)])
    rmSync(folder, { recursive: true })
    expect(codeOf(() => log.replace([bytes(2)]))).toBe('LOG_FAILED')
    mkdirSync(folder)
    await log.close()
  })
})

describe('a node with a folder', () => {
  it('restores everything accepted and nothing pending', async () => {
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

  it('restores snapshots on disk too', async () => {
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

  it('keeps the settings it was created with', async () => {
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

  it('loads a dump only if all of it is valid', async () => {
    const source = await createDevNode({ dumpable: true })
    source.fund(alice.text, 5n)
    const dump = JSON.parse(source.dump()) as { records: string[] }
    await source.close()
    const [settings, genesis, atomic] = dump.records as [string, string, string]
    const records = [settings, genesis, atomic.replace(/^02/, '01')]
    const load = JSON.stringify({ ...dump, records })
    const damaged = createDevNode({ folder, load })
    await expect(damaged).rejects.toMatchObject({ code: 'LOG_CORRUPT' })
    const node = await createDevNode({ folder, load: JSON.stringify(dump) })
    expect(node.stateDigest()).toEqual(source.stateDigest())
    await node.close()
  })
})
