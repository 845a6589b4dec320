// Command cases prints inputs of cases as lines of JSON: drawn from a seed, or
// those of the corpus that Go's fuzzer found.
//
//	cases -seed N
//	cases -corpus FOLDER
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"

	"avmkit/conformance/fuzz"
	"avmkit/conformance/judge"
	"avmkit/conformance/vectors"
)

func main() {
	seed := flag.Uint64("seed", 0, "draw cases of all kinds from this seed")
	corpus := flag.String("corpus", "", "folder with a corpus for each fuzz target")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	if err := run(out, *seed, *corpus); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out.Flush()
}

func run(out *bufio.Writer, seed uint64, corpus string) error {
	if corpus == "" {
		return write(out, vectors.Draw(seed))
	}
	for _, target := range fuzz.Targets {
		list, err := fuzz.ReadCorpus(corpus, target)
		if err != nil {
			return err
		}
		if err := write(out, list); err != nil {
			return err
		}
	}
	return nil
}

func write[T any](out *bufio.Writer, list []T) error {
	for _, c := range list {
		line, err := judge.Marshal(c)
		if err != nil {
			return err
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	return nil
}
