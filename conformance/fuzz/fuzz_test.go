package fuzz

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avmkit/conformance/judge"
)

// vectors is the folder whose cases are the seeds.
const vectors = "../../test-vectors"

type seed struct {
	As, Text, Bytes, Signed, UTXO string
}

// seeds returns what pick finds in the lines of a file with one case per line.
func seeds(f *testing.F, name string, pick func(seed) string) {
	file, err := os.Open(filepath.Join(vectors, "generated", name+".json"))
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		add(f, strings.TrimSuffix(lines.Text(), ","), pick)
	}
	if err := lines.Err(); err != nil {
		f.Fatal(err)
	}
}

func add(f *testing.F, text string, pick func(seed) string) {
	var found seed
	if json.Unmarshal([]byte(text), &found) != nil {
		return
	}
	data, err := hex.DecodeString(pick(found))
	// Long inputs slow the fuzzer down; their lengths are in the vectors.
	if err == nil && len(data) > 0 && len(data) < 8192 {
		f.Add(data)
	}
}

// peerSeeds does the same with the cases of cross-chain.json of one kind.
func peerSeeds(f *testing.F, kind string, pick func(seed) string) {
	text, err := os.ReadFile(filepath.Join(vectors, "cross-chain.json"))
	if err != nil {
		f.Fatal(err)
	}
	var file struct{ Vectors []json.RawMessage }
	if err := json.Unmarshal(text, &file); err != nil {
		f.Fatal(err)
	}
	for _, vector := range file.Vectors {
		var head judge.Head
		if json.Unmarshal(vector, &head) == nil && head.Kind == kind {
			add(f, string(vector), pick)
		}
	}
}

// run fuzzes a target: the line of a case is judged, and only a panic or a case
// that cannot be read is a failure.
func run(f *testing.F, name string) {
	for _, target := range Targets {
		if target.Name != name {
			continue
		}
		f.Fuzz(func(t *testing.T, data []byte) {
			line, err := json.Marshal(target.Case(target.Kind, data))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := judge.AnswerLine(line); err != nil {
				t.Fatal(err)
			}
		})
		return
	}
	f.Fatal("no target of this name")
}

func bytesOf(s seed) string { return s.Bytes }

func FuzzTx(f *testing.F) {
	seeds(f, "tx", bytesOf)
	seeds(f, "tx-mutated", bytesOf)
	run(f, "FuzzTx")
}

func FuzzUTXO(f *testing.F) {
	seeds(f, "utxo", bytesOf)
	seeds(f, "utxo-mutated", bytesOf)
	run(f, "FuzzUTXO")
}

func FuzzBlock(f *testing.F) {
	seeds(f, "block", bytesOf)
	seeds(f, "block-mutated", bytesOf)
	run(f, "FuzzBlock")
}

func FuzzGenesis(f *testing.F) {
	seeds(f, "genesis", bytesOf)
	run(f, "FuzzGenesis")
}

func FuzzSyntactic(f *testing.F) {
	seeds(f, "syntactic", bytesOf)
	run(f, "FuzzSyntactic")
}

func FuzzPTx(f *testing.F) {
	peerSeeds(f, "p-tx", func(s seed) string { return s.Signed })
	run(f, "FuzzPTx")
}

func FuzzPUTXO(f *testing.F) {
	peerSeeds(f, "p-utxo", func(s seed) string { return s.UTXO })
	run(f, "FuzzPUTXO")
}

func FuzzCTx(f *testing.F) {
	peerSeeds(f, "c-tx", func(s seed) string { return s.Signed })
	run(f, "FuzzCTx")
}

func FuzzText(f *testing.F) {
	seeds(f, "text", func(s seed) string { return hex.EncodeToString(textInput(s.As, s.Text)) })
	run(f, "FuzzText")
}
