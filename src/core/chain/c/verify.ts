import { argument, boolean, type Check, object, optional } from '../../base/argument.ts'
import { compareBytes, equalBytes } from '../../base/bytes/compare.ts'
import { VerifyError } from '../../base/errors.ts'
import { MAX_U64 } from '../../base/integers.ts'
import { requireEncodable } from '../../codec/codec.ts'
import { contextWith, type NetworkContext, P_CHAIN_ID } from '../networks.ts'
import {
  type Compare,
  compareInputs,
  compareOutputs,
  isSorted,
  isSortedUnique,
} from '../x/order.ts'
import { prefixed, verifyAssetID, verifyInput, verifyOutput } from '../x/verify/verify-fx.ts'
import {
  type EVMOutput,
  type ExportTx,
  type ImportTx,
  type SignedTx,
  signedTx,
  type UnsignedTx,
} from './tx.ts'

/** The network details that the stateless rules need; part of every `NetworkContext`. */
export type VerifyContext = Pick<NetworkContext, 'networkID' | 'chainID' | 'assetID' | 'chains'>

const verifyContext: Check<VerifyContext> = /* @__PURE__ */ contextWith(
  'networkID',
  'chainID',
  'assetID',
  'chains',
)

/** Options of `verifyTx`. */
export type VerifyOptions = {
  /**
   * Also applies the stateless rules that the C-Chain has since Helicon: an export has inputs, and outputs do not
   * exceed inputs.
   *
   * @defaultValue false
   */
  readonly helicon?: boolean | undefined
}

const verifyOptions: Check<VerifyOptions> = object<VerifyOptions>({
  helicon: optional(boolean),
})

/** The order of EVM inputs and of EVM outputs: by address, then by asset. */
export const compareAccounts: Compare<Pick<EVMOutput, 'address' | 'assetID'>> = (a, b) =>
  compareBytes(a.address, b.address) || compareBytes(a.assetID, b.assetID)

/**
 * Checks an atomic transaction against every rule that needs no state, in the node's order. Follows
 * `Verify` of `graft/coreth/plugin/evm/atomic`. Credentials, sums and fees need state and are not checked
 * here, except for sums with `helicon`.
 *
 * @throws VerifyError with the code of the first rule that is broken.
 * @example
 * cChain.verifyTx(cChain.decodeTx(bytes), networks.fuji, { helicon: true })
 */
export function verifyTx(tx: SignedTx, context: VerifyContext, options: VerifyOptions = {}): void {
  const checked = argument('verifyTx', context, verifyContext, 'context')
  const { helicon = false } = argument('verifyTx', options, verifyOptions, 'options')
  // The rules rely on the types of all fields.
  requireEncodable(signedTx, tx)
  verifyUnsigned(tx.unsignedTx, checked, helicon)
}

/** Like `verifyTx`, for values that have been checked. */
export function verifyUnsigned(tx: UnsignedTx, context: VerifyContext, helicon: boolean): void {
  if (tx.type === 'ImportTx') verifyImportSyntax(tx, context)
  else verifyExportSyntax(tx, context)
  if (helicon) verifyHelicon(tx)
}

function verifyImportSyntax(tx: ImportTx, context: VerifyContext): void {
  if (tx.importedInputs.length === 0)
    throw new VerifyError('NO_IMPORT_INPUTS', 'tx has no imported inputs')
  verifyMetadata(tx, context)
  if (tx.outputs.length === 0) throw new VerifyError('NO_EVM_OUTPUTS', 'tx has no EVM outputs')
  verifyOtherChain(tx.sourceChain, context, 'sourceChain')
  tx.outputs.forEach((output, i) => {
    const path = `outputs[${i}]`
    prefixed('EVM Output failed verification: ', path, () => verifyAccount(output, 'output'))
    verifyAVAX(output.assetID, context, 'import output', path)
  })
  tx.importedInputs.forEach(({ assetID, input }, i) => {
    const path = `importedInputs[${i}]`
    prefixed('atomic input failed verification: ', path, () => {
      verifyAssetID(assetID, '')
      verifyInput(input, '')
    })
    verifyAVAX(assetID, context, 'import input', path)
  })
  if (!isSortedUnique(tx.importedInputs, compareInputs))
    throw new VerifyError(
      'INPUTS_NOT_SORTED_UNIQUE',
      'inputs not sorted and unique',
      'importedInputs',
    )
  if (!isSortedUnique(tx.outputs, compareAccounts))
    throw new VerifyError(
      'EVM_OUTPUTS_NOT_SORTED_UNIQUE',
      'outputs not sorted and unique',
      'outputs',
    )
}

