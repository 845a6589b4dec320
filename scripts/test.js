import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

// npm test: builds, then checks format, lint and types, then runs the tests, and prints the time of each step.
// npm run test:all runs every seed, kill point and case, and after that the longer suites.

const root = fileURLToPath(new URL('..', import.meta.url))
const all = process.argv.includes('--all')
const env = { ...process.env, ...(all && { AVMKIT_TEST_ALL: '1' }) }
const times = []

async function run(name, args, output = 'inherit') {
  const start = performance.now()
  const [command, ...rest] = args
  const shell = process.platform === 'win32'
  const child = spawn(command, rest, { cwd: root, env, stdio: ['ignore', output, output], shell })
  let text = ''
  child.stdout?.on('data', (chunk) => (text += chunk))
  child.stderr?.on('data', (chunk) => (text += chunk))
  const [status] = await once(child, 'close')
  times.push([name, performance.now() - start])
  if (status === 0) return
  if (text !== '') console.error(text)
  console.error(`${name} failed`)
  process.exit(status ?? 1)
}

const script = (name) => ['npm', 'run', '--silent', name]
const start = performance.now()
await run('build', script('build'))
// At the same time: neither uses both cores.
await Promise.all([
  run('format and lint', script('check'), 'pipe'),
  run('types', script('typecheck'), 'pipe'),
])
await run('tests', ['npx', 'vitest', 'run'])
if (all)
  for (const name of ['test:fuzz', 'test:sim', 'test:custody', 'test:runtimes'])
    await run(name, script(name))
times.push(['together', performance.now() - start])
console.log(times.map(([name, ms]) => `${name} ${(ms / 1000).toFixed(0)} s`).join(', '))
