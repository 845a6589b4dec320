import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { type FileStore, fileStore } from '../../src/wallet/store/index.ts'
import { processes } from '../wallet/store/process.ts'
import { binding, payment } from '../wallet/store/samples.ts'

const { start, startWith, newPath } = processes()
const refusal = (code: string) => expect.objectContaining({ name: 'StoreError', code })
const inUse = refusal('STORE_IN_USE')

async function opened(path: string): Promise<FileStore> {
  const store = fileStore(path)
  await store.bind(binding)
  return store
}

/** The file of the current generation. */
function generation(path: string): string {
  const numbers = readdirSync(`${path}.lock`).filter((name) => /^\d+$/.test(name))
  return join(`${path}.lock`, String(Math.max(...numbers.map(Number))))
}

/** Changes the description of the lock holder. */
function rewriteHolder(path: string, change: object): void {
  const holder = JSON.parse(readFileSync(generation(path), 'utf8'))
  writeFileSync(generation(path), JSON.stringify({ ...holder, ...change }))
}

/** Whether `unshare` may be used with these options. */
const canUnshare = (...options: string[]) => spawnSync('unshare', [...options, 'true']).status === 0

describe('the lock of a file store', () => {
  it('is held by one store at a time, under any name of the file', async () => {
    const path = newPath()
    const store = await opened(path)
    const folder = dirname(path)
    symlinkSync(path, join(folder, 'alias'))
    symlinkSync(folder, `${folder}-alias`)
    for (const name of [path, join(folder, 'alias'), join(`${folder}-alias`, 'payments.store')])
      await expect(opened(name)).rejects.toEqual(inUse)
    await store.close()
    const other = await opened(join(folder, 'alias'))
    await expect(opened(path)).rejects.toEqual(inUse)
    await other.close()
  })

  it('is found through a link to a file that does not exist yet', async () => {
    const path = newPath()
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(path, `${path}-alias`)
    const store = await opened(`${path}-alias`)
    await expect(opened(path)).rejects.toEqual(inUse)
    await store.close()
  })

  it('works where the path is too long for a socket', async () => {
    const path = join(dirname(newPath()), 'x'.repeat(150), 'payments.store')
    const store = await opened(path)
    await expect(opened(path)).rejects.toEqual(inUse)
    expect(readdirSync(`${path}.lock`).some((name) => name.endsWith('.sock'))).toBe(true)
    const child = start('try', path)
    expect(await child.line()).toBe('STORE_IN_USE')
    await store.close()
    expect(readdirSync(`${path}.lock`)).toEqual(['1'])
    const holder = start('hold', path)
    expect(await holder.line()).toBe('held')
    await holder.kill()
    await (await opened(path)).close()
  })

  it('is taken by only one of two stores that open at the same time', async () => {
    const path = newPath()
    const results = await Promise.allSettled([opened(path), opened(path), opened(path)])
    const winners = results.filter(({ status }) => status === 'fulfilled')
    expect(winners).toHaveLength(1)
  })

  it('can be waited for', async () => {
    const path = newPath()
    const store = await opened(path)
    const waiting = fileStore(path, { waitMs: 30_000 }).bind(binding)
    await new Promise((resolve) => setTimeout(resolve, 200))
    await store.close()
    await waiting
  })

  it('is respected by other threads', async () => {
    const path = newPath()
    const child = start('try', path)
    expect(await child.line()).toBe('held')
    await child.exited
    const store = await opened(path)
    const worker = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads')
       const net = require('node:net')
       net.connect({ path: workerData }).on('connect', () => parentPort.postMessage('alive'))
         .on('error', ({ code }) => parentPort.postMessage(code))`,
      {
        eval: true,
        workerData: join(
          `${path}.lock`,
          readdirSync(`${path}.lock`).find((name) => name.endsWith('.sock'))!,
        ),
      },
    )
    expect(await new Promise((resolve) => worker.once('message', resolve))).toBe('alive')
    await worker.terminate()
    await store.close()
  })

  it('is taken over from a process that was killed, or ended without closing', async () => {
    const path = newPath()
    const holder = start('hold', path)
    expect(await holder.line()).toBe('held')
    await expect(opened(path)).rejects.toEqual(
      expect.objectContaining({
        code: 'STORE_IN_USE',
        path,
        message: expect.stringContaining(`process ${holder.process.pid} `),
      }),
    )
    await holder.kill()
    const quick = start('try', path)
    expect(await quick.line()).toBe('held')
    expect(await quick.exited).toBe(0)
    await (await opened(path)).close()
  })

  it('is not taken over from a suspended process', async () => {
    const path = newPath()
    const holder = start('hold', path)
    expect(await holder.line()).toBe('held')
    holder.process.kill('SIGSTOP')
    // More than the connection queue can hold.
    for (let i = 0; i < 600; i++) {
      const store = fileStore(path)
      await expect(store.bind(binding)).rejects.toMatchObject({ code: 'STORE_IN_USE' })
    }
    holder.process.kill('SIGCONT')
    holder.process.stdin.end()
    expect(await holder.exited).toBe(0)
    await (await opened(path)).close()
  })

  it.each([
    ['new and dead', 3],
    ['free', 1],
  ])('goes to exactly one of many contenders: %s locks', async (state, rounds) => {
    const path = newPath()
    if (state === 'free') await (await opened(path)).close()
    for (let round = 0; round < rounds; round++) {
      const contenders = Array.from({ length: 8 }, () => start('contend', path))
      for (const child of contenders) expect(await child.line()).toBe('ready')
      for (const child of contenders) child.process.stdin.write('go\n')
      const answers = await Promise.all(contenders.map((child) => child.line()))
      expect(answers.sort()).toEqual([...new Array(7).fill('STORE_IN_USE'), 'held'].sort())
      // The next round finds the lock of a dead process.
      await Promise.all(contenders.map((child) => child.kill()))
    }
    expect(readdirSync(`${path}.lock`).filter((name) => /^\d+$/.test(name))).toHaveLength(1)
  })

  it.skipIf(!canUnshare('-p', '-f', '--mount-proc'))(
    'is respected across PID namespaces, and taken over when the holder is dead (needs unshare -p)',
    async () => {
      const path = newPath()
      const wrapper = ['unshare', '-p', '-f', '--kill-child', '--mount-proc']
      const inside = startWith(wrapper, 'hold', path)
      expect(await inside.line()).toBe('held')
      expect(JSON.parse(readFileSync(generation(path), 'utf8')).pid).toBeLessThan(10)
      await expect(opened(path)).rejects.toEqual(inUse)
      expect(await startWith(wrapper, 'try', path).line()).toBe('STORE_IN_USE')
      await inside.kill()
      const outside = await opened(path)
      expect(await startWith(wrapper, 'try', path).line()).toBe('STORE_IN_USE')
      await outside.close()
    },
  )

  it.skipIf(!canUnshare('-u'))(
    'is taken over under a new host name, but not from a live process (needs unshare -u)',
    async () => {
      const path = newPath()
      const renamed = ['unshare', '-u', 'sh', '-c', 'hostname other-host && exec "$@"', 'sh']
      const holder = start('hold', path)
      expect(await holder.line()).toBe('held')
      expect(await startWith(renamed, 'try', path).line()).toBe('STORE_IN_USE')
      await holder.kill()
      expect(await startWith(renamed, 'try', path).line()).toBe('held')
    },
  )
})

describe('a lock whose holder cannot be reached', () => {
  /** The lock of a dead process, with a changed description. */
  async function left(change: object): Promise<string> {
    const path = newPath()
    const child = start('try', path)
    expect(await child.line()).toBe('held')
    await child.exited
    rewriteHolder(path, change)
    return path
  }

  it('is taken over after a restart of the machine', async () => {
    const path = await left({ bootID: 'earlier' })
    await (await opened(path)).close()
  })

  it('is respected if the holder may be on another machine', async () => {
    // A network file system, or one that is shared over the network.
    for (const fileSystem of ['26985', undefined]) {
      const path = await left({ bootID: 'other', fileSystem })
      await expect(opened(path)).rejects.toEqual(
        expect.objectContaining({
          code: 'STORE_IN_USE',
          hint: expect.stringContaining(`remove ${path}.lock`),
        }),
      )
    }
    await expect(opened(await left({ bootID: undefined }))).rejects.toEqual(inUse)
  })

  it('without a socket is taken over if the process is gone or another one', async () => {
    await (await opened(await left({ hasSocket: false }))).close()
    await (await opened(await left({ hasSocket: false, pid: process.pid }))).close()
  })

  it('without a socket is respected if the process runs or is in another PID namespace', async () => {
    const startTime = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[19]
    for (const change of [
      { hasSocket: false, pid: process.pid, startTime },
      { hasSocket: false, pid: process.pid, startTime: undefined },
      { hasSocket: false, namespaces: 'pid:[1]' },
      { hasSocket: false, namespaces: undefined },
    ])
      await expect(opened(await left(change))).rejects.toEqual(inUse)
  })

  it('is respected if its file is invalid', async () => {
    for (const text of ['', '{}', 'free?', '{"nonce":7}']) {
      const path = await left({})
      writeFileSync(generation(path), text)
      await expect(opened(path)).rejects.toEqual(inUse)
      rmSync(`${path}.lock`, { recursive: true })
      await (await opened(path)).close()
    }
  })
})

describe('a store whose lock was taken over', () => {
  it('rejects further claims with STORE_LOST', async () => {
    const path = newPath()
    const store = await opened(path)
    await store.claim(payment('a', 'a'))
    const before = readFileSync(path)
    rmSync(`${path}.lock`, { recursive: true })
    const thief = await opened(path)
    await expect(store.assertOwned()).rejects.toEqual(refusal('STORE_LOST'))
    await expect(store.claim(payment('b', 'b'))).rejects.toEqual(refusal('STORE_LOST'))
    await expect(store.recordAcceptance({ txID: binding.chainID, inputs: [] })).rejects.toEqual(
      refusal('STORE_LOST'),
    )
    expect(readFileSync(path)).toEqual(before)
    await store.close()
    await thief.claim(payment('c', 'c'))
    await thief.close()
    expect(existsSync(`${path}.lock/1`)).toBe(true)
  })

  it('detects a higher generation', async () => {
    const path = newPath()
    const store = await opened(path)
    await store.assertOwned()
    writeFileSync(`${path}.lock/5`, 'free')
    await expect(store.claim(payment('a', 'a'))).rejects.toEqual(refusal('STORE_LOST'))
  })

  it('detects it without a claim', async () => {
    const path = newPath()
    const store = await opened(path)
    rmSync(`${path}.lock`, { recursive: true })
    await expect(store.claim(payment('a', 'a'))).rejects.toEqual(refusal('STORE_LOST'))
  })
})
