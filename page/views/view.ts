import type { Loaded } from '../read.ts'

/** What the views of the page share: the document that was loaded last. */
export type Desk = {
  readonly loaded: () => Loaded | undefined
  /** Loads a text and shows it in every view. */
  readonly load: (text: string) => void
  /** Shows a view. */
  readonly open: (name: ViewName) => void
}

/** The views, in the order of their tabs. */
export const VIEWS = ['Decode', 'Explain', 'Sign', 'Generate', 'Verify'] as const

/** The name of a view. */
export type ViewName = (typeof VIEWS)[number]

/** A part of the page behind a tab. */
export type View = {
  readonly element: HTMLElement
  /** Called when another document was loaded, or none any more. */
  readonly update?: (loaded: Loaded | undefined) => void
  /** Called when the page is left: secrets are wiped. */
  readonly forget?: () => void
}
