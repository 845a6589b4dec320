package draw

import (
	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/utils"
	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"

	"avmkit/conformance/judge"
)

// Pool holds the keys and IDs of a file. Values meet again only if few of them
// exist, and orders, owners and sums are about values that meet again.
type Pool struct {
	Source
	Keys   []*secp256k1.PrivateKey
	Assets []ids.ID
	TxIDs  []ids.ID
}

// NewPool draws the keys and IDs.
func NewPool(s Source) *Pool {
	p := &Pool{Source: s, Assets: []ids.ID{judge.AVAXAssetID}}
	for range 6 {
		// Random 32 bytes are below the group order except once in 2^128 times.
		key, err := secp256k1.ToPrivateKey(s.Bytes(32))
		if err != nil {
			panic(err)
		}
		p.Keys = append(p.Keys, key)
		p.Assets = append(p.Assets, s.id())
		p.TxIDs = append(p.TxIDs, s.id())
	}
	return p
}

// Address returns the address of a key, or one that nobody has.
func (p *Pool) Address() ids.ShortID {
	if p.Chance(12) {
		return ids.ShortEmpty
	}
	if p.Chance(4) {
		return p.address()
	}
	return Pick(p.Source, p.Keys...).Address()
}

func (p *Pool) asset() ids.ID { return Pick(p.Source, p.Assets...) }

func (p *Pool) txID() ids.ID {
	if p.Chance(2) {
		return Pick(p.Source, p.TxIDs...)
	}
	return p.id()
}

// addresses returns distinct addresses in order.
func (p *Pool) addresses(count int) []ids.ShortID {
	seen := make(map[ids.ShortID]bool)
	list := make([]ids.ShortID, 0, count)
	for len(list) < count {
		address := p.Address()
		if !seen[address] {
			seen[address] = true
			list = append(list, address)
		}
	}
	utils.Sort(list)
	return list
}

// Owners returns owners that a rule accepts.
func (p *Pool) Owners() secp256k1fx.OutputOwners {
	if p.Chance(8) {
		return secp256k1fx.OutputOwners{Addrs: []ids.ShortID{}}
	}
	count := Pick(p.Source, 1, 1, 1, 1, 2, 3)
	owners := secp256k1fx.OutputOwners{
		Threshold: uint32(p.Between(1, count)),
		Addrs:     p.addresses(count),
	}
	if p.Chance(3) {
		owners.Locktime = p.Number()
	}
	return owners
}

// anyOwners returns owners that the codec reads, valid or not.
func (p *Pool) anyOwners() secp256k1fx.OutputOwners {
	owners := p.Owners()
	switch p.IntN(10) {
	case 0:
		owners.Threshold = uint32(p.Number())
	case 1:
		owners.Addrs = append(owners.Addrs, p.Address())
	case 2:
		owners.Locktime = p.Number()
	}
	return owners
}

// indices returns the positions of signers.
func (p *Pool) indices() []uint32 {
	list := make([]uint32, Pick(p.Source, 0, 1, 1, 1, 2, 3))
	for i := range list {
		list[i] = uint32(i)
		if p.Chance(6) {
			list[i] = uint32(p.Number())
		}
	}
	return list
}
