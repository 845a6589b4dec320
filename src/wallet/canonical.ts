import { hex } from '../encoding/hex.ts'

/**
 * A text that two plain values share exactly if they are equal: members in the order of their names, without
 * undefined ones; bytes as hex; bigints told apart from numbers and strings.
 */
export function canonicalText(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Uint8Array) return `0x${hex.encode(value)}`
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`)
  return `{${members.join()}}`
}
