import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FileError } from '../../../src/storage/file-error.ts'
import { takeLock } from '../../../src/storage/lock.ts'
import type { Processes } from '../../../src/storage/processes.ts'
import { type FileStore, openFileStore } from '../../../src/wallet/store/file/store.ts'
import { memoryStore, StoreError } from '../../../src/wallet/store/index.ts'
import type { Acceptance, Claim } from '../../../src/wallet/store/store.ts'
import { type Fault, MemoryDisk, seeded } from '../../helpers/memory-disk.ts'
import { runCount } from '../../helpers/runs.ts'
import { accepted, binding, bytesOf, contentOf, payment, rival, textOf } from './samples.ts'

const PATH = '/payments'
/** More with `npm run test:fuzz`. */
const SEEDS = runCount(100) / 10

type Step =
  /** Claims made at the same time. */
  | { readonly type: 'claims'; readonly claims: readonly Claim[] }
  | { readonly type: 'recordAcceptance'; readonly acceptance: Acceptance }
  | { readonly type: 'cancel'; readonly key: string }
  | { readonly type: 'compact' | 'reopen' }

/** A random program. There are few keys and inputs, so that claims conflict. */
function programOf(seed: number): Step[] {
  const random = seeded(seed)
  const below = (count: number) => Math.floor(random() * count)
  const some = (letters: string) =>
    [...letters].filter(() => random() < 0.3).join('') || letters[below(letters.length)]!
  const made: { claim: Claim; inputs: string }[] = []
  const claim = () => {
    const inputs = some('abcdefgh')
    const keys = [...some('klmn')]
    const claim = payment(keys, inputs, {
      salt: String(below(3)),
      generated: random() < 0.2,
      kind: random() < 0.2 ? 'cancellation' : 'payment',
    })
    made.push({ claim, inputs })
    return claim
  }
  return Array.from({ length: 6 + below(8) }, (): Step => {
    const choice = random()
    const earlier = made[below(made.length)]
    if (choice < 0.15) return { type: 'compact' }
    if (choice < 0.25) return { type: 'reopen' }
    if (choice < 0.45) return { type: 'recordAcceptance', acceptance: rival(some('abcdefgh')) }
    if (choice < 0.6 && earlier !== undefined)
      return { type: 'recordAcceptance', acceptance: accepted(earlier.claim, earlier.inputs) }
    if (choice < 0.7) return { type: 'cancel', key: [...'klmn'][below(4)]! }
    return { type: 'claims', claims: Array.from({ length: 1 + below(3) }, claim) }
  })
}

const lock = async () => ({ isDirty: false, assertHeld: async () => {}, release: async () => {} })

function open(disk: MemoryDisk): FileStore {
  return openFileStore(PATH, { disk: disk.disk(), lock })
}

/** What happened: the changes in order, and how many of them must survive. */
type History = {
  readonly changes: (Claim | Acceptance | { readonly key: string })[]
  durable: number
}

const newHistory = (): History => ({ changes: [], durable: 0 })

const codeOf = (result: PromiseSettledResult<unknown>) =>
  result.status === 'fulfilled' ? 'done' : (result.reason as { code?: string }).code

/** Runs a program until it ends or the disk crashes. Without a crash, the store must do what the memory store does. */
async function run(disk: MemoryDisk, program: readonly Step[], history: History): Promise<void> {
  const model = memoryStore()
  let store = open(disk)
  await store.bind(binding)
  for (const step of program)
    switch (step.type) {
      case 'claims': {
        const results = await Promise.allSettled(step.claims.map((claim) => store.claim(claim)))
        const expected = await Promise.allSettled(step.claims.map((claim) => model.claim(claim)))
        step.claims.forEach((claim, i) => {
          if (codeOf(expected[i]!) === 'done') history.changes.push(claim)
          if (codeOf(results[i]!) === 'done') history.durable = history.changes.length
        })
        if (disk.isDead) return
        expect(results.map(codeOf)).toEqual(expected.map(codeOf))
        break
      }
      case 'recordAcceptance':
        history.changes.push(step.acceptance)
        await Promise.all([
          store.recordAcceptance(step.acceptance),
          model.recordAcceptance(step.acceptance),
        ])
        break
      case 'cancel': {
        const { key } = step
        const [expected] = await Promise.allSettled([model.cancel(key)])
        if (codeOf(expected) === 'done') history.changes.push({ key })
        const [result] = await Promise.allSettled([store.cancel(key)])
        if (codeOf(result) === 'done') history.durable = history.changes.length
        if (disk.isDead) return
        expect(codeOf(result)).toBe(codeOf(expected))
        break
      }
      case 'compact':
        await store.compact()
        break
      case 'reopen':
        await store.close()
        store = open(disk)
    }
  expect(await textOf(store)).toBe(await textOf(model))
  await store.close()
  history.durable = history.changes.length
}

