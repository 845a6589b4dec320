import { CliError } from './errors.ts'

/** Rows of a CSV file as objects by column name, with the line on which each starts. */
export type CSVRow = {
  readonly line: number
  /** Empty if the line is too short. */
  readonly cells: { readonly [column: string]: string }
  /** Cells beyond the last column. */
  readonly excess: number
}

/**
 * Parses CSV as RFC 4180 describes it: commas, and quotes around cells that contain commas, quotes or line breaks. The
 * first line may be a header; without one the columns are in the given order. Empty lines are ignored.
 *
 * @throws CliError `CSV_INVALID` with the line
 */
export function parseCSV(
  text: string,
  columns: {
    readonly required: readonly string[]
    readonly optional: readonly string[]
  },
): CSVRow[] {
  const records = recordsOf(text.replace(/^\ufeff/, ''))
  const known = [...columns.required, ...columns.optional]
  const first = records[0]?.cells.map((name) => name.trim().toLowerCase()) ?? []
  if (!first.some((name) => known.includes(name)))
    return records.map((record) => rowOf(record, known))
  const isComplete = columns.required.every((name) => first.includes(name))
  if (!isComplete || !first.every((name) => known.includes(name)) || hasDuplicates(first))
    throw invalid(1, `the header must name the columns ${known.join(', ')}, each once`)
  return records.slice(1).map((record) => rowOf(record, first))
}

function rowOf({ line, cells }: Record, names: readonly string[]): CSVRow {
  return {
    line,
    cells: Object.fromEntries(names.map((name, i) => [name, cells[i]?.trim() ?? ''])),
    excess: Math.max(0, cells.length - names.length),
  }
}

function hasDuplicates(names: readonly string[]): boolean {
  return new Set(names).size < names.length
}

type Record = { readonly line: number; readonly cells: string[] }

function recordsOf(text: string): Record[] {
  const records: Record[] = []
  let line = 1
  let at = 0
  while (at < text.length) {
    const record: Record = { line, cells: [] }
    for (let more = true; more; ) {
      const { cell, end } = text[at] === '"' ? quotedCell(text, at, line) : plainCell(text, at)
      line += cell.split('\n').length - 1
      record.cells.push(cell)
      at = end
      more = text[at] === ','
      if (more) at++
    }
    if (text[at] === '\r') at++
    if (at < text.length && text[at] !== '\n') throw invalid(line, 'text after a closing quote')
    at++
    line++
    if (record.cells.length > 1 || record.cells[0]!.trim() !== '') records.push(record)
  }
  return records
}

function plainCell(text: string, start: number): { cell: string; end: number } {
  let end = start
  while (end < text.length && !/[,\r\n]/.test(text[end]!)) end++
  return { cell: text.slice(start, end), end }
}

function quotedCell(text: string, start: number, line: number): { cell: string; end: number } {
  let cell = ''
  for (let at = start + 1; ; at++) {
    if (at >= text.length) throw invalid(line, 'a quote is not closed')
    if (text[at] !== '"') cell += text[at]
    else if (text[at + 1] === '"') cell += text[at++]
    else return { cell, end: at + 1 }
  }
}

/** An error of a file with rows. */
export function invalid(line: number, message: string, cause?: unknown): CliError {
  return new CliError('CSV_INVALID', `line ${line}: ${message}`, {
    hint: 'nothing was paid',
    ...(cause === undefined ? {} : { cause }),
  })
}
