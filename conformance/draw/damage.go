package draw

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Damage changes the encoding of a value in one or two ways and names them. The
// end of other may replace the end of data.
func (p *Pool) Damage(value any, data, other []byte) ([]byte, []string) {
	spans := spansOf(value)
	names := make([]string, 0, 2)
	for {
		name, damaged := p.damage(data, other, spans)
		if damaged == nil {
			continue
		}
		data, names = damaged, append(names, name)
		// A second change does not know the fields any more.
		spans = nil
		if len(names) == 2 || !p.Chance(6) {
			return data, names
		}
	}
}

// damage makes one change, or none if the drawn one does not apply.
func (p *Pool) damage(data, other []byte, spans []span) (string, []byte) {
	if len(data) < 8 {
		return "append", append(slices.Clone(data), p.Bytes(p.Between(1, 4))...)
	}
	at := p.IntN(len(data))
	if spans == nil {
		switch p.IntN(3) {
		case 0:
			return "truncate", slices.Clone(data[:at])
		case 1:
			return "append", append(slices.Clone(data), p.Bytes(p.Between(1, 10))...)
		}
		return "flip a bit", flip(data, at, p.IntN(8))
	}
	field := Pick(p.Source, spans...)
	switch p.IntN(20) {
	case 0:
		return "flip a bit", flip(data, at, p.IntN(8))
	case 1:
		return "truncate", slices.Clone(data[:at])
	case 2:
		return "truncate at a field", slices.Clone(data[:field.start])
	case 3:
		return "truncate the end", slices.Clone(data[:len(data)-p.Between(1, 8)])
	case 4:
		return "append", append(slices.Clone(data), p.Bytes(p.Between(1, 10))...)
	case 5:
		return "insert", slices.Insert(slices.Clone(data), at, p.Bytes(p.Between(1, 8))...)
	case 6:
		return "remove a field", slices.Delete(slices.Clone(data), field.start, field.start+field.length)
	case 7:
		if field.kind == spanType || field.kind == spanCount || field.length < 2 {
			return "", nil
		}
		changed := slices.Clone(data)
		slices.Reverse(changed[field.start : field.start+field.length])
		return "reverse a field", changed
	case 8, 9:
		return p.another(data, spans, spanType, "type", func() uint32 {
			return Pick(p.Source, uint32(p.IntN(24)), uint32(p.IntN(24)), p.Uint32(), uint32(p.Number()))
		})
	case 10:
		return p.another(data, spans, spanCount, "count", func() uint32 {
			return Pick(p.Source, uint32(p.IntN(5)), p.Uint32(), uint32(p.Number()), 0xffffffff, 0x7fffffff)
		})
	case 11, 12, 18, 19:
		if field.kind == spanElement || field.length == 0 {
			return "", nil
		}
		changed := slices.Clone(data)
		copy(changed[field.start:], p.Bytes(field.length))
		return "another value", changed
	case 13, 16, 17:
		return p.damageList(data, spans)
	case 14:
		version := Pick(p.Source, []byte{0, 1}, []byte{1, 0}, p.Bytes(2))
		return "version", append(slices.Clone(version), data[2:]...)
	}
	switch p.IntN(4) {
	case 0:
		return "version removed", slices.Clone(data[2:])
	case 1:
		return "version twice", append([]byte{0, 0}, data...)
	case 2:
		end := min(len(data), at+p.Between(1, 40))
		return "double a region", slices.Insert(slices.Clone(data), end, data[at:end]...)
	}
	return "splice", append(slices.Clone(data[:at]), other[min(at, len(other)):]...)
}

// another overwrites a type ID or a count.
func (p *Pool) another(data []byte, spans []span, kind spanKind, name string, draw func() uint32) (string, []byte) {
	var fitting []span
	for _, field := range spans {
		if field.kind == kind && field.length == 4 {
			fitting = append(fitting, field)
		}
	}
	if len(fitting) == 0 {
		return "", nil
	}
	field := Pick(p.Source, fitting...)
	if p.Chance(4) {
		return "flip a bit of a length or type", flip(data, field.start+p.IntN(4), p.IntN(8))
	}
	changed := slices.Clone(data)
	binary.BigEndian.PutUint32(changed[field.start:], draw())
	if bytes.Equal(changed, data) {
		return "", nil
	}
	return name, changed
}

// damageList doubles or removes an element of a list, with or without counting
// it, or exchanges it with its neighbour.
func (p *Pool) damageList(data []byte, spans []span) (string, []byte) {
	var elements []int
	for i, field := range spans {
		if field.kind == spanElement && field.length > 0 {
			elements = append(elements, i)
		}
	}
	if len(elements) == 0 {
		return "", nil
	}
	field := spans[Pick(p.Source, elements...)]
	piece := slices.Clone(data[field.start : field.start+field.length])
	rest := slices.Delete(slices.Clone(data), field.start, field.start+field.length)
	// The count is known only for the first element, which follows it.
	count, found := 0, false
	for _, other := range spans {
		if other.kind == spanCount && other.length == 4 && other.start+4 == field.start {
			count, found = other.start, true
		}
	}
	switch p.IntN(5) {
	case 0:
		return "double an element", slices.Insert(slices.Clone(data), field.start, piece...)
	case 1:
		return "remove an element", rest
	case 2:
		if !found {
			return "", nil
		}
		changed := slices.Insert(slices.Clone(data), field.start, piece...)
		binary.BigEndian.PutUint32(changed[count:], binary.BigEndian.Uint32(changed[count:])+1)
		return "double an element and count it", changed
	case 3:
		if !found {
			return "", nil
		}
		binary.BigEndian.PutUint32(rest[count:], binary.BigEndian.Uint32(rest[count:])-1)
		return "remove an element and count it", rest
	}
	for _, index := range elements {
		next := spans[index]
		if next.start == field.start+field.length && !bytes.Equal(data[next.start:next.start+next.length], piece) {
			changed := append(slices.Clone(data[:field.start]), data[next.start:next.start+next.length]...)
			changed = append(changed, piece...)
			return "swap elements", append(changed, data[next.start+next.length:]...)
		}
	}
	return "", nil
}

func flip(data []byte, at, bit int) []byte {
	changed := slices.Clone(data)
	changed[at] ^= 1 << bit
	return changed
}
