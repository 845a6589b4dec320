import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Generates the API reference in docs/api. typedoc does not support TypeScript 7 yet, so it has a private folder with its
// own TypeScript, which is installed on first use.

const apidocs = fileURLToPath(new URL('../apidocs', import.meta.url))

function run(command, args) {
  const shell = process.platform === 'win32'
  const { status } = spawnSync(command, args, { cwd: apidocs, stdio: 'inherit', shell })
  if (status !== 0) process.exit(status ?? 1)
}

if (!existsSync(`${apidocs}/node_modules`))
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])
run(process.execPath, ['generate.js'])
