import type { errorTexts } from '../src/cli/error-texts/index.ts'

/** The pages about errors in Markdown, by code. */
export function errorPages(texts: typeof errorTexts): Map<string, string>

/** The page that lists all codes, in Markdown. */
export function errorIndex(texts: typeof errorTexts): string
