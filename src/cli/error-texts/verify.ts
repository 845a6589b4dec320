import type { CodecErrorCode, VerifyErrorCode } from '../../core/base/errors.ts'
import type { ErrorTexts } from './error-text.ts'

/** Texts on the codes of `VerifyError`. */
export const verifyErrors: ErrorTexts<Exclude<VerifyErrorCode, CodecErrorCode>> = {
  WRONG_NETWORK_ID: {
    meaning: 'The transaction is for another network.',
    cause:
      'It was built with the context of another network, or is issued to a node of another one.',
    fix: 'Build it again with the context of this node (`client.context()`), or use a node of its network.',
  },
  WRONG_CHAIN_ID: {
    meaning: 'The transaction is for another chain.',
    cause:
      'The context was read from another chain, or a development chain began anew with another ID.',
    fix: 'Read the context again, build and sign again.',
  },
  MEMO_TOO_LARGE: {
    meaning: 'The memo has more than 256 bytes.',
    cause: 'Bytes count, not characters: letters beyond ASCII take two to four bytes.',
    fix: 'Shorten the memo. It is public; put long texts elsewhere and their hash here.',
  },
  EMPTY_ASSET_ID: {
    meaning: 'The asset ID consists of 32 zero bytes.',
    cause: 'A field was never filled in.',
    fix: 'Set the asset ID; AVAX is `context.assetID`.',
  },
  OUTPUT_ZERO_AMOUNT: {
    meaning: 'An output has the amount 0.',
    cause: 'The amount was rounded, or computed as 0.',
    fix: 'Leave the output out, or set its amount.',
  },
  INPUT_ZERO_AMOUNT: {
    meaning: 'An input has the amount 0.',
    cause: 'The transaction was not made by a builder, or was changed.',
    fix: 'Take the amount from the UTXO that the input spends.',
  },
  OWNERS_UNSPENDABLE: {
    meaning: 'The threshold exceeds the number of owners, so nobody could ever spend the output.',
    cause: 'A threshold was set for fewer addresses than intended.',
    fix: 'Lower the threshold or add the missing owners.',
  },
  OWNERS_UNOPTIMIZED: {
    meaning: 'The threshold is 0, but owners are named.',
    cause: 'The node accepts only an empty list with threshold 0.',
    fix: 'Set the threshold to at least 1. An output with no owners can be spent by anyone.',
  },
  ADDRS_NOT_SORTED_UNIQUE: {
    meaning: 'The owners of an output are not in ascending order, or one occurs twice.',
    cause: 'The output was not made by a builder.',
    fix: 'Sort the addresses by their bytes and remove repetitions; builders do this.',
  },
  SIG_INDICES_NOT_SORTED_UNIQUE: {
    meaning: 'The signature indices of an input are not in ascending order, or one occurs twice.',
    cause: 'The input was not made by a builder.',
    fix: 'Sort the indices and remove repetitions.',
  },
  OUTPUTS_NOT_SORTED: {
    meaning: 'The outputs are not in the order that the node requires.',
    cause: 'They were appended or changed after building.',
    fix: 'Build the transaction again, or sort outputs by asset ID and bytes.',
  },
  INPUTS_NOT_SORTED_UNIQUE: {
    meaning: 'The inputs are not in the order that the node requires, or a UTXO is spent twice.',
    cause: 'They were appended after building, or a UTXO was read from two pages.',
    fix: 'Build again from a `UTXOSet`, which keeps each UTXO once.',
  },
  AMOUNT_OVERFLOW: {
    meaning: 'A sum of amounts exceeds 2^64 − 1.',
    cause: 'Inputs or outputs of one asset add up to more than the chain can count.',
    fix: 'Use several transactions.',
  },
  INSUFFICIENT_FUNDS: {
    meaning: 'The inputs do not cover the outputs and the fee.',
    cause: 'The transaction was changed after building, or the fee of the network has risen since.',
    fix: 'Read the context and the UTXOs again and build anew.',
  },
  WRONG_NUMBER_OF_CREDENTIALS: {
    meaning: 'The number of credentials differs from the number of inputs and operations.',
    cause: 'Signatures are missing, or belong to another transaction.',
    fix: 'Sign with `signDraft` or `signRequest`, which make one credential per input.',
  },
  NAME_TOO_SHORT: {
    meaning: 'The name of the asset is empty.',
    cause: 'No name was given.',
    fix: 'Choose a name of 1 to 128 characters.',
  },
  NAME_TOO_LONG: {
    meaning: 'The name of the asset has more than 128 characters.',
    cause: 'The limit of the node is exceeded.',
    fix: 'Choose a shorter name.',
  },
  SYMBOL_TOO_SHORT: {
    meaning: 'The symbol of the asset is empty.',
    cause: 'No symbol was given.',
    fix: 'Choose 1 to 4 upper-case letters.',
  },
  SYMBOL_TOO_LONG: {
    meaning: 'The symbol of the asset has more than 4 characters.',
    cause: 'The limit of the node is exceeded.',
    fix: 'Choose 1 to 4 upper-case letters.',
  },
  NO_FXS: {
    meaning: 'The asset has no initial state.',
    cause: 'No holder, minter, NFT group or property was given.',
    fix: 'Give it at least one initial holder or minter.',
  },
  DENOMINATION_TOO_LARGE: {
    meaning: 'The asset has more than 32 decimals.',
    cause: 'The limit of the node is exceeded.',
    fix: 'Choose 0 to 32 decimals; AVAX has 9.',
  },
  NAME_WHITESPACE: {
    meaning: 'The name of the asset begins or ends with a space.',
    cause: 'It was copied with surrounding spaces.',
    fix: 'Remove them; spaces inside are allowed.',
  },
  NAME_ILLEGAL_CHAR: {
    meaning: 'The name of the asset contains a character that is not allowed.',
    cause: 'Only ASCII letters, digits and inner spaces are.',
    fix: 'Choose another name.',
  },
  SYMBOL_ILLEGAL_CHAR: {
    meaning: 'The symbol of the asset contains something else than upper-case letters.',
    cause: 'Only A to Z are allowed.',
    fix: 'Choose another symbol.',
  },
  UNKNOWN_FX_INDEX: {
    meaning: 'An initial state names a feature extension that the chain does not have.',
    cause: 'The index is above 2 on the X-Chain, or the chain has fewer extensions.',
    fix: 'Use 0 for amounts, 1 for NFTs and 2 for properties.',
  },
  INITIAL_STATE_OUTPUTS_NOT_SORTED: {
    meaning: 'The outputs of an initial state are not in the order that the node requires.',
    cause: 'The transaction was not made by `buildCreateAsset`.',
    fix: 'Build it with `buildCreateAsset`, or sort the outputs by their bytes.',
  },
  INITIAL_STATES_NOT_SORTED_UNIQUE: {
    meaning: 'The initial states are not sorted by feature extension, or one occurs twice.',
    cause: 'The transaction was not made by `buildCreateAsset`.',
    fix: 'Merge states of the same extension and sort them.',
  },
  PAYLOAD_TOO_LARGE: {
    meaning: 'The payload of an NFT has more than 1024 bytes.',
    cause: 'The limit of the node is exceeded.',
    fix: 'Store the content elsewhere and put its address or hash into the payload.',
  },
  NO_OPERATIONS: {
    meaning: 'A transaction of operations has none.',
    cause: 'Nothing was minted or transferred.',
    fix: 'Add an operation, or send a payment instead.',
  },
  OP_UTXO_IDS_NOT_SORTED_UNIQUE: {
    meaning: 'The UTXOs of an operation are not sorted, or one occurs twice.',
    cause: 'The operation was not made by a builder.',
    fix: 'Sort them by transaction ID and index.',
  },
  DOUBLE_SPEND: {
    meaning: 'Two inputs or operations of one transaction spend the same UTXO.',
    cause: 'A UTXO was given both for the fee and for an operation.',
    fix: 'Let the builder select the UTXOs, or name each one once.',
  },
  OPERATIONS_NOT_SORTED_UNIQUE: {
    meaning: 'The operations are not in the order that the node requires, or one occurs twice.',
    cause: 'They were appended after building.',
    fix: 'Build the transaction again.',
  },
  NO_IMPORT_INPUTS: {
    meaning: 'An import has no imported inputs.',
    cause: 'The other chain has exported nothing to these addresses, or it was imported already.',
    fix: 'Check with `avmkit balance --source-chain P`; wait until the export is accepted.',
  },
  NO_EXPORT_OUTPUTS: {
    meaning: 'An export has no exported outputs.',
    cause: 'No output was given.',
    fix: 'Name at least one recipient and amount.',
  },
  UTXO_NOT_FOUND: {
    meaning: 'A spent UTXO does not exist on this chain.',
    cause: 'It was spent by another transaction, is not created yet, or belongs to another chain.',
    fix: 'Read the UTXOs again and build anew. If a payment with an idempotency key is pending, resume it instead.',
  },
  ASSET_NOT_FOUND: {
    meaning: 'The transaction that created the asset is unknown.',
    cause:
      'The asset ID is wrong, belongs to another network, or its transaction is not accepted yet.',
    fix: 'Check the ID with `avmkit asset ID`.',
  },
  NOT_AN_ASSET: {
    meaning: 'The transaction with this ID did not create an asset.',
    cause: 'The ID of a payment was used as asset ID.',
    fix: 'Use the ID of the transaction that created the asset.',
  },
  INCOMPATIBLE_FX: {
    meaning: 'The asset does not support this kind of output or operation.',
    cause: 'For example minting NFTs of an asset that was created without NFT minters.',
    fix: 'Check the initial state of the asset with `avmkit asset ID`.',
  },
  ASSET_ID_MISMATCH: {
    meaning: 'An input names another asset than the UTXO that it spends.',
    cause: 'The transaction was changed, or the UTXO comes from a server that lies.',
    fix: 'Build again from UTXOs of a server that you trust, or of several.',
  },
  SAME_CHAIN: {
    meaning: 'An export or import names its own chain as the other one.',
    cause: 'The destination or source is the X-Chain itself.',
    fix: 'Send a payment instead, or name P or C.',
  },
  UNKNOWN_CHAIN: {
    meaning: 'The other chain of an export or import is not known.',
    cause: 'The context does not list it, or the ID is wrong.',
    fix: 'Use P, C or a chain ID of the same network.',
  },
  DIFFERENT_SUBNET: {
    meaning: 'The other chain is not validated by the same subnet.',
    cause: 'Funds can be exported only between chains of one subnet, such as X, P and C.',
    fix: 'Use a chain of the primary network.',
  },
  ATOMIC_UTXO_NOT_FOUND: {
    meaning: 'An imported UTXO is not in the memory shared with the source chain.',
    cause: 'The export is not accepted yet, or the UTXO was imported before.',
    fix: 'Wait for the export; `avmkit moves` shows where the funds are.',
  },
  TIMELOCKED: {
    meaning: 'A spent UTXO is still locked.',
    cause: 'Its locktime is in the future, by the clock of the node.',
    fix: 'Wait until the time that `avmkit utxos` shows, or spend other UTXOs.',
  },
  TOO_MANY_SIGNERS: {
    meaning: 'An input has more signature indices than the threshold of its UTXO.',
    cause: 'The input was not made by a builder.',
    fix: 'Name exactly as many signers as the threshold requires.',
  },
  TOO_FEW_SIGNERS: {
    meaning: 'An input has fewer signature indices than the threshold of its UTXO.',
    cause: 'Not enough owners were named as signers.',
    fix: 'Add owners until the threshold is reached.',
  },
  CREDENTIAL_SIGNERS_MISMATCH: {
    meaning: 'A credential has another number of signatures than its input has signers.',
    cause: 'Signatures were removed, added or moved between inputs.',
    fix: 'Sign again, or merge the signed copies of the request.',
  },
  SIG_INDEX_OUT_OF_BOUNDS: {
    meaning: 'An input names an owner that its UTXO does not have.',
    cause: 'The index was computed for another UTXO.',
    fix: 'Build the input from the UTXO that it spends.',
  },
  SIG_HIGH_S: {
    meaning:
      'A signature is in the form that the chain refuses: its s is above half the group order.',
    cause: 'The signer does not normalize signatures.',
    fix: 'Replace s by n − s and flip the recovery bit; all signers of this library do so.',
  },
  SIG_INVALID: {
    meaning: 'No public key can be recovered from a signature.',
    cause: 'The 65 bytes are damaged or not a signature.',
    fix: 'Sign again.',
  },
  WRONG_SIGNER: {
    meaning: 'A signature was made by another key than that of the owner.',
    cause: 'The wrong key signed, or the transaction was changed after signing.',
    fix: 'Sign with the key of the address that the message names.',
  },
  WRONG_CREDENTIAL_TYPE: {
    meaning: 'A credential belongs to another feature extension than what it signs for.',
    cause: 'For example the credential of an NFT for a payment.',
    fix: 'Sign again with this library, which chooses the type.',
  },
  WRONG_UTXO_TYPE: {
    meaning: 'An input or operation cannot spend this type of UTXO.',
    cause: 'For example an amount taken from a right to mint.',
    fix: 'Choose a UTXO of the right type.',
  },
  WRONG_OPERATION_TYPE: {
    meaning: 'The feature extension has no such operation.',
    cause: "The operation belongs to another extension than the asset's UTXO.",
    fix: 'Use the operation of the extension that holds the UTXO.',
  },
  WRONG_NUMBER_OF_UTXOS: {
    meaning: 'An operation spends another number of UTXOs than it must.',
    cause: 'Operations of the X-Chain spend exactly one.',
    fix: 'Give each operation one UTXO.',
  },
  WRONG_MINT_OUTPUT: {
    meaning: 'A mint operation changes who can mint.',
    cause: 'The new mint output must have the same owners as the one that is spent.',
    fix: 'Copy the owners of the UTXO into the mint output.',
  },
  WRONG_GROUP_ID: {
    meaning: 'An NFT operation names another group than its UTXO.',
    cause: 'The group was typed, or the UTXO belongs to another NFT.',
    fix: 'Take the group from the UTXO.',
  },
  WRONG_PAYLOAD: {
    meaning: 'An NFT transfer changes the payload.',
    cause: 'The payload of an NFT stays the same for ever.',
    fix: 'Copy the payload from the UTXO.',
  },
  MISMATCHED_AMOUNTS: {
    meaning: 'An input states another amount than its UTXO has.',
    cause: 'The transaction was changed, or the UTXO was read from a server that lies.',
    fix: 'Read the UTXO again and build anew.',
  },
  CANT_TRANSFER: {
    meaning: 'The feature extension has no transfers of this kind.',
    cause: 'NFTs and properties move by operations, not by inputs and outputs.',
    fix: 'Use `buildTransferNFT`, or burn the property.',
  },
  INVALID_LOCKTIME: {
    meaning: 'A stakeable lock of the P-Chain is invalid.',
    cause: 'Its time is 0, or a lock is inside another lock.',
    fix: 'Leave the lock out, or set a time in the future.',
  },
  LOCKED_EXPORT: {
    meaning: 'Locked funds of the P-Chain would be exported.',
    cause: 'Stakeable locked AVAX can be staked, but not moved.',
    fix: 'Export unlocked AVAX, or wait for the unlock.',
  },
  LOCKED_NOT_MARKED: {
    meaning: 'An input spends a locked UTXO without saying so.',
    cause: 'The input was made for an unlocked UTXO.',
    fix: 'Wrap the input with the locktime of the UTXO.',
  },
  LOCKTIME_MISMATCH: {
    meaning: 'An input states another locktime than its UTXO.',
    cause: 'The input was made for another UTXO.',
    fix: 'Take the locktime from the UTXO.',
  },
  INSUFFICIENT_LOCKED_FUNDS: {
    meaning: 'Locked inputs do not cover the outputs with the same lock.',
    cause: 'Locked funds must stay locked until the same time for the same owners.',
    fix: 'Return the whole locked amount with its lock to its owner.',
  },
  GAS_ABOVE_CAPACITY: {
    meaning: 'The transaction needs more gas than the P-Chain can process now.',
    cause: 'It is very large, or the chain was busy in the last seconds.',
    fix: 'Wait, or split it into smaller transactions.',
  },
  NO_EVM_OUTPUTS: {
    meaning: 'An import to the C-Chain credits no account.',
    cause: 'No output is left after the fee.',
    fix: 'Import more, or wait for a lower base fee.',
  },
  NO_EVM_INPUTS: {
    meaning: 'An export from the C-Chain debits no account.',
    cause: 'No input was given.',
    fix: 'Name the account that pays.',
  },
  NON_AVAX: {
    meaning: 'The C-Chain would import or export another asset than AVAX.',
    cause: 'Since the upgrade Banff only AVAX can cross this border.',
    fix: 'Move other assets between X and P only.',
  },
  EVM_INPUTS_NOT_SORTED_UNIQUE: {
    meaning: 'The accounts that an export debits are not sorted, or one occurs twice.',
    cause: 'The transaction was not made by a builder.',
    fix: 'Sort by address and asset ID and merge repetitions.',
  },
  EVM_OUTPUTS_NOT_SORTED_UNIQUE: {
    meaning: 'The accounts that an import credits are not sorted, or one occurs twice.',
    cause: 'The transaction was not made by a builder.',
    fix: 'Sort by address and asset ID and merge repetitions.',
  },
  WRONG_NONCE: {
    meaning: 'The nonce of a C-Chain export is not the next one of the account.',
    cause:
      'Another transaction of the account was accepted in between, or one is missing before it.',
    fix: 'Read the account again, build and sign anew. The old transaction can never be accepted if the nonce was used.',
  },
}
