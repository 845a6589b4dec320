import { escaped } from '../sign/text.ts'
import type { Surroundings, TextSink } from './surroundings.ts'

/** Colours of a terminal; plain text elsewhere. */
export type Paint = {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
}

/** Colours where the sink is a terminal and the user has nothing against them (`NO_COLOR`). */
export function paintFor(sink: TextSink, env: Surroundings['env']): Paint {
  const on = sink.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  const code = (begin: number, end: number) => (text: string) =>
    on && text !== '' ? `\u001b[${begin}m${text}\u001b[${end}m` : text
  return {
    bold: code(1, 22),
    dim: code(2, 22),
    red: code(31, 39),
    green: code(32, 39),
    yellow: code(33, 39),
  }
}

/** A column of a table. */
export type Column = { readonly title: string; readonly right?: true }

/**
 * Rows in columns two spaces apart. What cells hold may come from anyone, so whatever could move the
 * cursor or hide in them is escaped.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  paint: Paint,
): string {
  const cells = rows.map((row) => row.map(escaped))
  // Not Math.max(...rows): a call cannot have 130,000 arguments.
  const widths = columns.map(({ title }, i) =>
    cells.reduce((most, row) => Math.max(most, (row[i] ?? '').length), title.length),
  )
  const line = (row: readonly string[]) =>
    columns
      .map(({ right }, i) => {
        const cell = row[i] ?? ''
        return right ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)
      })
      .join('  ')
      .trimEnd()
  return [paint.bold(line(columns.map(({ title }) => title))), ...cells.map(line)].join('\n')
}

/** Names and values below each other; what is undefined is left out. */
export function facts(
  rows: readonly (readonly [name: string, value: string | number | bigint | boolean | undefined])[],
  paint: Paint,
): string {
  const shown = rows
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [escaped(name), escaped(String(value))] as const)
  const width = shown.reduce((most, [name]) => Math.max(most, name.length), 0)
  return shown.map(([name, value]) => `${paint.dim(name.padEnd(width))}  ${value}`).join('\n')
}

/** The title of an explanation and its warnings are highlighted. */
export function paintExplanation(text: string, paint: Paint): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line, i) =>
      line.startsWith('DANGER ')
        ? paint.red(line)
        : line.startsWith('WARNING ')
          ? paint.yellow(line)
          : i === 0
            ? paint.bold(line)
            : line,
    )
    .join('\n')
}

/** A number of things, of which one is not many. */
export function counted(count: number | bigint, one: string, many = `${one}s`): string {
  return `${count} ${BigInt(count) === 1n ? one : many}`
}

/** Unix seconds as people read them. */
export function timeText(seconds: bigint): string {
  const ms = Number(seconds) * 1000
  if (ms > 8.64e15) return `unix time ${seconds}`
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}
