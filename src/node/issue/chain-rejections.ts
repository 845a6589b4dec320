import { classified, type Rejection, type RejectionRow } from './rejections.ts'

/** Error messages that only the P-Chain and C-Chain use. */
const ROWS: readonly RejectionRow[] = [
  // P-Chain. Also returned for an accepted transaction, whose inputs are spent.
  [/failed to get shared memory: not found/, 'ATOMIC_UTXO_NOT_FOUND', 'rebuild'],
  [
    /failed to read consumed UTXO .*not found|failed to get UTXO .*not found/,
    'UTXO_NOT_FOUND',
    'rebuild',
  ],
  [/tx exceeds current gas capacity|not enough gas/, 'GAS_ABOVE_CAPACITY', 'retry-later'],
  [/insufficient unlocked funds/, 'INSUFFICIENT_FUNDS', 'rebuild'],
  [/insufficient locked funds/, 'INSUFFICIENT_LOCKED_FUNDS', 'give-up'],
  [/locked funds not marked as locked/, 'LOCKED_NOT_MARKED', 'give-up'],
  [/input locktime does not match/, 'LOCKTIME_MISMATCH', 'give-up'],
  [/invalid locktime/, 'INVALID_LOCKTIME', 'give-up'],
  [/wrong locktime reported/, 'LOCKED_EXPORT', 'give-up'],
  [/tx has no imported inputs/, 'NO_IMPORT_INPUTS', 'give-up'],
  [/input asset ID does not match/, 'ASSET_ID_MISMATCH', 'give-up'],
  // C-Chain, before and after Helicon.
  [/failed to fetch import UTXOs|fetching UTXOs from/, 'ATOMIC_UTXO_NOT_FOUND', 'rebuild'],
  [/invalid nonce|nonce mismatch/, 'WRONG_NONCE', 'rebuild'],
  [/conflict present|insufficient fee/, 'MEMPOOL_CONFLICT', 'rebuild'],
  [/exceeds (total atomic txs size|maximum allowed mempool gas)/, 'TX_TOO_LARGE', 'rebuild'],
  [/gas exceeds minimum gas target/, 'TX_TOO_LARGE', 'rebuild'],
  [/non-AVAX/, 'NON_AVAX', 'give-up'],
  [/no EVM outputs/, 'NO_EVM_OUTPUTS', 'give-up'],
  [/different network ID|wrong network ID/, 'WRONG_NETWORK_ID', 'give-up'],
  [/wrong chain ID|not same subnet/, 'WRONG_CHAIN_ID', 'give-up'],
  [/incorrect number of credentials/, 'WRONG_NUMBER_OF_CREDENTIALS', 'give-up'],
  [/incorrect number of signatures/, 'CREDENTIAL_SIGNERS_MISMATCH', 'give-up'],
  [
    /signature doesn't match public key|signature does not match address/,
    'WRONG_SIGNER',
    'give-up',
  ],
  [/tx outputs not sorted/, 'OUTPUTS_NOT_SORTED', 'give-up'],
  // C-Chain after Helicon, which has one message for imports and exports.
  [/sanity check: no inputs/, 'NO_EVM_INPUTS', 'give-up'],
  [/sanity check: no outputs/, 'NO_EVM_OUTPUTS', 'give-up'],
  [/invalid input \(\d+\): zero amount/, 'INPUT_ZERO_AMOUNT', 'give-up'],
  [/invalid output \(\d+\): zero amount/, 'OUTPUT_ZERO_AMOUNT', 'give-up'],
  [/flow check failed: overflow/, 'AMOUNT_OVERFLOW', 'give-up'],
  [/mismatched asset IDs/, 'ASSET_ID_MISMATCH', 'give-up'],
]

/**
 * Classifies the error message with which the P-Chain or C-Chain rejected a transaction.
 *
 * @param remembers - whether the chain repeats rejections of the same bytes, as the P-Chain does
 */
export function classifyChainRejection(message: string, remembers: boolean): Rejection {
  const row = ROWS.find(([pattern]) => pattern.test(message))
  if (row !== undefined) return { code: row[1], class: row[2], remembered: remembers, message }
  const rejection = classified(message)
  return { ...rejection, remembered: rejection.remembered && remembers }
}
