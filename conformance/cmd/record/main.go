// Command record repeats the recordings of test-vectors on a node built from this
// module. It must run in the module's folder. It exits with 1 if the node answers
// otherwise than recorded; the files then hold the new answers.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"avmkit/conformance/recorder"
)

// recordings are the files with what repeats them.
var recordings = []struct {
	file   string
	repeat func(binary, path string) ([]string, error)
}{
	{"node-sequence.json", recorder.RepeatSequence},
	{"cross-chain.json", recorder.RepeatCrossChain},
	{"node-replies.json", recorder.RepeatReplies},
	{"node-clients.json", recorder.RepeatReplies},
}

func main() {
	node := flag.String("node", "", "node binary to use instead of building one")
	only := flag.String("only", "", "repeat only this file")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: record [-node binary] [-only file] <folder of test vectors>")
		os.Exit(2)
	}
	equal, err := run(*node, flag.Arg(0), *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || !equal {
		os.Exit(1)
	}
}

func run(binary, folder, only string) (equal bool, err error) {
	if binary == "" {
		work, err := os.MkdirTemp("", "recorder-node-")
		if err != nil {
			return false, err
		}
		defer os.RemoveAll(work)
		fmt.Println("building the node")
		if binary, err = recorder.Build(work); err != nil {
			return false, err
		}
	}
	equal = true
	for _, recording := range recordings {
		if only != "" && only != recording.file {
			continue
		}
		found, err := recording.repeat(binary, filepath.Join(folder, recording.file))
		if err != nil {
			return false, fmt.Errorf("%s: %w", recording.file, err)
		}
		if len(found) == 0 {
			fmt.Printf("%s: the node answers as recorded\n", recording.file)
			continue
		}
		equal = false
		fmt.Printf("%s: %d differences, written\n", recording.file, len(found))
		for _, difference := range found {
			fmt.Println("  " + difference)
		}
	}
	return equal, nil
}
