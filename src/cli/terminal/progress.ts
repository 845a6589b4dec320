import type { TextSink } from '../surroundings.ts'

/** The progress line of a long operation. */
export type Progress = {
  /** Shows how much is done, and of how much if that is known. */
  readonly show: (done: number, total: number | undefined, what: string) => void
  /** Shows how many seconds a wait has taken. */
  readonly elapsed: (seconds: number, what: string) => void
  /** Removes the line. The next call of `show` starts a new measurement. */
  readonly end: () => void
}

const BAR = 24

/** Rate and remaining time are shown after this time; before it they would only jump. */
const MEASURE_MS = 2000

/** A line that is rewritten on a terminal; nothing elsewhere. */
export function progressOn(sink: TextSink, now: () => number = () => performance.now()): Progress {
  if (sink.isTTY !== true) return { show: () => {}, elapsed: () => {}, end: () => {} }
  let last = ''
  let start: { readonly done: number; readonly at: number } | undefined
  const rewrite = (text: string) => {
    // A terminal that does not know its width reports 0.
    const line = text.slice(0, (sink.columns || 80) - 1)
    if (line === last) return
    last = line
    sink.write(`\r\u001b[K${line}`)
  }
  return {
    show(done, total, what) {
      start ??= { done, at: now() }
      const pace = paceText(done - start.done, now() - start.at, total && total - done)
      rewrite(`${lineOf(done, total, what)}${pace}`)
    },
    elapsed: (seconds, what) => rewrite(`${what}: ${seconds} s`),
    end() {
      if (last !== '') sink.write('\r\u001b[K')
      last = ''
      start = undefined
    },
  }
}

function lineOf(done: number, total: number | undefined, what: string): string {
  if (total === undefined || total === 0) return `${what}: ${done}`
  const full = Math.min(BAR, Math.floor((done / total) * BAR))
  return `[${'#'.repeat(full)}${' '.repeat(BAR - full)}] ${done}/${total} ${what}`
}

/** Rate, and the remaining time if the total is known. */
function paceText(done: number, ms: number, remaining: number | undefined): string {
  if (ms < MEASURE_MS || done === 0) return ''
  const perSecond = (1000 * done) / ms
  const rate = perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(1)
  const eta = remaining === undefined ? '' : `, ${durationText(remaining / perSecond)} left`
  return `, ${rate}/s${eta}`
}

/** Seconds as `45 s`, `3 min 20 s` or `2 h 5 min`. */
function durationText(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}