function verifyExportSyntax(tx: ExportTx, context: VerifyContext): void {
  if (tx.exportedOutputs.length === 0)
    throw new VerifyError('NO_EXPORT_OUTPUTS', 'tx has no export outputs')
  verifyMetadata(tx, context)
  verifyOtherChain(tx.destinationChain, context, 'destinationChain')
  tx.inputs.forEach((input, i) => {
    const path = `inputs[${i}]`
    prefixed('', path, () => verifyAccount(input, 'input'))
    verifyAVAX(input.assetID, context, 'export input', path)
  })
  tx.exportedOutputs.forEach(({ assetID, output }, i) => {
    const path = `exportedOutputs[${i}]`
    verifyAssetID(assetID, path)
    verifyOutput(output, path)
    // The node's rule that the P-Chain takes only AVAX is older than the one for all chains.
    if (equalBytes(tx.destinationChain, P_CHAIN_ID) && !equalBytes(assetID, context.assetID))
      throw new VerifyError('WRONG_CHAIN_ID', 'tx has wrong chain ID', path)
    verifyAVAX(assetID, context, 'export output', path)
  })
  if (!isSorted(tx.exportedOutputs, compareOutputs))
    throw new VerifyError('OUTPUTS_NOT_SORTED', 'tx outputs not sorted', 'exportedOutputs')
  if (!isSortedUnique(tx.inputs, compareAccounts))
    throw new VerifyError('EVM_INPUTS_NOT_SORTED_UNIQUE', 'inputs not sorted and unique', 'inputs')
}

function verifyMetadata(tx: UnsignedTx, context: VerifyContext): void {
  if (tx.networkID !== context.networkID)
    throw new VerifyError(
      'WRONG_NETWORK_ID',
      'tx was issued with a different network ID',
      'networkID',
    )
  const { C } = context.chains
  if (C === undefined || !equalBytes(tx.blockchainID, C))
    throw new VerifyError('WRONG_CHAIN_ID', 'tx has wrong chain ID', 'blockchainID')
}

/** The other chain must be the X- or P-Chain, the only other chains of the primary network. */
function verifyOtherChain(chainID: Uint8Array, context: VerifyContext, path: string): void {
  if (!equalBytes(chainID, context.chainID) && !equalBytes(chainID, P_CHAIN_ID))
    throw new VerifyError('WRONG_CHAIN_ID', 'tx has wrong chain ID', path)
}

function verifyAccount({ amount, assetID }: EVMOutput, what: 'input' | 'output'): void {
  if (amount === 0n)
    throw new VerifyError(
      what === 'input' ? 'INPUT_ZERO_AMOUNT' : 'OUTPUT_ZERO_AMOUNT',
      `${what} has no value`,
    )
  verifyAssetID(assetID, '')
}

function verifyAVAX(assetID: Uint8Array, context: VerifyContext, what: string, path: string): void {
  if (!equalBytes(assetID, context.assetID))
    throw new VerifyError('NON_AVAX', `${what} cannot contain non-AVAX in Banff`, path)
}

/** Follows the sanity checks of `vms/saevm/cchain/tx`. All assets have been checked to be AVAX before. */
function verifyHelicon(tx: UnsignedTx): void {
  if (tx.type === 'ExportTx' && tx.inputs.length === 0)
    throw new VerifyError('NO_EVM_INPUTS', 'no inputs')
  if (burnedBy(tx) === undefined)
    throw new VerifyError('INSUFFICIENT_FUNDS', 'flow check failed: insufficient funds')
}

/** Inputs less outputs, in nAVAX; `undefined` if negative or if a sum overflows. */
export function burnedBy(tx: UnsignedTx): bigint | undefined {
  const { consumed, produced } = sumsOf(tx)
  return consumed > MAX_U64 || produced > consumed ? undefined : consumed - produced
}

/** The sums of inputs and outputs, in nAVAX. */
export function sumsOf(tx: UnsignedTx): { readonly consumed: bigint; readonly produced: bigint } {
  return tx.type === 'ImportTx'
    ? {
        consumed: sum(tx.importedInputs, ({ input }) => input.amount),
        produced: sum(tx.outputs, ({ amount }) => amount),
      }
    : {
        consumed: sum(tx.inputs, ({ amount }) => amount),
        produced: sum(tx.exportedOutputs, ({ output }) => output.amount),
      }
}

function sum<T>(list: readonly T[], amountOf: (item: T) => bigint): bigint {
  let total = 0n
  for (const item of list) total += amountOf(item)
  return total
}
