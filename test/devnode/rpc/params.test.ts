import { describe, expect, it } from 'vitest'
import { parseFirst } from '../../../src/devnode/go/json.ts'
import { ArgumentError, paramsOf } from '../../../src/devnode/rpc/params.ts'

const startIndexOf = (members: string) =>
  paramsOf(parseFirst(`{"limit":1${members}}`)).object('startIndex')

// Go decodes every member of that name into the one struct: values that a later one omits remain.
describe('object', () => {
  it('decodes repeated members over each other', () => {
    const params = startIndexOf(
      ',"startIndex":{"address":"a","utxo":"b"},"STARTINDEX":{"utxo":"c"},"startIndex":null',
    )
    expect([params.string('address'), params.string('utxo')]).toEqual(['a', 'c'])
  })

  it('is empty if absent', () => {
    expect(startIndexOf('').string('utxo')).toBe('')
    expect(startIndexOf(',"startIndex":null').string('utxo')).toBe('')
  })

  it.each(['[]', '"x"', '5', 'true'])('refuses %s, wherever it stands', (value) => {
    const wrong = `,"startIndex":${value}`
    const right = ',"startIndex":{}'
    expect(() => startIndexOf(wrong + right)).toThrow(ArgumentError)
    expect(() => startIndexOf(right + wrong)).toThrow(ArgumentError)
  })

  it('reads 100,000 members', () => {
    const params = startIndexOf(
      `${',"startIndex":{"a":1}'.repeat(100_000)},"startIndex":{"utxo":"x"}`,
    )
    expect(params.string('utxo')).toBe('x')
  })
})
