package recorder

import (
	"bytes"

	"avmkit/conformance/judge"
	"avmkit/conformance/ordered"
)

// lines writes a JSON array with one object per line, so that a change shows in
// one line of a diff.
func lines(list []ordered.Object, indent string) ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('[')
	for i, object := range list {
		line, err := judge.Marshal(object)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString("\n" + indent + indent)
		text.Write(line)
	}
	text.WriteString("\n" + indent + "]")
	return text.Bytes(), nil
}
