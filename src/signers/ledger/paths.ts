import { LedgerError } from './errors.ts'

const HARDENED = 0x80000000

/** A path, split as the app wants it: one prefix for all keys of an approval, and a suffix for each. */
export type SplitPath = {
  /** `m/44'/9000'/a'`, or `m/44'/60'/a'` for accounts of the C-Chain. */
  readonly prefix: string
  /** `change/index`. */
  readonly suffix: string
}

const NUMBER = '(?:0|[1-9]\\d{0,9})'
const FULL = /* @__PURE__ */ new RegExp(`^(m/44'/${NUMBER}'/${NUMBER}')/(${NUMBER}/${NUMBER})$`)

/**
 * Splits `m/44'/9000'/a'/c/i`.
 *
 * @throws LedgerError `LEDGER_PATH`
 */
export function splitPath(path: string): SplitPath {
  const [, prefix, suffix] = FULL.exec(path) ?? []
  if (prefix === undefined || suffix === undefined)
    throw new LedgerError('LEDGER_PATH', "invalid path: expected m/44'/9000'/a'/c/i")
  return { prefix, suffix }
}

/** Whether a text is a path that {@link splitPath} accepts. */
export function isPath(path: string): boolean {
  return FULL.test(path)
}

/** Whether the app refused such a prefix before version 1.4.13. */
export function hasOtherRoot(prefix: string): boolean {
  return !prefix.startsWith("m/44'/9000'/")
}

/** A prefix or a suffix as the app reads it: the number of components, then each as u32. */
export function encodePath(path: string): Uint8Array {
  const numbers = path.replace(/^m\//, '').split('/').map(componentOf)
  const bytes = new Uint8Array(1 + 4 * numbers.length)
  bytes[0] = numbers.length
  const view = new DataView(bytes.buffer)
  for (const [i, number] of numbers.entries()) view.setUint32(1 + 4 * i, number)
  return bytes
}

function componentOf(text: string): number {
  const number = Number.parseInt(text, 10)
  if (!(number < HARDENED)) throw new LedgerError('LEDGER_PATH', `path number too large: ${text}`)
  return text.endsWith("'") ? number + HARDENED : number
}
