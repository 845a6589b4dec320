import {
  argument,
  type Check,
  capability,
  integerFrom,
  memberOf,
} from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { CodecError, VerifyError } from '../../core/base/errors.ts'
import { P_CHAIN_ID } from '../../core/chain/networks.ts'
import { type CredentialSlot, fxIndexOf } from '../../core/chain/x/fx.ts'
import { utxoID } from '../../core/chain/x/ids.ts'
import type { Operation, TransferableInput } from '../../core/chain/x/transferables.ts'
import { type ImportTx, type SignedTx, signedTx } from '../../core/chain/x/tx.ts'
import { decodeUTXO, type UTXO, utxo as utxoCodec } from '../../core/chain/x/utxo.ts'
import { withFieldErrors } from '../../core/codec/codec.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import { backendOption } from '../../core/crypto/secp256k1.ts'
import { idBytes } from '../control/arguments.ts'
import { goDecodeError } from '../go/decode.ts'
import { verifyOperate, verifySpend } from '../ledger/fx-rules.ts'
import type { FxEnvironment } from '../ledger/ownership.ts'
import { type SignerOf, Signers } from '../ledger/signers.ts'

/** A read-only view of the chain for the rules. IDs have 32 bytes. */
export type StateView = {
  /** The node's clock in unix seconds, for locktimes. */
  readonly now: bigint | number
  /** Returns the UTXO with this ID if it is unspent. */
  readonly utxo: (id: Uint8Array) => UTXO | undefined
  /** Returns the bytes that another chain exported to this one in shared memory. */
  readonly atomic: (sourceChainID: Uint8Array, key: Uint8Array) => Uint8Array | undefined
  /** Returns an accepted transaction, including genesis assets. */
  readonly tx: (id: Uint8Array) => SignedTx | undefined
  /** Returns the subnet of a chain that the P-Chain knows. */
  readonly subnetOf: (chainID: Uint8Array) => Uint8Array | undefined
  /** Whether the P-Chain knows the ID as a transaction that did not create a chain, such as a subnet's. */
  readonly isNoChain?: ((id: Uint8Array) => boolean) | undefined
}

/** Parameters of the chain for the rules; a `NetworkContext` is sufficient. */
export type SemanticContext = {
  readonly chainID: Uint8Array
  /**
   * Signature backend that recovers signers.
   *
   * @defaultValue the plain JavaScript backend
   */
  readonly backend?: Secp256k1Backend | undefined
}

const stateView = capability<StateView>('a view of the state', 'utxo', 'atomic', 'tx', 'subnetOf')

/** Other members are allowed, because a `NetworkContext` has them. */
const semanticContext: Check<SemanticContext> = (value, at) => {
  const { chainID, backend: curve } = capability<SemanticContext>('an object')(value, at)
  return {
    chainID: idBytes(chainID, memberOf(at, 'chainID')),
    backend: backendOption(curve, memberOf(at, 'backend')),
  }
}

const wholeNumber = integerFrom(0)

/** Unix seconds. */
function secondsOf(now: number | bigint): bigint {
  if (typeof now === 'bigint') return now
  return BigInt(argument('verifyAgainstState', now, wholeNumber, 'state.now'))
}

/**
 * Checks a transaction that passed `verifyTx` against the state, in the node's order, and throws on the first
 * violation, with the node's error text in `reason`. Follows avalanchego's SemanticVerifier as of 1.15.0, which
 * removed the exemption of one historic Mainnet transaction. Undecodable bytes in shared memory are reported with the
 * code of the codec.
 *
 * @throws VerifyError
 *
 * @example
 * verifyAgainstState(decodeTx(bytes), state, networks.local)
 */
export function verifyAgainstState(tx: SignedTx, state: StateView, context: SemanticContext): void {
  const view = argument('verifyAgainstState', state, stateView, 'state')
  const { chainID, backend } = argument('verifyAgainstState', context, semanticContext, 'context')
  withFieldErrors(signedTx, tx, () => {
    verifySemantics(tx, view, chainID, new Signers(backend).of(tx.unsignedTx))
    return tx
  })
}

/** Like {@link verifyAgainstState}, for callers that cache recovered signers across transactions. */
export function verifySemantics(
  tx: SignedTx,
  state: StateView,
  chainID: Uint8Array,
  signerOf: SignerOf,
): void {
  const { unsignedTx } = tx
  const environment: FxEnvironment = { now: secondsOf(state.now), signerOf }
  verifyBase(tx, state, environment)
  switch (unsignedTx.type) {
    case 'BaseTx':
    case 'CreateAssetTx':
      return
    case 'OperationTx':
      unsignedTx.operations.forEach((operation, i) => {
        const slot = credentialAt(tx, unsignedTx.inputs.length + i)
        verifyOperationOnState(operation, slot, state, environment, `operations[${i}]`)
      })
      return
    case 'ImportTx':
      verifySameSubnet(unsignedTx.sourceChain, state, chainID, 'sourceChain')
      verifyImport(tx, unsignedTx, state, environment)
      return
    case 'ExportTx':
      verifySameSubnet(unsignedTx.destinationChain, state, chainID, 'destinationChain')
      unsignedTx.exportedOutputs.forEach(({ assetID, output }, i) => {
        verifyFxUsage(fxIndexOf(output), assetID, state, `exportedOutputs[${i}]`)
      })
  }
}

