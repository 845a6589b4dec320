package judge

import (
	"bytes"

	"github.com/ava-labs/avalanchego/snow"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/components/avax"
)

// UTXOCase asks the codec about the bytes of a UTXO.
type UTXOCase struct {
	Head
	// Network is the network ID of the node that renders JSON. 0: not rendered.
	Network  uint32   `json:"network,omitempty"`
	Mutation []string `json:"mutation,omitempty"`
	Blob
	Verdict
	TxID        string  `json:"txID,omitempty"`
	OutputIndex *uint32 `json:"outputIndex,omitempty"`
	AssetID     string  `json:"assetID,omitempty"`
	UTXOID      string  `json:"utxoID,omitempty"`
	Reencode    *bool   `json:"reencode,omitempty"`
	// Verify is the Go name of the rule that the UTXO breaks, if any.
	Verify string `json:"verify,omitempty"`
	// JSON is Go's rendering of the struct; no API prints it.
	JSON *string `json:"json,omitempty"`
}

func (c *UTXOCase) Judge() error {
	value, err := c.Value()
	if err != nil {
		return err
	}
	c.TxID, c.OutputIndex, c.AssetID, c.UTXOID, c.Reencode, c.Verify, c.JSON = "", nil, "", "", nil, "", nil
	utxo := new(avax.UTXO)
	if _, err := vm.Codec().Unmarshal(value, utxo); err != nil {
		c.refuse(err)
		return nil
	}
	c.accept()
	c.TxID = utxo.TxID.String()
	c.OutputIndex = ptr(utxo.OutputIndex)
	c.AssetID = utxo.AssetID().String()
	c.UTXOID = utxo.InputID().String()
	again, err := vm.Codec().Marshal(txs.CodecVersion, utxo)
	c.Reencode = ptr(err == nil && bytes.Equal(again, value))
	if err := utxo.Verify(); err != nil {
		c.Verify, _ = nameOf(err)
	}
	if c.Network != 0 && c.Parts == nil {
		if out, ok := utxo.Out.(snow.ContextInitializable); ok {
			out.InitCtx(newContext(c.Network))
		}
		c.JSON, _ = rendered(nil, utxo)
	}
	return nil
}

func (c *UTXOCase) Answer() any {
	answer := *c
	answer.Blob, answer.Network, answer.Mutation = Blob{}, 0, nil
	return &answer
}
