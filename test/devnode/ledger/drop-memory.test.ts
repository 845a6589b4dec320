import { expect, it } from 'vitest'
import { DropMemory } from '../../../src/devnode/ledger/drop-memory.ts'

it('the node remembers the 64 rejections that were used last', () => {
  const memory = new DropMemory()
  for (let i = 0; i < 64; i++) memory.remember(`tx ${i}`, `reason ${i}`)
  // Asked for, so that it is used later than the second one; asking for an unknown one changes nothing.
  expect(memory.reasonFor('tx 0')).toBe('reason 0')
  for (let i = 0; i < 3; i++) expect(memory.reasonFor(`other ${i}`)).toBeUndefined()
  const copy = memory.clone()
  memory.remember('tx 64', 'reason 64')
  expect(memory.reasonFor('tx 1')).toBeUndefined()
  for (const i of [0, 2, 63, 64]) expect(memory.reasonFor(`tx ${i}`)).toBe(`reason ${i}`)
  memory.forget('tx 2')
  expect(memory.reasonFor('tx 2')).toBeUndefined()
  expect(copy.reasonFor('tx 1')).toBe('reason 1')
  expect(copy.reasonFor('tx 64')).toBeUndefined()
})
