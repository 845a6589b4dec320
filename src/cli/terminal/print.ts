import { escaped } from '../../core/sign/text.ts'
import type { Paint } from './paint.ts'

/** A column of a table. */
export type Column = { readonly title: string; readonly right?: true }

/**
 * Rows in columns two spaces apart. A table that is wider than the terminal is printed as records, one field per
 * line, so that nothing is cut. Cells may contain text from anyone, so control and hidden characters are escaped.
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
  const total = widths.reduce((sum, width) => sum + width + 2, -2)
  if (total > paint.width) return formatRecords(columns, cells, paint)
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

function formatRecords(
  columns: readonly Column[],
  cells: readonly (readonly string[])[],
  paint: Paint,
): string {
  const width = columns.reduce((most, { title }) => Math.max(most, title.length), 0)
  return cells
    .map((row) =>
      columns
        .flatMap(({ title }, i) =>
          row[i] ? [`${paint.bold(title.padEnd(width))}  ${row[i]}`] : [],
        )
        .join('\n'),
    )
    .join('\n\n')
}

/** One name and value per line; undefined values are left out. */
export function details(
  rows: readonly (readonly [name: string, value: string | number | bigint | boolean | undefined])[],
  paint: Paint,
): string {
  const shown = rows
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [escaped(name), escaped(String(value))] as const)
  const width = shown.reduce((most, [name]) => Math.max(most, name.length), 0)
  return shown.map(([name, value]) => `${paint.dim(name.padEnd(width))}  ${value}`).join('\n')
}

/** Transaction IDs that are printed; `--json` lists all. */
const SHOWN_IDS = 5

/** Rows of `details` with the first transaction IDs. */
export function idRows(ids: readonly string[]): (readonly ['', string])[] {
  const more = ids.length - SHOWN_IDS
  const rest = more > 0 ? [`and ${more} more, which --json lists`] : []
  return [...ids.slice(0, SHOWN_IDS), ...rest].map((text) => ['', text])
}

/** A number with its noun in singular or plural. */
export function counted(count: number | bigint, one: string, many = `${one}s`): string {
  return `${count} ${BigInt(count) === 1n ? one : many}`
}

/** Unix seconds as an ISO 8601 date and time. */
export function timeText(seconds: bigint): string {
  const ms = Number(seconds) * 1000
  if (ms > 8.64e15) return `unix time ${seconds}`
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}
