//go:build !avalanchego_next

package judge

import (
	"context"
	"encoding/hex"
	"math/big"

	"github.com/ava-labs/avalanchego/database"
	"github.com/ava-labs/avalanchego/graft/coreth/plugin/evm/atomic"
	atomicvm "github.com/ava-labs/avalanchego/graft/coreth/plugin/evm/atomic/vm"
	"github.com/ava-labs/avalanchego/graft/coreth/plugin/evm/extension"
	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/vms/components/avax"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"
)

// AtomicSpend asks the C-Chain's verifier whether a transaction may spend.
func AtomicSpend(s *Spending) (Answers, error) {
	chain, err := contextOf(s.Network, "C")
	if err != nil {
		return nil, err
	}
	data, err := hex.DecodeString(s.Signed)
	if err != nil {
		return nil, err
	}
	tx, err := parseAtomic(data)
	if err != nil {
		return Answers{}.refused("decode", err), nil
	}
	used, err := tx.GasUsed(true)
	if err != nil {
		return nil, err
	}
	answers := Answers{"verdict": "ok", "type": atomicTypes[goType(tx.UnsignedAtomicTx)], "txID": tx.ID().String(), "gas": decimal(used)}
	if hasOddCredential(tx.Creds) {
		answers["lenient"] = []string{"credential-type"}
	}
	if answers["fee"], err = AtomicFee(decimal(used), s.Price); err != nil {
		return nil, err
	}
	memory := &ledger{memory: make(map[string][]byte)}
	for _, text := range s.UTXOs {
		data, err := hex.DecodeString(text)
		if err != nil {
			return nil, err
		}
		utxo := new(avax.UTXO)
		if _, err := atomic.Codec.Unmarshal(data, utxo); err != nil {
			return nil, err
		}
		if imported, ok := tx.UnsignedAtomicTx.(*atomic.UnsignedImportTx); ok {
			memory.memory[imported.SourceChain.Hex()+utxo.InputID().Hex()] = data
		}
	}
	clock, err := s.clock()
	if err != nil {
		return nil, err
	}
	fx := new(secp256k1fx.Fx)
	if err := fx.Initialize(secp256k1fxVM(clock)); err != nil {
		return nil, err
	}
	if err := fx.Bootstrapped(); err != nil {
		return nil, err
	}
	chain.SharedMemory = memory
	backend := &atomicvm.VerifierBackend{
		Ctx:          chain,
		Fx:           fx,
		Rules:        granite,
		Bootstrapped: true,
		BlockFetcher: onlyBlock{},
		SecpCache:    secp256k1.NewRecoverCache(0),
	}
	baseFee, ok := new(big.Int).SetString(s.Price, 10)
	if !ok {
		return nil, errUnknownWhat
	}
	if err := backend.SemanticVerify(tx, lastBlock{}, baseFee); err != nil {
		return answers.refused("spend", err), nil
	}
	return answers, nil
}

// Helicon is answered by the next version only.
func Helicon(*Spending) (Answers, error) { return nil, nil }

// onlyBlock is a chain whose last block is accepted, so that no transaction is
// pending in an ancestor.
type onlyBlock struct{}

func (onlyBlock) LastAcceptedExtendedBlock() extension.ExtendedBlock { return lastBlock{} }

func (onlyBlock) GetExtendedBlock(context.Context, ids.ID) (extension.ExtendedBlock, error) {
	return nil, database.ErrNotFound
}

// lastBlock is asked for nothing but its height.
type lastBlock struct{ extension.ExtendedBlock }

func (lastBlock) Height() uint64 { return 1 }
