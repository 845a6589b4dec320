package vectors

import (
	"bytes"
	"encoding/hex"
	"time"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/utils/constants"
	"github.com/ava-labs/avalanchego/vms/avm/block"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/components/avax"
	"github.com/ava-labs/avalanchego/vms/nftfx"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"

	"avmkit/conformance/draw"
	"avmkit/conformance/judge"
)

// Cases for the codec: values of all types, whole and damaged.

// maxSize is what the codec reads at most.
const maxSize = 256 * 1024

func network(w *draw.World) uint32 {
	return draw.Pick[uint32](w.Source, constants.LocalID, constants.LocalID, constants.MainnetID, constants.FujiID, 1337)
}

func kindOf(i int) string { return draw.TxTypes[i%len(draw.TxTypes)] }

func marshal(value any) []byte {
	data, err := judge.Codec().Marshal(txs.CodecVersion, value)
	if err != nil {
		panic(err)
	}
	return data
}

// sized returns the encoding of a value whose only variable part is a list of
// equal bytes, so that it has exactly the given length. The codec refuses to
// write more than it reads, so the list's count is patched into the bytes.
func sized(build func(filler []byte) any, length int) []byte {
	const mark = 0xeb
	small := marshal(build(bytes.Repeat([]byte{mark}, 8)))
	at := bytes.Index(small, bytes.Repeat([]byte{mark}, 8))
	fill := length - len(small) + 8
	count := []byte{byte(fill >> 24), byte(fill >> 16), byte(fill >> 8), byte(fill)}
	return bytes.Join([][]byte{small[:at-4], count, bytes.Repeat([]byte{mark}, fill), small[at+8:]}, nil)
}

func txOfMemo(memo []byte) any {
	return &txs.Tx{Unsigned: &txs.BaseTx{BaseTx: avax.BaseTx{
		NetworkID: constants.LocalID, BlockchainID: judge.XChainID, Memo: memo,
	}}}
}

func transactions(w *draw.World) (list []judge.Case) {
	for _, length := range []int{maxSize - 1, maxSize, maxSize + 1, maxSize + 4096, 65536, 65537} {
		list = append(list, &judge.TxCase{Network: constants.LocalID, Blob: judge.NewBlob(sized(txOfMemo, length))})
	}
	// A state whose extension does not exist is decoded and cannot be rendered.
	odd := &txs.Tx{Unsigned: &txs.CreateAssetTx{States: []*txs.InitialState{{FxIndex: 3}}}}
	list = append(list, &judge.TxCase{Network: constants.LocalID, Blob: judge.NewBlob(marshal(odd))})
	for i := len(list); i < 130; i++ {
		list = append(list, &judge.TxCase{Network: network(w), Blob: judge.NewBlob(marshal(w.Tx(kindOf(i))))})
	}
	return list
}

func damagedTransactions(w *draw.World) (list []judge.Case) {
	for _, data := range [][]byte{{}, {0}, {0, 0}, {0, 1}, {0, 0, 0}, {0, 0, 0, 0, 0, 0}, make([]byte, 8)} {
		list = append(list, &judge.TxCase{Mutation: []string{"by hand"}, Blob: judge.NewBlob(data)})
	}
	for i := len(list); i < 230; i++ {
		tx := w.Tx(kindOf(i))
		data, names := w.Damage(tx, marshal(tx), marshal(w.Tx(kindOf(w.IntN(5)))))
		list = append(list, &judge.TxCase{Mutation: names, Blob: judge.NewBlob(data)})
	}
	return list
}

func genesisTransactions(w *draw.World) (list []judge.Case) {
	asset := func(memo []byte) any {
		tx := w.Unsigned("CreateAssetTx").(*txs.CreateAssetTx)
		tx.Outs, tx.Ins, tx.Memo = nil, nil, memo
		return &txs.Tx{Unsigned: tx}
	}
	for _, length := range []int{maxSize - 100, maxSize, maxSize + 1, 700_000} {
		list = append(list, &judge.GenesisTxCase{Network: network(w), Blob: judge.NewBlob(sized(asset, length))})
	}
	for len(list) < 12 {
		list = append(list, &judge.GenesisTxCase{Network: network(w), Blob: judge.NewBlob(marshal(asset(w.Bytes(w.IntN(20)))))})
	}
	return list
}

