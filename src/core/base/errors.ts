/** Optional properties of an error. */
export type ErrorDetails = {
  /** What the caller can do about it. */
  readonly hint?: string | undefined
  /** The error that caused this one. */
  readonly cause?: unknown
}

/**
 * Base class of the errors thrown by this library. Programs branch on `code`, which is stable. The message is for
 * people: one line that says what is wrong and where.
 */
export class AvmError extends Error {
  override readonly name: string = 'AvmError'
  /** Stable identifier of the kind of error. */
  readonly code: string
  /** What the caller can do about it. */
  readonly hint?: string

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    if (details.hint !== undefined) this.hint = details.hint
  }

  /** Path of the page about `code` in the documentation, relative to its first page. */
  get docs(): string {
    return `errors/${this.code}.html`
  }
}

/**
 * Codes of `ArgumentError`. `UNKNOWN_OPTION` an argument has a member that the call does not know; `MISSING_OPTION` a
 * required member is absent; `ENC_INVALID` a value has the wrong type or no valid form; `ENC_BAD_BASE58` a character is
 * not one of base58; `ENC_WRONG_CHAIN` the address is of another chain.
 */
export type ArgumentErrorCode =
  | 'UNKNOWN_OPTION'
  | 'MISSING_OPTION'
  | 'ENC_INVALID'
  | 'ENC_MISSING_0X'
  | 'ENC_BAD_HEX'
  | 'ENC_BAD_BASE58'
  | 'ENC_BAD_BECH32'
  | 'ENC_MISSING_CHECKSUM'
  | 'ENC_BAD_CHECKSUM'
  | 'ENC_MISSING_PREFIX'
  | 'ENC_MIXED_CASE'
  | 'ENC_TOO_LONG'
  | 'ENC_WRONG_LENGTH'
  | 'ENC_WRONG_HRP'
  | 'ENC_WRONG_CHAIN'
  | 'ENC_KEY_RANGE'
  | 'ENC_BAD_AMOUNT'
  | 'ENC_BAD_INDEX'
  | 'ENC_BAD_JSON'

/** Optional properties of an `ArgumentError`. */
export type ArgumentErrorDetails = ErrorDetails & {
  /** The value within the argument, such as `outputs[0].to`. */
  readonly path?: string | undefined
  /** What was expected, such as `a bigint`. */
  readonly expected?: string | undefined
  /** The kind of value that was found, such as `a number`. */
  readonly found?: string | undefined
}

/**
 * An argument of the wrong type, range or encoding: options that are unknown or missing, and text (hex, cb58, address,
 * amount, JSON …) that cannot be parsed.
 */
export class ArgumentError extends AvmError {
  override readonly name = 'ArgumentError'
  declare readonly code: ArgumentErrorCode
  /** The value within the argument, such as `outputs[0].to`; empty for the whole argument. */
  readonly path: string
  /** What was expected, such as `a bigint`. */
  readonly expected?: string
  /** The kind of value that was found, such as `a number`. */
  readonly found?: string

  constructor(code: ArgumentErrorCode, message: string, details: ArgumentErrorDetails = {}) {
    super(code, message, details)
    this.path = details.path ?? ''
    if (details.expected !== undefined) this.expected = details.expected
    if (details.found !== undefined) this.found = details.found
  }
}

/**
 * Codes of `CodecError`: the node's reasons to reject bytes, and reasons to reject a value to be encoded.
 *
 * `CODEC_UNKNOWN_TYPE` the type ID is not registered; `CODEC_WRONG_TYPE` the type is not allowed at this position;
 * `CODEC_BAD_VALUE` a value is out of range or has the wrong type; `CODEC_JSON_SHAPE` a JSON member is missing or has
 * the wrong type; `CODEC_JSON_AMBIGUOUS` the JSON fits several types, and no ID decides.
 */
export type CodecErrorCode =
  | 'CODEC_TOO_BIG'
  | 'CODEC_VERSION_MISSING'
  | 'CODEC_UNKNOWN_VERSION'
  | 'CODEC_SHORT_BUFFER'
  | 'CODEC_LENGTH_OVERFLOW'
  | 'CODEC_UNKNOWN_TYPE'
  | 'CODEC_WRONG_TYPE'
  | 'CODEC_TRAILING_BYTES'
  | 'CODEC_BAD_VALUE'
  | 'CODEC_JSON_SHAPE'
  | 'CODEC_JSON_AMBIGUOUS'

/** Bytes that are not the canonical encoding of a value, or a value that cannot be encoded. */
export class CodecError extends AvmError {
  override readonly name = 'CodecError'
  declare readonly code: CodecErrorCode
  /** Byte offset of the error; while encoding, the number of bytes written before it. */
  readonly offset: number
  /** Path of the field, outermost first, such as `unsignedTx.inputs[3].input.amount`; empty for the whole value. */
  readonly path: string

  constructor(code: CodecErrorCode, message: string, offset: number, path = '') {
    super(code, path === '' ? message : `${message} (in ${path})`)
    this.offset = offset
    this.path = path
  }
}

