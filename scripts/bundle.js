import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import { sourcesOf } from './imports.js'

// Bundles the command line into dist/avmkit.mjs, one file that needs Node and nothing else, and prints its SHA-256.
// The same sources give the same bytes. Also writes the manual page and the style sheet of avmkit/view.
//
// Node scans a module as a whole when it loads it; for the whole program that takes longer than Node takes to start.
// So the file ends with a comment that contains the chunks that esbuild makes of the dynamic imports. A chunk is read
// from there and compiled when it is first used.

const root = fileURLToPath(new URL('..', import.meta.url))
const outfile = fileURLToPath(new URL('../dist/avmkit.mjs', import.meta.url))

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['src/cli/main.ts'],
  outdir: 'dist',
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  write: false,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  alias: sourcesOf('node'),
  // Names of chunks depend on the paths of modules: a linked node_modules must give the same names.
  preserveSymlinks: true,
  // Names stay: errors name the codec functions in which they occurred.
  define: { 'import.meta.url': 'bundleURL' },
  minifyWhitespace: true,
  minifySyntax: true,
  // Licenses of the bundled packages.
  legalComments: 'eof',
  logLevel: 'warning',
})

/** A chunk as a function body with `require` and `exports`. */
async function commonJS(text) {
  const { code } = await transform(text.replace(/^#!.*\n/, ''), {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // `import()` becomes `require()` too: nothing but chunks and Node's modules is imported.
    supported: { 'dynamic-import': false },
    minifyWhitespace: true,
    legalComments: 'eof',
  })
  return code
}

/** Text that would end the comment around it is written with a control character in it. */
const inComment = (code) => code.replaceAll('*/', '*\u0001/')

let chunks = ''
const places = {}
for (const { path, text } of outputFiles.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
  const code = inComment(await commonJS(text))
  // Offsets count characters and bytes alike.
  if (Buffer.byteLength(code) !== code.length)
    throw new Error(`${path} contains characters that are not ASCII`)
  places[`./${basename(path)}`] = [chunks.length, chunks.length + code.length]
  chunks += `${code}\n`
}

const program = `#!/usr/bin/env node
// avmkit, built from the sources in its folder src by scripts/bundle.js.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'
const builtin = createRequire(import.meta.url)
const path = fileURLToPath(import.meta.url)
const file = readFileSync(path)
const places = ${JSON.stringify(places)}
const start = file.length - ${chunks.length + '*/\n'.length}
const loaded = new Map()
function load(name) {
  if (!name.startsWith('./')) return builtin(name)
  const known = loaded.get(name)
  if (known !== undefined) return known.exports
  const module = { exports: {} }
  loaded.set(name, module)
  const [from, to] = places[name]
  const code = file.latin1Slice(start + from, start + to).replaceAll('*\\u0001/', '*/')
  compileFunction(code, ['require', 'module', 'exports', 'bundleURL'], { filename: path + name.slice(1) })(load, module, module.exports, import.meta.url)
  return module.exports = withoutGetters(module.exports)
}
// Exports of esbuild are getters. Calling functions through them makes inner loops, such as scrypt's, 15 times slower.
function withoutGetters(exports) {
  const result = {}
  for (const [key, getter] of Object.entries(Object.getOwnPropertyDescriptors(exports))) {
    const value = exports[key]
    Object.defineProperty(result, key, typeof value === 'function' ? { value, enumerable: true } : getter)
  }
  return result
}
load('./main.js')
/*`
const file = `${program}${chunks}*/\n`
writeFileSync(outfile, file)
chmodSync(outfile, 0o755)
writeFileSync(
  new URL('../dist/avmkit.1', import.meta.url),
  execFileSync(process.execPath, [outfile, 'man']),
)
console.log(`${createHash('sha256').update(file).digest('hex')}  dist/avmkit.mjs`)
copyFileSync(`${root}src/page/elements/view.css`, `${root}dist/page/elements/view.css`)
