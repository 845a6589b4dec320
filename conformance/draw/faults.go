package draw

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/utils/constants"
	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/vms/avm/fxs"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/components/avax"
	"github.com/ava-labs/avalanchego/vms/components/verify"
	"github.com/ava-labs/avalanchego/vms/nftfx"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"

	"avmkit/conformance/judge"
)

// Fault changes a valid plan. Some faults are at a limit and keep the rule.
type Fault struct {
	Name string
	// Kind is the type of transaction; empty: all.
	Kind  string
	stage stage
	// apply returns false if the plan has nothing to apply the fault to.
	apply func(*Plan) bool
}

type stage int

const (
	// drawn: before sorting.
	drawn stage = iota
	// sorted: before signing.
	sorted
	// signed: the credentials exist.
	signed
)

// NewBroken draws plans until the faults apply to one, and completes it. It
// returns nil if they do not apply to transactions of this kind.
func (w *World) NewBroken(kind string, faults ...Fault) *Plan {
	for range 300 {
		p := w.NewPlan(kind)
		if !p.run(drawn, faults) {
			continue
		}
		p.Sort()
		if !p.run(sorted, faults) {
			continue
		}
		p.Sign()
		if p.run(signed, faults) {
			return p
		}
	}
	return nil
}

func (p *Plan) run(now stage, faults []Fault) bool {
	for _, fault := range faults {
		if fault.stage == now && !fault.applied(p) {
			return false
		}
	}
	return true
}

// applied returns false, too, if another fault has removed what this one
// changes.
func (f *Fault) applied(p *Plan) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return f.apply(p)
}

// always wraps a change that applies to every plan.
func always(change func(*Plan)) func(*Plan) bool {
	return func(p *Plan) bool {
		change(p)
		return true
	}
}

// transfer returns the content of an output.
func transfer(output *avax.TransferableOutput) *secp256k1fx.TransferOutput {
	return output.Out.(*secp256k1fx.TransferOutput)
}

func transferInput(input *avax.TransferableInput) *secp256k1fx.TransferInput {
	return input.In.(*secp256k1fx.TransferInput)
}

// anOutput applies a change to one of the outputs, exported ones included.
func anOutput(change func(*Plan, *avax.TransferableOutput) bool) func(*Plan) bool {
	return func(p *Plan) bool {
		list := slices.Concat(p.Base.Outs, p.Exported)
		return len(list) > 0 && change(p, Pick(p.Source, list...))
	}
}

// anInput applies a change to one of the inputs, imported ones included.
func anInput(change func(*Plan, *avax.TransferableInput) bool) func(*Plan) bool {
	return func(p *Plan) bool {
		list := slices.Concat(p.Base.Ins, p.Imported)
		return len(list) > 0 && change(p, Pick(p.Source, list...))
	}
}

func anAVAXOutput(change func(*secp256k1fx.TransferOutput)) func(*Plan) bool {
	return anOutput(func(_ *Plan, output *avax.TransferableOutput) bool {
		if output.AssetID() != judge.AVAXAssetID {
			return false
		}
		change(transfer(output))
		return true
	})
}

func owners(change func(*Plan, *secp256k1fx.OutputOwners) bool) func(*Plan) bool {
	return anOutput(func(p *Plan, output *avax.TransferableOutput) bool {
		return change(p, &transfer(output).OutputOwners)
	})
}

func asset(change func(*Plan, *txs.CreateAssetTx)) func(*Plan) bool {
	return always(func(p *Plan) { change(p, p.Asset) })
}

func named(name string) func(*Plan) bool {
	return asset(func(_ *Plan, tx *txs.CreateAssetTx) { tx.Name = name })
}

func symbol(text string) func(*Plan) bool {
	return asset(func(_ *Plan, tx *txs.CreateAssetTx) { tx.Symbol = text })
}

// reversed turns a list around if that changes it.
func reversed[T any](list []T) bool {
	slices.Reverse(list)
	return len(list) > 1
}