/**
 * Codes of `VerifyError`, named after the rule of the node that is violated.
 *
 * `AMOUNT_OVERFLOW` a sum exceeds 2^64 - 1; `SIG_INVALID` no public key can be recovered from a signature;
 * `ASSET_NOT_FOUND` the transaction that created the asset is unknown; `WRONG_OPERATION_TYPE` the feature extension has
 * no such operation.
 */
export type VerifyErrorCode =
  | 'WRONG_NETWORK_ID'
  | 'WRONG_CHAIN_ID'
  | 'MEMO_TOO_LARGE'
  | 'EMPTY_ASSET_ID'
  | 'OUTPUT_ZERO_AMOUNT'
  | 'INPUT_ZERO_AMOUNT'
  | 'OWNERS_UNSPENDABLE'
  | 'OWNERS_UNOPTIMIZED'
  | 'ADDRS_NOT_SORTED_UNIQUE'
  | 'SIG_INDICES_NOT_SORTED_UNIQUE'
  | 'OUTPUTS_NOT_SORTED'
  | 'INPUTS_NOT_SORTED_UNIQUE'
  | 'AMOUNT_OVERFLOW'
  | 'INSUFFICIENT_FUNDS'
  | 'WRONG_NUMBER_OF_CREDENTIALS'
  | 'NAME_TOO_SHORT'
  | 'NAME_TOO_LONG'
  | 'SYMBOL_TOO_SHORT'
  | 'SYMBOL_TOO_LONG'
  | 'NO_FXS'
  | 'DENOMINATION_TOO_LARGE'
  | 'NAME_WHITESPACE'
  | 'NAME_ILLEGAL_CHAR'
  | 'SYMBOL_ILLEGAL_CHAR'
  | 'UNKNOWN_FX_INDEX'
  | 'INITIAL_STATE_OUTPUTS_NOT_SORTED'
  | 'INITIAL_STATES_NOT_SORTED_UNIQUE'
  | 'PAYLOAD_TOO_LARGE'
  | 'NO_OPERATIONS'
  | 'OP_UTXO_IDS_NOT_SORTED_UNIQUE'
  | 'DOUBLE_SPEND'
  | 'OPERATIONS_NOT_SORTED_UNIQUE'
  | 'NO_IMPORT_INPUTS'
  | 'NO_EXPORT_OUTPUTS'
  | 'UTXO_NOT_FOUND'
  | 'ASSET_NOT_FOUND'
  | 'NOT_AN_ASSET'
  | 'INCOMPATIBLE_FX'
  | 'ASSET_ID_MISMATCH'
  | 'SAME_CHAIN'
  | 'UNKNOWN_CHAIN'
  | 'DIFFERENT_SUBNET'
  | 'ATOMIC_UTXO_NOT_FOUND'
  | 'TIMELOCKED'
  | 'TOO_MANY_SIGNERS'
  | 'TOO_FEW_SIGNERS'
  | 'CREDENTIAL_SIGNERS_MISMATCH'
  | 'SIG_INDEX_OUT_OF_BOUNDS'
  | 'SIG_HIGH_S'
  | 'SIG_INVALID'
  | 'WRONG_SIGNER'
  | 'WRONG_CREDENTIAL_TYPE'
  | 'WRONG_UTXO_TYPE'
  | 'WRONG_OPERATION_TYPE'
  | 'WRONG_NUMBER_OF_UTXOS'
  | 'WRONG_MINT_OUTPUT'
  | 'WRONG_GROUP_ID'
  | 'WRONG_PAYLOAD'
  | 'MISMATCHED_AMOUNTS'
  | 'CANT_TRANSFER'
  // Rules of the P-Chain and C-Chain only.
  | 'INVALID_LOCKTIME'
  | 'LOCKED_EXPORT'
  | 'LOCKED_NOT_MARKED'
  | 'LOCKTIME_MISMATCH'
  | 'INSUFFICIENT_LOCKED_FUNDS'
  | 'GAS_ABOVE_CAPACITY'
  | 'NO_EVM_OUTPUTS'
  | 'NO_EVM_INPUTS'
  | 'NON_AVAX'
  | 'EVM_INPUTS_NOT_SORTED_UNIQUE'
  | 'EVM_OUTPUTS_NOT_SORTED_UNIQUE'
  | 'WRONG_NONCE'
  // Bytes in shared memory that an import cannot decode as a UTXO.
  | CodecErrorCode

/** A transaction that can be decoded but violates a rule of the chain. */
export class VerifyError extends AvmError {
  override readonly name = 'VerifyError'
  declare readonly code: VerifyErrorCode
  /** The node's text for this error, as its API returns it. */
  readonly reason: string
  /** The part of the transaction that violates the rule, such as `outputs[2]`; empty for the whole. */
  readonly path: string

  constructor(code: VerifyErrorCode, reason: string, path = '') {
    super(code, path === '' ? reason : `${reason} (in ${path})`)
    this.reason = reason
    this.path = path
  }
}
