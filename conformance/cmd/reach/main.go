// Command reach reads cases as lines of JSON on standard input and answers each
// with the number of blocks of code that no earlier case of its kind has reached.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"avmkit/conformance/judge"
	"avmkit/conformance/reach"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	reached := map[string]map[reach.Block]bool{}
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		count, err := newBlocks(line, reached)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, count)
		// A caller may wait for the answers before it sends the next line.
		if in.Buffered() == 0 {
			out.Flush()
		}
	}
}

// newBlocks counts the blocks that the case is the first of its kind to reach.
func newBlocks(line []byte, reached map[string]map[reach.Block]bool) (count int, err error) {
	// A line that is no case is refused by code, too.
	var head judge.Head
	_ = json.Unmarshal(line, &head)
	if _, err := reach.Take(); err != nil {
		return 0, err
	}
	_, _ = judge.AnswerLine(line)
	blocks, err := reach.Take()
	if err != nil {
		return 0, err
	}
	if reached[head.Kind] == nil {
		reached[head.Kind] = map[reach.Block]bool{}
	}
	for _, block := range blocks {
		if !reached[head.Kind][block] {
			reached[head.Kind][block] = true
			count++
		}
	}
	return count, nil
}
