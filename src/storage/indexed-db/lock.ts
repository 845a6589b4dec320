import { FileError } from '../file-error.ts'
import type { Lock } from '../lock.ts'

/** The longest delay of a timer. Longer ones are treated as 1 ms or refused. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Takes a Web Lock, which one tab or worker of the origin can hold. The browser releases it when the tab ends.
 *
 * @throws FileError `FILE_IN_USE` if another tab still holds it after `waitMs`
 */
export async function takeWebLock(name: string, waitMs: number): Promise<Lock> {
  const { locks } = (globalThis as { navigator?: Partial<Navigator> }).navigator ?? {}
  if (locks === undefined)
    throw new FileError('FILE_UNREADABLE', 'this platform has no Web Locks', {
      hint: 'pages need a secure context: https or localhost',
    })
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let lost: FileError | undefined
  return new Promise<Lock>((resolve, reject) => {
    const lock: Lock = {
      // Committed transactions are durable, even if the tab that made them has crashed.
      isDirty: false,
      assertHeld: async () => {
        if (lost !== undefined) throw lost
      },
      release: async () => {
        release()
        await request
      },
    }
    const options =
      waitMs > 0
        ? { signal: AbortSignal.timeout(Math.min(Math.ceil(waitMs), MAX_TIMER_MS)) }
        : { ifAvailable: true as const }
    const request = locks
      .request(name, options, async (granted) => {
        if (granted === null) return reject(inUse(name))
        resolve(lock)
        await released
      })
      .catch((cause: unknown) => {
        // Before the lock is granted, this is a timeout. Afterwards, another page has stolen the lock, and `reject` has
        // no effect.
        lost = new FileError('FILE_LOST', `another tab has taken over ${name}`, { cause })
        reject(inUse(name))
      })
  })
}

function inUse(name: string): FileError {
  return new FileError('FILE_IN_USE', `another tab has ${name} open`, {
    hint: 'use the other tab, or close it',
  })
}
