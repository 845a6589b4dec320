package judge

import (
	"github.com/ava-labs/avalanchego/genesis"
	"github.com/ava-labs/avalanchego/utils/constants"
	"github.com/ava-labs/avalanchego/vms/avm"
	platform "github.com/ava-labs/avalanchego/vms/platformvm/txs"

	"github.com/ava-labs/avalanchego/vms/avm/txs"
)

// XGenesis returns the genesis of a network's X-Chain: the P-Chain transaction
// that creates the chain, and the assets with their transactions.
func XGenesis(network uint32) (*platform.Tx, []*avm.GenesisAsset, []*txs.Tx, error) {
	data, _, err := genesis.FromConfig(genesis.GetConfig(network))
	if err != nil {
		return nil, nil, nil, err
	}
	chain, err := genesis.VMGenesis(data, constants.AVMID)
	if err != nil {
		return nil, nil, nil, err
	}
	var content avm.Genesis
	if _, err := vm.GenesisCodec().Unmarshal(chain.Unsigned.(*platform.CreateChainTx).GenesisData, &content); err != nil {
		return nil, nil, nil, err
	}
	list := make([]*txs.Tx, len(content.Txs))
	for i, asset := range content.Txs {
		list[i] = &txs.Tx{Unsigned: &asset.CreateAssetTx}
		if err := list[i].Initialize(vm.GenesisCodec()); err != nil {
			return nil, nil, nil, err
		}
	}
	return chain, content.Txs, list, nil
}
