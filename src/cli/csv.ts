import { CliError } from './errors.ts'

/** Rows of a CSV file as objects by column name, with the line on which each starts. */
export type CSVRow = {
  readonly line: number
  readonly cells: { readonly [column: string]: string }
}

/**
 * Parses CSV as RFC 4180 describes it: a header line, commas, and quotes around cells that contain commas, quotes or
 * line breaks. Empty lines are ignored.
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
  const header = records.shift()
  const names = header?.cells.map((name) => name.trim().toLowerCase()) ?? []
  const known = [...columns.required, ...columns.optional]
  const missing = columns.required.filter((name) => !names.includes(name))
  const unknown = names.find((name) => !known.includes(name))
  if (missing.length > 0 || unknown !== undefined || new Set(names).size !== names.length)
    throw invalid(1, `the header must name the columns ${known.join(', ')}, each once`)
  return records.map(({ line, cells }) => {
    if (cells.length !== names.length)
      throw invalid(line, `expected ${names.length} cells, found ${cells.length}`)
    return { line, cells: Object.fromEntries(names.map((name, i) => [name, cells[i]!.trim()])) }
  })
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
    hint: 'nothing was signed',
    ...(cause === undefined ? {} : { cause }),
  })
}
