package vectors

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"avmkit/conformance/judge"
	"avmkit/conformance/ordered"
)

// WriteViolations judges the transactions of rule-violations.json again. They
// were built by hand after avalanchego's tests; only the answer is written.
func WriteViolations(folder string) error {
	path := filepath.Join(folder, "rule-violations.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var entries []ordered.Object
	if err := json.Unmarshal(text, &entries); err != nil {
		return err
	}
	for i := range entries {
		var rules judge.Rules
		if err := entries[i].Get("context", &rules); err != nil {
			return err
		}
		name, err := rules.Judge(entries[i].Text("bytesHex"))
		if err != nil {
			return fmt.Errorf("%s: %w", entries[i].Text("name"), err)
		}
		if name == "" {
			entries[i].Set("expectedError", json.RawMessage("null"))
		} else {
			entries[i].Set("expectedError", name)
		}
	}
	text, err = ordered.Indent(entries, " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
