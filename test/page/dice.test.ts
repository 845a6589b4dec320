import { createHash } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { entropyFrom } from '../../src/page/dice.ts'

it('mixes the rolls of a die with the random bytes of the browser', () => {
  let random = 1
  const source = vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    ;(array as Uint8Array).fill(random)
    return array
  })
  try {
    const [alone, other] = [entropyFrom(''), entropyFrom(' ')].map((bytes) => [...bytes])
    expect(alone).toEqual(other)
    for (const [byte, rolls, digits] of [
      [1, '1234 56\n', '123456'],
      [1, '654321', '654321'],
      [2, '123456', '123456'],
    ] as const) {
      random = byte
      const expected = createHash('sha256')
        .update(`avmkit dice 0 ${digits} `)
        .update(entropyFrom(''))
        .digest()
      expect(Buffer.from(entropyFrom(rolls))).toEqual(expected)
    }
  } finally {
    source.mockRestore()
  }
})
