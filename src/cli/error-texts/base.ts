import type { ArgumentErrorCode, CodecErrorCode } from '../../core/base/errors.ts'
import type { ErrorTexts } from './error-text.ts'

/** Texts on the codes of `ArgumentError`. */
export const argumentErrors: ErrorTexts<ArgumentErrorCode> = {
  UNKNOWN_OPTION: {
    meaning: 'A call got an object with a member that it does not know.',
    cause:
      'The name is mistyped, or belongs to another function or version. An ignored member could be the asset or the owner of the change, so it is refused.',
    fix: 'Compare the name with the one that the message suggests. Remove members that the documentation of the call does not list.',
  },
  MISSING_OPTION: {
    meaning: 'A required member of an argument is absent or undefined.',
    cause: 'The object was built without it, or a variable that should hold it was never set.',
    fix: 'Pass the member that the message names. The type of the call lists what is required.',
  },
  ENC_INVALID: {
    meaning: 'A value has the wrong type or no valid form.',
    cause:
      'For example a number where a bigint is expected, an empty string, an invalid URL, or an array that has holes.',
    fix: 'The error names the place (`path`), what was `expected` and what was `found`. Convert the value before the call, amounts with `parseAmount`.',
  },
  ENC_MISSING_0X: {
    meaning: 'Hex with a checksum must begin with 0x.',
    cause: 'The text was copied without its first two characters, or is hex without a checksum.',
    fix: 'Add 0x if the text comes from the node. Use `hex.decode` for hex without a checksum.',
  },
  ENC_BAD_HEX: {
    meaning: 'The text is not hex.',
    cause:
      'It has an odd number of digits, or a character other than 0–9 and a–f, often because it was cut or contains a line break.',
    fix: 'Copy the whole text again, in one line.',
  },
  ENC_BAD_BASE58: {
    meaning: 'A character is not one of base58.',
    cause:
      'Base58 has no 0, O, I and l, which look alike. The text was typed by hand, or is of another encoding.',
    fix: 'Copy the ID, key or transaction again instead of typing it.',
  },
  ENC_BAD_BECH32: {
    meaning: 'The text after the chain is not bech32.',
    cause:
      'The separator 1, the network prefix or a character is wrong: the text is not an address, or was damaged.',
    fix: 'Copy the address again. It looks like X-avax1… on mainnet and X-fuji1… on Fuji.',
  },
  ENC_MISSING_CHECKSUM: {
    meaning: 'The text is too short to contain its checksum.',
    cause: 'It was cut, or is the encoding of something without a checksum.',
    fix: 'Copy the whole text again.',
  },
  ENC_BAD_CHECKSUM: {
    meaning: 'The checksum at the end does not match the rest.',
    cause:
      'At least one character differs from the original: a typo, a missing piece, or two texts joined.',
    fix: 'Copy the text again from its source. Never correct single characters: the result could be another address.',
  },
  ENC_MISSING_PREFIX: {
    meaning: 'An address has no chain in front.',
    cause: 'Only the part after the dash was copied, or the address is one of the EVM (0x…).',
    fix: 'Write the chain in front: X-, P- or C-, as in X-avax1….',
  },
  ENC_MIXED_CASE: {
    meaning: 'The text mixes upper and lower case, or its prefix is in upper case.',
    cause: 'Bech32 forbids mixed case, because it reveals damaged text.',
    fix: 'Copy the address again; it is all in lower case.',
  },
  ENC_TOO_LONG: {
    meaning: 'The text is longer than any valid one.',
    cause: 'Several texts were joined, or this is a document of another kind.',
    fix: 'Pass one value. Transactions are passed as hex, which has no such limit.',
  },
  ENC_WRONG_LENGTH: {
    meaning: 'The value has the wrong number of bytes.',
    cause:
      'An ID has 32 bytes, an address 20 and a public key 33: this is another kind of value, or a part of one.',
    fix: 'Check which kind of value the call expects; `avmkit decode` tells what a text is.',
  },
  ENC_WRONG_HRP: {
    meaning: 'The address belongs to another network.',
    cause:
      'For example X-fuji1… on mainnet. The same key has an address on every network, but funds do not move between them.',
    fix: 'Ask for the address on this network. `avmkit address TEXT --network NETWORK` converts an address of your own keys.',
  },
  ENC_WRONG_CHAIN: {
    meaning: 'The address belongs to another chain of the network.',
    cause: 'A P- or C- address was given where an X- address is needed, or the other way round.',
    fix: 'Use an address of this chain. `avmkit move`, or an export with an import, brings funds to another chain.',
  },
  ENC_KEY_RANGE: {
    meaning: 'The 32 bytes are not a valid private key.',
    cause:
      'A key is above 0 and below the order of the group. Other values occur only by damage or a faulty generator.',
    fix: 'Restore the key from its backup. Do not use the program that created it.',
  },
  ENC_BAD_AMOUNT: {
    meaning: 'The text is not an amount of this asset.',
    cause:
      'It has a sign, an exponent or separators, more decimals than the asset, or exceeds 2^64 − 1 base units; or a number was passed instead of a string.',
    fix: "Write digits with at most one decimal point, such as '1.5', and pass the decimals of the asset to `parseAmount`.",
  },
  ENC_BAD_INDEX: {
    meaning: 'The index of an output is not a whole number from 0 to 4294967295.',
    cause: 'A UTXO is named TXID:INDEX, and the part after the colon is missing or damaged.',
    fix: 'Copy the name again; `avmkit utxos` prints it.',
  },
  ENC_BAD_JSON: {
    meaning: 'A value cannot be read or written as JSON.',
    cause:
      'The text is not JSON, is nested too deeply, or contains a number that JSON cannot hold.',
    fix: 'Check that the file is complete. Amounts are decimal strings in JSON.',
  },
}

