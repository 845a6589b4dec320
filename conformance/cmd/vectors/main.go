// Command vectors writes the files of test-vectors that come from avalanchego's
// packages into the folder given as argument.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"avmkit/conformance/vectors"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: vectors <folder of test vectors>")
		os.Exit(2)
	}
	folder := os.Args[1]
	err := errors.Join(
		vectors.WriteGenerated(filepath.Join(folder, "generated")),
		vectors.WriteGenesis(folder),
		vectors.WriteViolations(folder),
		vectors.WriteCrossChain(folder),
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
