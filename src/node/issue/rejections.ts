import { argument, type Check, oneOf, optional, text } from '../../core/base/argument.ts'
import type { ArgumentErrorCode, CodecErrorCode, VerifyErrorCode } from '../../core/base/errors.ts'
import type { UnsignedTx } from '../../core/chain/x/tx.ts'

/**
 * What can be done after a rejection. `retry-later`: the same bytes may succeed later or on another node.
 * `rebuild`: a transaction built again with current UTXOs, fees or sizes may succeed.
 * `give-up`: the transaction is wrong; building it in the same way fails again.
 */
export type RejectionClass = 'retry-later' | 'rebuild' | 'give-up'

/**
 * The violated rule, by its code in this library, or the reason of the mempool.
 *
 * `WRONG_INPUT_TYPE` the feature extension has no such input; `TX_TOO_LARGE` the transaction exceeds the size limit;
 * `MEMPOOL_FULL` the node has too many pending transactions; `MEMPOOL_CONFLICT` a pending transaction spends an input;
 * `REQUEST_INCOMPLETE` the node did not receive the whole request; `UNRECOGNIZED` the node gave a reason that this
 * library does not know.
 */
export type RejectionCode =
  | VerifyErrorCode
  | CodecErrorCode
  | ArgumentErrorCode
  | 'WRONG_INPUT_TYPE'
  | 'TX_TOO_LARGE'
  | 'MEMPOOL_FULL'
  | 'MEMPOOL_CONFLICT'
  | 'REQUEST_INCOMPLETE'
  | 'UNRECOGNIZED'

/** A classified rejection of the node. */
export type Rejection = {
  readonly code: RejectionCode
  readonly class: RejectionClass
  /** Whether the node repeats the rejection for the same bytes without verifying them again. */
  readonly remembered: boolean
  /** Error message of the node. */
  readonly message: string
}

/** Error messages of the node, and how they are classified. */
export type RejectionRow = readonly [message: RegExp, code: RejectionCode, next: RejectionClass]

