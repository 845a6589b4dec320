package judge

import (
	"encoding/hex"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/vms/components/avax"
)

// BlockTxs tells what each transaction of a block creates and consumes.
func BlockTxs(block string) ([]*OutputsCase, error) {
	data, err := hex.DecodeString(block)
	if err != nil {
		return nil, err
	}
	parsed, err := vm.ParseBlock(data)
	if err != nil {
		return nil, err
	}
	var list []*OutputsCase
	for _, tx := range parsed.Txs() {
		c := &OutputsCase{Blob: Blob{Bytes: ptr(hex.EncodeToString(tx.Bytes()))}}
		if err := c.Judge(); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// HasNoOwner says whether no address is an owner of a UTXO.
func HasNoOwner(utxo string) bool {
	parsed, err := parseUTXO(utxo)
	if err != nil {
		return false
	}
	out, ok := parsed.Out.(avax.Addressable)
	return ok && len(out.Addresses()) == 0
}

// IDOfHex prints an ID that is given as hex.
func IDOfHex(text string) string {
	data, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return ids.ID(data).String()
}
