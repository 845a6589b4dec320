package draw

import (
	"testing"

	"github.com/ava-labs/avalanchego/vms/avm/txs"

	"avmkit/conformance/judge"
)

// Damage is aimed at fields only if the walker agrees with the codec about where
// they are.
func TestSpansCoverTheEncoding(t *testing.T) {
	p := NewPool(New(1, "spans"))
	for i := range 500 {
		tx := p.Tx(TxTypes[i%len(TxTypes)])
		data, err := judge.Codec().Marshal(txs.CodecVersion, tx)
		if err != nil {
			t.Fatal(err)
		}
		at := 2
		for _, field := range spansOf(tx) {
			if field.kind == spanElement {
				continue
			}
			if field.start != at {
				t.Fatalf("field at %d, expected at %d", field.start, at)
			}
			at += field.length
		}
		if at != len(data) {
			t.Fatalf("the fields end at %d of %d", at, len(data))
		}
	}
}

// A valid plan must be accepted, or faults would be judged beside others.
func TestPlansAreValid(t *testing.T) {
	w := NewWorld(NewPool(New(1, "plans")))
	if err := (&judge.SemanticCase{What: "context", SemanticContext: w.Context}).Judge(); err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		plan := w.NewBroken(TxTypes[i%len(TxTypes)])
		utxos, memory := plan.Ledger()
		blob := judge.NewBlob(plan.SignedBytes())
		c := &judge.SemanticCase{What: "tx", Now: Now, UTXOs: utxos, Atomic: memory, Blob: &blob}
		if err := c.Judge(); err != nil {
			t.Fatal(err)
		}
		if !c.OK {
			t.Fatalf("%s: %s", plan.Kind, c.Err)
		}
	}
}
