import { describe, expect, it } from 'vitest'
import { FormKeys } from '../../examples/web-wallet/src/pending-form.ts'

function storage(): Storage & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>()
  return {
    texts,
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => void texts.set(name, text),
  } as never
}

describe('the idempotency key of a form of the web wallet', () => {
  const rent = { to: 'X-local1a', amount: '1' }

  it('is the same for the same values until they are done, also in another visit', () => {
    const place = storage()
    const key = new FormKeys('send', place).keyFor(rent)
    expect(new FormKeys('send', place).keyFor({ amount: '1', to: 'X-local1a' })).toBe(key)
    new FormKeys('send', place).done(key)
    expect(new FormKeys('send', place).keyFor(rent)).not.toBe(key)
  })

  it('is another one for other values, and again the first one after them', () => {
    const forms = new FormKeys('send', storage())
    const first = forms.keyFor(rent)
    const other = forms.keyFor({ ...rent, amount: '2' })
    expect(other).not.toBe(first)
    // The first payment may be pending: another key could pay it twice.
    expect(forms.keyFor(rent)).toBe(first)
    expect(forms.pending.map(({ key }) => key)).toEqual([other, first])
  })

  it('is stored before it is returned', () => {
    const place = storage()
    const key = new FormKeys('send', place).keyFor(rent)
    expect([...place.texts.values()].join()).toContain(key)
    const full = {
      getItem: () => null,
      setItem: () => {
        throw new Error('full')
      },
    }
    expect(() => new FormKeys('send', full).keyFor(rent)).toThrow('full')
  })
})
