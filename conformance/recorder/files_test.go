package recorder

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// A file that is read and written must not change, or a single new answer would
// touch every line.
func TestFilesAreWrittenAsTheyAre(t *testing.T) {
	folder := filepath.Join("..", "..", "test-vectors")
	read := func(name string, into any) []byte {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
		return text
	}
	check := func(name string, before, after []byte, err error) {
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(before, after) {
			t.Errorf("%s is written otherwise", name)
		}
	}
	var sequence Sequence
	before := read("node-sequence.json", &sequence)
	after, err := sequence.Text()
	check("node-sequence.json", before, after, err)

	for _, name := range []string{"node-replies.json", "node-clients.json"} {
		var replies Replies
		before = read(name, &replies)
		after, err = replies.text()
		check(name, before, after, err)
	}
}
