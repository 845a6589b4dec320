import { compareBytes } from '../../../base/bytes/compare.ts'
import { VerifyError } from '../../../base/errors.ts'
import type { OutputOwners, SignerInput } from '../../owners.ts'
import type { TransferInput } from '../../secp256k1fx.ts'
import {
  type CredentialSlot,
  type FxOperation,
  isCredential,
  isOutput,
  type Output,
} from '../fx.ts'
import { compareNumbers, isSortedUnique } from '../order.ts'
import type { Operation } from '../transferables.ts'

/** Maximum size of an NFT's payload in bytes. */
export const MAX_PAYLOAD_SIZE = 1024

/** Checks owners. */
export function verifyOwners(owners: OutputOwners, path: string): void {
  const { threshold, addresses } = owners
  if (threshold > addresses.length)
    throw new VerifyError('OWNERS_UNSPENDABLE', 'output is unspendable', path)
  if (threshold === 0 && addresses.length > 0)
    throw new VerifyError('OWNERS_UNOPTIMIZED', 'output representation should be optimized', path)
  if (!isSortedUnique(addresses, compareBytes))
    throw new VerifyError('ADDRS_NOT_SORTED_UNIQUE', 'addresses not sorted and unique', path)
}

/** Checks an output. */
export function verifyOutput(output: Output, path: string): void {
  if (output.type === 'secp256k1fx.TransferOutput' && output.amount === 0n)
    throw new VerifyError('OUTPUT_ZERO_AMOUNT', 'output has no value', path)
  if (output.type === 'nftfx.TransferOutput') verifyPayload(output.payload, path)
  verifyOwners(output, path)
}

/** Checks an input. */
export function verifyInput(input: TransferInput, path: string): void {
  if (input.amount === 0n) throw new VerifyError('INPUT_ZERO_AMOUNT', 'input has no value', path)
  verifySigners(input, path)
}

/** Rejects the empty (all-zero) asset ID. */
export function verifyAssetID(assetID: Uint8Array, path: string): void {
  // The first byte decides nearly always, and testing it alone is fast.
  if (assetID[0] === 0 && assetID.every((byte) => byte === 0))
    throw new VerifyError('EMPTY_ASSET_ID', 'empty asset ID is not valid', path)
}

/** Checks an operation. */
export function verifyOperation(operation: Operation, path: string): void {
  verifyAssetID(operation.assetID, path)
  verifyFxOperation(operation.operation, `${path}.operation`)
}

/** Checks the value in a credential's position. A credential has no rules of its own. */
export function verifySlot(slot: CredentialSlot, path: string): void {
  if (isCredential(slot)) return
  if (slot.type === 'secp256k1fx.TransferInput') verifyInput(slot, path)
  else if (isOutput(slot)) verifyOutput(slot, path)
  else verifyFxOperation(slot, path)
}

/** Checks an operation in the order that its feature extension uses. */
export function verifyFxOperation(operation: FxOperation, path: string): void {
  switch (operation.type) {
    case 'secp256k1fx.MintOperation':
      verifySigners(operation.mintInput, `${path}.mintInput`)
      verifyOutput(operation.mintOutput, `${path}.mintOutput`)
      verifyOutput(operation.transferOutput, `${path}.transferOutput`)
      break
    case 'nftfx.MintOperation':
      verifyPayload(operation.payload, path)
      operation.outputs.forEach((owners, i) => {
        verifyOwners(owners, `${path}.outputs[${i}]`)
      })
      verifySigners(operation.mintInput, `${path}.mintInput`)
      break
    case 'nftfx.TransferOperation':
      verifySigners(operation.input, `${path}.input`)
      verifyOutput(operation.output, `${path}.output`)
      break
    case 'propertyfx.MintOperation':
      verifySigners(operation.mintInput, `${path}.mintInput`)
      verifyOutput(operation.mintOutput, `${path}.mintOutput`)
      verifyOutput(operation.ownedOutput, `${path}.ownedOutput`)
      break
    case 'propertyfx.BurnOperation':
      verifySigners(operation, path)
      break
  }
}

function verifySigners(input: SignerInput, path: string): void {
  const { signatureIndices } = input
  if (signatureIndices.length > 1 && !isSortedUnique(signatureIndices, compareNumbers))
    throw new VerifyError(
      'SIG_INDICES_NOT_SORTED_UNIQUE',
      'address indices not sorted and unique',
      path,
    )
}

function verifyPayload(payload: Uint8Array, path: string): void {
  if (payload.length > MAX_PAYLOAD_SIZE)
    throw new VerifyError('PAYLOAD_TOO_LARGE', 'payload too large', path)
}

/** Runs `verify` and adds `prefix` to the node's text, and the path, of the error it throws. */
export function prefixed(prefix: string, path: string, verify: () => void): void {
  try {
    verify()
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error
    throw new VerifyError(error.code, prefix + error.reason, path)
  }
}
