import { argument, type Check, type Members, object, optional, u64 } from '../../base/argument.ts'
import { formatAmount } from '../../base/encoding/amount.ts'
import { VerifyError } from '../../base/errors.ts'
import { MAX_U64 } from '../../base/integers.ts'
import { evmAddress, parseEVMAddress } from '../../chain/c/evm-address.ts'
import { feeOf, WEI_PER_NAVAX } from '../../chain/c/gas.ts'
import type { ExportTx } from '../../chain/c/tx.ts'
import { contextOn } from '../../chain/networks.ts'
import type { TransferableOutput } from '../../chain/x/transferables.ts'
import { FundsError } from '../../coins/errors.ts'
import {
  type IDArgument,
  type OutputArgument,
  type OwnersArgument,
  toOtherChain,
  toOutputs,
  toOwners,
} from '../arguments.ts'
import { amount, chain, outputs, ownersMembers } from '../descriptions.ts'
import { sortedOutputs } from '../x/funds.ts'
import { type CommonOptions, commonMembers, type Draft, finishDraft } from './draft.ts'

/** An EVM address as `0x…` or its 20 bytes. */
export type EVMAddressArgument = string | Uint8Array

/** The account that an export debits, as the node reports it. */
export type Account = {
  readonly address: EVMAddressArgument
  /** `eth_getTransactionCount` at `latest`, which does not count pending atomic exports. */
  readonly nonce: bigint
  /** `eth_getBalance` in wei. If given, it must cover the export. */
  readonly balance?: bigint | undefined
}

/** Options of an export from the C-Chain. */
export type ExportOptions = CommonOptions & {
  readonly account: Account
  /** `X`, `P` or a chain's ID. */
  readonly destinationChain: IDArgument
  /** Addresses as text are those of the other chain: `X-fuji1…`, `P-fuji1…`; never `0x…`. */
  readonly outputs: readonly OutputArgument[]
}

/** An account whose address was converted to bytes. */
type CheckedAccount = Account & { readonly address: Uint8Array }

const accountMembers: Members<CheckedAccount> = {
  address: evmAddress,
  nonce: u64,
  balance: optional(amount),
}

type CheckedExport = ExportOptions & { readonly account: CheckedAccount }

const exportOptions: Check<CheckedExport> = object<CheckedExport>({
  ...commonMembers,
  account: object<CheckedAccount>(accountMembers),
  destinationChain: chain,
  outputs,
})

/**
 * Drafts an export from an account of the C-Chain. The fee comes on top of the outputs.
 *
 * @throws FundsError if the balance is known and does not cover outputs and fee; BuildError, ArgumentError or
 * VerifyError if an argument is invalid.
 * @example
 * cChain.buildExport({
 *   context, account: { address: '0x…', nonce, balance }, baseFee, destinationChain: 'X',
 *   outputs: [{ to: 'X-fuji1…', amount }],
 * })
 */
export function buildExport(given: ExportOptions): Draft {
  return draftExport(argument('buildExport', given, exportOptions))
}

function draftExport(options: CheckedExport): Draft {
  const view = contextOn('C', options.context)
  const destination = toOtherChain(options.destinationChain, view)
  const at = { call: 'buildExport', path: 'outputs' }
  const exported = sortedOutputs(toOutputs(options.outputs, view, destination.alias, at))
  // Gas does not depend on amounts.
  const fee = feeOf(exportOf(options, exported, destination.chainID, 1n), options.baseFee)
  const amount = exported.reduce((sum, { output }) => sum + output.amount, fee)
  if (amount > MAX_U64)
    throw new VerifyError('AMOUNT_OVERFLOW', 'overflow: outputs and fee exceed 2^64 - 1')
  const { balance } = options.account
  if (balance !== undefined && amount * WEI_PER_NAVAX > balance) throw insufficient(amount, balance)
  return finishDraft(exportOf(options, exported, destination.chainID, amount), [], options)
}

/** Options of {@link buildExportAll}. */
export type ExportAllOptions = CommonOptions &
  OwnersArgument & {
    /** The account to debit; its balance is required. */
    readonly account: Account & { readonly balance: bigint }
    /** `X`, `P` or a chain's ID. */
    readonly destinationChain: IDArgument
  }

type CheckedExportAll = ExportAllOptions & {
  readonly account: CheckedAccount & { readonly balance: bigint }
}

const exportAllOptions: Check<CheckedExportAll> = object<CheckedExportAll>({
  ...commonMembers,
  ...ownersMembers,
  account: object<CheckedExportAll['account']>({ ...accountMembers, balance: amount }),
  destinationChain: chain,
})

/**
 * Drafts an export of the whole balance of an account, less the fee. A remainder of less than 1 nAVAX (10^9 wei) stays
 * in the account.
 *
 * @throws FundsError if the balance does not cover the fee.
 */
export function buildExportAll(given: ExportAllOptions): Draft {
  const options = argument('buildExportAll', given, exportAllOptions)
  const { account } = options
  const view = contextOn('C', options.context)
  const { alias } = toOtherChain(options.destinationChain, view)
  const at = { call: 'buildExportAll', path: '' }
  const { addresses: to, threshold, locktime } = toOwners(options, view, alias, at)
  const draftOf = (amount: bigint, balance?: bigint): Draft =>
    draftExport({
      ...options,
      account: { ...account, balance },
      outputs: [{ to, threshold, locktime, amount }],
    })
  const { fee } = draftOf(1n)
  const amount = account.balance / WEI_PER_NAVAX - fee
  if (amount <= 0n) throw insufficient(fee + 1n, account.balance)
  return draftOf(amount, account.balance)
}

function exportOf(
  { context, account: { address, nonce } }: Pick<CheckedExport, 'context' | 'account'>,
  exportedOutputs: readonly TransferableOutput[],
  destinationChain: Uint8Array,
  amount: bigint,
): ExportTx {
  return {
    type: 'ExportTx',
    networkID: context.networkID,
    blockchainID: contextOn('C', context).chainID,
    destinationChain,
    inputs: [{ address, amount, assetID: context.assetID, nonce }],
    exportedOutputs,
  }
}

/** Converts an EVM address. Bytes are returned as they are. */
export function toEVMAddress(address: EVMAddressArgument): Uint8Array {
  return typeof address === 'string' ? parseEVMAddress(address) : address
}

function insufficient(needed: bigint, balance: bigint): FundsError {
  const have = formatAmount(balance / WEI_PER_NAVAX)
  return new FundsError(
    'BUILDER_INSUFFICIENT_FUNDS',
    `insufficient funds: need ${formatAmount(needed)} AVAX, have ${have} AVAX`,
  )
}
