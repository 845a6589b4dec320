// Command bench measures avalanchego's packages on given data. Each line on standard
// input names a work, its data and a time; the answer says how many microseconds a
// call took during that time and what it made, so that contestants can be compared.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

type request struct {
	Work   string   `json:"work"`
	Texts  []string `json:"texts"`
	Millis int      `json:"millis"`
}

type answer struct {
	Micros float64 `json:"micros"`
	Result string  `json:"result"`
}

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var asked request
		err := in.Decode(&asked)
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			var measured answer
			if measured, err = measure(asked); err == nil {
				err = out.Encode(measured)
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func measure(asked request) (answer, error) {
	prepare, ok := works[asked.Work]
	if !ok {
		return answer{}, fmt.Errorf("no work %q", asked.Work)
	}
	todo := prepare(asked.Texts)
	limit := time.Duration(asked.Millis) * time.Millisecond
	start, calls := time.Now(), 0
	var elapsed time.Duration
	for elapsed < limit {
		if err := todo.run(); err != nil {
			return answer{}, err
		}
		calls++
		elapsed = time.Since(start)
	}
	result, err := todo.shown()
	return answer{Micros: float64(elapsed.Nanoseconds()) / 1000 / float64(calls), Result: result}, err
}
