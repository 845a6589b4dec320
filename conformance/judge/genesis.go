package judge

import (
	"bytes"
	"encoding/hex"
	"strconv"

	"github.com/ava-labs/avalanchego/vms/avm"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
)

// GenesisCase asks avm.NewGenesis for the genesis data of a chain.
type GenesisCase struct {
	Head
	Network    uint32      `json:"network,omitempty"`
	Definition []AssetPlan `json:"definition,omitzero"`
	// Bytes is an answer here.
	Bytes string `json:"bytes"`
	Verdict
	Assets []GenesisAsset `json:"assets"`
}

// AssetPlan describes an asset; the order of plans does not matter.
type AssetPlan struct {
	Alias        string    `json:"alias"`
	Name         string    `json:"name"`
	Symbol       string    `json:"symbol"`
	Denomination uint8     `json:"denomination"`
	Memo         string    `json:"memo"`
	FixedCap     []Holding `json:"fixedCap"`
	VariableCap  []Minting `json:"variableCap"`
}

type Holding struct {
	Amount  string `json:"amount"`
	Address string `json:"address"`
}

type Minting struct {
	Minters []string `json:"minters"`
}

// GenesisAsset is an asset of the result, in the order of the bytes.
type GenesisAsset struct {
	Alias   string `json:"alias"`
	AssetID string `json:"assetID"`
	TxBytes string `json:"txBytes"`
}

func (c *GenesisCase) Judge() error {
	plans := make(map[string]avm.AssetDefinition)
	for _, plan := range c.Definition {
		memo, err := hex.DecodeString(plan.Memo)
		if err != nil {
			return err
		}
		asset := avm.AssetDefinition{
			Name:         plan.Name,
			Symbol:       plan.Symbol,
			Denomination: plan.Denomination,
			Memo:         memo,
		}
		for _, holding := range plan.FixedCap {
			amount, err := strconv.ParseUint(holding.Amount, 10, 64)
			if err != nil {
				return err
			}
			asset.InitialState.FixedCap = append(asset.InitialState.FixedCap, avm.Holder{Amount: amount, Address: holding.Address})
		}
		for _, minting := range plan.VariableCap {
			asset.InitialState.VariableCap = append(asset.InitialState.VariableCap, avm.Owners{Threshold: 1, Minters: minting.Minters})
		}
		plans[plan.Alias] = asset
	}
	c.Bytes, c.Assets = "", nil
	genesis, err := avm.NewGenesis(c.Network, plans)
	if err != nil {
		c.refuse(err)
		return nil
	}
	data, err := genesis.Bytes()
	if err != nil {
		c.refuse(err)
		return nil
	}
	c.accept()
	c.Bytes = hex.EncodeToString(data)
	for _, asset := range genesis.Txs {
		tx := &txs.Tx{Unsigned: &asset.CreateAssetTx}
		if err := tx.Initialize(vm.GenesisCodec()); err != nil {
			return err
		}
		c.Assets = append(c.Assets, GenesisAsset{asset.Alias, tx.ID().String(), hex.EncodeToString(tx.Bytes())})
	}
	return nil
}

func (c *GenesisCase) Answer() any {
	answer := *c
	answer.Network, answer.Definition = 0, nil
	return &answer
}

// GenesisBytesCase asks the genesis codec about the bytes of a chain's genesis.
type GenesisBytesCase struct {
	Head
	Blob
	Verdict
	Assets   []GenesisAsset `json:"assets,omitzero"`
	Reencode *bool          `json:"reencode,omitempty"`
}

func (c *GenesisBytesCase) Judge() error {
	value, err := c.Value()
	if err != nil {
		return err
	}
	c.Assets, c.Reencode = nil, nil
	var genesis avm.Genesis
	if _, err := vm.GenesisCodec().Unmarshal(value, &genesis); err != nil {
		c.refuse(err)
		return nil
	}
	c.accept()
	c.Assets = []GenesisAsset{}
	for _, asset := range genesis.Txs {
		tx := &txs.Tx{Unsigned: &asset.CreateAssetTx}
		if err := tx.Initialize(vm.GenesisCodec()); err != nil {
			return err
		}
		c.Lenient = append(c.Lenient, lenientOf(tx)...)
		c.Assets = append(c.Assets, GenesisAsset{asset.Alias, tx.ID().String(), hex.EncodeToString(tx.Bytes())})
	}
	again, err := vm.GenesisCodec().Marshal(txs.CodecVersion, &genesis)
	c.Reencode = ptr(err == nil && bytes.Equal(again, value))
	return nil
}

func (c *GenesisBytesCase) Answer() any {
	answer := *c
	answer.Blob = Blob{}
	return &answer
}
