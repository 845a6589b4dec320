import { equalBytes } from '../../core/base/bytes/compare.ts'
import { VerifyError } from '../../core/base/errors.ts'
import type { OutputOwners } from '../../core/chain/owners.ts'
import { haveSameOwners } from '../../core/chain/owners.ts'
import type { TransferInput } from '../../core/chain/secp256k1fx.ts'
import {
  type Credential,
  type CredentialSlot,
  fxIndexOf,
  type Output,
} from '../../core/chain/x/fx.ts'
import type { Operation } from '../../core/chain/x/transferables.ts'
import {
  verifyFxOperation,
  verifyInput,
  verifyOutput,
} from '../../core/chain/x/verify/verify-fx.ts'
import { type FxEnvironment, verifyOwnership } from './ownership.ts'

/**
 * Checks whether an input may spend a UTXO. The credential determines the feature extension, of which only secp256k1fx
 * supports transfers.
 */
export function verifySpend(
  input: TransferInput,
  slot: CredentialSlot,
  output: Output,
  environment: FxEnvironment,
  path: string,
): void {
  if (fxIndexOf(slot) !== 0)
    throw new VerifyError('CANT_TRANSFER', 'cant transfer with this fx', path)
  const credential = credentialOf(slot, 'secp256k1fx.Credential', path)
  if (output.type !== 'secp256k1fx.TransferOutput') throw wrongUTXOType(path)
  verifyOutput(output, path)
  verifyInput(input, path)
  if (output.amount !== input.amount)
    throw new VerifyError(
      'MISMATCHED_AMOUNTS',
      `utxo amount and input amount are not equal: ${output.amount} != ${input.amount}`,
      path,
    )
  verifyOwnership(input, credential, output, environment, path)
}

/**
 * Checks whether an operation may spend UTXOs. As in the node, secp256k1fx checks the credential before the number of
 * UTXOs and the others after it, and the error texts differ in spelling.
 */
export function verifyOperate(
  { operation }: Operation,
  slot: CredentialSlot,
  outputs: readonly Output[],
  environment: FxEnvironment,
  path: string,
): void {
  if (operation.type === 'secp256k1fx.MintOperation') {
    const credential = credentialOf(slot, 'secp256k1fx.Credential', path)
    if (outputs.length !== 1)
      throw new VerifyError(
        'WRONG_NUMBER_OF_UTXOS',
        'wrong number of utxos for the operation',
        path,
      )
    const output = outputs[0]!
    if (output.type !== 'secp256k1fx.MintOutput') throw wrongUTXOType(path)
    verifyFxOperation(operation, path)
    verifyOutput(output, path)
    if (!equalOwners(output, operation.mintOutput))
      throw new VerifyError(
        'WRONG_MINT_OUTPUT',
        'wrong mint output created from the operation',
        path,
      )
    verifyOwnership(operation.mintInput, credential, output, environment, path)
    return
  }

  if (outputs.length !== 1)
    throw new VerifyError('WRONG_NUMBER_OF_UTXOS', 'wrong number of UTXOs for the operation', path)
  const output = outputs[0]!
  switch (operation.type) {
    case 'nftfx.MintOperation': {
      const credential = credentialOf(slot, 'nftfx.Credential', path)
      if (output.type !== 'nftfx.MintOutput') throw wrongUTXOType(path)
      verifyFxOperation(operation, path)
      verifyOutput(output, path)
      if (output.groupID !== operation.groupID) throw wrongGroup(path)
      verifyOwnership(operation.mintInput, credential, output, environment, path)
      return
    }
    case 'nftfx.TransferOperation': {
      const credential = credentialOf(slot, 'nftfx.Credential', path)
      if (output.type !== 'nftfx.TransferOutput') throw wrongUTXOType(path)
      verifyFxOperation(operation, path)
      verifyOutput(output, path)
      if (output.groupID !== operation.output.groupID) throw wrongGroup(path)
      if (!equalBytes(output.payload, operation.output.payload))
        throw new VerifyError('WRONG_PAYLOAD', 'wrong bytes provided', path)
      verifyOwnership(operation.input, credential, output, environment, path)
      return
    }
    case 'propertyfx.MintOperation': {
      const credential = credentialOf(slot, 'propertyfx.Credential', path)
      if (output.type !== 'propertyfx.MintOutput') throw wrongUTXOType(path)
      verifyFxOperation(operation, path)
      verifyOutput(output, path)
      if (!equalOwners(output, operation.mintOutput))
        throw new VerifyError('WRONG_MINT_OUTPUT', 'wrong mint output provided', path)
      verifyOwnership(operation.mintInput, credential, output, environment, path)
      return
    }
    case 'propertyfx.BurnOperation': {
      const credential = credentialOf(slot, 'propertyfx.Credential', path)
      if (output.type !== 'propertyfx.OwnedOutput') throw wrongUTXOType(path)
      verifyFxOperation(operation, path)
      verifyOutput(output, path)
      verifyOwnership(operation, credential, output, environment, path)
    }
  }
}

function credentialOf(slot: CredentialSlot, type: Credential['type'], path: string): Credential {
  if (slot.type !== type)
    throw new VerifyError('WRONG_CREDENTIAL_TYPE', 'wrong credential type', path)
  return slot as Credential
}

function wrongUTXOType(path: string): VerifyError {
  return new VerifyError('WRONG_UTXO_TYPE', 'wrong utxo type', path)
}

function wrongGroup(path: string): VerifyError {
  return new VerifyError('WRONG_GROUP_ID', 'wrong unique ID provided', path)
}

function equalOwners(a: OutputOwners, b: OutputOwners): boolean {
  return a.locktime === b.locktime && haveSameOwners(a, b)
}