/** The possible contents: after all changes, and after fewer as long as nothing durable is missing. */
async function* possible({ changes, durable }: History): AsyncGenerator<string> {
  for (let count = changes.length; count >= durable; count--) {
    const model = memoryStore()
    for (const change of changes.slice(0, count))
      if ('payments' in change) await model.claim(change)
      else if ('key' in change) await model.cancel(change.key)
      else await model.recordAcceptance(change)
    yield textOf(model)
  }
}

async function expectPossible(disk: MemoryDisk, history: History, what: string): Promise<void> {
  const store = open(disk)
  await store.bind(binding)
  const found = await textOf(store)
  await store.close()
  for await (const content of possible(history)) if (content === found) return
  throw new Error(`${what}: ${found} was lost or invented`)
}

/** It accepts new claims and keeps them. */
async function expectUsable(disk: MemoryDisk): Promise<void> {
  const store = open(disk)
  await store.bind(binding)
  await store.claim(payment('new', 'z'))
  disk.crash()
  expect(await open(disk).payments(['new'])).toMatchObject([{ status: 'pending' }])
}

// Stores and models are compared with the times that they recorded.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a file store that crashes', () => {
  it('keeps every confirmed claim, whatever disk operation is interrupted', async () => {
    let crashes = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      const program = programOf(seed)
      const whole = new MemoryDisk(seed)
      await run(whole, program, newHistory())
      for (let at = 0; at < whole.operations; at++) {
        const disk = new MemoryDisk(1000 * seed + at)
        disk.faultOf = (_operation, index) => (index === at ? 'crash' : undefined)
        const history = newHistory()
        await run(disk, program, history).catch((error) => {
          if (!disk.isDead) throw error
        })
        disk.faultOf = () => undefined
        disk.crash()
        crashes++
        await expectPossible(disk, history, `seed ${seed}, crash at operation ${at}`)
        if (at % 2 === 0) await expectUsable(disk)
        else {
          disk.crash()
          await expectPossible(disk, history, `seed ${seed}, crash at operation ${at}, then again`)
        }
      }
    }
    expect(crashes).toBeGreaterThan(20 * SEEDS)
  }, 240_000)
})

/** A store in which another transaction has ended a payment. */
async function withRejected(disk: MemoryDisk): Promise<FileStore> {
  const store = open(disk)
  await store.bind(binding)
  await store.claim(payment('k', 'a'))
  await store.recordAcceptance(rival('a'))
  return store
}

const statusIn = async (disk: MemoryDisk) => {
  const store = open(disk)
  await store.bind(binding)
  const [record] = await store.payments(['k'])
  await store.close()
  return record!.status
}

it('a payment that was canceled stays so if the machine crashes', async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const disk = new MemoryDisk(seed)
    const store = await withRejected(disk)
    await store.cancel('k')
    disk.crash()
    expect(await statusIn(disk)).toBe('canceled')
  }
})

describe('a file store whose process is killed', () => {
  it('keeps acceptances', async () => {
    const disk = new MemoryDisk()
    await withRejected(disk)
    disk.restart()
    expect(await statusIn(disk)).toBe('rejected')
  })

  it('keeps what the next process has read, even if the machine crashes afterwards', async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const program = programOf(seed)
      const whole = new MemoryDisk(seed)
      await run(whole, program, newHistory())
      for (let at = 0; at < whole.operations; at += 3) {
        const disk = new MemoryDisk(1000 * seed + at)
        disk.faultOf = (_operation, index) => (index === at ? 'crash' : undefined)
        await run(disk, program, newHistory()).catch(() => {})
        disk.faultOf = () => undefined
        disk.restart()
        const found = await textOf(open(disk))
        disk.crash()
        expect(await textOf(open(disk)), `seed ${seed}, killed at operation ${at}`).toBe(found)
      }
    }
  })
})

