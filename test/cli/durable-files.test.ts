import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type * as Shell from './shell.ts'

/** What happened to files since the test began, in order; file descriptors by the path that they were opened with. */
const calls: string[] = vi.hoisted(() => [])

// The real file system, with every call recorded and every write short, as on a disk that is nearly full.
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>()
  const paths = new Map<number, string>()
  const recorded = {
    openSync: (...args: Parameters<typeof fs.openSync>) => {
      const file = fs.openSync(...args)
      paths.set(file, String(args[0]))
      return file
    },
    writeSync: (file: number, bytes: Uint8Array, offset: number) => {
      calls.push(`write ${paths.get(file)}`)
      return fs.writeSync(file, bytes, offset, Math.min(20, bytes.length - offset))
    },
    fsyncSync: (file: number) => {
      calls.push(`fsync ${paths.get(file)}`)
      fs.fsyncSync(file)
    },
    renameSync: (from: string, to: string) => {
      calls.push(`rename ${from} ${to}`)
      fs.renameSync(from, to)
    },
  }
  return { ...fs, ...recorded, default: { ...fs, ...recorded } }
})

let shell: typeof Shell

// Test files share modules; those with the recorded file system are for this one alone.
beforeAll(async () => {
  vi.resetModules()
  shell = await import('./shell.ts')
})
afterAll(() => {
  vi.resetModules()
})

beforeEach(() => {
  calls.length = 0
})

/** Expects that a file was written elsewhere, made durable, and only then got its name, which was made durable too. */
function expectDurable(inside: string, path: string): void {
  const [first = ''] = calls
  const temporary = first.replace('write ', '')
  expect(temporary).not.toBe(path)
  const writes = calls.filter((call) => call === `write ${temporary}`)
  expect(writes.length).toBeGreaterThan(1)
  expect(calls).toEqual([
    ...writes,
    `fsync ${temporary}`,
    `rename ${temporary} ${path}`,
    ...(process.platform === 'win32' ? [] : [`fsync ${inside}`]),
  ])
}

describe('a file', () => {
  it('with a new key is complete after short writes, and durable before it has its name', async () => {
    const inside = shell.folder()
    const out = join(inside, 'my.key')
    expect((await shell.cli(['keys', 'new', '--out', out])).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toMatch(/^PrivateKey-\w{40,}\n$/)
    expectDurable(inside, out)
  })

  it('with a request is replaced in the same way', async () => {
    const node = await shell.devNode()
    const inside = shell.folder()
    const file = join(inside, 'payout.json')
    const create = ['request', 'create', shell.BOB, '1', '--from', shell.EWOQ, '--out', file]
    expect((await shell.cli(create, { node })).code).toBe(0)
    calls.length = 0
    const sign = ['request', 'sign', file, '--yes', '--out', file]
    expect((await shell.cli(sign, { env: { AVMKIT_KEY: shell.EWOQ_KEY } })).code).toBe(0)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty('txID')
    expectDurable(inside, file)
  })
})
