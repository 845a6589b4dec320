import { hex } from '../base/encoding/hex.ts'

/**
 * Characters that can mislead a reader: control, format and unassigned characters, everything displayed as nothing or
 * as blank (other spaces, Hangul fillers, the Braille blank, variation selectors, blank signs of other scripts), and
 * stacked combining marks, which can overlap other lines.
 */
const HIDDEN =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1107f}\u{13441}\u{13442}\u{16fe4}\u{1d159}]|(?! )\p{Zs}|(?<=\p{M}\p{M})\p{M}|(?<![\p{L}\p{N}\p{M}])\p{M}/gu

/**
 * Letters that are written from right to left. A terminal that supports them moves the numbers that follow to their
 * other side, so an attacker's text could move an amount to another place. Unicode reserves these ranges for them.
 */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/gu

/** Spaces that a reader cannot see: at both ends, and after another space. */
const LOOSE_SPACE = /^ | $|(?<= ) /g

/** Quotes and escapes a text. */
export function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', '\\"')}"`
}

/**
 * Escapes untrusted text for a terminal: one line in which every character is visible. Characters that are invisible,
 * move the cursor or reorder text become `\u{…}`. All output for people uses this function.
 */
export function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replace(HIDDEN, codePoint)
    .replace(RIGHT_TO_LEFT, codePoint)
    .replace(LOOSE_SPACE, codePoint)
}

/** Longer symbols and names are cut; the node accepts 4 characters of a symbol and 128 of a name. */
const MAX_LABEL = 128

/**
 * The symbol or name of an asset. The node accepts letters, digits and, in names, single spaces; everything else is
 * escaped: letters of other alphabets that look like Latin ones, and whatever could pass for another column.
 */
export function labelText(label: string): string {
  const shown = label.slice(0, MAX_LABEL).replace(/[^A-Za-z0-9 ]/gu, codePoint)
  const cut = label.length > MAX_LABEL ? ` (${label.length - MAX_LABEL} characters more)` : ''
  return shown.replace(LOOSE_SPACE, codePoint) + cut
}

/** The symbol of an asset, without any space. */
export function symbolText(symbol: string): string {
  return labelText(symbol).replaceAll(' ', '\\u{20}')
}

/**
 * Escapes the characters that `escaped` escapes, and repeated spaces, as `\uXXXX`, which does not change the JSON
 * value. The text must have no line breaks or indentation.
 */
export function escapedJSON(json: string): string {
  return json
    .replace(HIDDEN, codeUnits)
    .replace(RIGHT_TO_LEFT, codeUnits)
    .replace(/(?<= ) /g, codeUnits)
}

function codeUnits(letter: string): string {
  return Array.from(
    { length: letter.length },
    (_, i) => `\\u${letter.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')
}

function codePoint(letter: string): string {
  return `\\u{${letter.codePointAt(0)!.toString(16)}}`
}

/** A memo as hex and, if possible, as text. */
export type MemoText = {
  /** All bytes. */
  readonly hex: string
  /** Present if the memo is valid UTF-8. Not escaped. */
  readonly text?: string | undefined
}

/** Decodes a memo. */
export function readMemo(memo: Uint8Array): MemoText {
  // A byte order mark at the start is kept, since it is invisible.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return { hex: hex.encode(memo), text: decoder.decode(memo) }
  } catch {
    return { hex: hex.encode(memo) }
  }
}

/** Why a memo is suspicious, or `undefined`. The reason does not quote the memo. */
export function suspicionOf({ text }: MemoText): string | undefined {
  if (text === undefined) return undefined
  if (/PrivateKey-|\bxprv/i.test(text) || /^\s*[a-z]{3,8}(\s+[a-z]{3,8}){11,23}\s*$/.test(text))
    return 'the memo looks like a private key or mnemonic, and memos are public'
  if (text.replaceAll(/[\t\r\n]/g, '').search(HIDDEN) !== -1)
    return 'the memo contains invisible characters'
  if (/https?:\/\/|\bwww\./i.test(text)) return 'the memo contains a link'
  return undefined
}
