import type { CoreErrorCode } from '../../signers/core/errors.ts'
import type { KeystoneErrorCode } from '../../signers/keystone/errors.ts'
import type { LedgerErrorCode } from '../../signers/ledger/errors.ts'
import type { MessageErrorCode } from '../../signers/message/errors.ts'
import type { PolicyErrorCode } from '../../signers/policy/errors.ts'
import type { KeyServiceErrorCode } from '../../signers/services/errors.ts'
import type { ErrorTexts } from './error-text.ts'

/** Texts on the codes of `LedgerError`. */
export const ledgerErrors: ErrorTexts<LedgerErrorCode> = {
  LEDGER_LOCKED: {
    meaning: 'The device is locked.',
    cause: 'It locks itself after some minutes.',
    fix: 'Unlock it with its PIN, open the Avalanche app, and try again.',
  },
  LEDGER_WRONG_APP: {
    meaning: 'The Avalanche app is not open on the device.',
    cause: 'The device shows its menu, or another app is open.',
    fix: 'Open the Avalanche app.',
  },
  LEDGER_APP_OUTDATED: {
    meaning: 'The version of the app cannot do this.',
    cause: "Paths outside of m/44'/9000' need version 1.4.13 or later.",
    fix: 'Update the Avalanche app of the device.',
  },
  LEDGER_REJECTED: {
    meaning: 'The user rejected the review on the device.',
    cause: 'The device showed something else than expected, or the wrong button was pressed.',
    fix: 'Compare the screens with `ledgerScreens`, and sign again if they agree. Nothing was signed.',
  },
  LEDGER_BLIND_SIGNING: {
    meaning: 'The device would have to sign what it cannot show.',
    cause: 'Blind signing is disabled in the app, as it should be.',
    fix: 'Use a transaction that the app can show.',
  },
  LEDGER_DATA_REFUSED: {
    meaning: 'The app cannot parse what was sent.',
    cause: 'The transaction has a part that this version of the app does not know.',
    fix: 'Update the app, or sign with another device.',
  },
  LEDGER_BUSY: {
    meaning: 'Another request is under way on the device.',
    cause: 'A review is still shown, or another program uses the device.',
    fix: 'Finish or reject what the device shows, and try again.',
  },
  LEDGER_STATUS: {
    meaning: 'The device answered a status word that this library does not know.',
    cause: 'The app has failed, or is of a newer version; `status` has the word.',
    fix: 'Reopen the app and try again.',
  },
  LEDGER_REPLY: {
    meaning: 'A reply of the device has an unexpected form or length.',
    cause: 'The transport damaged it, or another app answered.',
    fix: 'Reconnect the device and try again. Nothing was signed.',
  },
  LEDGER_TRANSPORT: {
    meaning: 'The connection to the device failed.',
    cause:
      'It was disconnected, or the system or the browser does not allow access; `cause` has the reason.',
    fix: 'Reconnect the device and allow access to it.',
  },
  LEDGER_TOO_LARGE: {
    meaning: 'The transaction does not fit in the buffer of the app.',
    cause: 'The app takes at most 16,384 bytes.',
    fix: 'Split it: pass `LEDGER_MAX_SIZE` as `maxSize` of sweeps and batches.',
  },
  LEDGER_UNSUPPORTED: {
    meaning: 'The app cannot show a transaction like this.',
    cause: 'Its parser does not know a type of output, operation or transaction; `path` names it.',
    fix: 'Sign it with other keys, or leave that part out.',
  },
  LEDGER_PATH: {
    meaning: 'A derivation path is not of the form that the app accepts.',
    cause: 'The app takes paths of five parts, of which the first three are hardened.',
    fix: "Use a path such as m/44'/9000'/0'/0/0.",
  },
}

/** Texts on the codes of `KeyServiceError`. */
export const keyServiceErrors: ErrorTexts<KeyServiceErrorCode> = {
  KEY_SERVICE_FAILED: {
    meaning: 'The client of the key service failed.',
    cause:
      'The service is unreachable, or the credentials may not use the key; `cause` has the reason.',
    fix: 'Check network and permissions (for AWS: kms:Sign and kms:GetPublicKey). Nothing was signed.',
  },
  KEY_SERVICE_KEY: {
    meaning: 'The key is not a secp256k1 key.',
    cause: 'It was created for another curve.',
    fix: 'Create a key of the curve secp256k1 (for AWS: ECC_SECG_P256K1).',
  },
  KEY_SERVICE_REPLY: {
    meaning: 'The service returned something else than was asked for.',
    cause: 'It signed with another key or another algorithm, or its answer is damaged.',
    fix: 'Check key, algorithm (ECDSA with SHA-256 digests) and version of the client. The signature was not used.',
  },
}

