/** What an error code means, what causes it and what to do about it. */
export type ErrorText = {
  /** One sentence. */
  readonly meaning: string
  readonly cause: string
  readonly fix: string
}

/** A text for each code of a class. */
export type ErrorTexts<Code extends string> = { readonly [C in Code]: ErrorText }
