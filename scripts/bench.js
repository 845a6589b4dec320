import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Builds the package, installs the compared libraries on first use, and runs the benchmarks.

const root = fileURLToPath(new URL('..', import.meta.url))
const benchmarks = fileURLToPath(new URL('../benchmarks', import.meta.url))

function run(command, args, cwd, quiet) {
  const stdio = quiet ? ['ignore', 'ignore', 'inherit'] : 'inherit'
  const { status } = spawnSync(command, args, { cwd, stdio, shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
}

run('npm', ['run', 'build', '--silent'], root, true)
if (!existsSync(`${benchmarks}/node_modules`))
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], benchmarks, true)
run(process.execPath, ['run.js', ...process.argv.slice(2)], benchmarks, false)
