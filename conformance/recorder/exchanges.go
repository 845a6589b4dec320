package recorder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"avmkit/conformance/judge"
	"avmkit/conformance/ordered"
)

// CrossChain is cross-chain.json: one vector per line. Those of kind reply are a
// recording, the others are judged by package vectors.
type CrossChain struct {
	Origin  json.RawMessage
	Vectors []ordered.Object
}

// ReadCrossChain reads the file.
func ReadCrossChain(path string) (*CrossChain, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file := new(CrossChain)
	return file, json.Unmarshal(text, file)
}

// Write writes the file.
func (c *CrossChain) Write(path string) error {
	vectors, err := lines(c.Vectors, " ")
	if err != nil {
		return err
	}
	text := fmt.Appendf(nil, "{\n \"origin\": %s,\n \"vectors\": %s\n}\n", c.Origin, vectors)
	return os.WriteFile(path, text, 0o644)
}

// replies returns the positions of the recorded replies.
func (c *CrossChain) replies() (list []int) {
	for i, vector := range c.Vectors {
		if vector.Text("kind") == "reply" {
			list = append(list, i)
		}
	}
	return list
}

// crossChainClock is what the clock of the recorded node showed at the beginning:
// 2026-11-15 12:50:00 UTC.
const crossChainClock = 1794747000

// RepeatCrossChain repeats the replies of the file at a path and returns how they
// differ. It writes the file only if they do. Replies with a member kept are not
// repeated: the member says why. Those with a member notBefore wait for a time.
func RepeatCrossChain(binary, path string) ([]string, error) {
	file, err := ReadCrossChain(path)
	if err != nil {
		return nil, err
	}
	node, err := Start(binary, crossChainClock)
	if err != nil {
		return nil, err
	}
	defer func() { _ = node.Stop() }()
	var found []string
	for _, i := range file.replies() {
		vector := &file.Vectors[i]
		if vector.Has("kept") {
			continue
		}
		if clock := vector.Text("notBefore"); clock != "" {
			seconds, err := strconv.ParseInt(clock, 10, 64)
			if err != nil {
				return nil, err
			}
			node.WaitFor(seconds)
		}
		different, err := node.repeatReply(vector)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", vector.Text("name"), err)
		}
		found = append(found, different...)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return found, file.Write(path)
}

// patience is how long a question is repeated until the answer is the recorded
// one: the recording asked when transactions had been accepted.
const patience = 12 * time.Second

func (n *Node) repeatReply(vector *ordered.Object) ([]string, error) {
	var before json.RawMessage
	if err := vector.Get("reply", &before); err != nil {
		return nil, err
	}
	request := ordered.Object{}
	request.Set("jsonrpc", "2.0")
	request.Set("id", 1)
	request.Set("method", vector.Text("method"))
	var params json.RawMessage
	if err := vector.Get("params", &params); err != nil {
		return nil, err
	}
	request.Set("params", params)
	body, err := judge.Marshal(request)
	if err != nil {
		return nil, err
	}
	isIssue := strings.HasSuffix(vector.Text("method"), ".issueTx")
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		text, err := n.Post(vector.Text("path"), body)
		if err != nil {
			return nil, err
		}
		found := Differences(normalizedReply(before), normalizedReply(text))
		if len(found) == 0 {
			return nil, nil
		}
		if time.Now().Before(end) && (!isIssue || isEarly(text, before)) {
			continue
		}
		vector.Set("reply", json.RawMessage(bytes.TrimSpace(text)))
		if vector.Has("replyText") {
			vector.Set("replyText", string(bytes.TrimSpace(text)))
		}
		for i := range found {
			found[i] = vector.Text("name") + found[i]
		}
		return found, nil
	}
}

// isEarly says that a transaction was refused that the recorded node took: what
// it spends may not have been accepted yet. Refusals of the C-Chain are not
// remembered, so it can be sent again.
func isEarly(text, before []byte) bool {
	return bytes.Contains(text, []byte(`"error"`)) && bytes.Contains(before, []byte(`"txID"`))
}

// moments matches what depends on the moment of a reply.
var moments = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// normalizedReply is a reply without times and without the order of UTXOs, which
// is arbitrary within a block.
func normalizedReply(text []byte) any {
	reply, _ := plain(json.RawMessage(moments.ReplaceAll(text, []byte("time")))).(map[string]any)
	result, _ := reply["result"].(map[string]any)
	for _, name := range []string{"utxos", "utxoIDs"} {
		sortTexts(result[name])
	}
	if end, ok := result["endIndex"].(map[string]any); ok {
		delete(end, "utxo")
	}
	return reply
}
