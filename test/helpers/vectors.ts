import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { hex } from '../../src/core/base/encoding/hex.ts'

/** Reads a file of `test-vectors`; its README lists the sources. */
export function vectors<T>(path: string): T {
  return JSON.parse(
    readFileSync(new URL(`../../test-vectors/${path}`, import.meta.url), 'utf8'),
  ) as T
}

/** What the cases under `generated/` share: see the README there. */
export type GeneratedCase = {
  readonly kind: string
  readonly id: string
  readonly ok: boolean
  readonly err?: string
  readonly code?: string
  readonly network?: number
  readonly bytes?: string
  readonly parts?: readonly (readonly [string, number])[]
  readonly json?: string | null
  readonly jsonErr?: string
  readonly lenient?: readonly string[]
}

/** The bytes of a case, which may be given as runs of repeated pieces. */
export function bytesOf(item: GeneratedCase): Uint8Array {
  if (item.parts === undefined) return hex.decode(item.bytes!)
  return hex.decode(item.parts.map(([piece, times]) => piece.repeat(times)).join(''))
}

/** The HRP of the node that rendered the JSON of a case. */
export function hrpOfCase(item: GeneratedCase): string {
  return { 1: 'avax', 5: 'fuji', 12345: 'local' }[item.network!] ?? 'custom'
}

/** Returns the code of the error that a function throws. */
export function codeOf(run: () => unknown): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    return (error as { code?: string }).code ?? `not an AvmError: ${error}`
  }
}

/** Compares bytes of any length: the equality of vitest visits every element of megabytes. */
export function expectBytes(actual: Uint8Array, expected: Uint8Array): void {
  expect(Buffer.from(actual).toString('hex')).toBe(Buffer.from(expected).toString('hex'))
}
