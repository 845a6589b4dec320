import { hex } from '../core/base/encoding/hex.ts'
import { formatID } from '../core/base/encoding/ids.ts'
import type { ChainAlias } from '../core/chain/chain-types.ts'
import { explainRequest } from '../core/sign/request/explain-request.ts'
import { requestID, requestStatus } from '../core/sign/request/request.ts'
import type { AnySigningRequest } from '../core/sign/request/signing-request.ts'

/** The status of a request, for `--json`. */
export type RequestJSON = {
  readonly id: string
  readonly networkID: number
  readonly chain: ChainAlias
  readonly type: string
  /** Whether one of the signer sets has all signatures. */
  readonly complete: boolean
  readonly signerSets: readonly {
    readonly hash: string
    readonly signers: readonly string[]
    readonly missing: readonly string[]
  }[]
}

/** Describes which signatures a request has and which are missing. */
export function requestJSON(request: AnySigningRequest): RequestJSON {
  const { type, signerSets = [] } = explainRequest(request)
  const status = requestStatus(request)
  return {
    id: formatID(requestID(request)),
    networkID: request.context.networkID,
    chain: request.chain,
    type,
    complete: status.some(({ missing }) => missing.length === 0),
    signerSets: status.map(({ hash }, i) => ({ hash: hex.encode(hash), ...signerSets[i]! })),
  }
}
