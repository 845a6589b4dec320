import { equalBytes } from '../../core/base/bytes/compare.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { VerifyError } from '../../core/base/errors.ts'
import { MAX_U64 } from '../../core/base/integers.ts'
import { evmAddressBytes, formatEVMAddress } from '../../core/chain/c/evm-address.ts'
import { gasOf, WEI_PER_NAVAX } from '../../core/chain/c/gas.ts'
import type { ExportTx, ImportTx, SignedTx, UnsignedTx } from '../../core/chain/c/tx.ts'
import { compareAccounts } from '../../core/chain/c/verify.ts'
import { type NetworkContext, P_CHAIN_ID } from '../../core/chain/networks.ts'
import { utxoID } from '../../core/chain/x/ids.ts'
import {
  compareInputs,
  compareOutputs,
  isSorted,
  isSortedUnique,
} from '../../core/chain/x/order.ts'
import { decodeUTXO } from '../../core/chain/x/utxo.ts'
import {
  prefixed,
  verifyAssetID,
  verifyInput,
  verifyOutput,
} from '../../core/chain/x/verify/verify-fx.ts'
import { DevNodeError } from '../errors.ts'
import { verifySpend } from '../ledger/fx-rules.ts'
import { decodeShared } from '../ledger/shared-memory.ts'
import type { CEnvironment, CStateView } from './rules.ts'

const MIN_GAS_TARGET = 1_000_000n

/**
 * Checks an atomic transaction with its credentials and UTXOs as the pool of the C-Chain does since Helicon, in the
 * node's order. Follows `vms/saevm/cchain/txpool` and `vms/saevm/cchain/tx`. The fee is not checked: a transaction that
 * pays too little waits.
 */
export function verifyHeliconTx(
  tx: SignedTx,
  state: Pick<CStateView, 'atomic'>,
  context: NetworkContext,
  environment: CEnvironment,
): void {
  const { unsignedTx } = tx
  prefixed('sanity check: ', '', () => verifySanity(unsignedTx, context))
  const gas = gasOf(unsignedTx)
  if (gas > MIN_GAS_TARGET)
    throw new DevNodeError(
      'TX_TOO_LARGE',
      `gas exceeds minimum gas target: ${gas} > ${MIN_GAS_TARGET}`,
    )
  prefixed('credential verification: ', '', () => {
    if (unsignedTx.type === 'ImportTx') verifyImport(tx, unsignedTx, state, environment)
    else verifyExport(tx, unsignedTx, environment)
  })
}

function verifySanity(tx: UnsignedTx, context: NetworkContext): void {
  const { networkID, chainID, chains } = context
  if (tx.networkID !== networkID)
    throw new VerifyError(
      'WRONG_NETWORK_ID',
      `wrong network ID: want ${networkID}, got ${tx.networkID}`,
    )
  if (!equalBytes(tx.blockchainID, chains.C!))
    throw new VerifyError(
      'WRONG_CHAIN_ID',
      `wrong chain ID: want ${cb58.encode(chains.C!)}, got ${cb58.encode(tx.blockchainID)}`,
    )
  const other = tx.type === 'ImportTx' ? tx.sourceChain : tx.destinationChain
  if (!equalBytes(other, P_CHAIN_ID) && !equalBytes(other, chainID))
    throw new VerifyError(
      'WRONG_CHAIN_ID',
      `not same subnet: want ${cb58.encode(P_CHAIN_ID)} or ${cb58.encode(chainID)}, got ${cb58.encode(other)}`,
    )
  if (tx.type === 'ImportTx') verifyImportParts(tx, context)
  else verifyExportParts(tx, context)
}

function verifyImportParts({ importedInputs, outputs }: ImportTx, context: NetworkContext): void {
  if (importedInputs.length === 0) throw new VerifyError('NO_IMPORT_INPUTS', 'no inputs')
  if (outputs.length === 0) throw new VerifyError('NO_EVM_OUTPUTS', 'no outputs')
  importedInputs.forEach(({ assetID, input }, i) => {
    prefixed(`invalid input (${i}): `, '', () => {
      verifyAssetID(assetID, '')
      verifyInput(input, '')
    })
    verifyAVAX('input', i, assetID, context)
  })
  outputs.forEach(({ amount, assetID }, i) => {
    if (amount === 0n)
      throw new VerifyError('OUTPUT_ZERO_AMOUNT', `invalid output (${i}): zero amount`)
    verifyAVAX('output', i, assetID, context)
  })
  verifyFlow(
    importedInputs.map(({ input }) => input.amount),
    outputs.map(({ amount }) => amount),
  )
  if (!isSortedUnique(importedInputs, compareInputs))
    throw new VerifyError('INPUTS_NOT_SORTED_UNIQUE', 'inputs not sorted and unique')
  if (!isSortedUnique(outputs, compareAccounts))
    throw new VerifyError('EVM_OUTPUTS_NOT_SORTED_UNIQUE', 'outputs not sorted and unique')
}

