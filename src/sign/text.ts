import { hex } from '../encoding/hex.ts'

/** Controls, invisible and direction-changing characters, and what Unicode has not assigned. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu

/** A text in quotes in which nothing is hidden: what could move the cursor or other letters is escaped. */
export function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', '\\"')}"`
}

/** A text of which every letter is seen. */
export function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replace(HIDDEN, (letter) => {
    const point = letter.codePointAt(0)!.toString(16)
    return `\\u{${point}}`
  })
}

/** A memo as people may read it. */
export type MemoText = {
  /** All of its bytes. */
  readonly hex: string
  /** Where it is UTF-8. As it stands, with what could move the cursor or hide other letters. */
  readonly text?: string
}

/** Reads a memo as text if it is one. */
export function readMemo(memo: Uint8Array): MemoText {
  try {
    return { hex: hex.encode(memo), text: new TextDecoder('utf-8', { fatal: true }).decode(memo) }
  } catch {
    return { hex: hex.encode(memo) }
  }
}

/** Why a memo should be looked at, or nothing. The answer repeats nothing of the memo. */
export function suspicionOf({ text }: MemoText): string | undefined {
  if (text === undefined) return undefined
  if (/PrivateKey-|\bxprv/i.test(text) || /^\s*[a-z]{3,8}(\s+[a-z]{3,8}){11,23}\s*$/.test(text))
    return 'the memo looks like a private key or a mnemonic, and everybody can read it'
  if (text.replaceAll(/[\t\r\n]/g, '').search(HIDDEN) !== -1)
    return 'the memo holds characters that are not seen'
  if (/https?:\/\/|\bwww\./i.test(text)) return 'the memo holds a link'
  return undefined
}
