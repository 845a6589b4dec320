package draw

import (
	"encoding/hex"
	"slices"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/utils"
	"github.com/ava-labs/avalanchego/utils/constants"
	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/utils/hashing"
	"github.com/ava-labs/avalanchego/vms/avm/fxs"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/components/avax"
	"github.com/ava-labs/avalanchego/vms/components/verify"
	"github.com/ava-labs/avalanchego/vms/nftfx"
	"github.com/ava-labs/avalanchego/vms/propertyfx"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"

	"avmkit/conformance/judge"
)

// Now is the clock of all plans, in unix seconds.
const Now = 1_750_000_000

// Plan is a transaction that a node would accept, with the UTXOs it spends. It
// goes through three stages, and faults are added between them: the values are
// drawn, then sorted, then signed.
type Plan struct {
	*World
	Kind     string
	Unsigned txs.UnsignedTx
	Base     *txs.BaseTx
	Imported []*avax.TransferableInput
	Exported []*avax.TransferableOutput
	Ops      []*txs.Operation
	Asset    *txs.CreateAssetTx
	// Peer is the chain that is imported from or exported to, and Origin the one
	// whose shared memory holds the imported UTXOs.
	Peer, Origin ids.ID

	Spends  []*Spend
	Signed  *txs.Tx
	Missing map[ids.ID]bool
	// Extra are UTXOs that exist and that no credential is for.
	Extra []*avax.UTXO
	// Broken are values of shared memory that replace those of UTXOs.
	Broken map[ids.ID][]byte
}

// Spend is a UTXO with the keys that sign for it.
type Spend struct {
	UTXO     *avax.UTXO
	Signers  []*secp256k1.PrivateKey
	Fx       int
	Imported bool
	// Either an input or an operation.
	Input *avax.TransferableInput
	Op    *txs.Operation
}

// NewPlan draws the values of a valid transaction.
func (w *World) NewPlan(kind string) *Plan {
	p := &Plan{World: w, Kind: kind, Missing: make(map[ids.ID]bool), Broken: make(map[ids.ID][]byte)}
	p.Base = &txs.BaseTx{BaseTx: avax.BaseTx{
		NetworkID:    constants.LocalID,
		BlockchainID: judge.XChainID,
		Memo:         w.memo(),
	}}
	p.Peer = Pick(w.Source, constants.PlatformChainID, judge.CChainID)
	p.Origin = p.Peer
	var left uint64
	for range w.Between(1, 2) {
		left += p.spendCoin(judge.AVAXAssetID, kind == "ImportTx" && w.Chance(2))
	}
	if kind == "ImportTx" {
		left += p.spendCoin(judge.AVAXAssetID, true)
	}
	p.share(judge.AVAXAssetID, left-judge.Fee)
	if w.Chance(3) {
		token := Pick(w.Source, w.All, w.Only[0])
		p.share(token, p.spendCoin(token, kind == "ImportTx" && w.Chance(2)))
	}
	switch kind {
	case "CreateAssetTx":
		p.planAsset()
	case "OperationTx":
		for range w.Between(1, 2) {
			p.planOperation()
		}
	case "ExportTx":
		if len(p.Exported) == 0 {
			last := len(p.Base.Outs) - 1
			p.Exported, p.Base.Outs = p.Base.Outs[last:], p.Base.Outs[:last:last]
		}
	}
	return p
}

// spender returns owners that can spend now, with the positions and keys of
// those who sign.
func (p *Plan) spender() (secp256k1fx.OutputOwners, []uint32, []*secp256k1.PrivateKey) {
	if p.Chance(12) {
		return secp256k1fx.OutputOwners{Addrs: []ids.ShortID{}}, []uint32{}, nil
	}
	keys := slices.Clone(p.Keys)
	p.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	keys = keys[:Pick(p.Source, 1, 1, 1, 2, 3)]
	slices.SortFunc(keys, func(a, b *secp256k1.PrivateKey) int { return a.Address().Compare(b.Address()) })
	owners := secp256k1fx.OutputOwners{Threshold: uint32(p.Between(1, len(keys)))}
	for _, key := range keys {
		owners.Addrs = append(owners.Addrs, key.Address())
	}
	if p.Chance(5) {
		owners.Locktime = uint64(Pick(p.Source, 1, Now-1, Now))
	}
	positions := p.Perm(len(keys))[:owners.Threshold]
	slices.Sort(positions)
	indices := make([]uint32, len(positions))
	signers := make([]*secp256k1.PrivateKey, len(positions))
	for i, position := range positions {
		indices[i], signers[i] = uint32(position), keys[position]
	}
	return owners, indices, signers
}

