import type { Surroundings, TextSink } from '../surroundings.ts'

/** How to print on a sink: functions that color text for a terminal and return plain text elsewhere. */
export type Paint = {
  /** Columns of the terminal; infinite elsewhere. */
  readonly width: number
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
}

/** Colors if the sink is a terminal and the user has not set `NO_COLOR`. */
export function paintFor(sink: TextSink, env: Surroundings['env']): Paint {
  const isColored = sink.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  const code = (begin: number, end: number) => (text: string) =>
    isColored && text !== '' ? `\u001b[${begin}m${text}\u001b[${end}m` : text
  return {
    // A terminal that does not know its width reports 0.
    width: sink.isTTY === true ? sink.columns || 80 : Number.POSITIVE_INFINITY,
    bold: code(1, 22),
    dim: code(2, 22),
    red: code(31, 39),
    green: code(32, 39),
    yellow: code(33, 39),
  }
}
