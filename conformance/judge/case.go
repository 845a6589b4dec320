package judge

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// Case is a case of any kind.
type Case interface {
	// Name sets kind and ID.
	Name(kind, id string)
	// Judge fills in the answers. It returns an error only if the inputs
	// themselves cannot be read, for example bytes that are not hex.
	Judge() error
	// Answer returns what Line writes without the inputs.
	Answer() any
}

var errUnknownKind = errors.New("unknown kind")

// Head is what all cases begin with.
type Head struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

func (h *Head) Name(kind, id string) { h.Kind, h.ID = kind, id }

// Verdict is what all cases are answered with.
type Verdict struct {
	OK bool `json:"ok"`
	// Err is the error text, or "panic".
	Err string `json:"err,omitempty"`
	// ErrName is the Go identifier of the error, if it has one.
	ErrName string `json:"errName,omitempty"`
	// Code is the name of the violated rule in this library, if it has one.
	Code string `json:"code,omitempty"`
	// Lenient lists reasons why a stricter reader may refuse what the node accepts:
	//
	//	credential-type    a value in place of a credential that is none
	//	invalid-utf8       name or symbol of an asset
	//	bech32m            the checksum of the other kind
	//	bech32-padding     number of groups or padding bits that no encoder writes
	//	empty-alias        an address that begins with the dash
	//	address-length     an address that has not 20 bytes
	//	empty-string       hex of no characters, without 0x
	//	leading-zeros      the index of a UTXO
	//	private-key-range  0, or not below the group order
	Lenient []string `json:"lenient,omitempty"`
}

// accept and refuse overwrite an earlier answer, so that a case can be judged
// again.
func (v *Verdict) accept() { *v = Verdict{OK: true} }

func (v *Verdict) refuse(err error) {
	name, code := nameOf(err)
	*v = Verdict{Err: err.Error(), ErrName: name, Code: code}
}

// Blob is a value as bytes. Parts is used instead of Bytes where long runs of
// one byte would only cost room.
type Blob struct {
	Bytes  *string `json:"bytes,omitempty"`
	Parts  []Run   `json:"parts,omitempty"`
	Length int     `json:"length,omitempty"`
}

// Run is a piece of hex and how often it is repeated.
type Run struct {
	Hex   string
	Times int
}

func (r Run) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{r.Hex, r.Times})
}

func (r *Run) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&r.Hex, &r.Times})
}

// NewBlob describes the bytes, in parts if one byte is repeated often.
func NewBlob(value []byte) Blob {
	const worthIt = 1000
	start, length := longestRun(value)
	if length < worthIt {
		return Blob{Bytes: ptr(hex.EncodeToString(value))}
	}
	end := start + length
	return Blob{
		Parts: []Run{
			{hex.EncodeToString(value[:start]), 1},
			{hex.EncodeToString(value[start : start+1]), length},
			{hex.EncodeToString(value[end:]), 1},
		},
		Length: len(value),
	}
}

func longestRun(value []byte) (start, length int) {
	for at := 0; at < len(value); {
		end := at
		for end < len(value) && value[end] == value[at] {
			end++
		}
		if end-at > length {
			start, length = at, end-at
		}
		at = end
	}
	return start, length
}

// Value returns the bytes.
func (b *Blob) Value() ([]byte, error) {
	if b.Bytes != nil {
		return hex.DecodeString(*b.Bytes)
	}
	var value []byte
	for _, run := range b.Parts {
		piece, err := hex.DecodeString(run.Hex)
		if err != nil {
			return nil, err
		}
		value = append(value, bytes.Repeat(piece, run.Times)...)
	}
	return value, nil
}

// kinds makes an empty case of each kind.
var kinds = map[string]func() Case{
	"tx":            func() Case { return new(TxCase) },
	"tx-mutated":    func() Case { return new(TxCase) },
	"genesis-tx":    func() Case { return new(GenesisTxCase) },
	"genesis":       func() Case { return new(GenesisCase) },
	"genesis-bytes": func() Case { return new(GenesisBytesCase) },
	"utxo":          func() Case { return new(UTXOCase) },
	"utxo-mutated":  func() Case { return new(UTXOCase) },
	"block":         func() Case { return new(BlockCase) },
	"block-mutated": func() Case { return new(BlockCase) },
	"syntactic":     func() Case { return new(SyntacticCase) },
	"semantic":      func() Case { return new(SemanticCase) },
	"sign":          func() Case { return new(SignCase) },
	"recover":       func() Case { return new(RecoverCase) },
	"text":          func() Case { return new(TextCase) },
	"order":         func() Case { return new(OrderCase) },
	"utxos-of-tx":   func() Case { return new(OutputsCase) },
	"size":          func() Case { return new(SizeCase) },
	"p-tx":          func() Case { return new(PeerCase) },
	"p-spend":       func() Case { return new(PeerCase) },
	"p-utxo":        func() Case { return new(PeerCase) },
	"c-tx":          func() Case { return new(PeerCase) },
	"c-spend":       func() Case { return new(PeerCase) },
	"helicon":       func() Case { return new(PeerCase) },
	"p-fee":         func() Case { return new(FeeCase) },
	"c-fee":         func() Case { return new(FeeCase) },
}

// Line reads the inputs of a case, judges it and returns it with the answers.
// Answers in the given text are ignored.
func Line(text []byte) ([]byte, error) {
	c, err := judged(text)
	if err != nil {
		return nil, err
	}
	return Marshal(c)
}

// AnswerLine is Line without the inputs.
func AnswerLine(text []byte) ([]byte, error) {
	c, err := judged(text)
	if err != nil {
		return nil, err
	}
	return Marshal(c.Answer())
}

func judged(text []byte) (c Case, err error) {
	var head Head
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, err
	}
	make, ok := kinds[head.Kind]
	if !ok {
		return nil, fmt.Errorf("%w: %q", errUnknownKind, head.Kind)
	}
	c = make()
	if err := json.Unmarshal(text, c); err != nil {
		return nil, err
	}
	// Any input may be given here, also one that avalanchego's packages do not expect.
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("%s: panic: %v", head.ID, problem)
		}
	}()
	if err := c.Judge(); err != nil {
		return nil, fmt.Errorf("%s: %w", head.ID, err)
	}
	return c, nil
}

// Marshal writes a value as JSON in one line, without escaping characters that
// only matter in HTML.
func Marshal(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}
