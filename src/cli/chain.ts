import { UsageError } from './errors.ts'

/** Refuses what cannot be the alias or ID of a chain: it becomes part of a path and of addresses. */
export function checkedChain(text: string): string {
  if (/^[\w.]{1,64}$/.test(text)) return text
  throw new UsageError('BAD_VALUE', 'expected the alias or ID of a chain', {
    hint: 'for example X, or the ID that avmkit node blockchain-id prints',
  })
}