/** Errors in the request or the bytes, which the node does not remember. */
const UNREADABLE: readonly RejectionRow[] = [
  [/missing 0x prefix to hex encoding/, 'ENC_MISSING_0X', 'give-up'],
  [/odd length hex string|encoding\/hex: invalid byte/, 'ENC_BAD_HEX', 'give-up'],
  [/input string is smaller than the checksum size/, 'ENC_MISSING_CHECKSUM', 'give-up'],
  // The encoder computes the checksum, so the text was damaged in transit.
  [/invalid input checksum/, 'ENC_BAD_CHECKSUM', 'retry-later'],
  [/unsupported encoding in method/, 'ENC_INVALID', 'give-up'],
  [/couldn't unpack codec version/, 'CODEC_VERSION_MISSING', 'give-up'],
  [/unknown codec version/, 'CODEC_UNKNOWN_VERSION', 'give-up'],
  [/unknown type ID/, 'CODEC_UNKNOWN_TYPE', 'give-up'],
  [/does not implement interface/, 'CODEC_WRONG_TYPE', 'give-up'],
  [/max slice length exceeded/, 'CODEC_LENGTH_OVERFLOW', 'give-up'],
  [/insufficient length for input/, 'CODEC_SHORT_BUFFER', 'give-up'],
  [/trailing buffer space/, 'CODEC_TRAILING_BYTES', 'give-up'],
  [/byte array exceeds maximum length/, 'CODEC_TOO_BIG', 'rebuild'],
  [/i\/o timeout|^(unexpected )?EOF$/, 'REQUEST_INCOMPLETE', 'retry-later'],
  [/mempool is full/, 'MEMPOOL_FULL', 'retry-later'],
]

/** Violated rules and mempool errors, which the node remembers. */
const REMEMBERED: readonly RejectionRow[] = [
  [/name is too short/, 'NAME_TOO_SHORT', 'give-up'],
  [/name is too long/, 'NAME_TOO_LONG', 'give-up'],
  [/symbol is too short/, 'SYMBOL_TOO_SHORT', 'give-up'],
  [/symbol is too long/, 'SYMBOL_TOO_LONG', 'give-up'],
  [/must support at least one Fx/, 'NO_FXS', 'give-up'],
  [/denomination is too large/, 'DENOMINATION_TOO_LARGE', 'give-up'],
  [/unexpected whitespace provided/, 'NAME_WHITESPACE', 'give-up'],
  [/name must be made up of only letters and numbers/, 'NAME_ILLEGAL_CHAR', 'give-up'],
  [/symbol must be all upper case letters/, 'SYMBOL_ILLEGAL_CHAR', 'give-up'],
  [/unknown feature extension/, 'UNKNOWN_FX_INDEX', 'give-up'],
  [/initial states not sorted and unique/, 'INITIAL_STATES_NOT_SORTED_UNIQUE', 'give-up'],
  [/must have at least one operation/, 'NO_OPERATIONS', 'give-up'],
  [/no import inputs/, 'NO_IMPORT_INPUTS', 'give-up'],
  [/no export outputs/, 'NO_EXPORT_OUTPUTS', 'give-up'],
  [/tx has wrong network ID/, 'WRONG_NETWORK_ID', 'give-up'],
  [/tx has wrong chain ID/, 'WRONG_CHAIN_ID', 'give-up'],
  [/memo exceeds maximum length/, 'MEMO_TOO_LARGE', 'give-up'],
  [/empty asset ID is not valid/, 'EMPTY_ASSET_ID', 'give-up'],
  [/output has no value/, 'OUTPUT_ZERO_AMOUNT', 'give-up'],
  [/output is unspendable/, 'OWNERS_UNSPENDABLE', 'give-up'],
  [/output representation should be optimized/, 'OWNERS_UNOPTIMIZED', 'give-up'],
  [/addresses not sorted and unique/, 'ADDRS_NOT_SORTED_UNIQUE', 'give-up'],
  [/outputs not sorted/, 'OUTPUTS_NOT_SORTED', 'give-up'],
  [/input has no value/, 'INPUT_ZERO_AMOUNT', 'give-up'],
  [/address indices not sorted and unique/, 'SIG_INDICES_NOT_SORTED_UNIQUE', 'give-up'],
  [/inputs not sorted and unique/, 'INPUTS_NOT_SORTED_UNIQUE', 'give-up'],
  // Usually the fee has changed since the transaction was built.
  [/insufficient funds/, 'INSUFFICIENT_FUNDS', 'rebuild'],
  [/^overflow$/, 'AMOUNT_OVERFLOW', 'give-up'],
  [/utxo IDs not sorted and unique/, 'OP_UTXO_IDS_NOT_SORTED_UNIQUE', 'give-up'],
  [/attempt to double spend an input/, 'DOUBLE_SPEND', 'give-up'],
  [/operations not sorted and unique/, 'OPERATIONS_NOT_SORTED_UNIQUE', 'give-up'],
  [/payload too large/, 'PAYLOAD_TOO_LARGE', 'give-up'],
  [/wrong number of credentials/, 'WRONG_NUMBER_OF_CREDENTIALS', 'give-up'],
  [/failed to get utxo/, 'UTXO_NOT_FOUND', 'rebuild'],
  [/asset IDs in the input don't match the utxo/, 'ASSET_ID_MISMATCH', 'rebuild'],
  [/failed to verify (transfer|fx usage): not found/, 'ASSET_NOT_FOUND', 'retry-later'],
  [/not an asset/, 'NOT_AN_ASSET', 'give-up'],
  // The asset can never be spent. Built again without it, the transaction may be accepted.
  [/incompatible feature extension/, 'INCOMPATIBLE_FX', 'rebuild'],
  [/wrong utxo type/, 'WRONG_UTXO_TYPE', 'rebuild'],
  [/wrong input type/, 'WRONG_INPUT_TYPE', 'give-up'],
  [/wrong credential type/, 'WRONG_CREDENTIAL_TYPE', 'give-up'],
  [/wrong operation type/, 'WRONG_OPERATION_TYPE', 'give-up'],
  [/cant transfer with this fx/, 'CANT_TRANSFER', 'give-up'],
  [/utxo amount and input amount are not equal/, 'MISMATCHED_AMOUNTS', 'rebuild'],
  [/output is time locked/, 'TIMELOCKED', 'retry-later'],
  [/input has more signers than expected/, 'TOO_MANY_SIGNERS', 'give-up'],
  [/input has less signers than expected/, 'TOO_FEW_SIGNERS', 'give-up'],
  [/expected a different number of signers/, 'CREDENTIAL_SIGNERS_MISMATCH', 'give-up'],
  [/referenced a nonexistent address/, 'SIG_INDEX_OUT_OF_BOUNDS', 'give-up'],
  [/signature was mutated/, 'SIG_HIGH_S', 'give-up'],
  [/invalid signature|wasn't expecting a compressed key/, 'SIG_INVALID', 'give-up'],
  [/wrong signature/, 'WRONG_SIGNER', 'give-up'],
  [/same chainID/, 'SAME_CHAIN', 'give-up'],
  [/failed to get subnet of/, 'UNKNOWN_CHAIN', 'retry-later'],
  [/mismatched subnetIDs/, 'DIFFERENT_SUBNET', 'give-up'],
  [/wrong mint output (created|provided)/, 'WRONG_MINT_OUTPUT', 'rebuild'],
  [/wrong unique ID provided/, 'WRONG_GROUP_ID', 'rebuild'],
  [/wrong bytes provided/, 'WRONG_PAYLOAD', 'rebuild'],
  [/wrong number of utxos for the operation/i, 'WRONG_NUMBER_OF_UTXOS', 'give-up'],
  [/tx too large/, 'TX_TOO_LARGE', 'rebuild'],
  [/conflicts with other tx/, 'MEMPOOL_CONFLICT', 'rebuild'],
  // Without prefix: the UTXO of an operation or import does not exist.
  [/^not found$/, 'UTXO_NOT_FOUND', 'rebuild'],
]

/**
 * Classifies the error message with which the node rejected a transaction. Only the part that names the cause is
 * matched, because prefixes and numbers vary. Unknown messages are `UNRECOGNIZED` and `retry-later`, because issuing
 * the same bytes again is always safe.
 *
 * @param type - type of the rejected transaction; distinguishes two causes with the same message
 */
export function classifyRejection(message: string, type?: UnsignedTx['type']): Rejection {
  return classified(
    argument('classifyRejection', message, text, 'message'),
    argument('classifyRejection', type, optional(txType), 'type'),
  )
}

/** Describes the type of a transaction. */
export const txType: Check<UnsignedTx['type']> = oneOf<UnsignedTx['type']>(
  'BaseTx',
  'CreateAssetTx',
  'OperationTx',
  'ImportTx',
  'ExportTx',
)

/** `classifyRejection` with checked arguments. */
export function classified(message: string, type?: UnsignedTx['type']): Rejection {
  const unreadable = UNREADABLE.find(([pattern]) => pattern.test(message))
  const row = unreadable ?? REMEMBERED.find(([pattern]) => pattern.test(message))
  if (row === undefined)
    return { code: 'UNRECOGNIZED', class: 'retry-later', remembered: false, message }
  const code = type === 'ImportTx' && message === 'not found' ? 'ATOMIC_UTXO_NOT_FOUND' : row[1]
  return { code, class: row[2], remembered: unreadable === undefined, message }
}

/**
 * Whether a chain also returns this error for an accepted transaction, whose inputs are spent and whose nonces are
 * used.
 */
export function mayBeAccepted({ code }: Rejection): boolean {
  return MAYBE_ACCEPTED.includes(code)
}

const MAYBE_ACCEPTED: readonly RejectionCode[] = [
  'UTXO_NOT_FOUND',
  'ATOMIC_UTXO_NOT_FOUND',
  'ASSET_NOT_FOUND',
  'MEMPOOL_CONFLICT',
  'WRONG_NONCE',
]
