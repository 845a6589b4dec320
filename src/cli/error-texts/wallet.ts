import type { DiscoveryErrorCode } from '../../wallet/discovery/errors.ts'
import type { WalletErrorCode } from '../../wallet/errors.ts'
import type { StoreErrorCode } from '../../wallet/store/errors.ts'
import type { ErrorTexts } from './error-text.ts'

/** Texts on the codes of `DiscoveryError`. */
export const discoveryErrors: ErrorTexts<DiscoveryErrorCode> = {
  INDEX_MISMATCH: {
    meaning: 'The data API contradicts the node.',
    cause:
      'It belongs to another network, is behind, or lists a transaction that the node does not have.',
    fix: 'Check the URL of the data API, or search blocks instead.',
  },
}

/** Texts on the codes of `WalletError`. */
export const walletErrors: ErrorTexts<WalletErrorCode> = {
  NO_ADDRESSES: {
    meaning: 'The wallet has neither keys nor addresses.',
    cause: 'The list that was passed is empty.',
    fix: 'Pass `keys` or `addresses`.',
  },
  NOTHING_TO_PAY: {
    meaning: 'A payment has no outputs.',
    cause: 'The list of recipients is empty.',
    fix: 'Pass at least one output.',
  },
  BAD_KEY: {
    meaning: 'An idempotency key is not valid.',
    cause:
      'It is empty, longer than 256 characters, starts with auto-, or there is not exactly one key per payment.',
    fix: 'Use 1 to 256 characters, such as the ID of the invoice. Nothing was signed.',
  },
  KEYS_REPEATED: {
    meaning: 'One transaction would make a payment twice.',
    cause: 'The same idempotency key occurs twice in a call.',
    fix: 'Give each payment its own key.',
  },
  KEYS_TAKEN: {
    meaning: 'Other transactions already make some of the payments.',
    cause: 'A batch with some of the same keys is pending or accepted in another grouping.',
    fix: 'Resume the pending ones; then pay only the keys that `payments()` shows as unknown.',
  },
  NOT_CONFIRMED: {
    meaning: 'The `confirm` callback refused.',
    cause: 'It returned false.',
    fix: 'Nothing: nothing was signed.',
  },
  ASSET_UNSPENDABLE: {
    meaning: 'No transaction can ever spend the asset.',
    cause: 'Its outputs violate a rule of the chain that was added later.',
    fix: 'Leave the asset out of the call.',
  },
  TX_PENDING: {
    meaning: 'The transaction was issued, and its outcome is not known yet.',
    cause:
      'The network is slow, a server did not answer, or the time limit was short. It may be accepted at any time.',
    fix: 'Call `resume`, or `avmkit journal resume`, with the same keys and store. Do not pay again with another key.',
  },
  PAYMENT_REJECTED: {
    meaning: 'The payment was not made and can no longer be made by the same transaction.',
    cause:
      'Another transaction spent one of its inputs, usually of another program with the same keys.',
    fix: 'Make the payment again with the same key; it is then built anew. If only one server has shown the rejection, another process needs `again`.',
  },
  PAYMENT_CANCELED: {
    meaning: 'The payment was canceled and not made.',
    cause: '`cancel` was called, and its transaction was accepted first.',
    fix: 'Make it again with the same key if it is still wanted.',
  },
  PAYMENT_MAYBE_MADE: {
    meaning: 'A transaction that the store does not know may have made this payment.',
    cause:
      'The store was lost or restored from a backup, or another program paid the same amount to the same recipient.',
    fix: 'Read that transaction. If it is this payment, do not pay. If it is another one, pass `again`.',
  },
  CANNOT_CANCEL: {
    meaning: 'The payment cannot be canceled now.',
    cause:
      'No input of the pending transaction is available, or nothing that shows how an earlier one ended; or it was accepted.',
    fix: 'Resume it, and cancel it later if it stays pending.',
  },
  BATCH_UNFINISHED: {
    meaning: 'A batch stopped before its end.',
    cause: 'One of its transactions failed; `cause` has the reason, `result` what was done before.',
    fix: 'Correct the cause and run the same call again: it continues.',
  },
  PAYOUT_SHORT: {
    meaning: 'The funds do not suffice for all payments of a list and their fees.',
    cause: 'The total exceeds what can be spent now; the rest may be locked or pending.',
    fix: 'Add funds, or set `partial` (--partial) to pay the first ones. Nothing was paid.',
  },
  MOVE_UNFINISHED: {
    meaning: 'The funds of a move have left one chain and not arrived on the other.',
    cause: 'The import failed or was interrupted. The funds are safe between the chains.',
    fix: '`resume` completes it. Do not move them again with another key.',
  },
}

