package draw

import "reflect"

// span is a field in the encoding of a value.
type span struct {
	start, length int
	kind          spanKind
}

type spanKind int

const (
	spanNumber spanKind = iota
	spanType
	spanCount
	spanBytes
	// spanElement is an element of a list and contains other spans.
	spanElement
)

// spansOf finds the fields of a value's encoding, so that damage can be aimed at
// them. It follows codec/reflectcodec: fields with the tag serialize in order, a
// type ID before a value of an interface, a count before a list.
func spansOf(value any) []span {
	w := &spanWalker{at: 2}
	w.walk(reflect.ValueOf(value))
	return w.spans
}

type spanWalker struct {
	at    int
	spans []span
}

func (w *spanWalker) add(kind spanKind, length int) {
	w.spans = append(w.spans, span{w.at, length, kind})
	w.at += length
}

func (w *spanWalker) walk(value reflect.Value) {
	switch value.Kind() {
	case reflect.Pointer:
		w.walk(value.Elem())
	case reflect.Interface:
		w.add(spanType, 4)
		w.walk(value.Elem())
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Type().Field(i).Tag.Get("serialize") == "true" {
				w.walk(value.Field(i))
			}
		}
	case reflect.String:
		w.add(spanCount, 2)
		w.add(spanBytes, value.Len())
	case reflect.Slice:
		w.add(spanCount, 4)
		if value.Type().Elem().Kind() == reflect.Uint8 {
			w.add(spanBytes, value.Len())
			return
		}
		for i := range value.Len() {
			start := w.at
			w.walk(value.Index(i))
			w.spans = append(w.spans, span{start, w.at - start, spanElement})
		}
	case reflect.Array:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			w.add(spanBytes, value.Len())
			return
		}
		for i := range value.Len() {
			w.walk(value.Index(i))
		}
	default:
		w.add(spanNumber, int(value.Type().Size()))
	}
}
