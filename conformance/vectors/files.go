// Package vectors writes the files of test-vectors that come from avalanchego's
// packages alone.
package vectors

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"avmkit/conformance/draw"
	"avmkit/conformance/judge"
)

// Seed decides all inputs of test-vectors/generated.
const Seed = 20261117

// generated lists the files of test-vectors/generated with what makes their
// cases.
var generated = []struct {
	name string
	make func(*draw.World) []judge.Case
}{
	{"tx", transactions},
	{"tx-mutated", damagedTransactions},
	{"genesis-tx", genesisTransactions},
	{"genesis", geneses},
	{"utxo", utxos},
	{"utxo-mutated", damagedUTXOs},
	{"block", blocks},
	{"block-mutated", damagedBlocks},
	{"syntactic", syntactic},
	{"semantic", semantic},
	{"sign", signing},
	{"recover", recovery},
	{"text", texts},
	{"order", orders},
	{"utxos-of-tx", createdOutputs},
	{"size", sizes},
}

// WriteGenerated writes the files into a folder and reports what is in them.
func WriteGenerated(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, file := range generated {
		source := draw.New(Seed, file.name)
		cases := file.make(draw.NewWorld(draw.NewPool(source)))
		var text bytes.Buffer
		refused := 0
		for i, c := range cases {
			line, err := judged(c, file.name, i)
			if err != nil {
				return fmt.Errorf("%s: %w", file.name, err)
			}
			if bytes.Contains(line, []byte(`"ok":false`)) {
				refused++
			}
			text.WriteString(separator(i))
			text.Write(line)
		}
		text.WriteString("\n]\n")
		path := filepath.Join(folder, file.name+".json")
		if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
			return err
		}
		fmt.Printf("%-20s %4d cases, %3d refused, %7d bytes\n", filepath.Base(path), len(cases), refused, text.Len())
	}
	return nil
}

func separator(i int) string {
	if i == 0 {
		return "[\n"
	}
	return ",\n"
}

// judged completes a case: its name, then the answers.
func judged(c judge.Case, kind string, i int) ([]byte, error) {
	c.Name(kind, fmt.Sprintf("%s-%05d", kind, i))
	if err := c.Judge(); err != nil {
		return nil, err
	}
	return judge.Marshal(c)
}

// Draw returns the inputs of all kinds of generated cases from another seed.
func Draw(seed uint64) (list []judge.Case) {
	for _, file := range generated {
		cases := file.make(draw.NewWorld(draw.NewPool(draw.New(seed, file.name))))
		for i, c := range cases {
			c.Name(file.name, fmt.Sprintf("%s-%05d", file.name, i))
		}
		list = append(list, cases...)
	}
	return list
}
