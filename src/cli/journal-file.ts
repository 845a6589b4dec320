import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { parseJSON, stringifyJSON } from '../codec/index.ts'
import { checkedHex, formatID, parseID } from '../encoding/index.ts'
import type { Journal, JournalEntry } from '../wallet/index.ts'
import { CliError } from './errors.ts'
import { unwritable } from './files.ts'

/** A journal that one process has for itself until it lets go of it. */
export type JournalFile = Journal & { readonly release: () => void }

/**
 * A journal in a file, one JSON object a line. Every entry is on the disk before `append` resolves; a line
 * that a crash cut off does not count, since nothing was sent before it was whole.
 */
export function journalFile(path: string): JournalFile {
  const release = lock(`${path}.lock`, path)
  let last: Promise<unknown> = Promise.resolve()
  // One after the other: lines of transactions under way at the same time must not mix.
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work)
    last = turn.catch(() => {})
    return turn
  }
  // An entry that failed may have left half a line, which the next one must not continue.
  let torn = false
  return {
    append: (entry) =>
      inTurn(async () => {
        if (torn) await load(path)
        torn = true
        await append(path, entry)
        torn = false
      }),
    load: () => inTurn(() => load(path)),
    release,
  }
}

/** Locks of this process. */
const held = new Set<string>()

/** Two processes would take each other's half-written lines for those of a crash. */
function lock(lockPath: string, path: string): () => void {
  for (;;) {
    try {
      writeFileSync(lockPath, `${process.pid}\n`, { flag: 'wx', mode: 0o600 })
      held.add(lockPath)
      return () => {
        held.delete(lockPath)
        rmSync(lockPath, { force: true })
      }
    } catch (cause) {
      if ((cause as { code?: string }).code !== 'EEXIST') throw unwritable(path, cause)
      const holder = holderOf(lockPath)
      if (holder !== undefined)
        throw new CliError('JOURNAL_IN_USE', `process ${holder} is using the journal ${path}`, {
          cause,
          hint: `wait for it to end; if it is no avmkit, remove ${lockPath}`,
        })
      rmSync(lockPath, { force: true })
    }
  }
}

/** Who has the lock; nobody where a crash left it behind. */
function holderOf(lockPath: string): string | undefined {
  let pid = ''
  try {
    pid = readFileSync(lockPath, 'utf8').trim()
    // In a container every run may have the same number: then the lock is left from an earlier one.
    if (Number(pid) === process.pid && !held.has(lockPath)) return undefined
    process.kill(Number(pid), 0)
    return pid
  } catch (error) {
    // Alive, though not ours to signal.
    return (error as { code?: string }).code === 'EPERM' ? pid : undefined
  }
}

async function append(path: string, entry: JournalEntry): Promise<void> {
  const file = await open(path, 'a', 0o600)
  try {
    await file.appendFile(lineOf(entry))
    await file.datasync()
  } finally {
    await file.close()
  }
}

async function load(path: string): Promise<JournalEntry[]> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ENOENT') return []
    throw new CliError('FILE_UNREADABLE', `cannot read the journal ${path}`, { cause })
  }
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  if (whole.length < text.length) await cut(path, Buffer.byteLength(whole))
  return whole
    .split('\n')
    .slice(0, -1)
    .map((line, i) => entryOf(line, `line ${i + 1} of the journal ${path}`))
}

/** Takes off what a crash left half written, so that the next entry begins a line. */
async function cut(path: string, size: number): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.truncate(size)
    await file.datasync()
  } finally {
    await file.close()
  }
}

function lineOf(entry: JournalEntry): string {
  const txID = formatID(entry.txID)
  const json =
    entry.type === 'signed'
      ? {
          type: entry.type,
          txID,
          bytes: checkedHex.encode(entry.bytes),
          ...(entry.key === undefined ? {} : { key: entry.key }),
        }
      : { ...entry, txID }
  return `${stringifyJSON(json)}\n`
}

function entryOf(line: string, where: string): JournalEntry {
  try {
    const json = parseJSON(line) as { readonly [name: string]: string }
    const txID = parseID(json.txID!)
    switch (json.type) {
      case 'signed': {
        const bytes = checkedHex.decode(json.bytes!)
        return { type: 'signed', txID, bytes, ...(json.key === undefined ? {} : { key: json.key }) }
      }
      case 'accepted':
        return { type: 'accepted', txID }
      case 'refused':
        return { type: 'refused', txID, code: json.code!, reason: json.reason! }
    }
  } catch (cause) {
    throw corrupt(where, cause)
  }
  throw corrupt(where, undefined)
}

function corrupt(where: string, cause: unknown): CliError {
  return new CliError('JOURNAL_CORRUPT', `${where} cannot be read`, {
    cause,
    hint: 'it tells what was sent: keep it, and find out before you send anything again',
  })
}