// SyntacticFaults are about the transaction alone.
var SyntacticFaults = []Fault{
	{"network ID", "", drawn, always(func(p *Plan) { p.Base.NetworkID = Pick(p.Source, 0, 1, 5, p.Uint32()) })},
	{"blockchain ID", "", drawn, always(func(p *Plan) { p.Base.BlockchainID = Pick(p.Source, ids.Empty, p.id()) })},
	{"memo of 256", "", drawn, always(func(p *Plan) { p.Base.Memo = bytes.Repeat([]byte{7}, 256) })},
	{"memo of 257", "", drawn, always(func(p *Plan) { p.Base.Memo = bytes.Repeat([]byte{7}, 257) })},

	{"output without asset", "", drawn, anOutput(func(_ *Plan, o *avax.TransferableOutput) bool {
		o.Asset.ID = ids.Empty
		return true
	})},
	{"output amount 0", "", drawn, anOutput(func(_ *Plan, o *avax.TransferableOutput) bool {
		transfer(o).Amt = 0
		return true
	})},
	{"output amount 1", "", drawn, anOutput(func(_ *Plan, o *avax.TransferableOutput) bool {
		transfer(o).Amt = 1
		return true
	})},
	{"threshold above addresses", "", drawn, owners(func(p *Plan, o *secp256k1fx.OutputOwners) bool {
		o.Threshold = uint32(len(o.Addrs) + p.Between(1, 3))
		return true
	})},
	{"threshold 0 with addresses", "", drawn, owners(func(_ *Plan, o *secp256k1fx.OutputOwners) bool {
		o.Threshold = 0
		return len(o.Addrs) > 0
	})},
	{"addresses unsorted", "", drawn, owners(func(_ *Plan, o *secp256k1fx.OutputOwners) bool { return reversed(o.Addrs) })},
	{"address twice", "", drawn, owners(func(_ *Plan, o *secp256k1fx.OutputOwners) bool {
		if len(o.Addrs) == 0 {
			return false
		}
		o.Addrs = append([]ids.ShortID{o.Addrs[0]}, o.Addrs...)
		return true
	})},
	{"no owners", "", drawn, owners(func(_ *Plan, o *secp256k1fx.OutputOwners) bool {
		*o = secp256k1fx.OutputOwners{Addrs: []ids.ShortID{}}
		return true
	})},
	{"locktime", "", drawn, owners(func(p *Plan, o *secp256k1fx.OutputOwners) bool {
		o.Locktime = p.Number()
		return true
	})},
	{"outputs unsorted", "", sorted, func(p *Plan) bool {
		return reversed(p.Base.Outs) && !avax.IsSortedTransferableOutputs(p.Base.Outs, judge.Codec())
	}},
	{"output twice", "", drawn, func(p *Plan) bool {
		if len(p.Base.Outs) == 0 || transfer(p.Base.Outs[0]).Amt < 2 {
			return false
		}
		first := *p.Base.Outs[0]
		half := *transfer(&first)
		half.Amt /= 2
		first.Out = &half
		second := first
		p.Base.Outs = append(p.Base.Outs[1:], &first, &second)
		return true
	}},
	{"no outputs", "", drawn, func(p *Plan) bool {
		p.Base.Outs = nil
		return p.Kind != "ExportTx" || len(p.Exported) > 0
	}},

	{"input without asset", "", drawn, anInput(func(_ *Plan, i *avax.TransferableInput) bool {
		i.Asset.ID = ids.Empty
		return true
	})},
	{"input amount 0", "", drawn, anInput(func(_ *Plan, i *avax.TransferableInput) bool {
		transferInput(i).Amt = 0
		return true
	})},
	{"indices unsorted", "", drawn, anInput(func(_ *Plan, i *avax.TransferableInput) bool {
		return reversed(transferInput(i).SigIndices)
	})},
	{"index twice", "", drawn, anInput(func(_ *Plan, i *avax.TransferableInput) bool {
		list := transferInput(i).SigIndices
		if len(list) == 0 {
			return false
		}
		transferInput(i).SigIndices = append([]uint32{list[0]}, list...)
		return true
	})},
	{"large index", "", drawn, anInput(func(_ *Plan, i *avax.TransferableInput) bool {
		transferInput(i).SigIndices = []uint32{math.MaxUint32}
		return true
	})},
	{"no indices", "", drawn, anInput(func(_ *Plan, i *avax.TransferableInput) bool {
		transferInput(i).SigIndices = []uint32{}
		return true
	})},
	{"inputs unsorted", "", sorted, func(p *Plan) bool { return reversed(p.Base.Ins) }},
	{"input twice", "", sorted, func(p *Plan) bool {
		if len(p.Base.Ins) == 0 {
			return false
		}
		p.Base.Ins = append([]*avax.TransferableInput{p.Base.Ins[0]}, p.Base.Ins...)
		return true
	}},
	{"inputs of one tx, index falling", "", sorted, func(p *Plan) bool {
		if len(p.Base.Ins) < 2 {
			return false
		}
		p.Base.Ins[1].UTXOID = p.Base.Ins[0].UTXOID
		p.Base.Ins[0].OutputIndex++
		return true
	}},

	{"fee short by 1", "", drawn, anAVAXOutput(func(o *secp256k1fx.TransferOutput) { o.Amt++ })},
	{"overpaid by 1", "", drawn, anAVAXOutput(func(o *secp256k1fx.TransferOutput) { o.Amt-- })},
	{"outputs overflow", "", drawn, anAVAXOutput(func(o *secp256k1fx.TransferOutput) { o.Amt = math.MaxUint64 })},
	{"asset short by 1", "", drawn, anOutput(func(_ *Plan, o *avax.TransferableOutput) bool {
		transfer(o).Amt++
		return o.AssetID() != judge.AVAXAssetID
	})},
	{"asset burned", "", drawn, func(p *Plan) bool {
		before := len(p.Base.Outs)
		p.Base.Outs = slices.DeleteFunc(p.Base.Outs, func(o *avax.TransferableOutput) bool {
			return o.AssetID() != judge.AVAXAssetID
		})
		return len(p.Base.Outs) < before
	}},
	{"asset from nothing", "", drawn, always(func(p *Plan) { p.share(p.id(), p.Amount()) })},
	{"no AVAX input", "", drawn, func(p *Plan) bool {
		keep := func(i *avax.TransferableInput) bool { return i.AssetID() == judge.AVAXAssetID }
		p.Base.Ins = slices.DeleteFunc(p.Base.Ins, keep)
		p.Imported = slices.DeleteFunc(p.Imported, keep)
		return p.Kind != "ImportTx" || len(p.Imported) > 0
	}},
	{"inputs overflow", "", drawn, func(p *Plan) bool {
		if len(p.Base.Ins) < 2 || p.Base.Ins[0].AssetID() != p.Base.Ins[1].AssetID() {
			return false
		}
		transferInput(p.Base.Ins[0]).Amt = math.MaxUint64
		return true
	}},
	{"all of 2^64-1", "", drawn, func(p *Plan) bool {
		if len(p.Base.Ins) != 1 || len(p.Imported) > 0 || len(p.Base.Outs) == 0 {
			return false
		}
		transferInput(p.Base.Ins[0]).Amt = math.MaxUint64
		p.Base.Outs, p.Exported = p.Base.Outs[:1], p.Exported[:min(1, len(p.Exported))]
		transfer(p.Base.Outs[0]).Amt = math.MaxUint64 - judge.Fee
		return p.Kind != "ExportTx"
	}},

	{"credential missing", "", signed, func(p *Plan) bool {
		p.Signed.Creds = p.Signed.Creds[:max(0, len(p.Signed.Creds)-1)]
		return true
	}},
	{"no credentials", "", signed, always(func(p *Plan) { p.Signed.Creds = nil })},
	{"credential too many", "", signed, func(p *Plan) bool {
		if len(p.Signed.Creds) == 0 {
			return false
		}
		p.Signed.Creds = append(p.Signed.Creds, p.Signed.Creds[0])
		return true
	}},
	{"credential without signatures", "", signed, aCredential(func(_ *Plan, _ verify.Verifiable) verify.Verifiable {
		return &secp256k1fx.Credential{}
	})},
	{"value that is no credential", "", signed, aCredential(func(p *Plan, _ verify.Verifiable) verify.Verifiable {
		return Pick[verify.Verifiable](p.Source, p.State(), p.validState(0))
	})},

	{"name empty", "CreateAssetTx", drawn, named("")},
	{"name of 128", "CreateAssetTx", drawn, named(strings.Repeat("n", 128))},
	{"name of 129", "CreateAssetTx", drawn, named(strings.Repeat("n", 129))},
	{"name with white space at an end", "CreateAssetTx", drawn, asset(func(p *Plan, tx *txs.CreateAssetTx) {
		tx.Name = Pick(p.Source, " a", "a ", "a\t", "\na", "a\u00a0", "\u2003a", "a\u0085")
	})},
	{"name of spaces", "CreateAssetTx", drawn, named("   ")},
	{"name with another character", "CreateAssetTx", drawn, asset(func(p *Plan, tx *txs.CreateAssetTx) {
		tx.Name = Pick(p.Source, "a-b", "a.b", "a\tb", "é", "a\u00a0b", "日本", "a\x00", "\xff", "١", "a'b")
	})},
	{"symbol empty", "CreateAssetTx", drawn, symbol("")},
	{"symbol of 4", "CreateAssetTx", drawn, symbol("WXYZ")},
	{"symbol of 5", "CreateAssetTx", drawn, symbol("VWXYZ")},
	{"symbol with another character", "CreateAssetTx", drawn, asset(func(p *Plan, tx *txs.CreateAssetTx) {
		tx.Symbol = Pick(p.Source, "a", "A1", "A B", "É", "\xff", "Σ")
	})},
	{"denomination 32", "CreateAssetTx", drawn, asset(func(_ *Plan, tx *txs.CreateAssetTx) { tx.Denomination = 32 })},
	{"denomination 33", "CreateAssetTx", drawn, asset(func(_ *Plan, tx *txs.CreateAssetTx) { tx.Denomination = 33 })},
	{"no states", "CreateAssetTx", drawn, asset(func(_ *Plan, tx *txs.CreateAssetTx) { tx.States = nil })},
	{"states unsorted", "CreateAssetTx", sorted, func(p *Plan) bool { return reversed(p.Asset.States) }},
	{"state twice", "CreateAssetTx", drawn, asset(func(p *Plan, tx *txs.CreateAssetTx) {
		tx.States = append(tx.States, &txs.InitialState{FxIndex: tx.States[0].FxIndex})
	})},
	{"unknown extension", "CreateAssetTx", drawn, asset(func(p *Plan, tx *txs.CreateAssetTx) {
		tx.States[len(tx.States)-1].FxIndex = Pick[uint32](p.Source, 3, math.MaxUint32)
	})},
	{"outputs of a state unsorted", "CreateAssetTx", sorted, func(p *Plan) bool {
		state := Pick(p.Source, p.Asset.States...)
		return reversed(state.Outs) && state.Verify(judge.Codec(), 3) != nil
	}},
	{"initial state of another extension", "CreateAssetTx", drawn, asset(func(p *Plan, tx *txs.CreateAssetTx) {
		tx.States[0].Outs = append(tx.States[0].Outs, p.validState(uint32(p.Between(1, 2))))
	})},
	{"initial output amount 0", "CreateAssetTx", drawn, asset(func(p *Plan, tx *txs.CreateAssetTx) {
		tx.States[0].Outs = append(tx.States[0].Outs, &secp256k1fx.TransferOutput{OutputOwners: p.Owners()})
	})},
	{"initial payload of 1024", "CreateAssetTx", drawn, initialPayload(1024)},
	{"initial payload of 1025", "CreateAssetTx", drawn, initialPayload(1025)},

	{"no operations", "OperationTx", drawn, always(func(p *Plan) { p.Ops = nil })},
	{"operations unsorted", "OperationTx", sorted, func(p *Plan) bool { return reversed(p.Ops) }},
	{"operation twice", "OperationTx", sorted, always(func(p *Plan) { p.Ops = append([]*txs.Operation{p.Ops[0]}, p.Ops...) })},
	{"operation without asset", "OperationTx", drawn, always(func(p *Plan) { p.Ops[0].Asset.ID = ids.Empty })},
	{"operation of no UTXO", "OperationTx", drawn, always(func(p *Plan) { p.Ops[0].UTXOIDs = []*avax.UTXOID{} })},
	{"UTXO IDs of an operation unsorted", "OperationTx", drawn, always(func(p *Plan) {
		low := *p.Ops[0].UTXOIDs[0]
		low.TxID = ids.Empty
		p.Ops[0].UTXOIDs = append(p.Ops[0].UTXOIDs, &low)
	})},
	{"UTXO ID of an operation twice", "OperationTx", drawn, always(func(p *Plan) {
		p.Ops[0].UTXOIDs = append(p.Ops[0].UTXOIDs, p.Ops[0].UTXOIDs[0])
	})},
	{"operation spends an input", "OperationTx", drawn, func(p *Plan) bool {
		if len(p.Base.Ins) == 0 {
			return false
		}
		p.Ops[0].UTXOIDs[0] = &p.Base.Ins[0].UTXOID
		return true
	}},
	{"payload of 1024", "OperationTx", drawn, payload(1024)},
	{"payload of 1025", "OperationTx", drawn, payload(1025)},

	{"nothing imported", "ImportTx", drawn, always(func(p *Plan) { p.Imported = nil })},
	{"imported inputs unsorted", "ImportTx", sorted, func(p *Plan) bool { return reversed(p.Imported) }},
	{"imported twice", "ImportTx", sorted, always(func(p *Plan) {
		p.Imported = append([]*avax.TransferableInput{p.Imported[0]}, p.Imported...)
	})},
	{"imported input is an input", "ImportTx", sorted, func(p *Plan) bool {
		if len(p.Base.Ins) == 0 {
			return false
		}
		p.Imported[0].UTXOID = p.Base.Ins[0].UTXOID
		return true
	}},
	{"peer is the own chain", "ImportTx", drawn, always(func(p *Plan) { p.Peer = judge.XChainID })},

	{"nothing exported", "ExportTx", drawn, always(func(p *Plan) { p.Exported = nil })},
	{"exported outputs unsorted", "ExportTx", sorted, func(p *Plan) bool {
		return reversed(p.Exported) && !avax.IsSortedTransferableOutputs(p.Exported, judge.Codec())
	}},
	{"peer is the P-Chain", "ExportTx", drawn, always(func(p *Plan) { p.Peer = constants.PlatformChainID })},
	{"export to the own chain", "ExportTx", drawn, always(func(p *Plan) { p.Peer = judge.XChainID })},
}