describe('a file store that is taken over by another process', () => {
  /** A store whose lock is lost in the given operation of the disk. */
  async function losing(operation: string) {
    const disk = new MemoryDisk()
    let isHeld = true
    const assertHeld = async () => {
      if (!isHeld) throw new FileError('FILE_LOST', 'taken over')
    }
    const store = openFileStore(PATH, {
      disk: disk.disk(),
      lock: async () => ({ isDirty: false, assertHeld, release: async () => {} }),
    })
    await store.bind(binding)
    await store.claim(payment('a', 'a'))
    disk.faultOf = (name) => {
      if (name === operation) isHeld = false
      return undefined
    }
    return { disk, store }
  }
  const lost = expect.objectContaining({ name: 'StoreError', code: 'STORE_LOST' })

  it('confirms no claim if it was suspended during the write or the sync', async () => {
    for (const operation of ['append', 'sync']) {
      const { store } = await losing(operation)
      await expect(store.claim(payment('b', 'b'))).rejects.toEqual(lost)
      await expect(store.payments(['a'])).rejects.toEqual(lost)
    }
  })

  it('writes nothing if it was suspended before', async () => {
    const { disk, store } = await losing('stat')
    await expect(store.assertOwned()).resolves.toBeUndefined()
    const before = disk.contentOf(PATH)
    await expect(store.claim(payment('b', 'b'))).rejects.toEqual(lost)
    await expect(store.compact()).rejects.toEqual(lost)
    expect(disk.contentOf(PATH)).toEqual(before)
  })

  it('does not replace the file by a compacted one', async () => {
    const { disk, store } = await losing('create')
    const before = disk.contentOf(PATH)
    await expect(store.compact()).rejects.toEqual(lost)
    expect(disk.contentOf(PATH)).toEqual(before)
  })
})

