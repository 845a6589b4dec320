import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { allGuides, llmsIndex } from './guides.js'

// Generates the site in docs/api: guides by role, reference by entry point and a page per error code, with a search that
// works from a disk; beside it llms.txt and all guides in one file. typedoc does not support
// TypeScript 7 yet, so it has a private folder with its own TypeScript, which is installed on first use.

const apidocs = fileURLToPath(new URL('../apidocs', import.meta.url))

function run(command, args) {
  const shell = process.platform === 'win32'
  const { status } = spawnSync(command, args, { cwd: apidocs, stdio: 'inherit', shell })
  if (status !== 0) process.exit(status ?? 1)
}

if (!existsSync(`${apidocs}/node_modules`))
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])
run(process.execPath, ['generate.js'])

const site = fileURLToPath(new URL('../docs/api/', import.meta.url))

// Nothing in the site may be loaded from elsewhere.
const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.html'),
)
const foreign = pages.filter((name) =>
  /<(script|link|img|iframe)\b[^>]*\b(src|href)="(https?:)?\/\//.test(
    readFileSync(`${site}${name}`, 'utf8'),
  ),
)
if (foreign.length > 0) {
  console.error(`these pages load something from elsewhere: ${foreign.join(', ')}`)
  process.exit(1)
}
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
writeFileSync(`${site}llms.txt`, llmsIndex(manifest))
writeFileSync(`${site}guides.md`, `${allGuides()}\n`)
console.log(`${pages.length} pages, llms.txt and guides.md in docs/api`)