/** Texts on the codes of `PolicyError`. */
export const policyErrors: ErrorTexts<PolicyErrorCode> = {
  FILE_MALFORMED: {
    meaning: 'A policy, vault registration or address book is not what it should be.',
    cause: 'The file is of another kind, was cut off, or has a member twice.',
    fix: 'The message names the member; `formatPolicy`, `formatVault` and `formatAddressBook` write such files.',
  },
  FILE_VERSION: {
    meaning: 'The file has a version that this release does not know.',
    cause: 'A later release has written it.',
    fix: 'Update avmkit. An unknown rule must not be ignored.',
  },
  FILE_CHECKSUM: {
    meaning: 'The contents have another checksum than stated or expected.',
    cause: 'The file was changed since it was exported or explained.',
    fix: 'Compare it with the co-signers, and use the file that all agree on.',
  },
  BOOK_SIGNATURE: {
    meaning: 'The key that the policy names has not signed the address book.',
    cause: 'The book was changed after it was signed, or another key has signed it.',
    fix: 'Ask the owner of the key for a signed edition.',
  },
  BOOK_POLICY: {
    meaning: 'The address book is for another policy.',
    cause: 'Its policy or network differs, or the policy names no key for an address book.',
    fix: 'Use the address book of this policy.',
  },
  BOOK_OUTDATED: {
    meaning: 'The policy requires a later edition of the address book.',
    cause: 'An old copy of the address book was passed.',
    fix: 'Ask for the current edition.',
  },
  VAULT_UNKNOWN: {
    meaning: 'The policy does not register such a vault.',
    cause: 'The name is misspelled, or the registration was not imported.',
    fix: 'Import the registration of a co-signer, or use one of the names in the hint.',
  },
}

/** Texts on the codes of `MessageError`. */
export const messageErrors: ErrorTexts<MessageErrorCode> = {
  MESSAGE_SIGNATURE: {
    meaning: 'The signature of the message is malformed.',
    cause: 'It is not cb58 or hex, has a wrong length, or no key can have made it.',
    fix: 'Copy the whole signature.',
  },
  MESSAGE_SIGNER: {
    meaning: 'The key of the address has not signed this message.',
    cause: 'The message differs, for example by a space, or another key has signed it.',
    fix: 'Compare message and address; do not trust the claim until it verifies.',
  },
}

/** Texts on the codes of `CoreError`. */
export const coreErrors: ErrorTexts<CoreErrorCode> = {
  CORE_REJECTED: {
    meaning: 'The user rejected the request.',
    cause: 'The wallet showed something else than expected, or the wrong button was pressed.',
    fix: 'Ask again if it was a mistake. Nothing was signed.',
  },
  CORE_FAILED: {
    meaning: 'The wallet failed; `cause` says why.',
    cause:
      'The page is not connected to it, it does not have the method, or its node does not answer.',
    fix: 'Connect the wallet and try again. If a transaction was to be sent, look for it first.',
  },
  CORE_REPLY: {
    meaning: 'The wallet returned something else than was asked for.',
    cause: 'Another transaction, a signature of another key, or a reply in an unknown format.',
    fix: 'Do not issue what it returned. Update the wallet; check what stands between it and the page.',
  },
  CORE_SENT: {
    meaning: 'A transaction may have been issued, which could not be verified; `txID` is its ID.',
    cause: 'No node has shown it yet, or it is not the transaction that was asked for.',
    fix: 'Look for the ID, and for the UTXOs of the draft, before you pay again.',
  },
  CORE_METHOD: {
    meaning: 'The wallet does not support the method.',
    cause: 'The request is for another kind of wallet, or the wallet was given no function for it.',
    fix: 'Use one of the methods that `handleAvalancheRequest` lists.',
  },
  CORE_PARAMS: {
    meaning: 'The parameters of a request are invalid.',
    cause: 'A page has sent something that is not in the format of Core.',
    fix: 'Compare the parameters with those in docs/core.md.',
  },
  CORE_REFUSED: {
    meaning: 'The wallet refuses to sign a request; `cause` has the code of the reason.',
    cause:
      'A danger, a policy, another network, UTXOs that its node does not prove, or nothing to sign.',
    fix: 'Do not sign it unless you know why. A danger can be accepted with `accept`.',
  },
}

/** Texts on the codes of `KeystoneError`. */
export const keystoneErrors: ErrorTexts<KeystoneErrorCode> = {
  KEYSTONE_UR: {
    meaning: 'The text is not a UR, is incomplete, or has a wrong checksum.',
    cause: 'Another QR code was read, or not all of a series.',
    fix: 'Scan the QR codes of the device again, all of them.',
  },
  KEYSTONE_TYPE: {
    meaning: 'The UR has another type than expected.',
    cause: 'The device shows something else, for instance an account.',
    fix: 'Scan the request with the device, approve it, and scan the signature that it shows.',
  },
  KEYSTONE_CBOR: {
    meaning: 'The content of the UR is not what its type says.',
    cause: 'The device or program that made it has a format that is not known here.',
    fix: 'Update the firmware of the device.',
  },
  KEYSTONE_PATH: {
    meaning: 'A key has no path, or one that the device does not use.',
    cause: 'The request was made from addresses, or is for another account than the first.',
    fix: "Create the request from the xpub of m/44'/9000'/0', so that it has the paths.",
  },
  KEYSTONE_UNSUPPORTED: {
    meaning: 'The device cannot show a transaction like this.',
    cause: 'Its firmware parses BaseTx, ImportTx and ExportTx only.',
    fix: 'Sign it with other keys.',
  },
  KEYSTONE_REQUEST_ID: {
    meaning: 'The signature belongs to another request.',
    cause: 'The device showed the answer to an earlier request.',
    fix: 'Scan this request with the device and sign it.',
  },
  KEYSTONE_SIGNATURE: {
    meaning: 'No signer of the request has made the signature.',
    cause: 'The device has other keys, or has signed another transaction.',
    fix: 'Check which device and which passphrase are used. The signature was not added.',
  },
}