func (p *Plan) spendCoin(asset ids.ID, imported bool) uint64 {
	amount := uint64(p.Between(10*judge.Fee, 1_000_000*judge.Fee))
	owners, indices, signers := p.spender()
	utxo := &avax.UTXO{
		UTXOID: avax.UTXOID{TxID: p.txID(), OutputIndex: uint32(p.IntN(300))},
		Asset:  avax.Asset{ID: asset},
		Out:    &secp256k1fx.TransferOutput{Amt: amount, OutputOwners: owners},
	}
	input := &avax.TransferableInput{
		UTXOID: utxo.UTXOID,
		Asset:  utxo.Asset,
		In:     &secp256k1fx.TransferInput{Amt: amount, Input: secp256k1fx.Input{SigIndices: indices}},
	}
	p.Spends = append(p.Spends, &Spend{UTXO: utxo, Signers: signers, Input: input, Imported: imported})
	if imported {
		p.Imported = append(p.Imported, input)
	} else {
		p.Base.Ins = append(p.Base.Ins, input)
	}
	return amount
}

// share divides an amount among outputs.
func (p *Plan) share(asset ids.ID, amount uint64) {
	for parts := uint64(p.Between(1, 2)); parts > 0; parts-- {
		part := amount / parts
		amount -= part
		output := &avax.TransferableOutput{
			Asset: avax.Asset{ID: asset},
			Out:   &secp256k1fx.TransferOutput{Amt: part, OutputOwners: p.Owners()},
		}
		if p.Kind == "ExportTx" && p.Chance(2) {
			p.Exported = append(p.Exported, output)
		} else {
			p.Base.Outs = append(p.Base.Outs, output)
		}
	}
}

func (p *Plan) planAsset() {
	p.Asset = &txs.CreateAssetTx{
		Name:         Pick(p.Source, "Token", "My 2nd asset", "x", "A B"),
		Symbol:       Pick(p.Source, "T", "TOK", "ABCD"),
		Denomination: byte(p.IntN(33)),
	}
	for index := range uint32(3) {
		if index > 0 && p.Chance(2) {
			continue
		}
		state := &txs.InitialState{FxIndex: index}
		for range p.IntN(3) {
			state.Outs = append(state.Outs, p.validState(index))
		}
		p.Asset.States = append(p.Asset.States, state)
	}
}

func (p *Plan) validState(fx uint32) verify.State {
	owners := p.Owners()
	mint := p.Chance(2)
	switch {
	case fx == 0 && mint:
		return &secp256k1fx.MintOutput{OutputOwners: owners}
	case fx == 0:
		return &secp256k1fx.TransferOutput{Amt: p.Amount(), OutputOwners: owners}
	case fx == 1 && mint:
		return &nftfx.MintOutput{GroupID: uint32(p.IntN(4)), OutputOwners: owners}
	case fx == 1:
		return &nftfx.TransferOutput{GroupID: uint32(p.IntN(4)), Payload: p.payload(), OutputOwners: owners}
	case mint:
		return &propertyfx.MintOutput{OutputOwners: owners}
	}
	return &propertyfx.OwnedOutput{OutputOwners: owners}
}

func (p *Plan) planOperation() {
	owners, indices, signers := p.spender()
	input := secp256k1fx.Input{SigIndices: indices}
	group, payload := uint32(p.IntN(4)), p.payload()
	other := p.Owners()
	var out verify.State
	var op fxs.FxOperation
	fx := p.IntN(3)
	switch kind := p.IntN(2); {
	case fx == 0:
		out = &secp256k1fx.MintOutput{OutputOwners: owners}
		op = &secp256k1fx.MintOperation{
			MintInput:      input,
			MintOutput:     secp256k1fx.MintOutput{OutputOwners: owners},
			TransferOutput: secp256k1fx.TransferOutput{Amt: p.Amount(), OutputOwners: other},
		}
	case fx == 1 && kind == 0:
		out = &nftfx.MintOutput{GroupID: group, OutputOwners: owners}
		op = &nftfx.MintOperation{MintInput: input, GroupID: group, Payload: payload, Outputs: []*secp256k1fx.OutputOwners{&other}}
	case fx == 1:
		out = &nftfx.TransferOutput{GroupID: group, Payload: payload, OutputOwners: owners}
		op = &nftfx.TransferOperation{
			Input:  input,
			Output: nftfx.TransferOutput{GroupID: group, Payload: payload, OutputOwners: other},
		}
	case kind == 0:
		out = &propertyfx.MintOutput{OutputOwners: owners}
		op = &propertyfx.MintOperation{
			MintInput:   input,
			MintOutput:  propertyfx.MintOutput{OutputOwners: owners},
			OwnedOutput: propertyfx.OwnedOutput{OutputOwners: other},
		}
	default:
		out = &propertyfx.OwnedOutput{OutputOwners: owners}
		op = &propertyfx.BurnOperation{Input: input}
	}
	utxo := &avax.UTXO{
		UTXOID: avax.UTXOID{TxID: p.id(), OutputIndex: uint32(p.IntN(300))},
		Asset:  avax.Asset{ID: Pick(p.Source, p.All, p.Only[fx])},
		Out:    out,
	}
	id := utxo.UTXOID
	operation := &txs.Operation{Asset: utxo.Asset, UTXOIDs: []*avax.UTXOID{&id}, Op: op}
	p.Ops = append(p.Ops, operation)
	p.Spends = append(p.Spends, &Spend{UTXO: utxo, Signers: signers, Fx: fx, Op: operation})
}

