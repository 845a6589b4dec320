import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// What the commands that run Go programs share.

const here = fileURLToPath(new URL('.', import.meta.url))

/** The module file for the packages of the next version. */
export const next = 'v1.15/go.mod'

/** Runs the go command in this folder and returns whether it succeeded. */
export function go(...args) {
  return spawnSync('go', args, { cwd: here, stdio: 'inherit' }).status === 0
}

/** The value of a setting of the go command. */
export function goEnv(name) {
  return spawnSync('go', ['env', name], { cwd: here, encoding: 'utf8' }).stdout.trim()
}

/** What is missing to run the Go programs, or undefined. */
export function missing() {
  const [, needed] = readFileSync(new URL(next, import.meta.url), 'utf8').match(/^go (\S+)$/m)
  const { status, stdout } = spawnSync('go', ['env', 'GOVERSION'], { cwd: here, encoding: 'utf8' })
  if (status !== 0) return `Go ${needed} or later: no command "go" on the PATH`
  const found = stdout.trim().replace(/^go/, '')
  if (isOlder(found, needed)) return `Go ${needed} or later: found ${found}`
  // The packages contain C. Go turns it off if it finds no compiler.
  return goEnv('CGO_ENABLED') === '1'
    ? undefined
    : 'a C compiler: Go finds none, or CGO_ENABLED is 0'
}

function isOlder(version, than) {
  return version.localeCompare(than, 'en', { numeric: true }) < 0
}

/** Ends the process with a clear message if Go is missing. */
export function requireGo(command) {
  const problem = missing()
  if (problem === undefined) return
  console.error(`${command} needs ${problem}. It is not needed to use or to test the library.`)
  process.exit(1)
}
