/** The steps from a request to its signature, in their order. */
export const STEPS = ['Load', 'Check', 'Key', 'Sign', 'Take away'] as const

/** The name of a step. */
export type StepName = (typeof STEPS)[number]

/** How far the page has come with a document. */
export type Progress = {
  /** `none` before anything is loaded; `other` for documents that move nothing, such as an address. */
  readonly document: 'none' | 'other' | 'transaction' | 'request'
  readonly hasKeys: boolean
  /** Dangers that the reader has not accepted. */
  readonly unaccepted: number
  /** Whether the page has signed the request. */
  readonly isSigned: boolean
}

/** The state of a step: what can be opened, and what needs no further attention. */
export type StepState = { readonly isOpen: boolean; readonly isDone: boolean }

/** The states of all steps. A transaction can be checked, but only a request can be signed and taken away. */
export function stepStates(progress: Progress): { readonly [Name in StepName]: StepState } {
  const { document, hasKeys, isSigned } = progress
  const isRequest = document === 'request'
  const moves = isRequest || document === 'transaction'
  return {
    Load: { isOpen: true, isDone: document !== 'none' },
    Check: { isOpen: moves, isDone: isRequest && (hasKeys || isSigned) },
    Key: { isOpen: isRequest, isDone: isRequest && (hasKeys || isSigned) },
    Sign: { isOpen: isRequest, isDone: isRequest && isSigned },
    'Take away': { isOpen: isRequest, isDone: false },
  }
}

/** Why a request cannot be signed yet; undefined if it can. */
export function signBlocker({ document, hasKeys, unaccepted }: Progress): string | undefined {
  if (document !== 'request') return 'Load a signing request first.'
  if (!hasKeys) return 'Enter a key first.'
  if (unaccepted === 0) return undefined
  return unaccepted === 1
    ? 'Accept the danger above, or do not sign.'
    : `Accept the ${unaccepted} dangers above, or do not sign.`
}
