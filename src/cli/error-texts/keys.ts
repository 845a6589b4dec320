import type { CryptoErrorCode } from '../../core/crypto/errors.ts'
import type { KeyFileErrorCode } from '../../core/crypto/keyfile/errors.ts'
import type { ErrorTexts } from './error-text.ts'

/** Texts on the codes of `CryptoError`. */
export const cryptoErrors: ErrorTexts<CryptoErrorCode> = {
  KEY_INVALID: {
    meaning: 'A private key is not valid, or there is none.',
    cause:
      'The 32 bytes are 0 or above the group order, or a key file contains neither a key nor a mnemonic.',
    fix: 'Check the key file: each line is PrivateKey-…, 64 hex digits or a mnemonic.',
  },
  KEY_UNKNOWN: {
    meaning: 'The key chain has no key for an address.',
    cause:
      'The key belongs to another wallet, another account of the mnemonic, or an address beyond those that were derived.',
    fix: 'Add the key, or derive more addresses.',
  },
  KEY_WIPED: {
    meaning: 'The keys of this account were erased from memory.',
    cause: '`wipe()` was called, and the account is used afterwards.',
    fix: 'Derive the account again, or wipe it later.',
  },
  HASH_INVALID: {
    meaning: 'The value to sign is not a hash of 32 bytes, or not below the group order.',
    cause: 'The bytes of a transaction were passed instead of their hash.',
    fix: 'Pass `sha256` of the unsigned bytes, or use `signDraft`.',
  },
  ENTROPY_INVALID: {
    meaning: 'Extra entropy for a signature does not have 32 bytes.',
    cause: 'A text or a shorter value was passed.',
    fix: 'Pass 32 random bytes, or leave it out.',
  },
  RANDOM_FAILED: {
    meaning: 'The platform returned no random bytes.',
    cause:
      '`crypto.getRandomValues` is missing, replaced or broken. A key made from its output would be known to others.',
    fix: 'Do not create keys in this environment. Use a current Node, Bun, Deno or browser.',
  },
  SIG_INVALID: {
    meaning: 'No public key can be recovered from the signature.',
    cause: 'The bytes are damaged, or belong to another curve.',
    fix: 'Ask the signer for the signature again.',
  },
  SIG_HIGH_S: {
    meaning: 'The s of the signature is above half the group order.',
    cause: 'The signer does not normalize signatures; the chain refuses such ones.',
    fix: 'Replace s by n − s and flip the recovery bit.',
  },
  SIG_MALFORMED: {
    meaning: 'The value is not a signature.',
    cause: 'A signature has 65 bytes: r, s and the recovery byte, which is 0 or 1.',
    fix: 'Convert DER or compact signatures before the call.',
  },
  WRONG_SIGNER: {
    meaning: 'The signature was not made by the expected key.',
    cause: 'Another key signed, or another message was signed.',
    fix: 'Check which key the signer uses.',
  },
  MNEMONIC_INVALID: {
    meaning: 'The words are not a valid mnemonic.',
    cause:
      'A word is not in the English list, the number of words is not 12, 15, 18, 21 or 24, or the checksum in the last word does not match.',
    fix: 'Compare the words with the backup one by one. The error names the first unknown word by its place, not by its text.',
  },
  PATH_INVALID: {
    meaning: 'The derivation path is invalid or of another account.',
    cause: "Paths have the form m/44'/9000'/a'/c/i with numbers below 2^31.",
    fix: 'Correct the path, or open the account that it belongs to.',
  },
  XPUB_INVALID: {
    meaning: 'The text is not the extended public key of an account.',
    cause: 'It was cut, is a private key (xprv…), or belongs to another depth of the tree.',
    fix: "Export the xpub of m/44'/9000'/a' from the wallet. `avmkit keys from-mnemonic` prints it.",
  },
  BACKEND_UNAVAILABLE: {
    meaning: 'The native signature code cannot be loaded.',
    cause: 'The optional package `secp256k1` is not installed, or was built for another platform.',
    fix: 'Install it, or use the default backend.',
  },
  BACKEND_FAILED: {
    meaning: 'A new signature does not verify.',
    cause:
      'The signature code or the hardware computed a wrong result. The signature was discarded, because a faulty one can reveal the key.',
    fix: 'Do not sign on this machine before the cause is known.',
  },
}

/** Texts on the codes of `KeyFileError`. */
export const keyFileErrors: ErrorTexts<KeyFileErrorCode> = {
  KEYFILE_DAMAGED: {
    meaning: 'The encrypted key file was cut or changed.',
    cause: 'An incomplete copy, an editor, or an attack. The encryption detects any change.',
    fix: 'Restore the file from a backup.',
  },
  KEYFILE_WRONG_PASSWORD: {
    meaning: 'The password does not open the file.',
    cause: 'It is mistyped, in another keyboard layout, or belongs to another file.',
    fix: 'Try again. Without the password the keys are lost, unless there is another backup.',
  },
  KEYFILE_UNSUPPORTED: {
    meaning: 'The file has another version, or a cost or size outside the limits.',
    cause: 'It was made by a newer version, or a hostile file asks for hours of computation.',
    fix: 'Use the version that made it; docs/key-files.md describes the format.',
  },
  BAD_PASSWORD: {
    meaning: 'The password is empty.',
    cause: 'An empty line was entered, or the password file starts with one.',
    fix: 'Choose a password of at least ten characters, better four random words.',
  },
}