/** Texts on the codes of `StoreError`. */
export const storeErrors: ErrorTexts<StoreErrorCode> = {
  CLAIM_INVALID: {
    meaning: 'A claim violates a rule of stores.',
    cause:
      'A wallet of another version, or a program that uses the store directly, passed a claim without inputs or keys.',
    fix: 'Use the store through `createWallet`.',
  },
  KEY_CONFLICT: {
    meaning: 'The idempotency key is used for a payment with other content.',
    cause: 'The recipient, amount, asset or memo differs from the first call with this key.',
    fix: 'Use another key for another payment. If the first one was wrong, look at its status before you pay again.',
  },
  KEY_ACCEPTED: {
    meaning: 'The payment is already accepted.',
    cause: 'Another call or process made it in the meantime.',
    fix: 'Nothing: it was made once.',
  },
  KEY_CANCELED: {
    meaning: 'The payment was canceled during the call.',
    cause: 'Another call or process canceled it.',
    fix: 'Make it again if it is still wanted.',
  },
  KEY_PENDING: {
    meaning: 'A pending attempt for the key shares no input with the new one.',
    cause: 'Both could be accepted, so that the payment would be made twice.',
    fix: 'Resume the pending attempt.',
  },
  KEY_UNKNOWN: {
    meaning: 'There is no pending payment with this key.',
    cause: 'The key is mistyped, or belongs to another store.',
    fix: 'List the keys with `payments()` or `avmkit journal list`.',
  },
  EVIDENCE_UNSPENT: {
    meaning:
      'An earlier attempt was ended by a transaction, and the new one spends no output of that transaction.',
    cause: 'If a server invented that transaction, both attempts could be accepted.',
    fix: 'Check that transaction with your own node; if it is accepted, pay with another key.',
  },
  INPUT_CLAIMED: {
    meaning: 'A pending attempt for other keys spends one of the inputs.',
    cause: 'Two calls selected the same UTXO.',
    fix: 'Let the wallet select again; it does so by itself.',
  },
  TX_CLAIMED: {
    meaning: 'The same transaction is recorded for other keys or another kind of payment.',
    cause: 'A program uses one store for two wallets.',
    fix: 'Use one store per set of keys.',
  },
  STORE_MISMATCH: {
    meaning: 'The store belongs to another network or chain, or the chain began anew.',
    cause: 'A store file was reused, or a development node was restarted from genesis.',
    fix: 'Use one store per network; remove that of a chain that no longer exists.',
  },
  STORE_AHEAD: {
    meaning: 'The chain has not reached the newest block that the store knows.',
    cause: 'The node is behind, or shows another chain.',
    fix: 'Wait for the node, or use another one.',
  },
  STORE_BEHIND: {
    meaning: 'The store was not used for so long that too many blocks are unknown to it.',
    cause: 'Payments may have been made with the same keys since.',
    fix: 'Run `recover` once from the height that the message names.',
  },
  STORE_IN_USE: {
    meaning: 'Another process has locked the store.',
    cause: 'A second wallet or command with the same keys is running.',
    fix: 'Wait for it. Use PostgreSQL (`postgresStore`) for several processes.',
  },
  STORE_LOST: {
    meaning: 'Another process took over the lock, or the file was changed.',
    cause: 'The machine was suspended, or somebody replaced the file.',
    fix: 'Stop, and compare the payments with your own records before you pay again.',
  },
  STORE_CORRUPT: {
    meaning: 'A record of the store is damaged.',
    cause: 'A disk error, or the file was edited.',
    fix: 'Keep the file, do not replace it with a backup, and run `recover` with a new store before you pay again.',
  },
  STORE_UNREADABLE: {
    meaning: 'The file of the store cannot be read.',
    cause: 'Permissions, or it is a folder.',
    fix: 'Correct the path or the permissions. Nothing was signed.',
  },
  STORE_UNWRITABLE: {
    meaning: 'The file of the store cannot be written.',
    cause: 'The disk is full or read-only, or permissions are missing.',
    fix: 'Correct it. Payments are recorded before they are issued, so nothing was issued.',
  },
  STORE_CLOSED: {
    meaning: 'The store is closed.',
    cause: '`close()` was called before the wallet was done.',
    fix: 'Close the store last.',
  },
}
