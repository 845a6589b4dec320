package vectors

import (
	"encoding/hex"

	"avmkit/conformance/draw"
	"avmkit/conformance/judge"
)

// Cases for the rules: valid transactions with no, one or two faults.

// broken returns a plan of a type that the faults apply to, beginning with the
// i-th.
func broken(w *draw.World, i int, faults ...draw.Fault) *draw.Plan {
	for range draw.TxTypes {
		kind := kindOf(i)
		for _, fault := range faults {
			if fault.Kind != "" {
				kind = fault.Kind
			}
		}
		if plan := w.NewBroken(kind, faults...); plan != nil {
			return plan
		}
		i++
	}
	return nil
}

func namesOf(faults []draw.Fault) []string {
	names := make([]string, len(faults))
	for i, fault := range faults {
		names[i] = fault.Name
	}
	return names
}

// combinations calls make with each fault several times, with none, and with two
// that are for the same type.
func combinations(w *draw.World, all []draw.Fault, rounds, none, pairs int, make func(i int, faults ...draw.Fault)) {
	at := 0
	for round := range rounds {
		for _, fault := range all {
			// Faults of one type have fewer ways to differ.
			if round > 0 && fault.Kind != "" && w.Chance(2) {
				continue
			}
			make(at, fault)
			at++
		}
	}
	for range none {
		make(at)
		at++
	}
	for pairs > 0 {
		first, second := draw.Pick(w.Source, all...), draw.Pick(w.Source, all...)
		if first.Name == second.Name || (first.Kind != "" && second.Kind != "" && first.Kind != second.Kind) {
			continue
		}
		make(at, first, second)
		at++
		pairs--
	}
}

func syntactic(w *draw.World) (list []judge.Case) {
	combinations(w, draw.SyntacticFaults, 3, 35, 60, func(i int, faults ...draw.Fault) {
		if plan := broken(w, i, faults...); plan != nil {
			list = append(list, &judge.SyntacticCase{Made: namesOf(faults), Blob: judge.NewBlob(plan.SignedBytes())})
		}
	})
	return list
}

func semantic(w *draw.World) (list []judge.Case) {
	list = append(list, &judge.SemanticCase{What: "context", SemanticContext: w.Context})
	combinations(w, draw.StateFaults, 4, 12, 12, func(i int, faults ...draw.Fault) {
		plan := broken(w, i, faults...)
		if plan == nil {
			return
		}
		utxos, memory := plan.Ledger()
		blob := judge.NewBlob(plan.SignedBytes())
		list = append(list, &judge.SemanticCase{
			What: "tx", Made: namesOf(faults), Now: draw.Now, UTXOs: utxos, Atomic: memory, Blob: &blob,
		})
	})
	return list
}

func signing(w *draw.World) (list []judge.Case) {
	for i := range 14 {
		key := hex.EncodeToString(w.Bytes(32))
		if i%2 == 0 {
			list = append(list, &judge.SignCase{What: "hash", PrivateKey: key, Hash: hex.EncodeToString(w.Bytes(32))})
		} else {
			message := hex.EncodeToString(w.Bytes(w.IntN(60)))
			list = append(list, &judge.SignCase{What: "message", PrivateKey: key, Message: &message})
		}
	}
	for i := range 32 {
		plan := w.NewBroken(kindOf(i))
		keys, signers, utxos := plan.Signing()
		list = append(list, &judge.SignCase{
			What: "tx", Keys: keys, UTXOs: utxos, Unsigned: hex.EncodeToString(plan.UnsignedBytes()), Signers: signers,
		})
	}
	for i := range 16 {
		list = append(list, partly(w, kindOf(i)))
	}
	for _, fault := range draw.StateFaults {
		// What the signer itself refuses.
		if fault.Name == "UTXO of another type" || fault.Name == "index out of bounds" {
			plan := w.NewBroken("BaseTx", fault)
			keys, _, utxos := plan.Signing()
			plan.Signed.Creds = nil
			list = append(list, &judge.SignCase{What: "partial", Keys: keys, UTXOs: utxos, Before: hex.EncodeToString(plan.SignedBytes())})
		}
	}
	return list
}

// partly gives the signer only some of the keys and UTXOs, and at times a
// transaction that somebody else has signed before.
func partly(w *draw.World, kind string) judge.Case {
	plan := w.NewBroken(kind)
	keys, _, utxos := plan.Signing()
	before := *plan.Signed
	before.Creds = nil
	if w.Chance(3) {
		before.Creds = plan.SignedBy(keys[:len(keys)/2])
		keys = keys[len(keys)/2:]
	}
	if w.Chance(2) && len(keys) > 0 {
		keys = keys[1:]
	}
	if w.Chance(4) {
		utxos = utxos[1:]
	}
	return &judge.SignCase{What: "partial", Keys: keys, UTXOs: utxos, Before: hex.EncodeToString(marshal(&before))}
}

func recovery(w *draw.World) (list []judge.Case) {
	for _, made := range w.Recoveries(115) {
		list = append(list, &judge.RecoverCase{
			Made: made.Made, Hash: hex.EncodeToString(made.Hash), Signature: hex.EncodeToString(made.Signature),
		})
	}
	return list
}

func texts(w *draw.World) (list []judge.Case) {
	for _, text := range w.Texts() {
		list = append(list, &judge.TextCase{As: text.As, Text: text.Text})
	}
	return list
}

func geneses(w *draw.World) (list []judge.Case) {
	for range 10 {
		id := network(w)
		list = append(list, &judge.GenesisCase{Network: id, Definition: w.AssetPlans(id)})
	}
	return list
}
