import { equalBytes } from '../../core/base/bytes/compare.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { VerifyError } from '../../core/base/errors.ts'
import { MAX_U64 } from '../../core/base/integers.ts'
import { evmAddressBytes } from '../../core/chain/c/evm-address.ts'
import { feeOfGas, gasOf, WEI_PER_NAVAX } from '../../core/chain/c/gas.ts'
import type { ExportTx, ImportTx, SignedTx, UnsignedTx } from '../../core/chain/c/tx.ts'
import { sumsOf, verifyTx } from '../../core/chain/c/verify.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { utxoID } from '../../core/chain/x/ids.ts'
import { decodeUTXO } from '../../core/chain/x/utxo.ts'
import { verifySpend } from '../ledger/fx-rules.ts'
import type { FxEnvironment } from '../ledger/ownership.ts'
import { decodeShared } from '../ledger/shared-memory.ts'

/** An account of the C-Chain. */
export type Account = {
  readonly nonce: bigint
  /** In wei. */
  readonly balance: bigint
}

/** A read-only view of the C-Chain as the rules see it. */
export type CStateView = {
  /** Returns the bytes that another chain exported to this one in shared memory. */
  readonly atomic: (sourceChainID: Uint8Array, key: Uint8Array) => Uint8Array | undefined
  readonly account: (address: Uint8Array) => Account
  /** In wei per unit of gas. */
  readonly baseFee: bigint
}

/** Recovers the compressed public key that made a signature of the transaction. */
export type KeyOf = (signature: Uint8Array, path: string) => Uint8Array

/** Data that the rules need besides the state. */
export type CEnvironment = FxEnvironment & { readonly keyOf: KeyOf }

/**
 * Checks an atomic transaction with its fee, credentials and UTXOs, in the order of a node before Helicon. Follows
 * `graft/coreth/plugin/evm/atomic/vm/tx_semantic_verifier.go`.
 */
export function verifyCTx(
  tx: SignedTx,
  state: CStateView,
  context: NetworkContext,
  environment: CEnvironment,
): void {
  const { unsignedTx } = tx
  verifyTx(tx, context)
  const kind = unsignedTx.type === 'ImportTx' ? 'import' : 'export'
  verifyFlow(unsignedTx, feeOfGas(gasOf(unsignedTx), state.baseFee), kind)
  if (unsignedTx.type === 'ImportTx') verifyImport(tx, unsignedTx, state, environment)
  else verifyExport(tx, unsignedTx, environment)
}

/** Checks the sums. The fee counts as an output. */
function verifyFlow(tx: UnsignedTx, fee: bigint, kind: string): void {
  const { consumed, produced } = sumsOf(tx)
  const prefix = `${kind} tx flow check failed due to: `
  if (consumed > MAX_U64 || produced + fee > MAX_U64)
    throw new VerifyError('AMOUNT_OVERFLOW', `${prefix}overflow`)
  if (produced + fee > consumed)
    throw new VerifyError('INSUFFICIENT_FUNDS', `${prefix}insufficient funds`)
}

function verifyImport(
  { credentials }: SignedTx,
  { importedInputs, sourceChain }: ImportTx,
  state: CStateView,
  environment: CEnvironment,
): void {
  if (credentials.length !== importedInputs.length)
    throw new VerifyError(
      'WRONG_NUMBER_OF_CREDENTIALS',
      `incorrect number of credentials: (${importedInputs.length} vs. ${credentials.length})`,
      'credentials',
    )
  const stored = importedInputs.map(({ txID, outputIndex }, i) => {
    const bytes = state.atomic(sourceChain, utxoID(txID, outputIndex))
    if (bytes === undefined)
      throw new VerifyError(
        'ATOMIC_UTXO_NOT_FOUND',
        `failed to fetch import UTXOs from ${cb58.encode(sourceChain)} due to: not found`,
        `importedInputs[${i}]`,
      )
    return bytes
  })
  importedInputs.forEach(({ assetID, input }, i) => {
    const path = `importedInputs[${i}]`
    const utxo = decodeShared(decodeUTXO, stored[i]!, path)
    if (!equalBytes(assetID, utxo.assetID))
      throw new VerifyError(
        'ASSET_ID_MISMATCH',
        "asset IDs in the input don't match the utxo",
        path,
      )
    try {
      verifySpend(input, credentials[i]!, utxo.output, environment, path)
    } catch (error) {
      if (!(error instanceof VerifyError)) throw error
      const reason = `import tx transfer failed verification: ${error.reason}`
      throw new VerifyError(error.code, reason, path)
    }
  })
}

function verifyExport(
  { credentials }: SignedTx,
  { inputs }: ExportTx,
  { keyOf }: CEnvironment,
): void {
  if (credentials.length !== inputs.length)
    throw new VerifyError(
      'WRONG_NUMBER_OF_CREDENTIALS',
      `export tx contained incorrect number of credentials want ${inputs.length} got ${credentials.length}`,
      'credentials',
    )
  inputs.forEach(({ address }, i) => {
    const path = `credentials[${i}]`
    const { signatures } = credentials[i]!
    if (signatures.length !== 1)
      throw new VerifyError(
        'CREDENTIAL_SIGNERS_MISMATCH',
        `incorrect number of signatures want 1 signature for EVM Input Credential, but got ${signatures.length}`,
        path,
      )
    if (!equalBytes(evmAddressBytes(keyOf(signatures[0]!, path)), address))
      throw new VerifyError('WRONG_SIGNER', "signature doesn't match public key", path)
  })
}

/** Checks that the accounts of an export have the nonces and at least the balances that it names. */
export function verifyAccounts(tx: SignedTx, state: Pick<CStateView, 'account'>): void {
  const { unsignedTx } = tx
  if (unsignedTx.type !== 'ExportTx') return
  unsignedTx.inputs.forEach(({ address, amount, nonce }, i) => {
    const account = state.account(address)
    if (account.balance < amount * WEI_PER_NAVAX)
      throw new VerifyError('INSUFFICIENT_FUNDS', 'insufficient funds', `inputs[${i}]`)
    if (account.nonce !== nonce)
      throw new VerifyError('WRONG_NONCE', 'invalid nonce', `inputs[${i}]`)
  })
}
