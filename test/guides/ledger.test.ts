import { format } from 'node:util'
import { expect, it, vi } from 'vitest'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { createNodeClient } from '../../src/node/index.ts'
import { vectors } from '../helpers/vectors.ts'
import { AVAX, fujiNode, openedDevice } from '../signers/ledger/setup.ts'
import { blocks, written } from './programs.ts'

declare global {
  /** What the program of the guide takes for granted. */
  var ledgerGuide: { readonly [name: string]: unknown }
}

/** Runs a program of the guide, which uses the given names. Returns what it prints. */
async function printedBy(place: number, given: { readonly [name: string]: unknown }) {
  globalThis.ledgerGuide = given
  const program = blocks('ledger.md', 'ts device')[place]
  const path = written(
    `ledger-${place}.md`,
    `const { ${Object.keys(given).join(', ')} } = globalThis.ledgerGuide\n${program}`,
  )
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    await import(/* @vite-ignore */ path)
    return log.mock.calls.map((args) => format(...args))
  } finally {
    log.mockRestore()
  }
}

it('ledger.md has a program that pays, with the screens of the device', async () => {
  const node = await fujiNode()
  const { device, account } = await openedDevice()
  node.fund(account.address({ change: 0, index: 0 }), 2n * AVAX)
  node.fund(account.address({ change: 0, index: 1 }), 2n * AVAX)
  const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
  const printed = await printedBy(0, { client, transport: device })
  const shown = device.reviews
    .filter(([first]) => first?.[0] !== 'Address')
    .flatMap((items) => items.map(([title, text]) => `${title.trim()}: ${text.trim()}`))
  expect(printed).toEqual([...shown, '0'])
  expect(shown).toContain('Transfer: 2.5 AVAX to')
  expect(device.reviews.length).toBe(2)
})

it('ledger.md has a program that signs staking, with the screens of the device', async () => {
  const { device } = await openedDevice()
  const { bytesHex } = vectors<{ name: string; bytesHex: string }[]>('ledger-screens.json').find(
    ({ name }) => name === 'add_permissionless_validator2',
  )!
  const given = { transport: device, unsignedBytes: hex.decode(bytesHex) }
  const printed = await printedBy(1, given)
  const [review] = device.reviews
  expect(printed).toEqual([...review!.map(([title, text]) => `${title}: ${text.trim()}`), '65'])
  expect(printed).toContain('SubnetID: Primary Subnet')
})
