import type { AvmError } from '../../core/base/errors.ts'
import { nearest } from '../../core/base/nearest.ts'
import { CliError } from '../errors.ts'
import { hintFor } from '../hints.ts'

/** A row of a CSV file by column name, with the line on which it starts. */
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
 * @throws CliError `CSV_INVALID` with the line, `UNKNOWN_OPTION` for an unknown column
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
    return records.map((record) => rowOfRecord(record, known))
  const unknown = first.find((name) => !known.includes(name))
  if (unknown !== undefined) throw unknownColumn(unknown, known)
  if (!columns.required.every((name) => first.includes(name)) || hasDuplicates(first))
    throw invalidLine(1, `the header must name the columns ${known.join(', ')}, each once`)
  return records.slice(1).map((record) => rowOfRecord(record, first))
}

/** A column that was ignored might be the asset or the memo of payments. */
function unknownColumn(name: string, known: readonly string[]): CliError {
  const intended = nearest(name, known)
  const advice = intended === undefined ? `known: ${known.join(', ')}` : `did you mean ${intended}?`
  const shown = JSON.stringify(name.slice(0, 32))
  return new CliError('UNKNOWN_OPTION', `line 1: unknown column ${shown}`, {
    hint: `nothing was done; ${advice}`,
  })
}

function rowOfRecord({ line, cells }: CSVRecord, names: readonly string[]): CSVRow {
  return {
    line,
    cells: Object.fromEntries(names.map((name, i) => [name, cells[i]?.trim() ?? ''])),
    excess: Math.max(0, cells.length - names.length),
  }
}

function hasDuplicates(names: readonly string[]): boolean {
  return new Set(names).size < names.length
}

type CSVRecord = { readonly line: number; readonly cells: string[] }

function recordsOf(text: string): CSVRecord[] {
  const records: CSVRecord[] = []
  let line = 1
  let at = 0
  while (at < text.length) {
    const record: CSVRecord = { line, cells: [] }
    for (let more = true; more; ) {
      const { cell, end } = text[at] === '"' ? quotedCell(text, at, line) : plainCell(text, at)
      line += cell.split('\n').length - 1
      record.cells.push(cell)
      at = end
      more = text[at] === ','
      if (more) at++
    }
    if (text[at] === '\r') at++
    if (at < text.length && text[at] !== '\n') throw invalidLine(line, 'text after a closing quote')
    at++
    line++
    checkText(record.cells, record.line)
    if (record.cells.length > 1 || record.cells[0]!.trim() !== '') records.push(record)
  }
  return records
}

function plainCell(text: string, start: number): { cell: string; end: number } {
  const rest = /[^,\r\n]*/y
  rest.lastIndex = start
  const cell = rest.exec(text)![0]
  return { cell, end: start + cell.length }
}

function quotedCell(text: string, start: number, line: number): { cell: string; end: number } {
  let from = start + 1
  let cell = ''
  for (;;) {
    const quote = text.indexOf('"', from)
    if (quote === -1) throw invalidLine(line, 'a quote is not closed')
    cell += text.slice(from, quote)
    if (text[quote + 1] !== '"') return { cell, end: quote + 1 }
    cell += '"'
    from = quote + 2
  }
}

/** Control characters, and the character that replaces invalid UTF-8: two keys could become the same. */
const NOT_TEXT = /[\p{Cc}\ufffd]/u

function checkText(cells: readonly string[], line: number): void {
  if (cells.some((cell) => NOT_TEXT.test(cell.replaceAll(/[\t\r\n]/g, ''))))
    throw invalidLine(line, 'a cell contains control characters or is not UTF-8')
}

/** The error for a line of a CSV file, with the advice of its cause. */
export function invalidLine(line: number, message: string, cause?: AvmError): CliError {
  const advice = cause === undefined ? undefined : hintFor(cause, '')
  return new CliError('CSV_INVALID', `line ${line}: ${message}`, {
    hint: advice === undefined ? 'nothing was done' : `nothing was done; ${advice}`,
    cause,
  })
}
