package judge

import (
	"reflect"

	"github.com/ava-labs/avalanchego/codec"
	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/snow"
	"github.com/ava-labs/avalanchego/upgrade/upgradetest"
	"github.com/ava-labs/avalanchego/utils/constants"
	"github.com/ava-labs/avalanchego/utils/logging"
	"github.com/ava-labs/avalanchego/utils/timer/mockable"
	"github.com/ava-labs/avalanchego/vms/avm/block"
	"github.com/ava-labs/avalanchego/vms/avm/config"
	"github.com/ava-labs/avalanchego/vms/avm/fxs"
	"github.com/ava-labs/avalanchego/vms/avm/txs/executor"
	"github.com/ava-labs/avalanchego/vms/nftfx"
	"github.com/ava-labs/avalanchego/vms/propertyfx"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"
)

// Fee is what the local network asks for every transaction, creation of assets
// included.
const Fee = 1_000_000

// IDs of network local, from avalanchego's genesis.
var (
	XChainID    = ids.FromStringOrPanic("2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed")
	CChainID    = ids.FromStringOrPanic("2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC")
	AVAXAssetID = ids.FromStringOrPanic("2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe")
)

// machine is what an X-Chain VM consists of as far as transactions are concerned:
// the parser with the three feature extensions and the clock they read.
type machine struct {
	block.Parser
	clock   mockable.Clock
	fxs     []*fxs.ParsedFx
	fxOf    map[reflect.Type]int
	context *snow.Context
}

var vm = newMachine()

// Codec is the X-Chain's codec, for programs that build values.
func Codec() codec.Manager { return vm.Codec() }

func newMachine() *machine {
	m := &machine{
		fxOf: make(map[reflect.Type]int),
		fxs: []*fxs.ParsedFx{
			{ID: secp256k1fx.ID, Fx: &secp256k1fx.Fx{}},
			{ID: nftfx.ID, Fx: &nftfx.Fx{}},
			{ID: propertyfx.ID, Fx: &propertyfx.Fx{}},
		},
	}
	extensions := make([]fxs.Fx, len(m.fxs))
	for i, fx := range m.fxs {
		extensions[i] = fx.Fx
	}
	parser, err := block.NewCustomParser(m.fxOf, &m.clock, logging.NoLog{}, extensions)
	if err != nil {
		panic(err)
	}
	m.Parser = parser
	for _, fx := range extensions {
		// Only a bootstrapped extension checks signatures.
		if err := fx.Bootstrapped(); err != nil {
			panic(err)
		}
	}
	m.context = newContext(constants.LocalID)
	return m
}

// newContext is the context of the X-Chain on a network. The IDs are those of
// network local whatever the network is, since it only decides how addresses are
// printed.
func newContext(network uint32) *snow.Context {
	aliases := ids.NewAliaser()
	for _, chain := range []struct {
		id    ids.ID
		names []string
	}{
		{constants.PlatformChainID, []string{"P", "platform"}},
		{XChainID, []string{"X", "avm"}},
		{CChainID, []string{"C", "evm"}},
	} {
		for _, name := range append(chain.names, chain.id.String()) {
			if err := aliases.Alias(chain.id, name); err != nil {
				panic(err)
			}
		}
	}
	return &snow.Context{
		NetworkID:       network,
		SubnetID:        constants.PrimaryNetworkID,
		ChainID:         XChainID,
		XChainID:        XChainID,
		CChainID:        CChainID,
		AVAXAssetID:     AVAXAssetID,
		NetworkUpgrades: upgradetest.GetConfig(upgradetest.Latest),
		Log:             logging.NoLog{},
		BCLookup:        aliases,
	}
}

// backend is what avalanchego's verifiers are given.
func (m *machine) backend(context *snow.Context) *executor.Backend {
	return &executor.Backend{
		Ctx: context,
		Config: &config.Config{
			Upgrades:         context.NetworkUpgrades,
			TxFee:            Fee,
			CreateAssetTxFee: Fee,
		},
		Fxs:           m.fxs,
		TypeToFxIndex: m.fxOf,
		Codec:         m.Codec(),
		FeeAssetID:    AVAXAssetID,
		Bootstrapped:  true,
	}
}
