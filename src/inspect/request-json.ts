import { hex } from '../core/base/encoding/hex.ts'
import { formatID } from '../core/base/encoding/ids.ts'
import { requestID, requestStatus, type SigningRequest } from '../core/sign/request/request.ts'
import { addressText } from './texts.ts'

/** The status of a request, for `--json`. */
export type RequestJSON = {
  readonly id: string
  readonly networkID: number
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
export function requestJSON(request: SigningRequest): RequestJSON {
  const { context, signerSets } = request
  const text = (address: Uint8Array) => addressText(address, context)
  const status = requestStatus(request)
  return {
    id: formatID(requestID(request)),
    networkID: context.networkID,
    type: signerSets[0]!.unsignedTx.type,
    complete: status.some(({ missing }) => missing.length === 0),
    signerSets: status.map(({ hash, signers, missing }) => ({
      hash: hex.encode(hash),
      signers: signers.map(text),
      missing: [...new Set(missing.map(({ address }) => text(address)))],
    })),
  }
}
