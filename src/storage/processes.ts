import { builtin } from './builtin.ts'
import { systemCode } from './file-error.ts'

/** Description of the process that holds a lock. Values that the system does not provide are undefined. */
export type LockHolder = {
  /** 32 hex digits, different for each lock. */
  readonly nonce: string
  readonly pid: number
  /** Start time of the process, in clock ticks since boot. */
  readonly startTime?: string | undefined
  /** Random for every boot of the kernel. */
  readonly bootID?: string | undefined
  /** The PID namespace, and the time namespace that `startTime` refers to. */
  readonly namespaces?: string | undefined
  /** For messages, and for systems that provide no other identification. */
  readonly host: string
  /** Type of the file system that the lock is on, as the holder sees it. */
  readonly fileSystem?: string | undefined
  /** Whether the process listens on a socket in the lock directory. */
  readonly hasSocket: boolean
}

/** Whether a process is alive; `unknown` if neither is proven. */
export type Liveness = 'alive' | 'dead' | 'unknown'

/** Determines whether other processes are alive. */
export type Processes = {
  /** Returns the description of this process, which answers probes until `withdraw`. */
  readonly announce: (
    directory: string,
  ) => Promise<{ readonly holder: LockHolder; readonly withdraw: () => Promise<void> }>
  readonly probe: (directory: string, holder: LockHolder) => Promise<Liveness>
  /** Monotonic clock in milliseconds. */
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/**
 * File systems that only one kernel can mount at a time: ext2 to ext4, XFS, Btrfs, tmpfs, ramfs, overlayfs, ZFS,
 * F2FS, bcachefs, JFS, FAT, exFAT, NTFS.
 */
const LOCAL_FILE_SYSTEMS: ReadonlySet<string> = /* @__PURE__ */ new Set(
  [
    0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x858458f6, 0x794c7630, 0x2fc12fc1, 0xf2f52010,
    0xca451a4e, 0x3153464a, 0x4d44, 0x2011bab0, 0x7366746e,
  ].map(String),
)

/** `sockaddr_un` of Linux has 108 bytes, of macOS 104. */
const MAX_SOCKET_PATH = 100

/**
 * The processes of this machine. A lock holder listens on a Unix domain socket in the lock directory. The kernel closes
 * the socket with the process and keeps it open while the process is suspended; every PID namespace of the same kernel
 * can reach it. The process ID is used only if there is no socket.
 */
export function machineProcesses(): Processes {
  const { hostname } = builtin('node:os')
  return {
    announce: async (directory) => {
      const nonce = builtin('node:crypto').randomBytes(16).toString('hex')
      const close = await listenOnSocket(directory, nonce)
      const { pid } = globalThis.process
      const holder: LockHolder = {
        nonce,
        pid,
        startTime: startTime(pid),
        bootID: bootID(),
        namespaces: namespaces(),
        host: hostname(),
        fileSystem: await fileSystem(directory),
        hasSocket: close !== undefined,
      }
      return { holder, withdraw: async () => close?.() }
    },
    probe: async (directory, holder) => {
      const ownBoot = bootID()
      if (ownBoot === undefined && holder.bootID === undefined)
        return holder.host === hostname() && processLiveness(holder) === 'dead' ? 'dead' : 'unknown'
      if (ownBoot !== holder.bootID) return afterReboot(directory, holder)
      if (holder.hasSocket) {
        const answer = await connect(directory, holder.nonce)
        if (answer !== 'unknown') return answer
      }
      return holder.namespaces !== undefined && holder.namespaces === namespaces()
        ? processLiveness(holder)
        : 'unknown'
    },
    now: () => performance.now(),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  }
}

/**
 * A different boot ID means another machine, or this one before a restart. If both report the same local file system,
 * it was this machine: a machine that mounts it over the network reports another type.
 */
async function afterReboot(directory: string, holder: LockHolder): Promise<Liveness> {
  const found = holder.bootID === undefined ? undefined : await fileSystem(directory)
  return found !== undefined && found === holder.fileSystem && LOCAL_FILE_SYSTEMS.has(found)
    ? 'dead'
    : 'unknown'
}

function processLiveness({ pid, startTime: started }: LockHolder): Liveness {
  try {
    globalThis.process.kill(pid, 0)
  } catch (error) {
    // EPERM: it exists but belongs to another user.
    if (systemCode(error) === 'ESRCH') return 'dead'
  }
  const found = startTime(pid)
  if (found === undefined || started === undefined) return 'unknown'
  return found === started ? 'alive' : 'dead'
}

/** Listens on the socket of a nonce. Returns undefined if no socket can be created there. */
async function listenOnSocket(
  directory: string,
  nonce: string,
): Promise<(() => Promise<void>) | undefined> {
  const { path, release } = socketPath(directory, nonce)
  const server = builtin('node:net').createServer((socket) => socket.destroy())
  server.unref()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      // Otherwise the primary process of a cluster would hold the socket and keep it open.
      server.listen({ path, exclusive: true }, resolve)
    })
  } catch {
    release()
    return undefined
  }
  // A connection that cannot be accepted (too many open files) also proves that the process is alive.
  server.on('error', () => {})
  return async () => {
    await new Promise((resolve) => server.close(resolve))
    release()
  }
}

async function connect(directory: string, nonce: string): Promise<Liveness> {
  const { path, release } = socketPath(directory, nonce)
  try {
    return await new Promise<Liveness>((resolve) => {
      const socket = builtin('node:net').connect({ path })
      socket.once('connect', () => {
        socket.destroy()
        resolve('alive')
      })
      socket.once('error', (error) => {
        const code = systemCode(error)
        // EAGAIN: the connection queue is full, for example because the process is suspended.
        resolve(code === 'ECONNREFUSED' ? 'dead' : code === 'EAGAIN' ? 'alive' : 'unknown')
      })
    })
  } finally {
    release()
  }
}

/** On Linux, a socket with a long path is reached through the open directory, which `release` closes. */
function socketPath(directory: string, nonce: string): { path: string; release: () => void } {
  const name = `${nonce}.sock`
  const path = `${directory}/${name}`
  if (globalThis.process.platform !== 'linux' || Buffer.byteLength(path) <= MAX_SOCKET_PATH)
    return { path, release: () => {} }
  const { openSync, closeSync } = builtin('node:fs')
  const descriptor = openSync(directory, 'r')
  return { path: `/proc/self/fd/${descriptor}/${name}`, release: () => closeSync(descriptor) }
}

async function fileSystem(directory: string): Promise<string | undefined> {
  try {
    return String((await builtin('node:fs').promises.statfs(directory)).type)
  } catch {
    return undefined
  }
}

function bootID(): string | undefined {
  return systemText('/proc/sys/kernel/random/boot_id')
}

function startTime(pid: number): string | undefined {
  const stat = systemText(`/proc/${pid}/stat`)
  // Field 22. The second field is the name in parentheses, which may contain any character.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}

function namespaces(): string | undefined {
  const { readlinkSync } = builtin('node:fs')
  const read = (kind: string) => readlinkSync(`/proc/self/ns/${kind}`)
  try {
    return [read('pid'), tryOr('', () => read('time'))].join(' ')
  } catch {
    return undefined
  }
}

function systemText(path: string): string | undefined {
  return tryOr(undefined, () => builtin('node:fs').readFileSync(path, 'utf8').trim())
}

function tryOr<T, U>(otherwise: U, read: () => T): T | U {
  try {
    return read()
  } catch {
    return otherwise
  }
}
