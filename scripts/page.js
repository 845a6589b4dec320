import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { sourcesOf } from './imports.js'

// Writes dist/avmkit.html, the page that works from a disk without a network, and its SHA-256 beside it. The same
// sources always give the same bytes. `--out FOLDER` writes elsewhere.

const MAX_GZIPPED = 160 * 1024

const root = fileURLToPath(new URL('..', import.meta.url))
const at = process.argv.indexOf('--out')
const out = at === -1 ? `${root}dist` : process.argv[at + 1]
const sha256 = (data, encoding) => createHash('sha256').update(data).digest(encoding)
const read = (path) => readFileSync(`${root}${path}`, 'utf8')

async function bundle(entry, settings) {
  const { outputFiles } = await build({
    entryPoints: [`${root}${entry}`],
    absWorkingDir: root,
    tsconfigRaw: {},
    bundle: true,
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    target: 'es2023',
    write: false,
    ...settings,
  })
  return outputFiles[0].text.trim()
}

const [script, style] = await Promise.all([
  bundle('src/page/main.ts', {
    platform: 'browser',
    format: 'esm',
    alias: sourcesOf('browser'),
  }),
  bundle('src/page/style.css', {}),
])
// Either would end the element early.
if (/<\/script|<!--/i.test(script))
  throw new Error('the script contains markup that would close its element')
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${sha256(script, 'base64')}'`,
  `style-src 'sha256-${sha256(style, 'base64')}'`,
  "connect-src 'none'",
  "frame-src 'none'",
  "worker-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  // Chromium 156 ignores it: there, removing the constructor closes WebRTC.
  "webrtc 'block'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')
const parts = {
  CSP: policy,
  STYLE: style,
  SCRIPT: script,
  VERSION: JSON.parse(read('package.json')).version,
}
// In one pass, because the inserted texts may contain the placeholders.
const html = read('src/page/page.html').replace(
  /\/\* (STYLE|SCRIPT) \*\/|CSP|VERSION/g,
  (found, name) => parts[name ?? found],
)
const hash = sha256(html, 'hex')
const gzipped = gzipSync(html, { level: 9 }).length
mkdirSync(out, { recursive: true })
writeFileSync(`${out}/avmkit.html`, html)
writeFileSync(`${out}/avmkit.html.sha256`, `${hash}  avmkit.html\n`)
console.log(`${hash}  avmkit.html  ${(gzipped / 1024).toFixed(1)} KB gzipped`)
if (gzipped > MAX_GZIPPED) {
  console.error(`expected at most ${MAX_GZIPPED / 1024} KB gzipped`)
  process.exitCode = 1
}
