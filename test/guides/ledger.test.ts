import { format } from 'node:util'
import { expect, it, vi } from 'vitest'
import { createNodeClient } from '../../src/node/index.ts'
import { AVAX, fujiNode, openedDevice } from '../signers/ledger/setup.ts'
import { blocks, written } from './programs.ts'

declare global {
  /** What the program of the guide takes for granted. */
  var ledgerGuide: { readonly client: unknown; readonly transport: unknown }
}

it('ledger.md has a program that pays, with the screens of the device', async () => {
  const node = await fujiNode()
  const { device, account } = await openedDevice()
  node.fund(account.address({ change: 0, index: 0 }), 2n * AVAX)
  node.fund(account.address({ change: 0, index: 1 }), 2n * AVAX)
  const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
  globalThis.ledgerGuide = { client, transport: device }
  const [program] = blocks('ledger.md', 'ts device')
  const path = written(
    'ledger.md',
    `const { client, transport } = globalThis.ledgerGuide\n${program}`,
  )
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    await import(/* @vite-ignore */ path)
    const printed = log.mock.calls.map((args) => format(...args))
    const shown = device.reviews
      .filter(([first]) => first?.[0] !== 'Address')
      .flatMap((items) => items.map(([title, text]) => `${title.trim()}: ${text.trim()}`))
    expect(printed).toEqual([...shown, '0'])
    expect(shown).toContain('Transfer: 2.5 AVAX to')
    expect(device.reviews.length).toBe(2)
  } finally {
    log.mockRestore()
  }
})
