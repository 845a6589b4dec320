import { argument, text } from '../../core/base/argument.ts'
import { el } from './dom.ts'

/** The beginning of an address that many addresses share, and groups of four characters of the rest. */
export function groupsOf(address: string): readonly string[] {
  const prefix = /^(?:[A-Z]+-[a-z]+1|0x)/.exec(address)?.[0] ?? ''
  const groups = address.slice(prefix.length).match(/.{1,4}/gu) ?? []
  return prefix === '' ? groups : [prefix, ...groups]
}

/**
 * A complete address in groups of four. The gaps are drawn, not written: what is copied, searched or read by a
 * program is the address.
 */
export function addressElement(address: string): HTMLElement {
  return el(
    'code',
    { class: 'address' },
    ...groupsOf(argument('addressElement', address, text)).map((group) => el('span', {}, group)),
  )
}
