// Command vectors writes the files of test-vectors that come from avalanchego's
// packages into the folder given as argument.
package main

import (
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
	if err := vectors.WriteGenerated(filepath.Join(os.Args[1], "generated")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
