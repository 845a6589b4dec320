package judge

import (
	"context"
	"encoding/hex"
	"errors"
	"time"

	"github.com/ava-labs/avalanchego/chains/atomic"
	"github.com/ava-labs/avalanchego/database"
	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/snow/validators"
	"github.com/ava-labs/avalanchego/vms/avm/state"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/avm/txs/executor"
	"github.com/ava-labs/avalanchego/vms/components/avax"
)

// SemanticCase asks the SyntacticVerifier, then the SemanticVerifier, with the
// state given in the case. The first case of a file has What "context" and holds
// what all cases share.
type SemanticCase struct {
	Head
	What string `json:"what,omitempty"`
	*SemanticContext
	Made   []string     `json:"made,omitzero"`
	Now    uint64       `json:"now,string,omitempty"`
	UTXOs  []string     `json:"utxos,omitzero"`
	Atomic []AtomicUTXO `json:"atomic,omitempty"`
	*Blob
	Verdict
	// Stage says which of the two verifiers refused.
	Stage  string `json:"stage,omitempty"`
	TxType string `json:"txType,omitempty"`
	TxID   string `json:"txID,omitempty"`
}

// SemanticContext is the state that all cases share: transactions that were
// accepted, and what the P-Chain knows about chains.
type SemanticContext struct {
	Network          uint32        `json:"network"`
	BlockchainID     ids.ID        `json:"blockchainID"`
	FeeAssetID       ids.ID        `json:"feeAssetID"`
	TxFee            uint64        `json:"txFee,string"`
	CreateAssetTxFee uint64        `json:"createAssetTxFee,string"`
	Accepted         []string      `json:"accepted"`
	Subnets          []ChainSubnet `json:"subnets"`
}

type ChainSubnet struct {
	Chain  ids.ID `json:"chain"`
	Subnet ids.ID `json:"subnet"`
}

// AtomicUTXO is an entry of shared memory, put there by Chain.
type AtomicUTXO struct {
	Chain ids.ID `json:"chain"`
	Key   string `json:"key"`
	Value string `json:"value"`
}

// shared is the context of the last case with What "context".
var shared struct {
	accepted map[ids.ID]*txs.Tx
	subnets  map[ids.ID]ids.ID
}

func (c *SemanticCase) Judge() error {
	c.accept()
	if c.What == "context" {
		return c.share()
	}
	value, err := c.Value()
	if err != nil {
		return err
	}
	c.Stage, c.TxType, c.TxID = "", "", ""
	tx, err := vm.ParseTx(value)
	if err != nil {
		c.refuse(err)
		c.Stage = "decode"
		return nil
	}
	ledger := &ledger{utxos: make(map[ids.ID]*avax.UTXO), memory: make(map[string][]byte)}
	for _, text := range c.UTXOs {
		utxo, err := parseUTXO(text)
		if err != nil {
			return err
		}
		ledger.utxos[utxo.InputID()] = utxo
	}
	for _, entry := range c.Atomic {
		value, err := hex.DecodeString(entry.Value)
		if err != nil {
			return err
		}
		ledger.memory[entry.Chain.Hex()+entry.Key] = value
	}
	backend := vm.backend(newContext(vm.context.NetworkID))
	backend.Ctx.SharedMemory = ledger
	backend.Ctx.ValidatorState = ledger
	vm.clock.Set(time.Unix(int64(c.Now), 0))
	if err := tx.Unsigned.Visit(&executor.SyntacticVerifier{Backend: backend, Tx: tx}); err != nil {
		c.refuse(err)
		c.Stage = "syntactic"
	} else if err := tx.Unsigned.Visit(&executor.SemanticVerifier{Backend: backend, State: ledger, Tx: tx}); err != nil {
		c.refuse(err)
		c.Stage = "semantic"
		if c.Code == "" && errors.Is(err, database.ErrNotFound) {
			c.ErrName, c.Code = "ErrNotFound", ledger.missing
		}
	}
	c.Lenient = lenientOf(tx)
	c.TxType = TypeOf(tx.Unsigned)
	c.TxID = tx.ID().String()
	return nil
}

func (c *SemanticCase) Answer() any {
	answer := *c
	answer.What, answer.SemanticContext, answer.Made, answer.Now = "", nil, nil, 0
	answer.UTXOs, answer.Atomic, answer.Blob = nil, nil, nil
	return &answer
}

func (c *SemanticCase) share() error {
	shared.accepted = make(map[ids.ID]*txs.Tx)
	for _, text := range c.Accepted {
		data, err := hex.DecodeString(text)
		if err != nil {
			return err
		}
		tx, err := vm.ParseGenesisTx(data)
		if err != nil {
			return err
		}
		shared.accepted[tx.ID()] = tx
	}
	shared.subnets = make(map[ids.ID]ids.ID)
	for _, entry := range c.Subnets {
		shared.subnets[entry.Chain] = entry.Subnet
	}
	return nil
}

// ledger is the state of one case. The embedded interfaces are nil: a verifier
// that asked for anything else would panic.
type ledger struct {
	state.ReadOnlyChain
	atomic.SharedMemory
	validators.State
	utxos  map[ids.ID]*avax.UTXO
	memory map[string][]byte
	// missing is the rule about the last thing that was not found: the error is
	// the same for UTXOs, assets and imported UTXOs.
	missing string
}

func (l *ledger) GetUTXO(id ids.ID) (*avax.UTXO, error) {
	if utxo, ok := l.utxos[id]; ok {
		return utxo, nil
	}
	l.missing = "UTXO_NOT_FOUND"
	return nil, database.ErrNotFound
}

func (l *ledger) GetTx(id ids.ID) (*txs.Tx, error) {
	if tx, ok := shared.accepted[id]; ok {
		return tx, nil
	}
	l.missing = "ASSET_NOT_FOUND"
	return nil, database.ErrNotFound
}

func (l *ledger) Get(peer ids.ID, keys [][]byte) ([][]byte, error) {
	values := make([][]byte, len(keys))
	for i, key := range keys {
		value, ok := l.memory[peer.Hex()+hex.EncodeToString(key)]
		if !ok {
			l.missing = "ATOMIC_UTXO_NOT_FOUND"
			return nil, database.ErrNotFound
		}
		values[i] = value
	}
	return values, nil
}

var errChainNotFound = errors.New("chain not found")

func (*ledger) GetSubnetID(_ context.Context, chain ids.ID) (ids.ID, error) {
	if subnet, ok := shared.subnets[chain]; ok {
		return subnet, nil
	}
	return ids.Empty, errChainNotFound
}