/** Texts on the codes of `CodecError`. */
export const codecErrors: ErrorTexts<CodecErrorCode> = {
  CODEC_TOO_BIG: {
    meaning: 'The bytes exceed the size limit of the chain.',
    cause: 'A transaction, block or genesis document larger than the node accepts.',
    fix: 'Split it into several transactions: `plan…` functions and `sweep` do this.',
  },
  CODEC_VERSION_MISSING: {
    meaning: 'There are fewer than two bytes, so the codec version is missing.',
    cause: 'The input is empty, or was cut at the beginning.',
    fix: 'Pass the whole bytes, with the leading 0000.',
  },
  CODEC_UNKNOWN_VERSION: {
    meaning: 'The first two bytes are not codec version 0.',
    cause:
      'The bytes are of another kind, lack their first bytes, or come from a future version of the node.',
    fix: 'Check where the bytes come from; `avmkit decode` tries all known kinds.',
  },
  CODEC_SHORT_BUFFER: {
    meaning: 'The bytes end in the middle of a value.',
    cause: 'They were cut, or a length inside them is damaged.',
    fix: 'Copy the bytes again. `offset` and `path` of the error say where they end.',
  },
  CODEC_LENGTH_OVERFLOW: {
    meaning: 'A length in the bytes exceeds what is allowed at this place.',
    cause: 'The bytes are damaged or hostile: such a length would cause a huge allocation.',
    fix: 'Do not use these bytes. If a server sent them, use another server.',
  },
  CODEC_UNKNOWN_TYPE: {
    meaning: 'A type ID is not registered.',
    cause: 'The bytes are damaged, belong to another chain, or use a type newer than this version.',
    fix: 'Check the chain. P- and C-Chain transactions need `avmkit/p-chain` and `avmkit/c-chain`.',
  },
  CODEC_WRONG_TYPE: {
    meaning: 'A known type is at a place where it is not allowed.',
    cause:
      'For example an NFT output among the outputs of a payment: the bytes are damaged or made for another chain.',
    fix: 'Decode with the function of the right chain and kind.',
  },
  CODEC_TRAILING_BYTES: {
    meaning: 'Bytes follow after the end of the value.',
    cause:
      'The hex still has its checksum of four bytes, two values were joined, or the bytes are of another kind.',
    fix: 'Decode hex of the node with `checkedHex`, which verifies and removes the checksum.',
  },
  CODEC_BAD_VALUE: {
    meaning: 'A value to be encoded is out of range or has the wrong type.',
    cause:
      'For example an amount above 2^64 − 1, a negative number, or an address that does not have 20 bytes.',
    fix: 'Correct the field that `path` names.',
  },
  CODEC_JSON_SHAPE: {
    meaning: 'A member of the JSON is missing or has the wrong type.',
    cause: "The JSON is not the node's format, or an object was cut out of its surroundings.",
    fix: 'Pass the whole JSON that `avm.getTx` or `avm.getBlock` returns with encoding json.',
  },
  CODEC_JSON_AMBIGUOUS: {
    meaning: 'The JSON fits several types, and no ID decides between them.',
    cause: 'The node leaves out type IDs in its JSON; an empty list can belong to several types.',
    fix: 'Ask the node for hex instead of JSON.',
  },
}
