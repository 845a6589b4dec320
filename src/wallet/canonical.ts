import { hex } from '../core/base/encoding/hex.ts'
import { isBytes } from '../core/base/require.ts'

/**
 * A text that is the same for two plain values if and only if they are equal: members sorted by name, without
 * undefined ones; bytes as hex; bigints distinct from numbers and strings.
 */
export function canonicalText(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (isBytes(value)) return `0x${hex.encode(value)}`
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`)
  return `{${members.join()}}`
}
