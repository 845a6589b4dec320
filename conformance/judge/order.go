package judge

import (
	"encoding/hex"
	"fmt"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/utils"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/components/avax"
	"github.com/ava-labs/avalanchego/vms/components/verify"
)

// OrderCase asks the node's sort functions and its checks of order.
type OrderCase struct {
	Head
	What string `json:"what,omitempty"`
	// Elements are hex without codec version. At most 11: that many are sorted by
	// insertion, so equal elements keep their order and the answer is unique.
	Elements []string `json:"elements,omitzero"`
	Verdict
	// Accepted says whether the node takes the list in the given order.
	Accepted bool `json:"accepted"`
	// Sorted are positions into Elements in the node's order.
	Sorted []int `json:"sorted"`
}

func (c *OrderCase) Judge() error {
	c.accept()
	switch c.What {
	case "outputs":
		return order(c, func(list []*avax.TransferableOutput) bool {
			return avax.IsSortedTransferableOutputs(list, vm.Codec())
		}, func(list []*avax.TransferableOutput) {
			avax.SortTransferableOutputs(list, vm.Codec())
		})
	case "inputs":
		return order(c, utils.IsSortedAndUnique[*avax.TransferableInput], utils.Sort[*avax.TransferableInput])
	case "operations":
		return order(c, func(list []*txs.Operation) bool {
			return txs.IsSortedAndUniqueOperations(list, vm.Codec())
		}, func(list []*txs.Operation) {
			txs.SortOperations(list, vm.Codec())
		})
	case "initialStates":
		return order(c, utils.IsSortedAndUnique[*txs.InitialState], utils.Sort[*txs.InitialState])
	case "utxoIDs":
		return order(c, utils.IsSortedAndUnique[*avax.UTXOID], utils.Sort[*avax.UTXOID])
	case "stateOutputs":
		return c.orderOutputsOfState()
	case "addresses":
		return c.orderAddresses()
	}
	return fmt.Errorf("%w: %q", errUnknownWhat, c.What)
}

func (c *OrderCase) Answer() any {
	answer := *c
	answer.What, answer.Elements = "", nil
	return &answer
}

// order reads the elements as values of one type and finds each again by its
// address in the sorted list.
func order[T any](c *OrderCase, isSorted func([]*T) bool, sort func([]*T)) error {
	list := make([]*T, len(c.Elements))
	positions := make(map[*T]int)
	for i := range c.Elements {
		list[i] = new(T)
		positions[list[i]] = i
		if err := c.read(i, list[i]); err != nil {
			return err
		}
	}
	c.Accepted = isSorted(list)
	sort(list)
	c.Sorted = make([]int, len(list))
	for i, element := range list {
		c.Sorted[i] = positions[element]
	}
	return nil
}

func (c *OrderCase) read(i int, into any) error {
	data, err := hex.DecodeString("0000" + c.Elements[i])
	if err != nil {
		return err
	}
	_, err = vm.Codec().Unmarshal(data, into)
	return err
}

// The check of an initial state's outputs is not exported: the state's Verify
// runs it after the outputs themselves, which must therefore be valid.
func (c *OrderCase) orderOutputsOfState() error {
	initial := &txs.InitialState{Outs: make([]verify.State, len(c.Elements))}
	positions := make(map[verify.State]int)
	for i := range c.Elements {
		if err := c.read(i, &initial.Outs[i]); err != nil {
			return err
		}
		positions[initial.Outs[i]] = i
	}
	switch err := initial.Verify(vm.Codec(), len(vm.fxs)); err {
	case nil:
		c.Accepted = true
	case txs.ErrOutputsNotSorted:
		c.Accepted = false
	default:
		return err
	}
	initial.Sort(vm.Codec())
	c.Sorted = make([]int, len(initial.Outs))
	for i, out := range initial.Outs {
		c.Sorted[i] = positions[out]
	}
	return nil
}

func (c *OrderCase) orderAddresses() error {
	list := make([]ids.ShortID, len(c.Elements))
	for i := range c.Elements {
		if err := c.read(i, &list[i]); err != nil {
			return err
		}
	}
	given := append([]ids.ShortID(nil), list...)
	c.Accepted = utils.IsSortedAndUnique(list)
	utils.Sort(list)
	used := make([]bool, len(list))
	c.Sorted = make([]int, len(list))
	for i, address := range list {
		for position := range given {
			if given[position] == address && !used[position] {
				used[position] = true
				c.Sorted[i] = position
				break
			}
		}
	}
	return nil
}
