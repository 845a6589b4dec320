package judge

import (
	"encoding/hex"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/vms/avm/txs/executor"
)

// SyntacticCase asks the VM's SyntacticVerifier about a signed transaction on
// network local.
type SyntacticCase struct {
	Head
	Made []string `json:"made,omitzero"`
	Blob
	Verdict
	TxType string `json:"txType,omitempty"`
	TxID   string `json:"txID,omitempty"`
}

func (c *SyntacticCase) Judge() error {
	value, err := c.Value()
	if err != nil {
		return err
	}
	c.TxType, c.TxID = "", ""
	tx, err := vm.ParseTx(value)
	if err != nil {
		c.refuse(err)
		return nil
	}
	c.accept()
	err = tx.Unsigned.Visit(&executor.SyntacticVerifier{Backend: vm.backend(vm.context), Tx: tx})
	if err != nil {
		c.refuse(err)
	}
	c.Lenient = lenientOf(tx)
	c.TxType = TypeOf(tx.Unsigned)
	c.TxID = tx.ID().String()
	return nil
}

func (c *SyntacticCase) Answer() any {
	answer := *c
	answer.Blob, answer.Made = Blob{}, nil
	return &answer
}

// Rules are what a chain checks transactions against: its IDs and fees.
type Rules struct {
	NetworkID        uint32 `json:"networkID"`
	BlockchainID     ids.ID `json:"blockchainID"`
	FeeAssetID       ids.ID `json:"feeAssetID"`
	TxFee            uint64 `json:"txFee,string"`
	CreateAssetTxFee uint64 `json:"createAssetTxFee,string"`
	Fxs              int    `json:"fxs"`
}

// Judge returns the Go name of the rule that a transaction breaks, or nothing.
func (r *Rules) Judge(bytesHex string) (string, error) {
	data, err := hex.DecodeString(bytesHex)
	if err != nil {
		return "", err
	}
	tx, err := vm.ParseTx(data)
	if err != nil {
		return "", err
	}
	context := newContext(r.NetworkID)
	context.ChainID = r.BlockchainID
	backend := vm.backend(context)
	backend.Config.TxFee = r.TxFee
	backend.Config.CreateAssetTxFee = r.CreateAssetTxFee
	backend.FeeAssetID = r.FeeAssetID
	backend.Fxs = backend.Fxs[:r.Fxs]
	err = tx.Unsigned.Visit(&executor.SyntacticVerifier{Backend: backend, Tx: tx})
	if err == nil {
		return "", nil
	}
	name, _ := nameOf(err)
	return name, nil
}
