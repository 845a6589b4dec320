import type { AnyUTXO } from '../core/sign/chain.ts'
import type { Explanation } from '../core/sign/explain/explanation.ts'
import { explainDetected, isTx, unsignedTxOf } from '../inspect/explain.ts'
import { contextOfTx } from '../inspect/networks.ts'
import type { Loaded } from './read.ts'
import type { ExplanationReader } from './requests.ts'

/** The current time in Unix seconds, with which locktimes are compared. */
export function now(): bigint {
  return BigInt(Math.floor(Date.now() / 1000))
}

/** The explanation of a document, the same as that of `avmkit explain`; undefined if it has none. */
export function explanationOf(
  { found }: Loaded,
  reader: ExplanationReader,
  utxos: readonly AnyUTXO[] = [],
): Explanation | undefined {
  if (found?.kind === 'request') return found.request.explain(reader)
  if (found === undefined || !isTx(found)) return undefined
  const context = contextOfTx(unsignedTxOf(found))
  return explainDetected(found, { ...reader, context, utxos })
}