function verifyExportParts({ inputs, exportedOutputs }: ExportTx, context: NetworkContext): void {
  if (inputs.length === 0) throw new VerifyError('NO_EVM_INPUTS', 'no inputs')
  if (exportedOutputs.length === 0) throw new VerifyError('NO_EXPORT_OUTPUTS', 'no outputs')
  inputs.forEach(({ amount, assetID }, i) => {
    if (amount === 0n)
      throw new VerifyError('INPUT_ZERO_AMOUNT', `invalid input (${i}): zero amount`)
    verifyAVAX('input', i, assetID, context)
  })
  exportedOutputs.forEach(({ assetID, output }, i) => {
    prefixed(`invalid output (${i}): `, '', () => {
      verifyAssetID(assetID, '')
      verifyOutput(output, '')
    })
    verifyAVAX('output', i, assetID, context)
  })
  verifyFlow(
    inputs.map(({ amount }) => amount),
    exportedOutputs.map(({ output }) => output.amount),
  )
  if (!isSortedUnique(inputs, compareAccounts))
    throw new VerifyError('EVM_INPUTS_NOT_SORTED_UNIQUE', 'inputs not sorted and unique')
  if (!isSorted(exportedOutputs, compareOutputs))
    throw new VerifyError('OUTPUTS_NOT_SORTED', 'outputs not sorted')
}

function verifyAVAX(
  what: 'input' | 'output',
  i: number,
  found: Uint8Array,
  { assetID }: NetworkContext,
): void {
  if (!equalBytes(found, assetID))
    throw new VerifyError(
      'NON_AVAX',
      `${what} contains non-AVAX (${i}): want ${cb58.encode(assetID)}, got ${cb58.encode(found)}`,
    )
}

function verifyFlow(inputs: readonly bigint[], outputs: readonly bigint[]): void {
  const [consumed, produced] = [sum(inputs), sum(outputs)]
  if (consumed > MAX_U64 || produced > MAX_U64)
    throw new VerifyError('AMOUNT_OVERFLOW', 'flow check failed: overflow')
  if (produced > consumed)
    throw new VerifyError('INSUFFICIENT_FUNDS', 'flow check failed: insufficient funds')
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

function verifyCredentialCount(inputs: number, credentials: number): void {
  if (inputs !== credentials)
    throw new VerifyError(
      'WRONG_NUMBER_OF_CREDENTIALS',
      `incorrect number of credentials: want ${inputs}, got ${credentials}`,
    )
}

function verifyImport(
  { credentials }: SignedTx,
  { importedInputs, sourceChain }: ImportTx,
  { atomic }: Pick<CStateView, 'atomic'>,
  environment: CEnvironment,
): void {
  verifyCredentialCount(importedInputs.length, credentials.length)
  const stored = importedInputs.map(({ txID, outputIndex }) => {
    const bytes = atomic(sourceChain, utxoID(txID, outputIndex))
    if (bytes === undefined)
      throw new VerifyError(
        'ATOMIC_UTXO_NOT_FOUND',
        `fetching UTXOs from ${cb58.encode(sourceChain)}: not found`,
      )
    return bytes
  })
  importedInputs.forEach(({ assetID, input }, i) => {
    const utxo = decodeShared(decodeUTXO, stored[i]!, '', `unmarshalling UTXO (${i})`)
    if (!equalBytes(assetID, utxo.assetID))
      throw new VerifyError(
        'ASSET_ID_MISMATCH',
        `mismatched asset IDs (${i}): input asset ${cb58.encode(assetID)} does not match UTXO asset ${cb58.encode(utxo.assetID)}`,
      )
    prefixed(`verifying transfer (${i}): `, '', () =>
      verifySpend(input, credentials[i]!, utxo.output, environment, ''),
    )
  })
}

function verifyExport(
  { credentials }: SignedTx,
  { inputs }: ExportTx,
  { keyOf }: CEnvironment,
): void {
  verifyCredentialCount(inputs.length, credentials.length)
  inputs.forEach(({ address }, i) => {
    const { signatures } = credentials[i]!
    if (signatures.length !== 1)
      throw new VerifyError(
        'CREDENTIAL_SIGNERS_MISMATCH',
        `incorrect number of signatures (${i}): want 1, got ${signatures.length}`,
      )
    let signer = address
    prefixed(`recovering public key (${i}): `, '', () => {
      signer = evmAddressBytes(keyOf(signatures[0]!, ''))
    })
    if (!equalBytes(signer, address))
      throw new VerifyError(
        'WRONG_SIGNER',
        `signature does not match address (${i}): want ${formatEVMAddress(address)}, got ${formatEVMAddress(signer)}`,
      )
  })
}

/** Checks that the accounts of an export have the nonces and at least the balances that it names. */
export function verifyHeliconAccounts(
  { unsignedTx }: SignedTx,
  state: Pick<CStateView, 'account'>,
): void {
  if (unsignedTx.type !== 'ExportTx') return
  for (const { address, amount, nonce } of unsignedTx.inputs) {
    const account = state.account(address)
    const subject = `address ${formatEVMAddress(address)} has`
    if (account.nonce !== nonce)
      throw new VerifyError(
        'WRONG_NONCE',
        `state verification: nonce mismatch: ${subject} nonce ${account.nonce} but needs ${nonce}`,
      )
    const needed = amount * WEI_PER_NAVAX
    if (account.balance < needed)
      throw new VerifyError(
        'INSUFFICIENT_FUNDS',
        `state verification: insufficient funds: ${subject} balance ${account.balance} but needs ${needed}`,
      )
  }
}
