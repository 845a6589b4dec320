import type { Explanation } from '../../core/sign/explain/explanation.ts'
import type { RequestKeys } from '../../inspect/key-text.ts'
import type { Loaded } from '../read.ts'
import type { PageRequest } from '../requests.ts'
import type { Progress, StepName } from '../steps.ts'

/** The tools beside the steps. */
export const TOOLS = ['Decode', 'Verify', 'Generate', 'Receive'] as const

/** The name of a step or a tool. */
export type ViewName = StepName | (typeof TOOLS)[number]

/** What all views share: the document that was loaded last, and the keys that were entered for it. */
export type ViewHost = {
  readonly loaded: () => Loaded | undefined
  /** The document, if it is a signing request. */
  readonly request: () => PageRequest | undefined
  readonly keys: () => RequestKeys | undefined
  /** What the document does, for the keys that are there. */
  readonly explanation: () => Explanation | undefined
  readonly progress: () => Progress
  /** Loads a text and opens the view for it. */
  readonly load: (text: string) => void
  /** Replaces the request by a version with more signatures. */
  readonly replace: (text: string, isSigned: boolean) => void
  /** Uses keys, and wipes those before them; undefined for none. */
  readonly useKeys: (keys: RequestKeys | undefined) => void
  /** Shows the state of the steps after a danger was accepted. */
  readonly setUnaccepted: (count: number) => void
  /** Shows a view. */
  readonly open: (name: ViewName) => void
}

/** A part of the page. */
export type View = {
  readonly element: HTMLElement
  /** Called before the view is shown, if the document or the keys have changed. */
  readonly update?: () => void
  /** Wipes secrets. Called when the page is closed. */
  readonly forget?: () => void
}
