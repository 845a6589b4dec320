import type { Loaded } from '../read.ts'

/** What all views share: the document that was loaded last. */
export type ViewHost = {
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
  /** Called when the document was replaced or cleared. */
  readonly update?: (loaded: Loaded | undefined) => void
  /** Wipes secrets. Called when the page is closed. */
  readonly forget?: () => void
}
