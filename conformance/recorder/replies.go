package recorder

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"

	"avmkit/conformance/judge"
	"avmkit/conformance/ordered"
)

// Replies is node-replies.json or node-clients.json: requests and replies as text,
// one case per line.
type Replies struct {
	Origin json.RawMessage
	Notes  json.RawMessage
	Cases  []ordered.Object
}

func (r *Replies) text() ([]byte, error) {
	cases, err := lines(r.Cases, " ")
	return fmt.Appendf(nil, "{\n \"origin\": %s,\n \"notes\": %s,\n \"cases\": %s\n}\n", r.Origin, r.Notes, cases), err
}

// repliesClock is when the replies were first recorded: 2026-11-15 02:00:00 UTC.
const repliesClock = 1794708000

// RepeatReplies repeats the cases of the file at a path on a fresh node and returns
// how they differ. It writes the file only if they do. Cases with a member kept are
// not repeated: the member says why. Those with a member until are repeated until
// the reply contains its text, because they follow transactions.
func RepeatReplies(binary, path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var replies Replies
	if err := json.Unmarshal(text, &replies); err != nil {
		return nil, err
	}
	node, err := Start(binary, repliesClock)
	if err != nil {
		return nil, err
	}
	defer func() { _ = node.Stop() }()
	// The checks run for the first time up to 30 s after the chains answer.
	if err := until(func() (bool, error) {
		reply, err := http.Get(node.URL + "/ext/health")
		if err != nil {
			return false, err
		}
		return reply.StatusCode == http.StatusOK, reply.Body.Close()
	}); err != nil {
		return nil, err
	}
	var found []string
	for i := range replies.Cases {
		c := &replies.Cases[i]
		if c.Has("kept") {
			continue
		}
		before := normalizedCase(*c)
		if err := until(func() (bool, error) {
			err := node.repeatCase(c)
			return strings.Contains(c.Text("response"), c.Text("until")), err
		}); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Text("name"), err)
		}
		for _, difference := range Differences(before, normalizedCase(*c)) {
			found = append(found, c.Text("name")+difference)
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	if text, err = replies.text(); err != nil {
		return nil, err
	}
	return found, os.WriteFile(path, text, 0o644)
}

// client does not follow redirects: they are replies, too.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func (n *Node) repeatCase(c *ordered.Object) error {
	method := http.MethodPost
	if c.Has("httpMethod") {
		method = c.Text("httpMethod")
	}
	request, err := http.NewRequest(method, n.URL+c.Text("path"), strings.NewReader(c.Text("request")))
	if err != nil {
		return err
	}
	headers := map[string]string{"content-type": "application/json"}
	if c.Has("requestHeaders") {
		headers = nil
		if err := c.Get("requestHeaders", &headers); err != nil {
			return err
		}
	}
	for name, value := range headers {
		if name == "host" {
			request.Host = value
		} else {
			request.Header.Set(name, value)
		}
	}
	reply, err := client.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		return err
	}
	c.Set("httpStatus", reply.StatusCode)
	var recorded ordered.Object
	if err := c.Get("headers", &recorded); err != nil {
		return err
	}
	for i, header := range recorded {
		value, err := judge.Marshal(strings.Join(reply.Header.Values(header.Name), ", "))
		if err != nil {
			return err
		}
		recorded[i].Value = value
	}
	c.Set("headers", recorded)
	c.Set("response", string(body))
	return nil
}

// masks are what no two runs have in common: times, and what a node makes up when
// it starts.
var masks = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "time"},
	{regexp.MustCompile(`NodeID-[1-9A-HJ-NP-Za-km-z]+`), "NodeID"},
	{regexp.MustCompile(`"(duration|time|availableDisk\w+)":"?[\w.]+"?`), `"$1":0`},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:port"},
	{regexp.MustCompile(`"(publicKey|proofOfPossession)":"0x[0-9a-f]+"`), `"$1":""`},
	// Blocks of the P-Chain and C-Chain after the genesis contain times.
	{regexp.MustCompile(`"lastAcceptedHeight":[1-9]\d*,"lastAcceptedID":"\w+"`), `"lastAcceptedID":""`},
	{regexp.MustCompile(`"height":[1-9]\d*,"id":"\w+"`), `"id":""`},
	{regexp.MustCompile(`"(parentID|block|uptime)":"[\w.]+"`), `"$1":""`},
	{regexp.MustCompile(`"(hash|parentHash|stateRoot|timestamp|timestampMilliseconds)":"0x[0-9a-f]+"`), `"$1":""`},
}

func normalizedCase(c ordered.Object) any {
	fields := plain(c).(map[string]any)
	response, _ := fields["response"].(string)
	for _, mask := range masks {
		response = mask.pattern.ReplaceAllString(response, mask.with)
	}
	fields["response"] = response
	return fields
}
