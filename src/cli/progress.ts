import type { TextSink } from './surroundings.ts'

/** Something long that can be watched. */
export type Progress = {
  /** How much is done, of how much where that is known. */
  readonly show: (done: number, total: number | undefined, what: string) => void
  /** Takes the line away. */
  readonly end: () => void
}

const BAR = 24

/** A line that is rewritten on a terminal, and nothing at all elsewhere. */
export function progressOn(sink: TextSink): Progress {
  if (sink.isTTY !== true) return { show: () => {}, end: () => {} }
  let last = ''
  return {
    show(done, total, what) {
      // A terminal that does not know its width says 0.
      const line = lineOf(done, total, what).slice(0, (sink.columns || 80) - 1)
      if (line === last) return
      last = line
      sink.write(`\r\u001b[K${line}`)
    },
    end() {
      if (last !== '') sink.write('\r\u001b[K')
      last = ''
    },
  }
}

function lineOf(done: number, total: number | undefined, what: string): string {
  if (total === undefined || total === 0) return `${what}: ${done}`
  const full = Math.min(BAR, Math.floor((done / total) * BAR))
  return `[${'#'.repeat(full)}${' '.repeat(BAR - full)}] ${done}/${total} ${what}`
}
