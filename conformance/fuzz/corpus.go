// Package fuzz lets Go's fuzzer search the node's parsers for inputs that reach
// new code, and reads the corpus that it found.
package fuzz

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"avmkit/conformance/judge"
)

// Targets are the fuzz targets by the kind of case that an input becomes.
var Targets = []Target{
	{"FuzzTx", "tx", blobCase},
	{"FuzzUTXO", "utxo", blobCase},
	{"FuzzBlock", "block", blobCase},
	{"FuzzGenesis", "genesis-bytes", blobCase},
	{"FuzzSyntactic", "syntactic", blobCase},
	{"FuzzPTx", "p-tx", func(kind string, data []byte) any {
		return judge.PeerCase{Head: judge.Head{Kind: kind}, Network: "local", Signed: hex.EncodeToString(data), Prices: []string{"1"}}
	}},
	{"FuzzPUTXO", "p-utxo", func(kind string, data []byte) any {
		return judge.PeerCase{Head: judge.Head{Kind: kind}, UTXO: hex.EncodeToString(data)}
	}},
	{"FuzzCTx", "c-tx", func(kind string, data []byte) any {
		return judge.PeerCase{Head: judge.Head{Kind: kind}, Network: "local", Signed: hex.EncodeToString(data), Prices: []string{"1000000000"}}
	}},
	{"FuzzText", "text", textCase},
}

// Target is a fuzz target. Case makes a case of an input.
type Target struct {
	Name, Kind string
	Case       func(kind string, data []byte) any
}

func blobCase(kind string, data []byte) any {
	return struct {
		Kind    string `json:"kind"`
		Network uint32 `json:"network"`
		Bytes   string `json:"bytes"`
	}{kind, 12345, hex.EncodeToString(data)}
}

// parsers are what the first byte of an input of FuzzText chooses from.
var parsers = []string{
	"id", "shortID", "nodeID", "cb58", "hex", "hexnc", "privateKey", "utxoID", "bech32", "address", "localAddress", "serviceAddress",
}

func textCase(kind string, data []byte) any {
	as, text := parsers[0], ""
	if len(data) > 0 {
		as, text = parsers[int(data[0])%len(parsers)], strings.ToValidUTF8(string(data[1:]), "?")
	}
	return struct {
		Kind string `json:"kind"`
		As   string `json:"as"`
		Text string `json:"text"`
	}{kind, as, text}
}

// textInput is the inverse of textCase.
func textInput(as, text string) []byte {
	for i, name := range parsers {
		if name == as {
			return append([]byte{byte(i)}, text...)
		}
	}
	return nil
}

var errNoCorpusFile = errors.New("no file of a fuzz corpus")

// ReadCorpus returns the cases of a target from the folder of its corpus. Without
// the folder there are none.
func ReadCorpus(folder string, target Target) (list []any, err error) {
	files, err := filepath.Glob(filepath.Join(folder, target.Name, "*"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		data, err := parseCorpus(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, target.Case(target.Kind, data))
	}
	return list, nil
}

// parseCorpus reads the format of Go's fuzzer: a header and a Go literal.
func parseCorpus(text []byte) ([]byte, error) {
	_, literal, ok := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	quoted, found := strings.CutPrefix(string(literal), "[]byte(")
	if !ok || !found {
		return nil, errNoCorpusFile
	}
	data, err := strconv.Unquote(strings.TrimSuffix(quoted, ")"))
	return []byte(data), err
}
