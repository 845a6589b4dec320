import { equalBytes } from '../../core/base/bytes/compare.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { VerifyError } from '../../core/base/errors.ts'
import type { OutputOwners, SignerInput } from '../../core/chain/owners.ts'
import type { Credential } from '../../core/chain/x/fx.ts'
import type { SignerOf } from './signers.ts'

/** Data that the rules of the feature extensions need in addition to the values. */
export type FxEnvironment = {
  /** The node's clock in unix seconds. */
  readonly now: bigint
  readonly signerOf: SignerOf
}

/**
 * Checks that the owners of a UTXO have signed, signature by signature as `VerifyCredentials` of
 * `vms/secp256k1fx/fx.go`: a wrong signer is reported before an index out of bounds after it.
 */
export function verifyOwnership(
  input: SignerInput,
  credential: Credential,
  owners: OutputOwners,
  { now, signerOf }: FxEnvironment,
  path: string,
): void {
  const { signatureIndices } = input
  const { signatures } = credential
  if (owners.locktime > now) throw new VerifyError('TIMELOCKED', 'output is time locked', path)
  if (owners.threshold < signatureIndices.length)
    throw new VerifyError('TOO_MANY_SIGNERS', 'input has more signers than expected', path)
  if (owners.threshold > signatureIndices.length)
    throw new VerifyError('TOO_FEW_SIGNERS', 'input has less signers than expected', path)
  if (signatures.length !== signatureIndices.length)
    throw new VerifyError(
      'CREDENTIAL_SIGNERS_MISMATCH',
      'input expected a different number of signers than provided in the credential',
      path,
    )
  signatureIndices.forEach((index, i) => {
    const expected = owners.addresses[index]
    if (expected === undefined)
      throw new VerifyError(
        'SIG_INDEX_OUT_OF_BOUNDS',
        'input referenced a nonexistent address in the output',
        path,
      )
    const signer = signerOf(signatures[i]!, path)
    if (!equalBytes(signer, expected))
      throw new VerifyError(
        'WRONG_SIGNER',
        `wrong signature: expected signature from ${cb58.encode(expected)} but got from ${cb58.encode(signer)}`,
        path,
      )
  })
}
