import { AvmError, type ErrorDetails } from '../core/base/errors.ts'

/** Codes of `DevNodeError`. `BAD_OPTION` an argument is invalid; `LOG_CORRUPT` the chain log is damaged. */
export type DevNodeErrorCode =
  | 'TX_UNDECODABLE'
  | 'TX_DROPPED'
  | 'TX_TOO_LARGE'
  | 'TX_NOT_PENDING'
  | 'MEMPOOL_FULL'
  | 'MEMPOOL_CONFLICT'
  | 'NO_TRANSACTIONS'
  | 'BLOCK_MERKLE_ROOT'
  | 'BLOCK_TIME_FUTURE'
  | 'BLOCK_EMPTY'
  | 'BLOCK_TOO_LARGE'
  | 'BLOCK_PARENT_UNKNOWN'
  | 'BLOCK_HEIGHT'
  | 'BLOCK_TIME_BEFORE_PARENT'
  | 'BLOCK_IMPORT_CONFLICT'
  | 'ATOMIC_UTXO_EXISTS'
  | 'ATOMIC_UTXO_UNKNOWN'
  | 'BAD_OPTION'
  | 'LOG_CORRUPT'
  | 'LOG_FAILED'
  | 'NODE_CLOSED'

/** An error of the development node; `reason` is the text that the real node's API would return. */
export class DevNodeError extends AvmError {
  override readonly name = 'DevNodeError'
  declare readonly code: DevNodeErrorCode
  readonly reason: string

  constructor(code: DevNodeErrorCode, reason: string, details?: ErrorDetails) {
    super(code, reason, details)
    this.reason = reason
  }
}

/** The error for a platform module that is not available. */
export function unavailable(message: string): DevNodeError {
  return new DevNodeError('BAD_OPTION', message)
}

/** Runs a step of reading stored records. Whatever it throws means that they are damaged. */
export function readStored<T>(step: () => T): T {
  try {
    return step()
  } catch (cause) {
    if (cause instanceof DevNodeError && cause.code === 'LOG_CORRUPT') throw cause
    const message = `chain log damaged: ${(cause as Error).message}`
    throw new DevNodeError('LOG_CORRUPT', message, { cause })
  }
}

/** Returns the node's text for an error, as `avm.issueTx` returns it. */
export function reasonOf(error: unknown): string {
  if (error instanceof AvmError) return (error as { reason?: string }).reason ?? error.message
  throw error
}
