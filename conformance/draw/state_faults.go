package draw

import (
	"math/big"
	"slices"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/components/avax"
	"github.com/ava-labs/avalanchego/vms/components/verify"
	"github.com/ava-labs/avalanchego/vms/nftfx"
	"github.com/ava-labs/avalanchego/vms/propertyfx"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"

	"avmkit/conformance/judge"
)

// aSpend applies a change to one of the spent UTXOs.
func aSpend(change func(*Plan, *Spend) bool) func(*Plan) bool {
	return func(p *Plan) bool { return len(p.Spends) > 0 && change(p, Pick(p.Source, p.Spends...)) }
}

// ownersOf returns the owners of a UTXO of any type.
func ownersOf(utxo *avax.UTXO) *secp256k1fx.OutputOwners {
	switch out := utxo.Out.(type) {
	case *secp256k1fx.TransferOutput:
		return &out.OutputOwners
	case *secp256k1fx.MintOutput:
		return &out.OutputOwners
	case *nftfx.MintOutput:
		return &out.OutputOwners
	case *nftfx.TransferOutput:
		return &out.OutputOwners
	case *propertyfx.MintOutput:
		return &out.OutputOwners
	case *propertyfx.OwnedOutput:
		return &out.OutputOwners
	}
	panic("unknown output")
}

// indicesOf returns the list of signers of an input or operation.
func indicesOf(spend *Spend) *[]uint32 {
	if spend.Input != nil {
		return &transferInput(spend.Input).SigIndices
	}
	switch operation := spend.Op.Op.(type) {
	case *secp256k1fx.MintOperation:
		return &operation.MintInput.SigIndices
	case *nftfx.MintOperation:
		return &operation.MintInput.SigIndices
	case *nftfx.TransferOperation:
		return &operation.Input.SigIndices
	case *propertyfx.MintOperation:
		return &operation.MintInput.SigIndices
	case *propertyfx.BurnOperation:
		return &operation.Input.SigIndices
	}
	panic("unknown operation")
}

func coin(change func(*Plan, *Spend, *secp256k1fx.TransferOutput) bool) func(*Plan) bool {
	return aSpend(func(p *Plan, s *Spend) bool {
		out, ok := s.UTXO.Out.(*secp256k1fx.TransferOutput)
		return ok && change(p, s, out)
	})
}

func ownersOfUTXO(change func(*Plan, *secp256k1fx.OutputOwners) bool) func(*Plan) bool {
	return aSpend(func(p *Plan, s *Spend) bool {
		owners := ownersOf(s.UTXO)
		// The owners of a mint output are also those of the next one: break only the UTXO.
		return len(owners.Addrs) > 0 && change(p, owners)
	})
}

// token replaces the asset of everything but AVAX by another.
func token(choose func(*Plan) ids.ID) func(*Plan) bool {
	return func(p *Plan) bool {
		id, changed := choose(p), false
		replace := func(asset *avax.Asset) {
			if asset.ID != judge.AVAXAssetID {
				asset.ID, changed = id, true
			}
		}
		for _, spend := range p.Spends {
			replace(&spend.UTXO.Asset)
			if spend.Input != nil {
				replace(&spend.Input.Asset)
			} else {
				replace(&spend.Op.Asset)
			}
		}
		for _, output := range slices.Concat(p.Base.Outs, p.Exported) {
			replace(&output.Asset)
		}
		return changed
	}
}

func signature(change func(*Plan, *[secp256k1.SignatureLen]byte)) func(*Plan) bool {
	return aCredential(func(p *Plan, value verify.Verifiable) verify.Verifiable {
		sigs, fx := secpOf(value)
		if len(sigs) == 0 {
			return nil
		}
		sigs = slices.Clone(sigs)
		change(p, &sigs[p.IntN(len(sigs))])
		return credentialOfFx(fx, secp256k1fx.Credential{Sigs: sigs})
	})
}

func signatures(change func(*Plan, [][secp256k1.SignatureLen]byte) [][secp256k1.SignatureLen]byte) func(*Plan) bool {
	return aCredential(func(p *Plan, value verify.Verifiable) verify.Verifiable {
		sigs, fx := secpOf(value)
		if sigs = change(p, slices.Clone(sigs)); sigs == nil {
			return nil
		}
		return credentialOfFx(fx, secp256k1fx.Credential{Sigs: sigs})
	})
}

func peer(choose func(*Plan) ids.ID) func(*Plan) bool {
	return func(p *Plan) bool {
		p.Peer = choose(p)
		return p.Kind == "ImportTx" || p.Kind == "ExportTx"
	}
}

