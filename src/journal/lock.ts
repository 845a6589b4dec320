import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { JournalError } from './errors.ts'

/** What a program holds that has a journal for itself. */
export type Lock = {
  /** Throws where somebody else has taken it, or has removed it. */
  readonly require: () => void
  readonly release: () => void
}

/** Locks of this program, by what is written in them. */
const held = new Set<string>()

/** Takes the lock of a journal, also one that a crash has left behind; throws where somebody has it. */
export function takeLock(path: string): Lock {
  const lockPath = `${path}.lock`
  const words = [process.pid, startOf(process.pid) ?? '-', hostname(), randomUUID()].join(' ')
  for (;;) {
    try {
      writeFileSync(lockPath, `${words}\n`, { flag: 'wx', mode: 0o600 })
      break
    } catch (cause) {
      if ((cause as { code?: string }).code !== 'EEXIST') throw unlockable(path, cause)
      const found = read(lockPath, path)
      if (isHeld(found))
        throw inUse(path, `${holderOf(found)} is using the journal ${path}`, lockPath)
      // Two that come here at once may remove each other's lock; all but the last then fail in `require`.
      remove(lockPath, path)
    }
  }
  held.add(words)
  return {
    require: () => {
      if (read(lockPath, path) !== words)
        throw inUse(path, `the lock of the journal ${path} was taken away`, lockPath)
    },
    release: () => {
      held.delete(words)
      if (read(lockPath, path) === words) remove(lockPath, path)
    },
  }
}

/** What is written in a lock; nothing where there is none, or where the power went before it was written. */
function read(lockPath: string, path: string): string {
  try {
    return readFileSync(lockPath, 'utf8').trim()
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ENOENT') return ''
    throw unlockable(path, cause)
  }
}

function remove(lockPath: string, path: string): void {
  try {
    rmSync(lockPath, { force: true })
  } catch (cause) {
    throw unlockable(path, cause)
  }
}

function isHeld(words: string): boolean {
  const [number, start, host = hostname()] = words.split(' ')
  const pid = Number(number)
  if (held.has(words)) return true
  if (!(pid > 0)) return false
  // Processes of another machine or container cannot be asked about.
  if (host !== hostname()) return true
  // Another process may have got the number since, in a container even the same one in every run.
  const running = startOf(pid)
  if (start !== undefined && start !== '-' && running !== undefined) return running === start
  return pid !== process.pid && isAlive(pid)
}

function holderOf(words: string): string {
  const [pid, , host] = words.split(' ')
  return host === undefined || host === hostname() ? `process ${pid}` : `process ${pid} of ${host}`
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Alive, though not ours to signal.
    return (error as { code?: string }).code === 'EPERM'
  }
}

/** When a process began, in ticks since the system did, which only Linux tells: field 22 of proc(5). */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is a name in brackets, which may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

function inUse(path: string, message: string, lockPath: string): JournalError {
  return new JournalError('JOURNAL_IN_USE', message, path, {
    hint: `wait for it to end; if nothing uses the journal, remove ${lockPath}`,
  })
}

function unlockable(path: string, cause: unknown): JournalError {
  const { code = 'unknown reason' } = cause as { code?: string }
  return new JournalError('JOURNAL_UNWRITABLE', `cannot lock the journal ${path}: ${code}`, path, {
    cause,
    hint: 'check the name of its folder and who may write there',
  })
}
