//go:build avalanchego_next

package judge

import (
	"encoding/hex"
	"fmt"
	"math/big"

	"github.com/ava-labs/avalanchego/vms/saevm/cchain/tx"
)

// AtomicSpend has no answer with the next version: the verifier up to Granite needs
// the whole EVM of 1.14.2, which does not compile with the other packages of 1.15.0.
func AtomicSpend(*Spending) (Answers, error) { return nil, nil }

// Helicon asks about a transaction of the C-Chain after that upgrade. Its pool
// keeps a transaction that pays less than the base fee, so that stage has no error
// text of the node. Without a price only the transaction itself is judged.
func Helicon(s *Spending) (Answers, error) {
	chain, err := contextOf(s.Network, "C")
	if err != nil {
		return nil, err
	}
	data, err := hex.DecodeString(s.Signed)
	if err != nil {
		return nil, err
	}
	answers := Answers{"verdict": "ok"}
	parsed, err := tx.Parse(data)
	if err != nil {
		return answers.refused("decode", err), nil
	}
	if err := parsed.SanityCheck(chain); err != nil {
		return answers.refused("sanity", err), nil
	}
	op, err := parsed.AsOp(chain.AVAXAssetID)
	if err != nil {
		return nil, err
	}
	answers["gasPrice"] = op.GasFeeCap.Dec()
	if s.Price == "" {
		return answers, nil
	}
	memory := &ledger{memory: make(map[string][]byte)}
	imported, isImport := parsed.Unsigned.(*tx.Import)
	for _, text := range s.UTXOs {
		data, err := hex.DecodeString(text)
		if err != nil {
			return nil, err
		}
		utxo, err := tx.ParseUTXO(data)
		if err != nil {
			return nil, err
		}
		if isImport {
			memory.memory[imported.SourceChain.Hex()+utxo.InputID().Hex()] = data
		}
	}
	if err := parsed.VerifyCredentials(memory); err != nil {
		return answers.refused("credentials", err), nil
	}
	baseFee, ok := new(big.Int).SetString(s.Price, 10)
	if !ok {
		return nil, errUnknownWhat
	}
	if op.GasFeeCap.ToBig().Cmp(baseFee) < 0 {
		err := fmt.Errorf("waits in the pool: gas price %s below the base fee %s", op.GasFeeCap.Dec(), s.Price)
		return answers.refused("price", err), nil
	}
	return answers, nil
}