/** Checks the inputs and outputs that all types have. Only here the node's error text names the failed step. */
function verifyBase(tx: SignedTx, state: StateView, environment: FxEnvironment): void {
  tx.unsignedTx.inputs.forEach((input, i) => {
    const path = `inputs[${i}]`
    prefixed('failed to verify transfer: ', () => {
      const id = utxoID(input.txID, input.outputIndex)
      const utxo = state.utxo(id)
      if (utxo === undefined)
        throw new VerifyError(
          'UTXO_NOT_FOUND',
          `failed to get utxo ${cb58.encode(id)}: not found`,
          path,
        )
      verifyTransfer(input, credentialAt(tx, i), utxo, state, environment, path)
    })
  })
  tx.unsignedTx.outputs.forEach(({ assetID, output }, i) => {
    prefixed('failed to verify fx usage: ', () => {
      verifyFxUsage(fxIndexOf(output), assetID, state, `outputs[${i}]`)
    })
  })
}

function prefixed(prefix: string, verify: () => void): void {
  try {
    verify()
  } catch (error) {
    if (!(error instanceof VerifyError)) throw error
    throw new VerifyError(error.code, prefix + error.reason, error.path)
  }
}

function verifyTransfer(
  input: TransferableInput,
  slot: CredentialSlot,
  utxo: UTXO,
  state: StateView,
  environment: FxEnvironment,
  path: string,
): void {
  verifySameAsset(utxo, input.assetID, path)
  verifyFxUsage(fxIndexOf(slot), input.assetID, state, path)
  verifySpend(input.input, slot, utxo.output, environment, path)
}

function verifyOperationOnState(
  operation: Operation,
  slot: CredentialSlot,
  state: StateView,
  environment: FxEnvironment,
  path: string,
): void {
  const outputs = operation.inputIDs.map(({ txID, outputIndex }) => {
    const utxo = state.utxo(utxoID(txID, outputIndex))
    if (utxo === undefined) throw new VerifyError('UTXO_NOT_FOUND', 'not found', path)
    verifySameAsset(utxo, operation.assetID, path)
    return utxo.output
  })
  verifyFxUsage(fxIndexOf(operation.operation), operation.assetID, state, path)
  verifyOperate(operation, slot, outputs, environment, path)
}

/** Checks the imported inputs. As in the node, all imported UTXOs are read before any is checked. */
function verifyImport(
  tx: SignedTx,
  { inputs, importedInputs, sourceChain }: ImportTx,
  state: StateView,
  environment: FxEnvironment,
): void {
  const stored = importedInputs.map(({ txID, outputIndex }, i) => {
    const bytes = state.atomic(sourceChain, utxoID(txID, outputIndex))
    if (bytes === undefined)
      throw new VerifyError('ATOMIC_UTXO_NOT_FOUND', 'not found', `importedInputs[${i}]`)
    return bytes
  })
  importedInputs.forEach((input, i) => {
    const path = `importedInputs[${i}]`
    const utxo = decodeStored(stored[i]!, path)
    verifyTransfer(input, credentialAt(tx, inputs.length + i), utxo, state, environment, path)
  })
}

function decodeStored(bytes: Uint8Array, path: string): UTXO {
  try {
    return decodeUTXO(bytes)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    // A violation of the codec's rules keeps the code of the codec.
    throw new VerifyError(error.code, goDecodeError(utxoCodec, bytes), path)
  }
}

function verifySameAsset(utxo: UTXO, assetID: Uint8Array, path: string): void {
  if (!equalBytes(utxo.assetID, assetID))
    throw new VerifyError('ASSET_ID_MISMATCH', "asset IDs in the input don't match the utxo", path)
}

/** Checks that the asset was created with this feature extension. */
function verifyFxUsage(fxIndex: number, assetID: Uint8Array, state: StateView, path: string): void {
  const tx = state.tx(assetID)
  if (tx === undefined) throw new VerifyError('ASSET_NOT_FOUND', 'not found', path)
  const { unsignedTx } = tx
  if (unsignedTx.type !== 'CreateAssetTx')
    throw new VerifyError('NOT_AN_ASSET', 'not an asset', path)
  if (!unsignedTx.initialStates.some((initial) => initial.fxIndex === fxIndex))
    throw new VerifyError('INCOMPATIBLE_FX', 'incompatible feature extension', path)
}

/** Assets can move only between chains of one subnet. That of the primary network is all zeros like the P-Chain's ID. */
export function verifySameSubnet(
  peerID: Uint8Array,
  state: Pick<StateView, 'subnetOf' | 'isNoChain'>,
  chainID: Uint8Array,
  path: string,
): void {
  if (equalBytes(peerID, chainID)) throw new VerifyError('SAME_CHAIN', 'same chainID', path)
  const peer = cb58.encode(peerID)
  const subnet = state.subnetOf(peerID)
  if (subnet === undefined) {
    const cause = state.isNoChain?.(peerID)
      ? `"${peer}" is not a blockchain`
      : `problem retrieving blockchain "${peer}": not found`
    throw new VerifyError('UNKNOWN_CHAIN', `failed to get subnet of "${peer}": ${cause}`, path)
  }
  const own = state.subnetOf(chainID) ?? P_CHAIN_ID
  if (!equalBytes(subnet, own))
    throw new VerifyError(
      'DIFFERENT_SUBNET',
      `mismatched subnetIDs; expected "${cb58.encode(own)}" got "${cb58.encode(subnet)}"`,
      path,
    )
}

/** Returns a credential. One can be missing only if the caller did not call `verifyTx`, which checks their number. */
function credentialAt(tx: SignedTx, position: number): CredentialSlot {
  const slot = tx.credentials[position]
  if (slot === undefined)
    throw new VerifyError(
      'WRONG_NUMBER_OF_CREDENTIALS',
      `wrong number of credentials: expected more than ${position}, found ${tx.credentials.length}`,
      'credentials',
    )
  return slot
}