describe('a file store on a disk that fails', () => {
  const faults: Fault[] = ['EIO', 'ENOSPC']

  it('confirms no lost claim, throws typed errors, and works again afterwards', async () => {
    let failures = 0
    for (let seed = 1; seed <= SEEDS / 2; seed++) {
      const program = programOf(seed)
      const whole = new MemoryDisk(seed)
      await run(whole, program, newHistory())
      for (let at = 0; at < whole.operations; at++) {
        const disk = new MemoryDisk(1000 * seed + at)
        disk.faultOf = (_operation, index) => (index === at ? faults[at % 2] : undefined)
        failures += await runWithFailures(disk, program, `seed ${seed}, fault at operation ${at}`)
      }
    }
    expect(failures).toBeGreaterThan(2 * SEEDS)
  }, 240_000)

  it('lists no attempt that may still be lost', async () => {
    for (const fault of [undefined, ...faults]) {
      const disk = new MemoryDisk()
      const store = open(disk)
      await store.bind(binding)
      await store.claim(payment('a', 'a'))
      disk.faultOf = (name) => (name === 'sync' ? fault : undefined)
      const claiming = store.claim(payment('b', 'b')).catch(() => {})
      const [listed] = await Promise.allSettled([keysIn(store)])
      disk.faultOf = () => undefined
      expect([fault, codeOf(listed)]).toEqual([fault, fault ? 'STORE_UNWRITABLE' : 'done'])
      if (fault === undefined) disk.crash()
      await claiming
      const keys = await keysIn(fault === undefined ? open(disk) : store)
      expect(keys).toEqual(fault === undefined ? ['a', 'b'] : ['a'])
    }
  })

  async function keysIn(store: FileStore): Promise<string[]> {
    const keys: string[] = []
    for await (const attempt of store.attempts()) keys.push(...attempt.keys)
    return keys
  }

  /** Applies what the store confirmed to a model; they must agree at every step, and after a crash. */
  async function runWithFailures(disk: MemoryDisk, program: readonly Step[], what: string) {
    const model = memoryStore()
    let failures = 0
    let store = open(disk)
    const attempt = async (work: () => Promise<void>, inModel: () => Promise<void>) => {
      const [result] = await Promise.allSettled([work()])
      const code = codeOf(result)
      if (code === 'done') await inModel()
      else if (/^STORE_(UNWRITABLE|UNREADABLE)$/.test(code ?? '')) failures++
      else {
        if (!(result as PromiseRejectedResult).reason?.name?.match(/StoreError/)) throw result
        // The claim violates a rule; the model must agree.
        expect(codeOf((await Promise.allSettled([inModel()]))[0]), what).toBe(code)
      }
    }
    // A failure now would be reported, and acceptances found again.
    const close = async (store: FileStore) => {
      const { faultOf } = disk
      disk.faultOf = () => undefined
      await store.close()
      disk.faultOf = faultOf
    }
    for (let tries = 0; tries < 3; tries++)
      await attempt(
        () => store.bind(binding).then(() => {}),
        async () => {},
      )
    for (const step of program) {
      if (step.type === 'claims')
        for (const claim of step.claims)
          await attempt(
            () => store.claim(claim),
            () => model.claim(claim),
          )
      else if (step.type === 'recordAcceptance') {
        // An acceptance whose write failed counts all the same: it is written again later.
        const [result] = await Promise.allSettled([store.recordAcceptance(step.acceptance)])
        if (codeOf(result) !== 'done') {
          failures++
          await store.recordAcceptance(step.acceptance)
        }
        await model.recordAcceptance(step.acceptance)
      } else if (step.type === 'compact')
        await attempt(
          () => store.compact(),
          async () => {},
        )
      else {
        await close(store)
        store = open(disk)
      }
      const [content] = await Promise.allSettled([textOf(store)])
      if (content.status === 'rejected') failures++
      else expect(content.value, what).toBe(await textOf(model))
    }
    await close(store)
    disk.faultOf = () => undefined
    disk.crash()
    const reopened = open(disk)
    expect(await textOf(reopened), what).toBe(await textOf(model))
    await reopened.close()
    return failures
  }

  for (const end of ['killed', 'closed'] as const)
    it(`survives a power failure after the writer of a failed sync was ${end}`, async () => {
      const disk = new MemoryDisk()
      const isAlive = new Map<string, boolean>()
      const openIn = (name: string) => {
        isAlive.set(name, true)
        const processes: Processes = {
          announce: async () => ({
            holder: { nonce: name.padEnd(32, '0'), pid: 1, host: 'h', hasSocket: true },
            withdraw: async () => {},
          }),
          probe: async (_, { nonce }) => (isAlive.get(nonce.slice(0, 1)) ? 'alive' : 'dead'),
          now: () => 0,
          sleep: async () => {},
        }
        const files = disk.disk()
        return openFileStore(PATH, {
          disk: files,
          lock: (directory) => takeLock(directory, { disk: files, processes, waitMs: 0 }),
        })
      }
      const first = openIn('a')
      await first.bind(binding)
      await first.claim(payment('before', 'a'))
      disk.faultOf = (operation) => (operation === 'sync' ? 'EIO' : undefined)
      await expect(first.claim(payment('lost', 'b'))).rejects.toThrow(StoreError)
      disk.faultOf = () => undefined
      if (end === 'closed') await first.close()
      isAlive.set('a', false)
      // The system's memory still has the claim, but the disk has not, and syncing again does not write it.
      const second = openIn('b')
      const [lost] = await second.payments(['lost'])
      await second.claim(payment('after', 'c'))
      disk.crash()
      isAlive.set('b', false)
      const third = openIn('c')
      const statuses = (await third.payments(['before', 'lost', 'after'])).map((one) => one.status)
      expect(statuses).toEqual(['pending', lost!.status, 'pending'])
      await third.close()
    })

  it('can be read after a failed sync, a block and a crash', async () => {
    const disk = new MemoryDisk()
    const openAfter = (isDirty: boolean) =>
      openFileStore(PATH, { disk: disk.disk(), lock: async () => ({ ...(await lock()), isDirty }) })
    const first = openAfter(false)
    await first.bind(binding)
    await first.claim(payment('before', 'a'))
    let hasFailed = false
    disk.faultOf = (operation) => {
      if (hasFailed) return 'crash'
      hasFailed = operation === 'sync'
      return hasFailed ? 'EIO' : undefined
    }
    first.claim(payment('lost', 'b')).catch(() => {})
    while (!disk.isDead) await nextTurn()
    disk.faultOf = () => undefined
    disk.restart()
    const second = openAfter(true)
    await second.bind({ ...binding, block: { height: 7n, blockID: bytesOf('block') } })
    await second.close()
    disk.crash()
    expect(await openAfter(true).payments(['before'])).toMatchObject([{ status: 'pending' }])
  })

  it('fails and forgets all claims that share a failed sync', async () => {
    const disk = new MemoryDisk()
    const store = open(disk)
    await store.bind(binding)
    await store.claim(payment('before', 'a'))
    disk.faultOf = (operation) => (operation === 'sync' ? 'EIO' : undefined)
    const claims = ['b', 'c', 'd'].map((name) => payment(name, name))
    const results = await Promise.allSettled([
      ...claims.map((claim) => store.claim(claim)),
      // It repeats a claim that is not durable.
      store.claim(claims[0]!),
    ])
    expect(results.map(codeOf)).toEqual(new Array(4).fill('STORE_UNWRITABLE'))
    disk.faultOf = () => undefined
    expect((await contentOf(store)).payments.map(({ key }) => key)).toEqual(['before'])
    await store.claim(payment('after', 'bcd'))
    await store.close()
    disk.crash()
    const reopened = open(disk)
    expect((await contentOf(reopened)).payments.map(({ key }) => key)).toEqual(['before', 'after'])
  })

  it('recovers once for operations that fail together', async () => {
    const disk = new MemoryDisk()
    const store = open(disk)
    await store.bind(binding)
    let syncs = 0
    let recoveries = 0
    disk.faultOf = (operation) => {
      if (operation === 'truncate') recoveries++
      return operation === 'sync' && syncs++ === 0 ? 'EIO' : undefined
    }
    const claims = ['b', 'c'].map((name) => store.claim(payment(name, name)))
    // A second recovery would remove what was claimed after the first.
    const after = claims[0]!.catch(() => store.claim(payment('after', 'd')))
    await Promise.allSettled([...claims, after])
    expect(recoveries).toBe(1)
    disk.crash()
    const { payments } = await contentOf(open(disk))
    expect(payments.map(({ key }) => key)).toEqual(['after'])
  })

  for (const end of ['closed', 'killed'])
    it(`removes a claim whose sync failed once, also if no operation follows: ${end}`, async () => {
      const disk = new MemoryDisk()
      const store = open(disk)
      await store.bind(binding)
      await store.claim(payment('before', 'a'))
      let failures = 0
      disk.faultOf = (operation) => (operation === 'sync' && failures++ === 0 ? 'EIO' : undefined)
      await expect(store.claim(payment('b', 'b'))).rejects.toMatchObject({
        code: 'STORE_UNWRITABLE',
      })
      if (end === 'closed') await store.close()
      const { payments } = await contentOf(open(disk))
      expect(payments.map(({ key }) => key)).toEqual(['before'])
    })

  it('removes it when the store is closed, if the disk has refused that before', async () => {
    const disk = new MemoryDisk()
    const store = open(disk)
    await store.bind(binding)
    await store.claim(payment('before', 'a'))
    let failures = 0
    disk.faultOf = (operation) =>
      operation === 'truncate' || (operation === 'sync' && failures++ === 0) ? 'EIO' : undefined
    await expect(store.claim(payment('b', 'b'))).rejects.toMatchObject({ code: 'STORE_UNWRITABLE' })
    disk.faultOf = () => undefined
    await store.close()
    const { payments } = await contentOf(open(disk))
    expect(payments.map(({ key }) => key)).toEqual(['before'])
  })

  it('syncs concurrent claims together', async () => {
    const disk = new MemoryDisk()
    const store = open(disk)
    await store.bind(binding)
    let syncs = 0
    disk.faultOf = (operation) => {
      if (operation === 'sync') syncs++
      return undefined
    }
    const names = Array.from({ length: 60 }, (_, i) => `${i}`)
    await Promise.all(names.map((name) => store.claim({ ...payment(name, 'x'), ...tx(name) })))
    expect(syncs).toBeLessThanOrEqual(2)
    await store.recordAcceptance(rival('x'))
    expect(syncs).toBeLessThanOrEqual(2)

    function tx(name: string): Pick<Claim, 'bytes'> {
      return { bytes: payment(name, String.fromCodePoint(1000 + Number(name))).bytes }
    }
  })

  it('fails with a StoreError', async () => {
    const disk = new MemoryDisk()
    disk.faultOf = () => 'EIO'
    await expect(open(disk).bind(binding)).rejects.toBeInstanceOf(StoreError)
  })
})
