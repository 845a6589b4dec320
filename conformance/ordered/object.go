// Package ordered reads and writes JSON objects without changing the order of
// their members, so that a file that is written again differs only where a value
// does.
package ordered

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"avmkit/conformance/judge"
)

// Object is a JSON object.
type Object []Member

// Member is a name with a value as text.
type Member struct {
	Name  string
	Value json.RawMessage
}

func (o *Object) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	*o = nil
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		*o = append(*o, Member{fmt.Sprint(name), value})
	}
	return nil
}

func (o Object) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('{')
	for i, member := range o {
		if i > 0 {
			text.WriteByte(',')
		}
		name, err := judge.Marshal(member.Name)
		if err != nil {
			return nil, err
		}
		text.Write(name)
		text.WriteByte(':')
		text.Write(member.Value)
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

func (o Object) find(name string) int {
	return slices.IndexFunc(o, func(member Member) bool { return member.Name == name })
}

// Has says whether there is such a member.
func (o Object) Has(name string) bool { return o.find(name) >= 0 }

// Get reads a member; it leaves the value alone if there is none.
func (o Object) Get(name string, into any) error {
	at := o.find(name)
	if at < 0 {
		return nil
	}
	if err := json.Unmarshal(o[at].Value, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Text reads a member that is a string.
func (o Object) Text(name string) string {
	var text string
	if err := o.Get(name, &text); err != nil {
		panic(err)
	}
	return text
}

// Set replaces a member where it stands, or adds it at the end. Nil removes it.
func (o *Object) Set(name string, value any) {
	at := o.find(name)
	if value == nil {
		if at >= 0 {
			*o = slices.Delete(*o, at, at+1)
		}
		return
	}
	text, err := judge.Marshal(value)
	if err != nil {
		panic(err)
	}
	if at < 0 {
		*o = append(*o, Member{name, text})
	} else {
		(*o)[at].Value = text
	}
}

// Indent writes a value with one space per level, without escaping HTML.
func Indent(value any, indent string) ([]byte, error) {
	text, err := judge.Marshal(value)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", indent); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
