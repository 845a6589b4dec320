import { ATOMIC_REQUEST_FORMATS, type OtherChain } from '../core/chain/view.ts'
import type { Json } from '../core/codec/json.ts'
import { REQUEST_FORMAT } from '../core/sign/request/request-json.ts'

/** The chain of a signing request. */
export type RequestChainName = 'X' | OtherChain

const FORMATS: { readonly [chain in RequestChainName]: string } = {
  X: REQUEST_FORMAT,
  ...ATOMIC_REQUEST_FORMATS,
}

/** The chain that a file names in its format; undefined if it is not a signing request. Parsing checks the rest. */
export function requestChainOf(json: Json): RequestChainName | undefined {
  const { format } = (json ?? {}) as { readonly format?: Json }
  return (Object.keys(FORMATS) as RequestChainName[]).find((chain) => FORMATS[chain] === format)
}
