package judge

import (
	"encoding/hex"

	"github.com/ava-labs/avalanchego/graft/coreth/plugin/evm/atomic"
	"github.com/ava-labs/avalanchego/vms/components/avax"
	platform "github.com/ava-labs/avalanchego/vms/platformvm/txs"
)

// ExportedUTXO is an entry that a transaction puts into shared memory.
type ExportedUTXO struct {
	Traits []string `json:"traits"`
	UTXO   string   `json:"utxo"`
	UTXOID string   `json:"utxoID"`
}

// PeerExports returns what a transaction of the P- or C-Chain exports.
func PeerExports(chain, txHex string) ([]ExportedUTXO, error) {
	data, err := hex.DecodeString(txHex)
	if err != nil {
		return nil, err
	}
	if chain == CChainID.String() {
		tx, err := parseAtomic(data)
		if err != nil {
			return nil, err
		}
		_, requests, err := tx.AtomicOps()
		if err != nil {
			return nil, err
		}
		var list []ExportedUTXO
		for _, element := range requests.PutRequests {
			exported := ExportedUTXO{Traits: []string{}, UTXO: hex.EncodeToString(element.Value), UTXOID: IDOfHex(hex.EncodeToString(element.Key))}
			for _, trait := range element.Traits {
				exported.Traits = append(exported.Traits, hex.EncodeToString(trait))
			}
			list = append(list, exported)
		}
		return list, nil
	}
	tx, err := platform.Parse(platform.Codec, data)
	if err != nil {
		return nil, err
	}
	return platformExports(tx), nil
}

// platformExports follows the executor of the P-Chain, which needs a whole state:
// exported outputs are numbered after the ordinary ones.
func platformExports(tx *platform.Tx) []ExportedUTXO {
	export, ok := tx.Unsigned.(*platform.ExportTx)
	if !ok {
		return nil
	}
	var list []ExportedUTXO
	for i, output := range export.ExportedOutputs {
		utxo := &avax.UTXO{
			UTXOID: avax.UTXOID{TxID: tx.ID(), OutputIndex: uint32(len(export.Outs) + i)},
			Asset:  output.Asset,
			Out:    output.Out,
		}
		data, err := platform.Codec.Marshal(platform.CodecVersion, utxo)
		if err != nil {
			panic(err)
		}
		exported := ExportedUTXO{Traits: []string{}, UTXO: hex.EncodeToString(data), UTXOID: utxo.InputID().String()}
		if out, ok := utxo.Out.(avax.Addressable); ok {
			for _, address := range out.Addresses() {
				exported.Traits = append(exported.Traits, hex.EncodeToString(address))
			}
		}
		list = append(list, exported)
	}
	return list
}

// PeerImports returns the IDs of what a transaction of the P- or C-Chain takes
// out of shared memory, in the order of its inputs.
func PeerImports(chain, txHex string) (list []string, err error) {
	data, err := hex.DecodeString(txHex)
	if err != nil {
		return nil, err
	}
	var inputs []*avax.TransferableInput
	if chain == CChainID.String() {
		tx, err := parseAtomic(data)
		if err != nil {
			return nil, err
		}
		inputs = tx.UnsignedAtomicTx.(*atomic.UnsignedImportTx).ImportedInputs
	} else {
		tx, err := platform.Parse(platform.Codec, data)
		if err != nil {
			return nil, err
		}
		inputs = tx.Unsigned.(*platform.ImportTx).ImportedInputs
	}
	for _, input := range inputs {
		list = append(list, input.InputID().String())
	}
	return list, nil
}
