package judge

import (
	"fmt"
	"reflect"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/snow"
	"github.com/ava-labs/avalanchego/vms/avm/block"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
)

// rendered returns what avm.getTx or avm.getBlock answer with encoding json: the
// exact text, so that large numbers and the order of fields survive.
func rendered(context *snow.Context, value any) (text *string, problem string) {
	defer func() {
		if recover() != nil {
			text, problem = nil, "panic"
		}
	}()
	switch value := value.(type) {
	case *txs.Tx:
		prepare(context, value)
	case block.Block:
		value.InitCtx(context)
		for _, tx := range value.Txs() {
			prepare(context, tx)
		}
	}
	// The service marshals with the standard library's defaults, which escape HTML.
	data, err := marshalHTML(value)
	if err != nil {
		return nil, err.Error()
	}
	return ptr(string(data)), ""
}

// prepare fills in the fields that only exist in JSON: the ID of the feature
// extension beside every input, output, operation, state and credential. The VM
// does so in a visitor that is not exported (vms/avm/tx_init.go).
func prepare(context *snow.Context, tx *txs.Tx) {
	tx.Unsigned.InitCtx(context)
	for _, credential := range tx.Creds {
		credential.FxID = fxIDOf(credential.Credential)
	}
	var base *txs.BaseTx
	switch unsigned := tx.Unsigned.(type) {
	case *txs.BaseTx:
		base = unsigned
	case *txs.CreateAssetTx:
		base = &unsigned.BaseTx
		for _, state := range unsigned.States {
			// Panics for an unknown index, as the node does.
			state.FxID = vm.fxs[state.FxIndex].ID
		}
	case *txs.OperationTx:
		base = &unsigned.BaseTx
		for _, operation := range unsigned.Ops {
			operation.FxID = fxIDOf(operation.Op)
		}
	case *txs.ImportTx:
		base = &unsigned.BaseTx
		for _, input := range unsigned.ImportedIns {
			input.FxID = fxIDOf(input.In)
		}
	case *txs.ExportTx:
		base = &unsigned.BaseTx
		for _, output := range unsigned.ExportedOuts {
			output.FxID = fxIDOf(output.Out)
		}
	}
	for _, input := range base.Ins {
		input.FxID = fxIDOf(input.In)
	}
	for _, output := range base.Outs {
		output.FxID = fxIDOf(output.Out)
	}
}

func fxIDOf(value any) ids.ID {
	index, ok := vm.fxOf[reflect.TypeOf(value)]
	if !ok {
		panic(fmt.Sprintf("%T belongs to no feature extension", value))
	}
	return vm.fxs[index].ID
}
