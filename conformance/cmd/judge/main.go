// Command judge reads cases as lines of JSON on standard input and writes each
// with avalanchego's answers on standard output. A line that is no case is answered
// with {"error": …}. With -answers the inputs are left out.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"avmkit/conformance/judge"
)

// bufferSize is that of a batch of lines, so that few system calls are needed.
const bufferSize = 1 << 20

func main() {
	answersOnly := flag.Bool("answers", false, "write the answers without the inputs")
	flag.Parse()
	line := judge.Line
	if *answersOnly {
		line = judge.AnswerLine
	}
	if err := run(line); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(line func([]byte) ([]byte, error)) error {
	in := bufio.NewReaderSize(os.Stdin, bufferSize)
	out := bufio.NewWriterSize(os.Stdout, bufferSize)
	defer out.Flush()
	for {
		text, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if answer := answerTo(text, line); answer != nil {
			out.Write(answer)
			out.WriteByte('\n')
		}
		if err != nil {
			return nil
		}
		// A caller may wait for the answers before it sends the next line.
		if in.Buffered() == 0 {
			out.Flush()
		}
	}
}

func answerTo(text []byte, line func([]byte) ([]byte, error)) []byte {
	// Files of test-vectors/generated are arrays with one case per line.
	text = bytes.TrimSuffix(bytes.TrimSpace(text), []byte(","))
	if len(text) == 0 || text[0] != '{' {
		return nil
	}
	answer, err := line(text)
	if err != nil {
		answer, _ = judge.Marshal(map[string]string{"error": err.Error()})
	}
	return answer
}
