package draw

import (
	"encoding/hex"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/utils/constants"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/components/avax"

	"avmkit/conformance/judge"
)

// World is what a chain knows apart from UTXOs: the assets by what they
// support, a transaction that is no asset, and a chain of another subnet.
type World struct {
	*Pool
	// All supports the three feature extensions, Only[i] just one of them.
	All      ids.ID
	Only     [3]ids.ID
	NotAsset ids.ID
	Foreign  ids.ID
	Context  *judge.SemanticContext
}

// NewWorld creates the assets.
func NewWorld(p *Pool) *World {
	w := &World{Pool: p, Foreign: p.id()}
	foreignSubnet := p.id()
	w.Context = &judge.SemanticContext{
		Network:          constants.LocalID,
		BlockchainID:     judge.XChainID,
		FeeAssetID:       judge.AVAXAssetID,
		TxFee:            judge.Fee,
		CreateAssetTxFee: judge.Fee,
		Subnets: []judge.ChainSubnet{
			{Chain: constants.PlatformChainID, Subnet: constants.PrimaryNetworkID},
			{Chain: judge.XChainID, Subnet: constants.PrimaryNetworkID},
			{Chain: judge.CChainID, Subnet: constants.PrimaryNetworkID},
			{Chain: w.Foreign, Subnet: foreignSubnet},
		},
	}
	_, _, list, err := judge.XGenesis(constants.LocalID)
	if err != nil {
		panic(err)
	}
	w.accepted(list[0])
	w.All = w.createAsset(0, 1, 2)
	for i := range w.Only {
		w.Only[i] = w.createAsset(uint32(i))
	}
	w.NotAsset = w.accepted(&txs.Tx{Unsigned: &txs.BaseTx{BaseTx: w.base()}})
	return w
}

func (w *World) base() avax.BaseTx {
	return avax.BaseTx{NetworkID: constants.LocalID, BlockchainID: judge.XChainID, Memo: w.Bytes(4)}
}

func (w *World) createAsset(extensions ...uint32) ids.ID {
	asset := &txs.CreateAssetTx{BaseTx: txs.BaseTx{BaseTx: w.base()}, Name: "Asset", Symbol: "A"}
	for _, index := range extensions {
		asset.States = append(asset.States, &txs.InitialState{FxIndex: index})
	}
	return w.accepted(&txs.Tx{Unsigned: asset})
}

func (w *World) accepted(tx *txs.Tx) ids.ID {
	if err := tx.Initialize(judge.Codec()); err != nil {
		panic(err)
	}
	w.Context.Accepted = append(w.Context.Accepted, hex.EncodeToString(tx.Bytes()))
	return tx.ID()
}