// StateFaults are about the transaction and the state of the chain.
var StateFaults = []Fault{
	{"UTXO unknown", "", signed, aSpend(func(p *Plan, s *Spend) bool {
		p.Missing[s.UTXO.InputID()] = true
		return true
	})},
	{"UTXO of another asset", "", signed, aSpend(func(p *Plan, s *Spend) bool {
		s.UTXO.Asset.ID = Pick(p.Source, p.All, p.id())
		return true
	})},
	{"amount differs", "", signed, coin(func(p *Plan, _ *Spend, out *secp256k1fx.TransferOutput) bool {
		out.Amt = Pick(p.Source, out.Amt+1, out.Amt-1, 1<<63-1)
		return true
	})},
	{"UTXO amount 0", "", signed, coin(func(_ *Plan, _ *Spend, out *secp256k1fx.TransferOutput) bool {
		out.Amt = 0
		return true
	})},
	{"UTXO addresses unsorted", "", signed, aSpend(func(_ *Plan, s *Spend) bool {
		owners := ownersOf(s.UTXO)
		owners.Addrs = slices.Clone(owners.Addrs)
		return reversed(owners.Addrs)
	})},
	{"locked until now+1 or later", "", signed, ownersOfUTXO(func(p *Plan, o *secp256k1fx.OutputOwners) bool {
		o.Locktime = Pick[uint64](p.Source, Now+1, 1<<40, 1<<51)
		return true
	})},
	{"locked until now", "", signed, ownersOfUTXO(func(_ *Plan, o *secp256k1fx.OutputOwners) bool {
		o.Locktime = Now
		return true
	})},
	{"other owner", "", signed, ownersOfUTXO(func(p *Plan, o *secp256k1fx.OutputOwners) bool {
		o.Addrs = p.addresses(len(o.Addrs))
		return true
	})},
	{"threshold higher", "", signed, ownersOfUTXO(func(_ *Plan, o *secp256k1fx.OutputOwners) bool {
		o.Threshold++
		return int(o.Threshold) <= len(o.Addrs)
	})},
	{"threshold lower", "", signed, ownersOfUTXO(func(_ *Plan, o *secp256k1fx.OutputOwners) bool {
		o.Threshold--
		return o.Threshold > 0
	})},
	{"anyone can spend", "", signed, aSpend(func(_ *Plan, s *Spend) bool {
		*ownersOf(s.UTXO) = secp256k1fx.OutputOwners{Addrs: []ids.ShortID{}}
		return true
	})},
	{"UTXO of another type", "", signed, aSpend(func(p *Plan, s *Spend) bool {
		s.UTXO.Out = p.validState(uint32(p.IntN(3)))
		return true
	})},
	{"an index less", "", drawn, aSpend(func(_ *Plan, s *Spend) bool {
		list := indicesOf(s)
		if len(*list) == 0 {
			return false
		}
		*list, s.Signers = (*list)[1:], s.Signers[1:]
		return true
	})},
	{"an index more", "", drawn, aSpend(func(p *Plan, s *Spend) bool {
		list := indicesOf(s)
		*list = append(*list, uint32(len(*list)+10))
		s.Signers = append(slices.Clone(s.Signers), p.Keys[0])
		return true
	})},
	{"index out of bounds", "", drawn, aSpend(func(_ *Plan, s *Spend) bool {
		list := *indicesOf(s)
		if len(list) == 0 {
			return false
		}
		list[len(list)-1] = uint32(len(ownersOf(s.UTXO).Addrs))
		return true
	})},

	{"asset unknown", "", drawn, token(func(p *Plan) ids.ID { return p.id() })},
	{"asset that is none", "", drawn, token(func(p *Plan) ids.ID { return p.NotAsset })},
	{"asset that lacks the extension", "", drawn, token(func(p *Plan) ids.ID { return p.Only[1+p.IntN(2)] })},
	{"asset of one extension", "", drawn, token(func(p *Plan) ids.ID { return p.Only[0] })},

	{"mint output differs", "OperationTx", drawn, func(p *Plan) bool {
		switch operation := p.Ops[0].Op.(type) {
		case *secp256k1fx.MintOperation:
			operation.MintOutput.OutputOwners = p.Owners()
			return true
		case *propertyfx.MintOperation:
			operation.MintOutput.OutputOwners = p.Owners()
			return true
		}
		return false
	}},
	{"group differs", "OperationTx", drawn, func(p *Plan) bool {
		switch operation := p.Ops[0].Op.(type) {
		case *nftfx.MintOperation:
			operation.GroupID++
			return true
		case *nftfx.TransferOperation:
			operation.Output.GroupID++
			return true
		}
		return false
	}},
	{"payload differs", "OperationTx", drawn, func(p *Plan) bool {
		operation, ok := p.Ops[0].Op.(*nftfx.TransferOperation)
		if ok {
			operation.Output.Payload = append(slices.Clone(operation.Output.Payload), 1)
		}
		return ok
	}},
	{"operation of two UTXOs", "OperationTx", drawn, func(p *Plan) bool {
		// The second is one of another operation's, so that it exists.
		if len(p.Ops) < 2 || p.Ops[0].AssetID() != p.Ops[1].AssetID() {
			return false
		}
		list := []*avax.UTXOID{p.Ops[0].UTXOIDs[0], p.Ops[1].UTXOIDs[0]}
		slices.SortFunc(list, func(a, b *avax.UTXOID) int { return a.Compare(b) })
		p.Ops[0].UTXOIDs = list
		p.Ops[1].UTXOIDs = []*avax.UTXOID{{TxID: p.id()}}
		return p.keepOnly(0)
	}},
	{"operation of no UTXO", "OperationTx", drawn, always(func(p *Plan) { p.Ops[0].UTXOIDs = []*avax.UTXOID{} })},

	{"peer is the own chain", "", drawn, peer(func(*Plan) ids.ID { return judge.XChainID })},
	{"peer of another subnet", "", drawn, peer(func(p *Plan) ids.ID { return p.Foreign })},
	{"peer unknown", "", drawn, peer(func(p *Plan) ids.ID { return p.id() })},
	{"imported from the other chain", "ImportTx", drawn, always(func(p *Plan) {
		p.Peer = judge.CChainID
		if p.Origin == p.Peer {
			p.Peer = ids.Empty
		}
	})},
	{"imported UTXO unknown", "ImportTx", signed, func(p *Plan) bool {
		for _, spend := range p.Spends {
			p.Missing[spend.UTXO.InputID()] = spend.Imported
		}
		return true
	}},
	{"imported UTXO does not decode", "ImportTx", signed, func(p *Plan) bool {
		for _, spend := range p.Spends {
			if spend.Imported {
				data, err := judge.Codec().Marshal(txs.CodecVersion, spend.UTXO)
				if err != nil {
					panic(err)
				}
				p.Broken[spend.UTXO.InputID()] = data[:p.Between(2, len(data)-1)]
				return true
			}
		}
		return false
	}},

	{"signature of another key", "", signed, func(p *Plan) bool {
		return signature(func(p *Plan, s *[secp256k1.SignatureLen]byte) {
			made, err := Pick(p.Source, p.Keys...).Sign(p.UnsignedBytes())
			if err != nil {
				panic(err)
			}
			copy(s[:], made)
		})(p)
	}},
	{"signature of another hash", "", signed, signature(func(p *Plan, s *[secp256k1.SignatureLen]byte) {
		made, err := Pick(p.Source, p.Keys...).Sign(p.Bytes(10))
		if err != nil {
			panic(err)
		}
		copy(s[:], made)
	})},
	{"empty signature", "", signed, signature(func(_ *Plan, s *[secp256k1.SignatureLen]byte) { *s = [secp256k1.SignatureLen]byte{} })},
	{"high s", "", signed, signature(func(_ *Plan, s *[secp256k1.SignatureLen]byte) {
		copy(s[32:64], negated(s[32:64]))
		s[64] ^= 1
	})},
	{"other v", "", signed, signature(func(p *Plan, s *[secp256k1.SignatureLen]byte) {
		s[64] = Pick(p.Source, s[64]^1, s[64]+2, s[64]+4, s[64]+27, byte(p.IntN(256)))
	})},
	{"signatures exchanged", "", signed, signatures(func(_ *Plan, sigs [][secp256k1.SignatureLen]byte) [][secp256k1.SignatureLen]byte {
		if len(sigs) < 2 {
			return nil
		}
		slices.Reverse(sigs)
		return sigs
	})},
	{"signature removed", "", signed, signatures(func(_ *Plan, sigs [][secp256k1.SignatureLen]byte) [][secp256k1.SignatureLen]byte {
		if len(sigs) == 0 {
			return nil
		}
		return sigs[1:]
	})},
	{"signature added", "", signed, signatures(func(_ *Plan, sigs [][secp256k1.SignatureLen]byte) [][secp256k1.SignatureLen]byte {
		if len(sigs) == 0 {
			return nil
		}
		return append(sigs, sigs[0])
	})},
	{"credential of another fx", "", signed, aCredential(func(p *Plan, value verify.Verifiable) verify.Verifiable {
		sigs, fx := secpOf(value)
		return credentialOfFx((fx+p.Between(1, 2))%3, secp256k1fx.Credential{Sigs: sigs})
	})},
	{"value that is no credential", "", signed, aCredential(func(p *Plan, _ verify.Verifiable) verify.Verifiable {
		return p.validState(uint32(p.IntN(3)))
	})},
}

// keepOnly removes all operations but one; the UTXOs stay.
func (p *Plan) keepOnly(index int) bool {
	p.Ops = p.Ops[index : index+1]
	for _, spend := range p.Spends {
		if spend.Op != nil && spend.Op != p.Ops[0] {
			p.Extra = append(p.Extra, spend.UTXO)
		}
	}
	return true
}

// negated returns the group order less the scalar.
func negated(scalar []byte) []byte {
	value := new(big.Int).Sub(secp256k1Order, new(big.Int).SetBytes(scalar))
	return value.FillBytes(make([]byte, 32))
}

var secp256k1Order, _ = new(big.Int).SetString("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16)
