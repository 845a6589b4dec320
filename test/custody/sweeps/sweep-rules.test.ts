import { describe, expect, it } from 'vitest'
import { parseRules } from '../../../src/cli/connections/custody.ts'
import { argument } from '../../../src/core/base/argument.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { checkColdAddresses, sweepRules } from '../../../src/custody/sweeps/sweep-rules.ts'
import { schemaFaults } from '../../core/sign/schema.ts'
import { blocks } from '../../guides/programs.ts'

const context = networks.local
const to = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'
const hot = new Uint8Array(20).fill(7)
const assetID = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'

function check(rules: readonly object[]): void {
  const checked = argument('openCustody', rules, sweepRules, 'sweeps')
  checkColdAddresses(checked, context, [hot])
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

  it.each<[string, object, string, string]>([
    ['no object', [] as object, 'sweeps[0]', 'ENC_INVALID'],
    ['an unknown type', { type: 'toString', above: 1n }, 'sweeps[0].type', 'ENC_INVALID'],
    ['a missing member', { type: 'store', above: 1n, to }, 'sweeps[0].keep', 'MISSING_OPTION'],
    [
      'a misspelled member',
      { type: 'collect', above: 1n, assetId: assetID },
      'sweeps[0].assetId',
      'UNKNOWN_OPTION',
    ],
    [
      'an amount that may have been rounded',
      { type: 'collect', above: 1 },
      'sweeps[0].above',
      'ENC_INVALID',
    ],
    ['a negative amount', { type: 'collect', above: -1n }, 'sweeps[0].above', 'ENC_INVALID'],
    [
      'an amount above 64 bits',
      { type: 'collect', above: 2n ** 64n },
      'sweeps[0].above',
      'ENC_INVALID',
    ],
    ['a fraction of a UTXO', { type: 'consolidate', above: 1.5 }, 'sweeps[0].above', 'ENC_INVALID'],
    [
      'an address of another network',
      { type: 'store', above: 1n, keep: 0n, to: to.replace('local', 'fuji') },
      'sweeps[0].to',
      'ENC_BAD_CHECKSUM',
    ],
    [
      'a damaged address',
      { type: 'store', above: 1n, keep: 0n, to: `${to.slice(0, -1)}v` },
      'sweeps[0].to',
      'ENC_BAD_CHECKSUM',
    ],
    ['no address', { type: 'store', above: 1n, keep: 0n, to: null }, 'sweeps[0].to', 'ENC_INVALID'],
    [
      'one address in place of a list',
      { type: 'refill', below: 1n, amount: 2n, from: to },
      'sweeps[0].from',
      'ENC_INVALID',
    ],
    [
      'a hot address as cold storage',
      { type: 'store', above: 1n, keep: 0n, to: hot },
      'sweeps[0].to',
      'ENC_INVALID',
    ],
    [
      'a hot address to refill from',
      { type: 'refill', below: 1n, amount: 2n, from: [to, hot] },
      'sweeps[0].from[1]',
      'ENC_INVALID',
    ],
    [
      'no addresses',
      { type: 'refill', below: 1n, amount: 2n, from: [] },
      'sweeps[0].from',
      'ENC_INVALID',
    ],
    [
      'a damaged asset ID',
      { type: 'collect', above: 1n, assetID: 'AVAX' },
      'sweeps[0].assetID',
      'ENC_MISSING_CHECKSUM',
    ],
    [
      'more to keep than triggers it',
      { type: 'store', above: 1n, keep: 2n, to },
      'sweeps[0].keep',
      'ENC_INVALID',
    ],
  ])('are refused with %s', (_, rule, path, code) => {
    expect(() => check([rule])).toThrow(
      expect.objectContaining({ name: 'ArgumentError', path, code }),
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
    expect(() => parseRules(text)).toThrow(expect.objectContaining({ code: 'RULES_INVALID' }))
  })

  it.each(['"1.5"', '["5"]', '1.5', '"-1"', 'true', '""'])(
    'are refused with the JSON amount %s',
    (amount) => {
      const rules = parseRules(`[{"type":"collect","above":${amount}}]`)
      expect(() => check(rules)).toThrow(expect.objectContaining({ code: 'ENC_INVALID' }))
    },
  )
})

describe('the JSON schemas of custody.md', () => {
  const documents = blocks('custody.md', 'json').map((text) => JSON.parse(text))
  const schemas = documents.filter((one) => '$schema' in one)
  const [limits, sweeps] = schemas

  it('accept the examples before them', () => {
    expect(schemas).toHaveLength(2)
    for (const schema of schemas)
      expect(schemaFaults(documents[documents.indexOf(schema) - 1], schema)).toEqual([])
    expect(
      schemaFaults([{ type: 'limit', name: 'a', per: 'user', amount: '1' }], limits),
    ).not.toEqual([])
  })

  const store = { type: 'store', above: '5', keep: '2', to }
  const refill = { type: 'refill', below: '5', amount: 2, from: [to] }
  it.each<[unknown, boolean]>([
    [[], true],
    [[{ type: 'collect', above: '0' }, store, refill, { type: 'consolidate', above: 3 }], true],
    [
      [
        { ...store, assetID },
        { ...refill, assetID },
      ],
      true,
    ],
    [[{ type: 'collect', above: Number.MAX_SAFE_INTEGER + 1 }], true],
    [{}, false],
    [[null], false],
    [[[]], false],
    [[{ type: 'collect' }], false],
    [[{ type: 'collect', above: '1', assetId: assetID }], false],
    [[{ type: 'collect', above: '1', keep: '1' }], false],
    [[{ type: 'collect', above: '-1' }], false],
    [[{ type: 'collect', above: '1.5' }], false],
    [[{ type: 'collect', above: 1.5 }], false],
    [[{ type: 'collect', above: -1 }], false],
    [[{ type: 'collect', above: null }], false],
    [[{ type: 'collect', above: '1', assetID: 5 }], false],
    [[{ type: 'gather', above: '1' }], false],
    [[{ ...store, to: [to] }], false],
    [[{ ...store, keep: undefined }], false],
    [[{ ...refill, from: to }], false],
    [[{ ...refill, from: [] }], false],
    [[{ ...refill, from: [5] }], false],
    [[{ type: 'consolidate', above: '3' }], false],
    [[{ type: 'consolidate', above: -3 }], false],
  ])('says of %j what the program does', (rules, isAccepted) => {
    const text = JSON.stringify(rules)
    const accepts = () => {
      check(parseRules(text))
      return true
    }
    expect(schemaFaults(JSON.parse(text), sweeps).length === 0).toBe(isAccepted)
    if (isAccepted) expect(accepts()).toBe(true)
    else expect(accepts).toThrow()
  })
})
