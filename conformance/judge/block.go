package judge

import (
	"bytes"
	"strconv"

	"github.com/ava-labs/avalanchego/vms/avm/block"
)

// maxRendered is the length of blocks whose JSON is recorded; that of longer
// blocks repeats what transactions show.
const maxRendered = 2500

// BlockCase asks the VM's parser about the bytes of a block.
type BlockCase struct {
	Head
	// Network is the network ID of the node that renders JSON. 0: not rendered.
	Network  uint32   `json:"network,omitempty"`
	Mutation []string `json:"mutation,omitempty"`
	Blob
	Verdict
	BlockID    string   `json:"blockID,omitempty"`
	ParentID   string   `json:"parentID,omitempty"`
	Height     string   `json:"height,omitempty"`
	Time       string   `json:"time,omitempty"`
	MerkleRoot string   `json:"merkleRoot,omitempty"`
	TxIDs      []string `json:"txIDs,omitzero"`
	Reencode   *bool    `json:"reencode,omitempty"`
	JSON       *string  `json:"json,omitempty"`
	JSONErr    string   `json:"jsonErr,omitempty"`
}

func (c *BlockCase) Judge() error {
	value, err := c.Value()
	if err != nil {
		return err
	}
	c.BlockID, c.ParentID, c.Height, c.Time, c.MerkleRoot, c.TxIDs = "", "", "", "", "", nil
	c.Reencode, c.JSON, c.JSONErr = nil, nil, ""
	parsed, err := vm.ParseBlock(value)
	if err != nil {
		c.refuse(err)
		return nil
	}
	standard := parsed.(*block.StandardBlock)
	c.accept()
	c.Lenient = lenientOf(standard.Txs()...)
	c.BlockID = standard.ID().String()
	c.ParentID = standard.Parent().String()
	c.Height = strconv.FormatUint(standard.Height(), 10)
	c.Time = strconv.FormatUint(standard.Time, 10)
	c.MerkleRoot = standard.MerkleRoot().String()
	c.TxIDs = []string{}
	for _, tx := range standard.Txs() {
		c.TxIDs = append(c.TxIDs, tx.ID().String())
	}
	again, err := vm.Codec().Marshal(block.CodecVersion, &parsed)
	c.Reencode = ptr(err == nil && bytes.Equal(again, value))
	if c.Network != 0 && len(value) <= maxRendered {
		c.JSON, c.JSONErr = rendered(newContext(c.Network), parsed)
	}
	return nil
}

func (c *BlockCase) Answer() any {
	answer := *c
	answer.Blob, answer.Network, answer.Mutation = Blob{}, 0, nil
	return &answer
}