func initialPayload(length int) func(*Plan) bool {
	return asset(func(p *Plan, tx *txs.CreateAssetTx) {
		tx.States[0].Outs = append(tx.States[0].Outs, &nftfx.TransferOutput{Payload: make([]byte, length), OutputOwners: p.Owners()})
	})
}

func payload(length int) func(*Plan) bool {
	return func(p *Plan) bool {
		switch operation := p.Ops[0].Op.(type) {
		case *nftfx.MintOperation:
			operation.Payload = make([]byte, length)
			return true
		case *nftfx.TransferOperation:
			operation.Output.Payload = make([]byte, length)
			return true
		}
		return false
	}
}

// aCredential replaces one of the credentials.
func aCredential(change func(*Plan, verify.Verifiable) verify.Verifiable) func(*Plan) bool {
	return func(p *Plan) bool {
		if len(p.Signed.Creds) == 0 {
			return false
		}
		at := p.IntN(len(p.Signed.Creds))
		changed := change(p, p.Signed.Creds[at].Credential)
		if changed == nil {
			return false
		}
		p.Signed.Creds[at] = &fxs.FxCredential{Credential: changed}
		return true
	}
}

// secpOf returns the signatures of a credential and its extension.
func secpOf(value verify.Verifiable) (sigs [][secp256k1.SignatureLen]byte, fx int) {
	return judge.SignaturesOf(value), judge.FxOf(value)
}
