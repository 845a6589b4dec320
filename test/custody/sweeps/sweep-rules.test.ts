import { describe, expect, it } from 'vitest'
import { parseRules } from '../../../src/cli/connections/custody.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { checkSweepRules, type SweepRule } from '../../../src/custody/sweeps/sweep-rules.ts'

const context = networks.local
const to = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'
const hot = new Uint8Array(20).fill(7)
const assetID = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'

function check(rules: readonly object[]): void {
  checkSweepRules(rules as readonly SweepRule[], context, [hot])
}

describe('sweep rules', () => {
  it('are accepted with all their members', () => {
    check([
      { type: 'collect', above: 0n },
      { type: 'collect', above: 5n, assetID },
      { type: 'store', above: 2n, keep: 1n, to, assetID: undefined },
      { type: 'refill', below: 1n, amount: 2n, from: [to] },
      { type: 'consolidate', above: 100 },
    ])
  })

  it.each<[string, object, RegExp]>([
    ['no object', [] as object, /type must be one of/],
    ['an unknown type', { type: 'toString', above: 1n }, /type must be one of/],
    ['a missing member', { type: 'store', above: 1n, to }, /keep is missing/],
    ['a misspelled member', { type: 'collect', above: 1n, assetId: assetID }, /assetId is not/],
    [
      'an amount that may have been rounded',
      { type: 'collect', above: 1 },
      /above must be a bigint/,
    ],
    ['a negative amount', { type: 'collect', above: -1n }, /above must be a bigint/],
    ['an amount above 64 bits', { type: 'collect', above: 2n ** 64n }, /above must be a bigint/],
    ['a fraction of a UTXO', { type: 'consolidate', above: 1.5 }, /above must be a number/],
    [
      'an address of another network',
      { type: 'store', above: 1n, keep: 0n, to: to.replace('local', 'fuji') },
      /sweeps\[0\]/,
    ],
    [
      'a damaged address',
      { type: 'store', above: 1n, keep: 0n, to: `${to.slice(0, -1)}v` },
      /sweeps\[0\]/,
    ],
    ['no address', { type: 'store', above: 1n, keep: 0n, to: null }, /sweeps\[0\]/],
    [
      'one address in place of a list',
      { type: 'refill', below: 1n, amount: 2n, from: to },
      /from must be/,
    ],
    [
      'a hot address as cold storage',
      { type: 'store', above: 1n, keep: 0n, to: hot },
      /hot wallet/,
    ],
    [
      'a hot address to refill from',
      { type: 'refill', below: 1n, amount: 2n, from: [to, hot] },
      /hot wallet/,
    ],
    ['no addresses', { type: 'refill', below: 1n, amount: 2n, from: [] }, /from must be/],
    ['a damaged asset ID', { type: 'collect', above: 1n, assetID: 'AVAX' }, /sweeps\[0\]/],
    ['more to keep than triggers it', { type: 'store', above: 1n, keep: 2n, to }, /keep must not/],
  ])('are refused with %s', (_, rule, message) => {
    expect(() => check([rule])).toThrow(
      expect.objectContaining({ code: 'BAD_ARGUMENT', message: expect.stringMatching(message) }),
    )
  })

  it('are read from JSON without rounding amounts', () => {
    const max = 2n ** 64n - 1n
    const rules = parseRules(
      `[{"type":"collect","above":"${max}"},{"type":"collect","above":${max}},{"type":"consolidate","above":9}]`,
    )
    expect(rules).toEqual([
      { type: 'collect', above: max },
      { type: 'collect', above: max },
      { type: 'consolidate', above: 9 },
    ])
    check(rules)
  })

  it.each(['{}', '[1]', '[null]', '[[]]'])('are not read from %s', (text) => {
    expect(() => parseRules(text)).toThrow(expect.objectContaining({ code: 'BAD_VALUE' }))
  })

  it.each(['"1.5"', '["5"]', '1.5', '"-1"', 'true', '""'])(
    'are refused with the JSON amount %s',
    (amount) => {
      const rules = parseRules(`[{"type":"collect","above":${amount}}]`)
      expect(() => check(rules)).toThrow(expect.objectContaining({ code: 'BAD_ARGUMENT' }))
    },
  )
})
