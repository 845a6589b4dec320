/**
 * The private imports of package.json (`#backend` and others) as aliases of source files, for bundlers and tests that
 * read `src` instead of `dist`.
 */
export function sourcesOf(platform: 'node' | 'browser'): Record<string, string>

/** Everything that files load, directly or not; types are not loaded. Paths begin at the root of the project. */
export function closureOf(files: readonly string[]): Set<string>
