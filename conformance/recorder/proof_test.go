package recorder

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/ava-labs/avalanchego/vms/platformvm/signer"
)

// The development node shows the key and the proof of the recorded node, and Go
// clients verify them.
func TestRecordedProofOfPossession(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "test-vectors", "node-replies.json"))
	if err != nil {
		t.Fatal(err)
	}
	var replies Replies
	if err := json.Unmarshal(text, &replies); err != nil {
		t.Fatal(err)
	}
	for _, c := range replies.Cases {
		if c.Text("name") != "info.getNodeID" {
			continue
		}
		var reply struct {
			Result struct{ NodePOP *signer.ProofOfPossession }
		}
		if err := json.Unmarshal([]byte(c.Text("response")), &reply); err != nil {
			t.Fatal(err)
		}
		if err := reply.Result.NodePOP.Verify(); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatal("no case info.getNodeID")
}
