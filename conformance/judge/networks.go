package judge

import (
	"fmt"

	"github.com/ava-labs/avalanchego/genesis"
	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/snow"
	"github.com/ava-labs/avalanchego/utils/constants"
)

// networkContexts are the contexts of the P- and C-Chain by the names of networks.
var networkContexts = map[string]*snow.Context{}

// contextOf returns the context of a chain of the Primary Network.
func contextOf(network, chain string) (*snow.Context, error) {
	key := network + " " + chain
	if context, ok := networkContexts[key]; ok {
		return context, nil
	}
	id, err := constants.NetworkID(network)
	if err != nil {
		return nil, err
	}
	data, asset, err := genesis.FromConfig(genesis.GetConfig(id))
	if err != nil {
		return nil, err
	}
	x, err := genesis.VMGenesis(data, constants.AVMID)
	if err != nil {
		return nil, err
	}
	c, err := genesis.VMGenesis(data, constants.EVMID)
	if err != nil {
		return nil, err
	}
	context := newContext(id)
	context.XChainID, context.CChainID, context.AVAXAssetID = x.ID(), c.ID(), asset
	context.ChainID = constants.PlatformChainID
	if chain == "C" {
		context.ChainID = c.ID()
	}
	context.BCLookup = aliasesOf(map[string]ids.ID{"P": constants.PlatformChainID, "X": x.ID(), "C": c.ID()})
	context.ValidatorState = primaryChains{constants.PlatformChainID, x.ID(), c.ID()}
	networkContexts[key] = context
	return context, nil
}

func aliasesOf(names map[string]ids.ID) ids.AliaserReader {
	aliases := ids.NewAliaser()
	for name, id := range names {
		if err := aliases.Alias(id, name); err != nil {
			panic(fmt.Sprint(name, err))
		}
	}
	return aliases
}
