import { format } from 'node:util'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createDevNode } from '../../src/devnode/index.ts'
import { createNodeClient } from '../../src/node/index.ts'
import { EmulatedKeystone } from '../signers/keystone/emulated-keystone.ts'
import { blocks, promised, written } from './programs.ts'

declare global {
  /** What the programs of the guide take for granted. */
  var keystoneGuide: {
    readonly client: unknown
    readonly account: unknown
    readonly scan: (frames: readonly string[]) => string[]
  }
}

it('keystone.md has programs that pay through QR codes', async () => {
  const node = await createDevNode()
  onTestFinished(() => node.close())
  const device = new EmulatedKeystone()
  node.fund(device.account.watch.address({ change: 0, index: 0 }), 10_000_000_000n)
  const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
  const scan = (frames: readonly string[]) => device.answer(frames)
  globalThis.keystoneGuide = { client, account: device.account.watch, scan }
  const code = blocks('keystone.md', 'ts device').join('\n')
  const path = written(
    'keystone.md',
    `const { client, account, scan } = globalThis.keystoneGuide\n${code}`,
  )
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    await import(/* @vite-ignore */ path)
    expect(log.mock.calls.map((args) => format(...args))).toEqual(promised(code))
    expect(device.shown).toHaveLength(2)
  } finally {
    log.mockRestore()
  }
})
