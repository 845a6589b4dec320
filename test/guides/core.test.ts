import { format } from 'node:util'
import { expect, it, vi } from 'vitest'
import { createNodeClient } from '../../src/node/index.ts'
import { AVAX, key, surroundings } from '../signers/core/setup.ts'
import { blocks, promised, written } from './programs.ts'

declare global {
  /** What the programs of the guide take for granted. */
  var coreGuide: {
    readonly client: unknown
    readonly provider: unknown
    readonly privateKey: Uint8Array
  }
}

it('core.md has programs for pages and wallets that print what they promise', async () => {
  const { node, core } = await surroundings()
  // The guide speaks of 10 AVAX.
  node.fund(core.keys.addresses[0]!, 7n * AVAX)
  const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
  globalThis.coreGuide = { client, provider: core, privateKey: key(1) }
  const code = blocks('core.md', 'ts core').join('\n')
  const path = written(
    'core.md',
    `const { client, provider, privateKey } = globalThis.coreGuide\n${code}`,
  )
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    await import(/* @vite-ignore */ path)
    expect(log.mock.calls.map((args) => format(...args))).toEqual(promised(code))
  } finally {
    log.mockRestore()
  }
})
