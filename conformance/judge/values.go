package judge

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/components/avax"
)

func ptr[T any](value T) *T { return &value }

func goType(value any) string { return fmt.Sprintf("%T", value) }

func marshalHTML(value any) ([]byte, error) { return json.Marshal(value) }

// parseUTXO reads a UTXO from hex.
func parseUTXO(text string) (*avax.UTXO, error) {
	data, err := hex.DecodeString(text)
	if err != nil {
		return nil, err
	}
	utxo := new(avax.UTXO)
	_, err = vm.Codec().Unmarshal(data, utxo)
	return utxo, err
}

// encode returns the encoding of a value as hex; values in cases always encode.
func encode(value any) string {
	data, err := vm.Codec().Marshal(txs.CodecVersion, value)
	if err != nil {
		panic(err)
	}
	return hex.EncodeToString(data)
}
