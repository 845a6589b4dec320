package judge

import (
	"encoding/hex"
	"sort"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/utils/set"
	"github.com/ava-labs/avalanchego/vms/avm/state"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/avm/txs/executor"
	"github.com/ava-labs/avalanchego/vms/components/avax"
)

// OutputsCase asks what a transaction creates and consumes: tx.UTXOs, InputIDs,
// and what the executor hands to shared memory.
type OutputsCase struct {
	Head
	Blob
	Verdict
	TxType string        `json:"txType,omitempty"`
	TxID   string        `json:"txID,omitempty"`
	UTXOs  []CreatedUTXO `json:"utxos,omitzero"`
	// InputIDs are sorted as text.
	InputIDs []string        `json:"inputIDs,omitzero"`
	AssetID  string          `json:"assetID,omitempty"`
	Atomic   *AtomicRequests `json:"atomic,omitempty"`
}

type CreatedUTXO struct {
	UTXOID string `json:"utxoID"`
	Bytes  string `json:"bytes"`
}

// AtomicRequests is what an export puts into shared memory and an import takes
// out of it.
type AtomicRequests struct {
	PeerChain string      `json:"peerChain"`
	Put       []AtomicPut `json:"put,omitempty"`
	Remove    []string    `json:"remove,omitempty"`
}

type AtomicPut struct {
	Key    string   `json:"key"`
	Value  string   `json:"value"`
	Traits []string `json:"traits"`
}

func (c *OutputsCase) Judge() error {
	value, err := c.Value()
	if err != nil {
		return err
	}
	c.TxType, c.TxID, c.UTXOs, c.InputIDs, c.AssetID, c.Atomic = "", "", nil, nil, "", nil
	tx, err := vm.ParseTx(value)
	if err != nil {
		c.refuse(err)
		return nil
	}
	c.accept()
	c.Lenient = lenientOf(tx)
	c.TxType = TypeOf(tx.Unsigned)
	c.TxID = tx.ID().String()
	c.UTXOs = []CreatedUTXO{}
	for _, utxo := range tx.UTXOs() {
		c.UTXOs = append(c.UTXOs, CreatedUTXO{utxo.InputID().String(), encode(utxo)})
	}
	c.InputIDs = []string{}
	for id := range tx.InputIDs() {
		c.InputIDs = append(c.InputIDs, id.String())
	}
	sort.Strings(c.InputIDs)
	if _, ok := tx.Unsigned.(*txs.CreateAssetTx); ok {
		c.AssetID = tx.ID().String()
	}
	return c.execute(tx)
}

func (c *OutputsCase) Answer() any {
	answer := *c
	answer.Blob = Blob{}
	return &answer
}

func (c *OutputsCase) execute(tx *txs.Tx) error {
	run := &executor.Executor{Codec: vm.Codec(), State: ignored{}, Tx: tx, Inputs: set.Set[ids.ID]{}}
	if err := tx.Unsigned.Visit(run); err != nil {
		return err
	}
	for peer, requests := range run.AtomicRequests {
		c.Atomic = &AtomicRequests{PeerChain: peer.String()}
		for _, key := range requests.RemoveRequests {
			c.Atomic.Remove = append(c.Atomic.Remove, hex.EncodeToString(key))
		}
		for _, element := range requests.PutRequests {
			put := AtomicPut{hex.EncodeToString(element.Key), hex.EncodeToString(element.Value), []string{}}
			for _, trait := range element.Traits {
				put.Traits = append(put.Traits, hex.EncodeToString(trait))
			}
			c.Atomic.Put = append(c.Atomic.Put, put)
		}
	}
	return nil
}

// ignored is a state that forgets what it is told.
type ignored struct{ state.Chain }

func (ignored) AddUTXO(*avax.UTXO) {}
func (ignored) DeleteUTXO(ids.ID)  {}
