// Package draw makes the inputs of cases from a seed: values, damaged bytes,
// transactions with named faults. The same seed gives the same inputs.
package draw

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"

	"github.com/ava-labs/avalanchego/ids"
)

// Source draws numbers and what can be made of them.
type Source struct{ *rand.Rand }

// New returns the source of one file. Each file has its own sequence, so that a
// change to one of them leaves the others alone.
func New(seed uint64, file string) Source {
	name := fnv.New64a()
	name.Write([]byte(file))
	return Source{rand.New(rand.NewPCG(seed, name.Sum64()))}
}

// Chance is true once in n times on average.
func (s Source) Chance(n int) bool { return s.IntN(n) == 0 }

// Between returns a number from low to high, both included.
func (s Source) Between(low, high int) int { return low + s.IntN(high-low+1) }

// Bytes returns random bytes.
func (s Source) Bytes(length int) []byte {
	data := make([]byte, 0, length+8)
	for len(data) < length {
		data = binary.BigEndian.AppendUint64(data, s.Uint64())
	}
	return data[:length]
}

// Pick returns one of the values.
func Pick[T any](s Source, list ...T) T { return list[s.IntN(len(list))] }

// edges are numbers at which formats and languages differ.
var edges = []uint64{
	0, 1, 2, 9, 10, 255, 256, 0xffff, 0x10000, 1_000_000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
	1<<53 - 1, 1 << 53, 1<<53 + 1, 1<<63 - 1, 1 << 63, 1<<64 - 1,
}

// Number returns any u64: an edge, or a random one of random length.
func (s Source) Number() uint64 {
	if s.Chance(3) {
		return Pick(s, edges...)
	}
	return s.Uint64() >> s.IntN(64)
}

// Amount returns a number above 0.
func (s Source) Amount() uint64 { return max(1, s.Number()) }

func (s Source) id() (id ids.ID) {
	copy(id[:], s.Bytes(32))
	return id
}

func (s Source) address() (address ids.ShortID) {
	copy(address[:], s.Bytes(20))
	return address
}
