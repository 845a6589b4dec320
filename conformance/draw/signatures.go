package draw

import (
	"math/big"
	"slices"
)

// Recovery is a hash with a signature and how it was made.
type Recovery struct {
	Made            string
	Hash, Signature []byte
}

// scalar returns a number as 32 bytes.
func scalar(value *big.Int) []byte { return value.FillBytes(make([]byte, 32)) }

func plus(value *big.Int, add int64) []byte { return scalar(new(big.Int).Add(value, big.NewInt(add))) }

// baseX is the x of the base point: the r of a signature with nonce 1.
var baseX, _ = new(big.Int).SetString("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798", 16)

// fieldOverflow is the largest r that a v of 2 or 3 can stand for: the field's
// prime less the group order.
var fieldOverflow, _ = new(big.Int).SetString("14551231950b75fc4402da1722fc9baee", 16)

// Recoveries returns signatures: good ones, and those at every limit that a
// reader can get wrong.
func (p *Pool) Recoveries(count int) (list []Recovery) {
	one := scalar(big.NewInt(1))
	half := new(big.Int).Rsh(secp256k1Order, 1)
	add := func(made string, hash []byte, r, s []byte, v byte) {
		list = append(list, Recovery{made, hash, append(slices.Concat(r, s), v)})
	}
	zero := make([]byte, 32)
	list = append(list, Recovery{"65 zero bytes", one, make([]byte, 65)}, Recovery{"empty", one, []byte{}})
	add("hash is 0", zero, one, one, 0)
	list = append(list, Recovery{"65 bytes ff", one, slices.Repeat([]byte{0xff}, 65)})
	add("s is half the order", one, one, scalar(half), 0)
	add("s is half the order and 1", one, one, plus(half, 1), 0)
	add("s is the order", one, one, scalar(secp256k1Order), 0)
	add("r is the order", one, scalar(secp256k1Order), one, 0)
	add("point at infinity", one, scalar(baseX), one, 0)
	// Here the largest values that fit and the first that do not.
	for _, delta := range []int64{-2, -1, 0, 1} {
		add("r next to what v 2 stands for", one, plus(fieldOverflow, delta), one, 2)
	}
	makers := []func(){
		func() {
			hash, signature := p.signature()
			list = append(list, Recovery{"signed", hash, signature})
		},
		func() {
			hash, signature := p.signature()
			signature[64] ^= 1
			list = append(list, Recovery{"v flipped", hash, signature})
		},
		func() {
			hash, signature := p.signature()
			signature[64] = Pick(p.Source, signature[64]+2, signature[64]+4, signature[64]+27, byte(p.Between(4, 255)))
			list = append(list, Recovery{"another v", hash, signature})
		},
		func() {
			hash, signature := p.signature()
			copy(signature[32:], negated(signature[32:64]))
			if p.Chance(2) {
				signature[64] ^= 1
			}
			list = append(list, Recovery{"high s", hash, signature})
		},
		func() {
			hash, signature := p.signature()
			list = append(list, Recovery{"one bit flipped", hash, flip(signature, p.IntN(64), p.IntN(8))})
		},
		func() {
			hash, signature := p.signature()
			list = append(list, Recovery{"length", hash, signature[:p.IntN(65)]})
		},
		func() {
			hash, signature := p.signature()
			list = append(list, Recovery{"a byte too many", hash, append(signature, 0)})
		},
		func() {
			hash, signature := p.signature()
			list = append(list, Recovery{"v first", hash, append([]byte{signature[64] + 27}, signature[:64]...)})
		},
		func() {
			hash, signature := p.signature()
			list = append(list, Recovery{"r and s exchanged", hash, slices.Concat(signature[32:64], signature[:32], signature[64:])})
		},
		func() {
			_, signature := p.signature()
			list = append(list, Recovery{"another hash", p.Bytes(32), signature})
		},
		func() {
			add("small r, v 0 or 1", p.Bytes(32), scalar(big.NewInt(int64(p.Between(1, 30)))), one, byte(p.IntN(2)))
		},
		func() {
			add("small r, v 2 or 3", p.Bytes(32), scalar(big.NewInt(int64(p.Between(1, 30)))), one, byte(p.Between(2, 3)))
		},
		func() {
			add("r next to the order", p.Bytes(32), plus(secp256k1Order, -int64(p.IntN(5))), one, byte(p.IntN(4)))
		},
		func() {
			add("r above the order", p.Bytes(32), plus(secp256k1Order, int64(p.IntN(99))), one, byte(p.IntN(4)))
		},
		func() {
			hash, signature := p.signature()
			add("s next to half the order", hash, signature[:32], plus(half, int64(p.Between(-2, 2))), signature[64])
		},
		func() {
			hash, signature := p.signature()
			add("s from the order on", hash, signature[:32], plus(secp256k1Order, int64(p.IntN(3))), signature[64])
		},
		func() {
			hash, signature := p.signature()
			add("s is 0", hash, signature[:32], zero, signature[64])
		},
		func() {
			hash, signature := p.signature()
			add("r is 0", hash, zero, signature[32:64], signature[64])
		},
		func() { list = append(list, Recovery{"random", p.Bytes(32), append(p.Bytes(64), byte(p.IntN(8)))}) },
	}
	for i := 0; len(list) < count; i++ {
		makers[i%len(makers)]()
	}
	return list[:count]
}

func (p *Pool) signature() (hash, signature []byte) {
	hash = p.Bytes(32)
	signature, err := Pick(p.Source, p.Keys...).SignHash(hash)
	if err != nil {
		panic(err)
	}
	return hash, signature
}
