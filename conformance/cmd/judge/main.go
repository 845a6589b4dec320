// Command judge reads cases as lines of JSON on standard input and writes each
// with avalanchego's answers on standard output. A line that is no case is answered
// with {"error": …}.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"

	"avmkit/conformance/judge"
)

// maxLine admits the hex of the largest transaction that the codec reads.
const maxLine = 8 << 20

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, maxLine)
	out := bufio.NewWriter(os.Stdout)
	for lines.Scan() {
		// Files of test-vectors/generated are arrays with one case per line.
		text := bytes.TrimSuffix(bytes.TrimSpace(lines.Bytes()), []byte(","))
		if len(text) == 0 || text[0] != '{' {
			continue
		}
		answer, err := judge.Line(text)
		if err != nil {
			answer, _ = judge.Marshal(map[string]string{"error": err.Error()})
		}
		out.Write(answer)
		out.WriteByte('\n')
		// A caller may wait for the answer before it sends the next line.
		out.Flush()
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
