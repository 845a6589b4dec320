package judge

import "github.com/ava-labs/avalanchego/vms/avm/txs/executor"

// SyntacticCase asks the VM's SyntacticVerifier about a signed transaction on
// network local.
type SyntacticCase struct {
	Head
	Made []string `json:"made"`
	Blob
	Verdict
	TxType string `json:"txType"`
	TxID   string `json:"txID"`
}

func (c *SyntacticCase) Judge() error {
	value, err := c.Value()
	if err != nil {
		return err
	}
	tx, err := vm.ParseTx(value)
	if err != nil {
		return err
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
