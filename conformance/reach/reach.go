// Package reach tells which blocks of code have run, in a program that was built
// with -cover -covermode=atomic.
package reach

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime/coverage"
)

// Block is a basic block: the indices of its package, function and counter.
type Block [3]uint32

var errFormat = errors.New("the format of Go's coverage counters is another one than of Go 1.20 to 1.26")

// Take returns the blocks that ran since the last call.
func Take() ([]Block, error) {
	var buffer bytes.Buffer
	if err := coverage.WriteCounters(&buffer); err != nil {
		return nil, err
	}
	if err := coverage.ClearCounters(); err != nil {
		return nil, err
	}
	return blocks(buffer.Bytes())
}

// Lengths in the format of counters, which internal/coverage of Go defines.
const (
	headerLength  = 32
	segmentLength = 16
)

// blocks reads the one segment of a file of counters: the number of functions that
// ran, texts about the process, then for each function the number of its counters,
// the indices of its package and of itself, and the counters.
func blocks(file []byte) ([]Block, error) {
	if len(file) < headerLength+segmentLength || !bytes.HasPrefix(file, []byte("\x00\x63\x77\x6d")) {
		return nil, errFormat
	}
	segment := file[headerLength:]
	functions := binary.LittleEndian.Uint64(segment)
	texts := binary.LittleEndian.Uint32(segment[8:]) + binary.LittleEndian.Uint32(segment[12:])
	// Texts are padded.
	start := (headerLength + segmentLength + int(texts) + 3) &^ 3
	values := reader{file[min(start, len(file)):]}
	var list []Block
	for range functions {
		count, pkg, function := values.next(), values.next(), values.next()
		for i := range count {
			if values.next() > 0 {
				list = append(list, Block{pkg, function, i})
			}
		}
	}
	return list, nil
}

// reader reads numbers in ULEB128.
type reader struct{ rest []byte }

func (r *reader) next() uint32 {
	value, n := binary.Uvarint(r.rest)
	r.rest = r.rest[max(n, 0):]
	return uint32(value)
}
