import { UsageError } from './errors.ts'

/** Refuses text that cannot be an alias or ID of a chain: it becomes part of paths and addresses. */
export function checkedChain(text: string): string {
  if (/^[\w.]{1,64}$/.test(text)) return text
  throw new UsageError('BAD_VALUE', 'the chain must be an alias or an ID', {
    hint: 'for example X, or the ID that avmkit node blockchain-id prints',
  })
}
