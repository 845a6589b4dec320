import { hex } from '../core/base/encoding/hex.ts'
import { formatID } from '../core/base/encoding/ids.ts'
import type { ChainAlias } from '../core/chain/chain-types.ts'
import { areSignedByAccounts } from '../core/sign/chain.ts'
import { explainSigners, signerFormatter } from '../core/sign/explain/explain-parts.ts'
import { chainNamed } from '../core/sign/registry.ts'
import { requestID, requestStatus } from '../core/sign/request/request.ts'
import type { SigningRequest } from '../core/sign/request/signing-request.ts'

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
export function requestJSON(request: SigningRequest<ChainAlias>): RequestJSON {
  const { context, signerSets } = request
  const { unsignedTx } = signerSets[0]!
  const chain = chainNamed(request.chain)
  const status = requestStatus(request)
  const isByAccounts = areSignedByAccounts(chain.spends(unsignedTx))
  const signerText = signerFormatter(chain, context, isByAccounts)
  return {
    id: formatID(requestID(request)),
    networkID: context.networkID,
    chain: chain.alias,
    type: unsignedTx.type,
    complete: status.some(({ missing }) => missing.length === 0),
    signerSets: status.map(({ hash, signers, missing }) => ({
      hash: hex.encode(hash),
      ...explainSigners(signers, missing, signerText),
    })),
  }
}
