import { readFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  exports: { readonly [entry: string]: { readonly default: string } | string }
}

/** The source file of every entry point, such as `node/index.ts` for `./client`. */
export const entryPoints: ReadonlyMap<string, string> = new Map(
  Object.entries(exports).flatMap(([entry, target]) =>
    typeof target === 'string'
      ? []
      : [[entry, target.default.replace('./dist/', '').replace(/\.js$/, '.ts')]],
  ),
)

/** The names that a source file exports, types included. */
export function exportedNames(file: string): ReadonlySet<string> {
  return namesIn(new URL(`src/${file}`, root), new Set())
}

function namesIn(url: URL, found: Set<string>): Set<string> {
  const text = readFileSync(url, 'utf8')
  for (const [, target] of text.matchAll(/^export \* from '([^']+)'/gm))
    namesIn(new URL(target!, url), found)
  for (const [, list] of text.matchAll(/^export (?:type )?\{([^}]*)\}/gms))
    for (const item of list!.split(','))
      found.add(
        item
          .trim()
          .replace(/^type /, '')
          .replace(/^.* as /, ''),
      )
  for (const [, name] of text.matchAll(
    /^export (?:declare )?(?:abstract )?(?:async )?(?:const|function\*?|class|type|interface) (\w+)/gm,
  ))
    found.add(name!)
  found.delete('')
  return found
}
