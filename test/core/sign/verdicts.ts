import { expect } from 'vitest'
import { AvmError } from '../../../src/core/base/errors.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import type { Explanation } from '../../../src/core/sign/explain/explanation.ts'
import { explainRequest } from '../../../src/core/sign/request/explain-request.ts'
import { parseRequest } from '../../../src/core/sign/request/request-file.ts'
import { signRequest } from '../../../src/core/sign/request/request-sign.ts'
import { keysOf } from './fixtures.ts'

const { local } = networks

/** The time at which requests are read, unix seconds. */
export const NOW = 1_700_000_000n

/** The expected result of reading a request. */
export type Verdict = {
  /** Code with which reading the file fails; nothing else is looked at then. */
  readonly read?: string
  /** Amounts in the unit of the scenes, of amounts only. */
  readonly pays?: readonly number[]
  readonly returns?: readonly (readonly [number, 'ours' | 'vault', boolean])[]
  /** Codes of all warnings, dangers with an exclamation mark. */
  readonly warns?: readonly string[]
}

/** Whose keys sign; `undefined` for a reader without keys. */
export type Reader = readonly number[] | undefined

/** A request file, who reads it, and the expected result. */
export type Case = readonly [name: string, text: () => string, reader: Reader, verdict: Verdict]

/** Reads, explains and signs a request file as one of its signers would, and compares with the verdict. */
export function judge(text: () => string, reader: Reader, verdict: Verdict): void {
  const network = { network: local }
  const file = text()
  if (verdict.read !== undefined) {
    expect(codeOf(() => parseRequest(file, network))).toBe(verdict.read)
    return
  }
  const request = parseRequest(file, network)
  const ours = reader === undefined ? undefined : keysOf(...reader)
  const explanation = explainRequest(request, { now: NOW, ours })
  expect(amountsOf(explanation.pays).sort()).toEqual([...(verdict.pays ?? [])].sort())
  expect(
    explanation.returns
      .flatMap(({ amount, ownership, change }) =>
        amount === undefined ? [] : [String([amount / 1000n, ownership, change])],
      )
      .sort(),
  ).toEqual((verdict.returns ?? []).map(String).sort())
  expect(explanation.pays.filter(({ change }) => change)).toEqual([])
  expect(explanation.warnings.map(({ code, danger }) => `${code}${danger ? '!' : ''}`)).toEqual(
    verdict.warns,
  )
  if (ours === undefined) return
  // Signing refuses exactly the dangers, and succeeds if all are accepted.
  const dangers = explanation.warnings.filter(({ danger }) => danger).map(({ code }) => code)
  const run = (accept: readonly string[]) => () =>
    // Options that are undefined count as absent: the addresses of the keys are ours.
    signRequest(request, ours, { accept: accept as never, ours: undefined })
  if (dangers.length > 0) expect(codeOf(run([]))).toBe(dangers[0])
  for (const missing of dangers)
    expect(codeOf(run(dangers.filter((code) => code !== missing)))).toBe(missing)
  const signed = run(dangers)()
  expect(signed.signerSets[0]!.signatures).toHaveLength(reader!.length)
}

/** The amounts of outputs, in the unit of the scenes. */
export function amountsOf(outputs: Explanation['pays']): number[] {
  return outputs.flatMap(({ amount }) => (amount === undefined ? [] : [Number(amount / 1000n)]))
}

/** The typed error that something throws; `undefined` if it throws none. */
export function errorOf(run: () => unknown): AvmError | undefined {
  try {
    run()
  } catch (error) {
    if (error instanceof AvmError) return error
    throw error
  }
  return undefined
}

/** The code of the typed error that something throws. */
export function codeOf(run: () => unknown): string {
  return errorOf(run)?.code ?? 'no error'
}

/** The code of the error that a promise is rejected with. */
export async function codeOfPromise(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
  return 'no error'
}
