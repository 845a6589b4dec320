import type { FileHandle } from 'node:fs/promises'
import type { JournalEntry } from '../wallet/index.ts'
import { JournalError } from './errors.ts'
import { entryOf, isTornLine } from './lines.ts'

const CHUNK_SIZE = 1 << 20
const NEWLINE = 0x0a

/**
 * All whole lines of a journal, and how many bytes they are. Reads in pieces, because a journal may grow longer
 * than any text can be.
 */
export async function readEntries(
  file: FileHandle,
  path: string,
): Promise<{ entries: JournalEntry[]; size: number }> {
  const entries: JournalEntry[] = []
  let rest: Buffer[] = []
  let size = 0
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_SIZE), 0, CHUNK_SIZE, at)
    if (bytesRead === 0) break
    const chunk = buffer.subarray(0, bytesRead)
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...rest, chunk.subarray(start, end)])
      entries.push(parsed(line.toString('utf8'), entries.length + 1, path))
      rest = []
      start = end + 1
      size = at + start
    }
    rest.push(chunk.subarray(start))
    at += bytesRead
  }
  if (!isTornLine(Buffer.concat(rest))) throw corrupt(entries.length + 1, path, undefined)
  return { entries, size }
}

function parsed(line: string, number: number, path: string): JournalEntry {
  try {
    return entryOf(line)
  } catch (cause) {
    throw corrupt(number, path, cause)
  }
}

function corrupt(number: number, path: string, cause: unknown): JournalError {
  const message = `line ${number} of the journal ${path} cannot be read`
  return new JournalError('JOURNAL_CORRUPT', message, path, {
    cause,
    hint: 'it tells what was sent: keep it, and find out before you send anything again',
  })
}
