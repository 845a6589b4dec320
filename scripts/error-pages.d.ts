import type { errorTexts } from '../src/cli/error-texts/index.ts'

/** The pages by file name. */
export function errorPages(texts: typeof errorTexts): Map<string, string>

/** Writes the pages to a new folder `errors` of the site. */
export function writeErrorPages(site: string): Promise<void>
