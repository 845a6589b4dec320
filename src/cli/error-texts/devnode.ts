import type { DevNodeErrorCode } from '../../devnode/errors.ts'
import type { ErrorTexts } from './error-text.ts'

/** Texts on the codes of `DevNodeError`. */
export const devNodeErrors: ErrorTexts<DevNodeErrorCode> = {
  TX_UNDECODABLE: {
    meaning: 'The issued bytes are not a transaction.',
    cause: 'They are damaged, or of another chain.',
    fix: 'Decode them with `avmkit decode`.',
  },
  TX_DROPPED: {
    meaning: 'The transaction was dropped for a reason of the rules.',
    cause: 'The message has the reason of the node.',
    fix: 'Correct the transaction and sign it again.',
  },
  TX_TOO_LARGE: {
    meaning: 'The transaction needs more gas than a block can hold.',
    cause: 'It has too many inputs, outputs or signatures.',
    fix: 'Split it.',
  },
  TX_NOT_PENDING: {
    meaning: 'The named transaction is not pending.',
    cause: 'It is already in a block, or was never issued.',
    fix: 'Issue it first, or leave it out of `produceBlock`.',
  },
  MEMPOOL_FULL: {
    meaning: 'The development node has too many pending transactions.',
    cause: 'Blocks are produced manually and none was produced.',
    fix: 'Call `produceBlock` or `avmkit devnode mine`.',
  },
  MEMPOOL_CONFLICT: {
    meaning: 'A pending transaction spends the same UTXO.',
    cause: 'Two transactions were built from the same UTXOs.',
    fix: 'Produce a block between them, or select other UTXOs.',
  },
  NO_TRANSACTIONS: {
    meaning: 'There is no pending transaction for a block.',
    cause: 'Nothing was issued, or nothing is valid any more.',
    fix: 'Issue one first.',
  },
  BLOCK_MERKLE_ROOT: {
    meaning: 'A given block has a wrong Merkle root.',
    cause: 'X-Chain blocks have an empty one.',
    fix: 'Set it to 32 zero bytes.',
  },
  BLOCK_TIME_FUTURE: {
    meaning: 'The time of a block is too far in the future.',
    cause: 'More than ten seconds beyond the clock of the node.',
    fix: 'Set the clock first, or choose an earlier time.',
  },
  BLOCK_EMPTY: {
    meaning: 'A given block has no transactions.',
    cause: 'The X-Chain has no empty blocks.',
    fix: 'Add a transaction.',
  },
  BLOCK_TOO_LARGE: {
    meaning: 'A given block exceeds the size limit.',
    cause: 'It has too many transactions.',
    fix: 'Split it.',
  },
  BLOCK_PARENT_UNKNOWN: {
    meaning: 'A given block does not follow the last accepted one.',
    cause: 'Its parent is another block.',
    fix: 'Use the ID of the last accepted block as parent.',
  },
  BLOCK_HEIGHT: {
    meaning: 'A given block has the wrong height.',
    cause: 'It must be one above its parent.',
    fix: 'Correct the height.',
  },
  BLOCK_TIME_BEFORE_PARENT: {
    meaning: 'A given block is older than its parent.',
    cause: 'Times must not decrease.',
    fix: 'Choose a later time.',
  },
  BLOCK_IMPORT_CONFLICT: {
    meaning: 'Two transactions of a block conflict.',
    cause: 'They import or spend the same UTXO.',
    fix: 'Remove one of them.',
  },
  ATOMIC_UTXO_EXISTS: {
    meaning: 'The UTXO is already in the shared memory.',
    cause: 'It was added before.',
    fix: 'Use another transaction ID or index.',
  },
  ATOMIC_UTXO_UNKNOWN: {
    meaning: 'The UTXO is not exported to that chain.',
    cause: 'It was imported, or never exported.',
    fix: 'Export it first.',
  },
  BAD_OPTION: {
    meaning: 'An argument of the development node is invalid.',
    cause: 'The message names it.',
    fix: 'Correct the argument.',
  },
  LOG_CORRUPT: {
    meaning: 'The file of the development chain is damaged.',
    cause: 'It was edited or cut.',
    fix: 'Remove the folder; a development chain can be made again.',
  },
  LOG_FAILED: {
    meaning: 'The folder of the development chain cannot be used.',
    cause: 'Permissions, a full disk, or another node that uses it.',
    fix: 'Correct it, or choose another folder.',
  },
  NODE_CLOSED: {
    meaning: 'The development node is closed.',
    cause: '`close()` was called before the last request.',
    fix: 'Close it last.',
  },
}