// Sort puts everything into the order that the chain demands.
func (p *Plan) Sort() {
	codec := judge.Codec()
	utils.Sort(p.Base.Ins)
	utils.Sort(p.Imported)
	avax.SortTransferableOutputs(p.Base.Outs, codec)
	avax.SortTransferableOutputs(p.Exported, codec)
	txs.SortOperations(p.Ops, codec)
	if p.Asset != nil {
		for _, state := range p.Asset.States {
			state.Sort(codec)
		}
		utils.Sort(p.Asset.States)
	}
}

// Sign assembles the transaction and signs it with the keys of the spends.
func (p *Plan) Sign() {
	p.assemble()
	p.Signed = &txs.Tx{Unsigned: p.Unsigned}
	data := p.UnsignedBytes()
	for _, spend := range p.inOrder() {
		p.Signed.Creds = append(p.Signed.Creds, &fxs.FxCredential{
			Credential: credential(spend.Fx, hashing.ComputeHash256(data), spend.Signers),
		})
	}
}

// UnsignedBytes returns what is signed.
func (p *Plan) UnsignedBytes() []byte {
	p.assemble()
	data, err := judge.Codec().Marshal(txs.CodecVersion, &p.Unsigned)
	if err != nil {
		panic(err)
	}
	return data
}

func (p *Plan) assemble() {
	switch p.Kind {
	case "BaseTx":
		p.Unsigned = p.Base
	case "CreateAssetTx":
		p.Asset.BaseTx = *p.Base
		p.Unsigned = p.Asset
	case "OperationTx":
		p.Unsigned = &txs.OperationTx{BaseTx: *p.Base, Ops: p.Ops}
	case "ImportTx":
		p.Unsigned = &txs.ImportTx{BaseTx: *p.Base, SourceChain: p.Peer, ImportedIns: p.Imported}
	case "ExportTx":
		p.Unsigned = &txs.ExportTx{BaseTx: *p.Base, DestinationChain: p.Peer, ExportedOuts: p.Exported}
	}
}

// inOrder returns the spends in the order of the credentials: inputs, imported
// inputs, operations.
func (p *Plan) inOrder() (list []*Spend) {
	for _, input := range slices.Concat(p.Base.Ins, p.Imported) {
		for _, spend := range p.Spends {
			if spend.Input == input {
				list = append(list, spend)
			}
		}
	}
	for _, operation := range p.Ops {
		for _, spend := range p.Spends {
			if spend.Op == operation {
				list = append(list, spend)
			}
		}
	}
	return list
}

// SignedBytes returns the whole transaction.
func (p *Plan) SignedBytes() []byte {
	data, err := judge.Codec().Marshal(txs.CodecVersion, p.Signed)
	if err != nil {
		panic(err)
	}
	return data
}

func credential(fx int, hash []byte, signers []*secp256k1.PrivateKey) verify.Verifiable {
	secp := secp256k1fx.Credential{Sigs: make([][secp256k1.SignatureLen]byte, len(signers))}
	for i, key := range signers {
		signature, err := key.SignHash(hash)
		if err != nil {
			panic(err)
		}
		copy(secp.Sigs[i][:], signature)
	}
	return credentialOfFx(fx, secp)
}

func credentialOfFx(fx int, secp secp256k1fx.Credential) verify.Verifiable {
	switch fx {
	case 1:
		return &nftfx.Credential{Credential: secp}
	case 2:
		return &propertyfx.Credential{Credential: secp}
	}
	return &secp
}

// Ledger returns the UTXO set and shared memory that the plan relies on.
func (p *Plan) Ledger() (utxos []string, memory []judge.AtomicUTXO) {
	utxos = []string{}
	for _, spend := range p.inOrder() {
		id := spend.UTXO.InputID()
		if p.Missing[id] {
			continue
		}
		data, err := judge.Codec().Marshal(txs.CodecVersion, spend.UTXO)
		if err != nil {
			panic(err)
		}
		if broken, ok := p.Broken[id]; ok {
			data = broken
		}
		if spend.Imported {
			memory = append(memory, judge.AtomicUTXO{Chain: p.Origin, Key: id.Hex(), Value: hex.EncodeToString(data)})
		} else {
			utxos = append(utxos, hex.EncodeToString(data))
		}
	}
	for _, utxo := range p.Extra {
		data, err := judge.Codec().Marshal(txs.CodecVersion, utxo)
		if err != nil {
			panic(err)
		}
		utxos = append(utxos, hex.EncodeToString(data))
	}
	return utxos, memory
}
