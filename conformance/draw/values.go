package draw

import (
	"strings"

	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/vms/avm/fxs"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/components/avax"
	"github.com/ava-labs/avalanchego/vms/components/verify"
	"github.com/ava-labs/avalanchego/vms/nftfx"
	"github.com/ava-labs/avalanchego/vms/propertyfx"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"

	"avmkit/conformance/judge"
)

// Values that the codec reads; whether the rules accept them does not matter.

func (p *Pool) transferOutput() *secp256k1fx.TransferOutput {
	return &secp256k1fx.TransferOutput{Amt: p.Number(), OutputOwners: p.anyOwners()}
}

// State returns an output of any of the six types.
func (p *Pool) State() verify.State {
	switch p.IntN(7) {
	case 0:
		return &secp256k1fx.MintOutput{OutputOwners: p.anyOwners()}
	case 1:
		return &nftfx.MintOutput{GroupID: uint32(p.Number()), OutputOwners: p.anyOwners()}
	case 2:
		return &nftfx.TransferOutput{GroupID: uint32(p.Number()), Payload: p.payload(), OutputOwners: p.anyOwners()}
	case 3:
		return &propertyfx.MintOutput{OutputOwners: p.anyOwners()}
	case 4:
		return &propertyfx.OwnedOutput{OutputOwners: p.anyOwners()}
	}
	return p.transferOutput()
}

func (p *Pool) payload() []byte { return p.Bytes(Pick(p.Source, 0, 1, 7, 32, p.IntN(64))) }

func (p *Pool) memo() []byte { return p.Bytes(Pick(p.Source, 0, 0, 1, p.IntN(40))) }

func (p *Pool) utxoID() avax.UTXOID {
	return avax.UTXOID{TxID: p.txID(), OutputIndex: uint32(Pick(p.Source, uint64(p.IntN(4)), p.Number()))}
}

// UTXO returns a UTXO with an output of any type.
func (p *Pool) UTXO() *avax.UTXO {
	return &avax.UTXO{UTXOID: p.utxoID(), Asset: avax.Asset{ID: p.asset()}, Out: p.State()}
}

func (p *Pool) input() *avax.TransferableInput {
	return &avax.TransferableInput{
		UTXOID: p.utxoID(),
		Asset:  avax.Asset{ID: p.asset()},
		In:     &secp256k1fx.TransferInput{Amt: p.Number(), Input: secp256k1fx.Input{SigIndices: p.indices()}},
	}
}

func (p *Pool) output() *avax.TransferableOutput {
	return &avax.TransferableOutput{Asset: avax.Asset{ID: p.asset()}, Out: p.transferOutput()}
}

func (p *Pool) initialState() *txs.InitialState {
	return &txs.InitialState{FxIndex: uint32(p.IntN(3)), Outs: several(p.IntN(3), p.State)}
}

func (p *Pool) operation() *txs.Operation {
	input := secp256k1fx.Input{SigIndices: p.indices()}
	owner := p.anyOwners()
	operation := &txs.Operation{
		Asset: avax.Asset{ID: p.asset()},
		UTXOIDs: several(Pick(p.Source, 0, 1, 1, 1, 2), func() *avax.UTXOID {
			id := p.utxoID()
			return &id
		}),
	}
	switch p.IntN(5) {
	case 0:
		operation.Op = &secp256k1fx.MintOperation{
			MintInput:      input,
			MintOutput:     secp256k1fx.MintOutput{OutputOwners: owner},
			TransferOutput: *p.transferOutput(),
		}
	case 1:
		operation.Op = &nftfx.MintOperation{
			MintInput: input,
			GroupID:   uint32(p.Number()),
			Payload:   p.payload(),
			Outputs: several(p.IntN(3), func() *secp256k1fx.OutputOwners {
				owners := p.anyOwners()
				return &owners
			}),
		}
	case 2:
		operation.Op = &nftfx.TransferOperation{
			Input:  input,
			Output: nftfx.TransferOutput{GroupID: uint32(p.Number()), Payload: p.payload(), OutputOwners: owner},
		}
	case 3:
		operation.Op = &propertyfx.MintOperation{
			MintInput:   input,
			MintOutput:  propertyfx.MintOutput{OutputOwners: owner},
			OwnedOutput: propertyfx.OwnedOutput{OutputOwners: p.anyOwners()},
		}
	case 4:
		operation.Op = &propertyfx.BurnOperation{Input: input}
	}
	return operation
}

// credential is mostly one of the three types; the codec also reads other
// values that can be verified.
func (p *Pool) credential() *fxs.FxCredential {
	secp := secp256k1fx.Credential{Sigs: make([][secp256k1.SignatureLen]byte, p.IntN(3))}
	for i := range secp.Sigs {
		copy(secp.Sigs[i][:], p.Bytes(secp256k1.SignatureLen))
	}
	var value verify.Verifiable = &secp
	switch p.IntN(12) {
	case 0, 1:
		value = &nftfx.Credential{Credential: secp}
	case 2, 3:
		value = &propertyfx.Credential{Credential: secp}
	case 4:
		value = p.State()
	}
	return &fxs.FxCredential{Credential: value}
}

// TxTypes are the names of the types, as judge.TypeOf returns them.
var TxTypes = []string{"BaseTx", "CreateAssetTx", "OperationTx", "ImportTx", "ExportTx"}

// Unsigned returns a transaction of the type with random fields.
func (p *Pool) Unsigned(kind string) txs.UnsignedTx {
	base := txs.BaseTx{BaseTx: avax.BaseTx{
		NetworkID:    Pick(p.Source, 1, 5, 12345, 12345, uint32(p.Number())),
		BlockchainID: Pick(p.Source, judge.XChainID, judge.XChainID, p.id()),
		Outs:         several(p.IntN(3), p.output),
		Ins:          several(p.IntN(3), p.input),
		Memo:         p.memo(),
	}}
	peer := Pick(p.Source, judge.CChainID, [32]byte{}, p.id())
	switch kind {
	case "CreateAssetTx":
		return &txs.CreateAssetTx{
			BaseTx:       base,
			Name:         p.words(10),
			Symbol:       p.words(4),
			Denomination: byte(p.IntN(33)),
			States:       several(p.IntN(3), p.initialState),
		}
	case "OperationTx":
		return &txs.OperationTx{BaseTx: base, Ops: several(p.IntN(3), p.operation)}
	case "ImportTx":
		return &txs.ImportTx{BaseTx: base, SourceChain: peer, ImportedIns: several(p.IntN(3), p.input)}
	case "ExportTx":
		return &txs.ExportTx{BaseTx: base, DestinationChain: peer, ExportedOuts: several(p.IntN(3), p.output)}
	}
	return &base
}

// Tx returns a transaction with random credentials.
func (p *Pool) Tx(kind string) *txs.Tx {
	return &txs.Tx{Unsigned: p.Unsigned(kind), Creds: several(p.IntN(3), p.credential)}
}

// words returns a short text, at times with characters that JSON escapes.
func (p *Pool) words(limit int) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	text := make([]byte, p.IntN(limit+1))
	for i := range text {
		text[i] = letters[p.IntN(len(letters))]
	}
	if p.Chance(8) {
		return string(text) + Pick(p.Source, "é", "<&>", "\"\\", "\u2028", "\n", "日本", "\xff", "😀", "\x00")
	}
	return string(text)
}

// validWords returns a text that JSON can hold.
func (p *Pool) validWords(limit int) string { return strings.ToValidUTF8(p.words(limit), "?") }

func several[T any](count int, draw func() T) []T {
	list := make([]T, count)
	for i := range list {
		list[i] = draw()
	}
	return list
}
