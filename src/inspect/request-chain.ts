import type { ChainAlias } from '../core/chain/chain-types.ts'
import type { Json } from '../core/codec/json.ts'
import { REQUEST_FORMAT } from '../core/sign/request/request-json.ts'

/** The chain that a signing request names; undefined if the JSON is not a signing request. Parsing checks the rest. */
export function requestChainOf(json: Json): ChainAlias | undefined {
  const { format, chain } = (json ?? {}) as { readonly format?: Json; readonly chain?: Json }
  if (format !== REQUEST_FORMAT) return undefined
  return chain === 'P' || chain === 'C' ? chain : 'X'
}
