package judge

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/components/verify"
	"github.com/ava-labs/avalanchego/vms/nftfx"
	"github.com/ava-labs/avalanchego/vms/propertyfx"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"
)

// TxCase asks the VM's parser about the bytes of a transaction.
type TxCase struct {
	Head
	// Network is the network ID of the node that renders JSON. 0: not rendered.
	Network  uint32   `json:"network,omitempty"`
	Mutation []string `json:"mutation,omitempty"`
	Blob
	Verdict
	TxType         string  `json:"txType,omitempty"`
	TxID           string  `json:"txID,omitempty"`
	UnsignedLength int     `json:"unsignedLength,omitempty"`
	Reencode       *bool   `json:"reencode,omitempty"`
	JSON           *string `json:"json,omitempty"`
	JSONErr        string  `json:"jsonErr,omitempty"`
}

func (c *TxCase) Judge() error {
	value, err := c.Value()
	if err != nil {
		return err
	}
	c.TxType, c.TxID, c.UnsignedLength, c.Reencode, c.JSON, c.JSONErr = "", "", 0, nil, nil, ""
	tx, err := vm.ParseTx(value)
	if err != nil {
		c.refuse(err)
		return nil
	}
	c.accept()
	c.Lenient = lenientOf(tx)
	c.TxType = TypeOf(tx.Unsigned)
	c.TxID = tx.ID().String()
	c.UnsignedLength = len(tx.Unsigned.Bytes())
	again, err := vm.Codec().Marshal(txs.CodecVersion, tx)
	c.Reencode = ptr(err == nil && bytes.Equal(again, value))
	if c.Network != 0 && c.Parts == nil {
		c.JSON, c.JSONErr = rendered(newContext(c.Network), tx)
	}
	return nil
}

func (c *TxCase) Answer() any {
	answer := *c
	answer.Blob, answer.Network, answer.Mutation = Blob{}, 0, nil
	return &answer
}

// GenesisTxCase asks the parser of genesis data, which has no limit of 256 KiB.
type GenesisTxCase struct {
	Head
	Network uint32 `json:"network,omitempty"`
	Blob
	Verdict
	TxID           string `json:"txID,omitempty"`
	UnsignedLength int    `json:"unsignedLength,omitempty"`
	Reencode       *bool  `json:"reencode,omitempty"`
	// StandardCodec says whether the ordinary parser takes the bytes, too.
	StandardCodec *bool `json:"standardCodec,omitempty"`
}

func (c *GenesisTxCase) Judge() error {
	value, err := c.Value()
	if err != nil {
		return err
	}
	c.TxID, c.UnsignedLength, c.Reencode, c.StandardCodec = "", 0, nil, nil
	tx, err := vm.ParseGenesisTx(value)
	if err != nil {
		c.refuse(err)
		return nil
	}
	c.accept()
	c.TxID = tx.ID().String()
	c.UnsignedLength = len(tx.Unsigned.Bytes())
	again, err := vm.GenesisCodec().Marshal(txs.CodecVersion, tx)
	c.Reencode = ptr(err == nil && bytes.Equal(again, value))
	_, err = vm.ParseTx(value)
	c.StandardCodec = ptr(err == nil)
	return nil
}

func (c *GenesisTxCase) Answer() any {
	answer := *c
	answer.Blob, answer.Network = Blob{}, 0
	return &answer
}

// TypeOf returns the name of a transaction's type.
func TypeOf(tx txs.UnsignedTx) string {
	return strings.TrimPrefix(goType(tx), "*txs.")
}

// lenientOf lists what is odd about a transaction that the parser accepts.
func lenientOf(list ...*txs.Tx) (reasons []string) {
	oddCredential, oddText := false, false
	for _, tx := range list {
		for _, credential := range tx.Creds {
			oddCredential = oddCredential || !isCredential(credential.Credential)
		}
		if asset, ok := tx.Unsigned.(*txs.CreateAssetTx); ok {
			oddText = oddText || !utf8.ValidString(asset.Name) || !utf8.ValidString(asset.Symbol)
		}
	}
	if oddCredential {
		reasons = append(reasons, "credential-type")
	}
	if oddText {
		reasons = append(reasons, "invalid-utf8")
	}
	return reasons
}

// isCredential says whether the value is one of the three credential types; the
// codec accepts every type that can be verified in their place.
func isCredential(value verify.Verifiable) bool {
	switch value.(type) {
	case *secp256k1fx.Credential, *nftfx.Credential, *propertyfx.Credential:
		return true
	}
	return false
}
