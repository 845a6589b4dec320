package draw

import (
	"encoding/hex"

	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/components/avax"
	"github.com/ava-labs/avalanchego/vms/components/verify"

	"avmkit/conformance/judge"
)

// OrderedThings are what the chain wants in order.
var OrderedThings = []string{"outputs", "inputs", "operations", "initialStates", "stateOutputs", "addresses", "utxoIDs"}

// Elements returns the encodings of up to limit things, without codec version.
// Several are equal or differ only in what comes late in the order.
func (w *World) Elements(what string, limit int) []string {
	list := make([]string, 0, limit)
	for len(list) < limit {
		if len(list) > 0 && w.Chance(8) {
			list = append(list, Pick(w.Source, list...))
			continue
		}
		list = append(list, w.element(what))
	}
	return list
}

func (w *World) element(what string) string {
	switch what {
	case "outputs":
		output := w.output()
		output.Asset.ID = Pick(w.Source, w.Assets[:2]...)
		output.Out = w.orderedState(0).(verify.State).(avax.TransferableOut)
		return encoded(output)
	case "inputs":
		input := w.input()
		input.TxID = Pick(w.Source, w.TxIDs[:2]...)
		return encoded(input)
	case "operations":
		return encoded(w.operation())
	case "initialStates":
		return encoded(&txs.InitialState{FxIndex: uint32(w.IntN(4)), Outs: []verify.State{}})
	case "stateOutputs":
		out := w.orderedState(w.IntN(6))
		return encoded(&out)
	case "addresses":
		return w.Address().Hex()
	}
	id := w.utxoID()
	id.TxID = Pick(w.Source, w.TxIDs[:2]...)
	return encoded(&id)
}

// orderedState returns a valid output whose fields take few values.
func (w *World) orderedState(kind int) verify.State {
	p := Plan{World: w}
	for {
		out := p.validState(uint32(kind / 2))
		_, isTransfer := out.(avax.TransferableOut)
		if isTransfer == (kind == 0) {
			return out
		}
	}
}

// encoded returns a value as hex without codec version.
func encoded(value any) string {
	data, err := judge.Codec().Marshal(txs.CodecVersion, value)
	if err != nil {
		panic(err)
	}
	return hex.EncodeToString(data[2:])
}
