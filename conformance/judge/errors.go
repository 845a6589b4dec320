package judge

import (
	"errors"
	"strings"

	"github.com/ava-labs/avalanchego/vms/avm/txs"
)

// errNames maps what an error text contains to the Go identifier of the error
// and to the rule's code in this library. Many of the errors are not exported, so
// the text is all there is to tell them apart. The first entry that fits counts.
var errNames = []struct{ text, name, code string }{
	{"byte array exceeds maximum length", "ErrUnmarshalTooBig", "CODEC_TOO_BIG"},
	{"max slice length exceeded", "ErrMaxSliceLenExceeded", "CODEC_LENGTH_OVERFLOW"},
	{"packer has insufficient length for input", "ErrInsufficientLength", "CODEC_SHORT_BUFFER"},
	{"trailing buffer space", "ErrExtraSpace", "CODEC_TRAILING_BYTES"},
	{"unknown type ID", "", "CODEC_UNKNOWN_TYPE"},
	{"does not implement interface", "ErrDoesNotImplementInterface", "CODEC_WRONG_TYPE"},
	{"unknown codec version", "ErrUnknownVersion", "CODEC_UNKNOWN_VERSION"},
	{"couldn't unpack codec version", "ErrCantUnpackVersion", "CODEC_VERSION_MISSING"},

	{"addresses not sorted and unique", "ErrAddrsNotSortedUnique", "ADDRS_NOT_SORTED_UNIQUE"},
	{"denomination is too large", "errDenominationTooLarge", "DENOMINATION_TOO_LARGE"},
	{"inputs attempt to double spend an input", "errDoubleSpend", "DOUBLE_SPEND"},
	{"empty asset ID is not valid", "errEmptyAssetID", "EMPTY_ASSET_ID"},
	{"initial states not sorted and unique", "errInitialStatesNotSortedUnique", "INITIAL_STATES_NOT_SORTED_UNIQUE"},
	{"outputs not sorted", "ErrOutputsNotSorted", "OUTPUTS_NOT_SORTED"},
	{"inputs not sorted and unique", "ErrInputsNotSortedUnique", "INPUTS_NOT_SORTED_UNIQUE"},
	{"input has no value", "ErrNoValueInput", "INPUT_ZERO_AMOUNT"},
	{"insufficient funds", "ErrInsufficientFunds", "INSUFFICIENT_FUNDS"},
	{"memo exceeds maximum length", "ErrMemoTooLarge", "MEMO_TOO_LARGE"},
	{"asset's name must be made up", "errIllegalNameCharacter", "NAME_ILLEGAL_CHAR"},
	{"name is too long", "errNameTooLong", "NAME_TOO_LONG"},
	{"name is too short", "errNameTooShort", "NAME_TOO_SHORT"},
	{"unexpected whitespace provided", "errUnexpectedWhitespace", "NAME_WHITESPACE"},
	{"no export outputs", "errNoExportOutputs", "NO_EXPORT_OUTPUTS"},
	{"assets must support at least one Fx", "errNoFxs", "NO_FXS"},
	{"no import inputs", "errNoImportInputs", "NO_IMPORT_INPUTS"},
	{"an operationTx must have at least one operation", "errNoOperations", "NO_OPERATIONS"},
	{"operations not sorted and unique", "errOperationsNotSortedUnique", "OPERATIONS_NOT_SORTED_UNIQUE"},
	{"utxo IDs not sorted and unique", "ErrNotSortedAndUniqueUTXOIDs", "OP_UTXO_IDS_NOT_SORTED_UNIQUE"},
	{"output has no value", "ErrNoValueOutput", "OUTPUT_ZERO_AMOUNT"},
	{"output representation should be optimized", "ErrOutputUnoptimized", "OWNERS_UNOPTIMIZED"},
	{"output is unspendable", "ErrOutputUnspendable", "OWNERS_UNSPENDABLE"},
	{"payload too large", "errPayloadTooLarge", "PAYLOAD_TOO_LARGE"},
	{"address indices not sorted and unique", "ErrInputIndicesNotSortedUnique", "SIG_INDICES_NOT_SORTED_UNIQUE"},
	{"asset's symbol must be all upper case letters", "errIllegalSymbolCharacter", "SYMBOL_ILLEGAL_CHAR"},
	{"symbol is too long", "errSymbolTooLong", "SYMBOL_TOO_LONG"},
	{"symbol is too short", "errSymbolTooShort", "SYMBOL_TOO_SHORT"},
	{"unknown feature extension", "ErrUnknownFx", "UNKNOWN_FX_INDEX"},
	{"tx has wrong chain ID", "ErrWrongChainID", "WRONG_CHAIN_ID"},
	{"tx has wrong network ID", "ErrWrongNetworkID", "WRONG_NETWORK_ID"},
	{"wrong number of credentials", "errWrongNumberOfCredentials", "WRONG_NUMBER_OF_CREDENTIALS"},
	{"overflow", "ErrOverflow", "AMOUNT_OVERFLOW"},

	{"failed to get utxo", "ErrNotFound", "UTXO_NOT_FOUND"},
	{"asset IDs in the input don't match the utxo", "errAssetIDMismatch", "ASSET_ID_MISMATCH"},
	{"cant transfer with this fx", "errCantTransfer", "CANT_TRANSFER"},
	{"input expected a different number of signers", "ErrInputCredentialSignersMismatch", "CREDENTIAL_SIGNERS_MISMATCH"},
	{"mismatched subnetIDs", "ErrMismatchedSubnetIDs", "DIFFERENT_SUBNET"},
	{"incompatible feature extension", "errIncompatibleFx", "INCOMPATIBLE_FX"},
	{"utxo amount and input amount are not equal", "ErrMismatchedAmounts", "MISMATCHED_AMOUNTS"},
	{"not an asset", "errNotAnAsset", "NOT_AN_ASSET"},
	{"same chainID", "ErrSameChainID", "SAME_CHAIN"},
	{"signature was mutated from its original format", "errMutatedSig", "SIG_HIGH_S"},
	{"input referenced a nonexistent address", "ErrInputOutputIndexOutOfBounds", "SIG_INDEX_OUT_OF_BOUNDS"},
	{"invalid signature length", "errInvalidSigLen", ""},
	{"invalid signature", "ErrInvalidSig", "SIG_INVALID"},
	{"wasn't expecting a compressed key", "errCompressed", "SIG_INVALID"},
	{"output is time locked", "ErrTimelocked", "TIMELOCKED"},
	{"input has less signers than expected", "ErrTooFewSigners", "TOO_FEW_SIGNERS"},
	{"input has more signers than expected", "ErrTooManySigners", "TOO_MANY_SIGNERS"},
	{"failed to get subnet of", "", "UNKNOWN_CHAIN"},
	{"wrong input type", "ErrWrongInputType", "WRONG_INPUT_TYPE"},
	{"wrong credential type", "ErrWrongCredentialType", "WRONG_CREDENTIAL_TYPE"},
	{"wrong operation type", "errWrongOperationType", "WRONG_OPERATION_TYPE"},
	{"wrong unique ID provided", "errWrongUniqueID", "WRONG_GROUP_ID"},
	{"wrong mint output created from the operation", "ErrWrongMintCreated", "WRONG_MINT_OUTPUT"},
	{"wrong mint output provided", "errWrongMintOutput", "WRONG_MINT_OUTPUT"},
	{"wrong number of UTXOs for the operation", "errWrongNumberOfUTXOs", "WRONG_NUMBER_OF_UTXOS"},
	{"wrong number of utxos for the operation", "ErrWrongNumberOfUTXOs", "WRONG_NUMBER_OF_UTXOS"},
	{"wrong bytes provided", "errWrongBytes", "WRONG_PAYLOAD"},
	{"wrong signature", "ErrWrongSig", "WRONG_SIGNER"},
	{"wrong utxo type", "ErrWrongUTXOType", "WRONG_UTXO_TYPE"},
	{"unknown output type", "ErrUnknownOutputType", "SIGNER_UNKNOWN_OUTPUT"},
	{"invalid UTXO signature index", "ErrInvalidUTXOSigIndex", "SIGNER_INVALID_SIG_INDEX"},
}

// nameOf returns the identifier of an error and the code of the rule.
func nameOf(err error) (name, code string) {
	if errors.Is(err, txs.ErrOutputsNotSorted) {
		// The outputs of a transaction have another error with the same text.
		return "ErrOutputsNotSorted", "INITIAL_STATE_OUTPUTS_NOT_SORTED"
	}
	text := err.Error()
	for _, entry := range errNames {
		if strings.Contains(text, entry.text) {
			return entry.name, entry.code
		}
	}
	return "", ""
}