func utxoOfPayload(payload []byte) any {
	return &avax.UTXO{
		Asset: avax.Asset{ID: judge.AVAXAssetID},
		Out:   &nftfx.TransferOutput{Payload: payload, OutputOwners: secp256k1fx.OutputOwners{}},
	}
}

func utxos(w *draw.World) (list []judge.Case) {
	for _, length := range []int{maxSize, maxSize + 1} {
		list = append(list, &judge.UTXOCase{Network: constants.LocalID, Blob: judge.NewBlob(sized(utxoOfPayload, length))})
	}
	for len(list) < 70 {
		list = append(list, &judge.UTXOCase{Network: network(w), Blob: judge.NewBlob(marshal(w.UTXO()))})
	}
	return list
}

func damagedUTXOs(w *draw.World) (list []judge.Case) {
	for len(list) < 120 {
		utxo := w.UTXO()
		data, names := w.Damage(utxo, marshal(utxo), marshal(w.UTXO()))
		list = append(list, &judge.UTXOCase{Mutation: names, Blob: judge.NewBlob(data)})
	}
	return list
}

func newBlock(w *draw.World) *block.StandardBlock {
	made := &block.StandardBlock{
		PrntID: ids.ID(w.Bytes(32)),
		Hght:   w.Number(),
		Time:   draw.Pick(w.Source, w.Number(), uint64(time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC).Unix())),
		Root:   draw.Pick(w.Source, ids.Empty, ids.ID(w.Bytes(32))),
	}
	for range w.IntN(4) {
		made.Transactions = append(made.Transactions, w.Tx(kindOf(w.IntN(5))))
	}
	return made
}

// marshalBlock writes a block with its type ID, as the chain stores it.
func marshalBlock(made *block.StandardBlock) []byte {
	var value block.Block = made
	return marshal(&value)
}

func blockOfMemo(memo []byte) any {
	var value block.Block = &block.StandardBlock{Hght: 1, Time: 1_700_000_000, Transactions: []*txs.Tx{txOfMemo(memo).(*txs.Tx)}}
	return &value
}

func blocks(w *draw.World) (list []judge.Case) {
	for _, length := range []int{maxSize, maxSize + 1} {
		list = append(list, &judge.BlockCase{Network: constants.LocalID, Blob: judge.NewBlob(sized(blockOfMemo, length))})
	}
	for len(list) < 36 {
		list = append(list, &judge.BlockCase{Network: network(w), Blob: judge.NewBlob(marshalBlock(newBlock(w)))})
	}
	return list
}

func damagedBlocks(w *draw.World) (list []judge.Case) {
	for len(list) < 80 {
		var made block.Block = newBlock(w)
		data, names := w.Damage(&made, marshal(&made), marshalBlock(newBlock(w)))
		list = append(list, &judge.BlockCase{Mutation: names, Blob: judge.NewBlob(data)})
	}
	return list
}

func orders(w *draw.World) (list []judge.Case) {
	for i := range 54 {
		what := draw.OrderedThings[i%len(draw.OrderedThings)]
		c := &judge.OrderCase{What: what, Elements: w.Elements(what, w.Between(2, 5))}
		if w.Chance(3) {
			c.Elements = inOrder(c)
		}
		list = append(list, c)
	}
	return list
}

// inOrder returns the elements in the node's order, so that half of the lists
// are acceptable.
func inOrder(c *judge.OrderCase) []string {
	if err := c.Judge(); err != nil {
		panic(err)
	}
	elements := make([]string, len(c.Sorted))
	for i, position := range c.Sorted {
		elements[i] = c.Elements[position]
	}
	return elements
}

func createdOutputs(w *draw.World) (list []judge.Case) {
	for i := range 44 {
		list = append(list, &judge.OutputsCase{Blob: judge.NewBlob(marshal(w.Tx(kindOf(i))))})
	}
	return list
}

func sizes(w *draw.World) (list []judge.Case) {
	for i := range 40 {
		unsigned := w.Unsigned(kindOf(i))
		list = append(list, &judge.SizeCase{Unsigned: hex.EncodeToString(marshal(&unsigned))})
	}
	return list
}
