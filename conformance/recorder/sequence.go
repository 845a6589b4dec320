package recorder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	"avmkit/conformance/judge"
	"avmkit/conformance/ordered"
)

const (
	xPath = "/ext/bc/X"
	pPath = "/ext/bc/P"
	cPath = "/ext/bc/C/avax"
	// lead is how long before the first event the node starts.
	lead = 15
	// pause is the time between events that the recording made on purpose.
	pause = 3
)

// Sequence is node-sequence.json: a history of the X-Chain from genesis on.
type Sequence struct {
	Origin  json.RawMessage  `json:"origin"`
	Format  json.RawMessage  `json:"format"`
	Network json.RawMessage  `json:"network"`
	Keys    json.RawMessage  `json:"keys"`
	Events  []ordered.Object `json:"events"`
	Final   ordered.Object   `json:"final"`
}

// RepeatSequence repeats the file at a path and returns how the answers differ. It
// writes the file only if they do.
func RepeatSequence(binary, path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var sequence Sequence
	if err := json.Unmarshal(text, &sequence); err != nil {
		return nil, err
	}
	before := sequence.Normalized()
	if err := sequence.Repeat(binary); err != nil {
		return nil, err
	}
	found := Differences(before, sequence.Normalized())
	if len(found) == 0 {
		return nil, nil
	}
	text, err = sequence.Text()
	if err != nil {
		return nil, err
	}
	return found, os.WriteFile(path, text, 0o644)
}

// Repeat sends everything that was sent to the recorded node and replaces all
// answers by those of this one.
func (s *Sequence) Repeat(binary string) error {
	first := clockOf(s.Events[0])
	node, err := Start(binary, first-lead)
	if err != nil {
		return err
	}
	defer func() { _ = node.Stop() }()
	// The node reads its clock a little later than this program.
	node.WaitFor(first + 1)
	// The state of shared memory and of UTXOs without owner, which no method shows.
	state := newChainState()
	for i := range s.Events {
		event := &s.Events[i]
		if recorded := clockOf(*event); i > 0 && recorded-clockOf(s.Events[i-1]) >= pause {
			node.WaitFor(recorded)
		}
		if err := node.repeat(event, state); err != nil {
			return fmt.Errorf("event %d: %w", i+1, err)
		}
	}
	return node.final(&s.Final, state)
}

// Text writes the file with one event per line.
func (s *Sequence) Text() ([]byte, error) {
	outline := *s
	outline.Events = nil
	text, err := ordered.Indent(outline, "  ")
	if err != nil {
		return nil, err
	}
	events, err := lines(s.Events, "  ")
	if err != nil {
		return nil, err
	}
	return bytes.Replace(text, []byte(`"events": null`), fmt.Appendf(nil, `"events": %s`, events), 1), nil
}

func clockOf(event ordered.Object) (clock int64) {
	if err := event.Get("clock", &clock); err != nil {
		panic(err)
	}
	return clock
}

func (n *Node) repeat(event *ordered.Object, state *chainState) error {
	clock := n.Clock()
	var err error
	switch event.Text("event") {
	case "tx":
		err = n.issue(event)
	case "block":
		err = n.block(event, state)
		clock = n.Clock()
	case "chain":
		err = n.chain(event)
	case "atomic-utxos":
		err = n.fromPeer(event)
	case "atomic-consumed":
		err = n.toPeer(event, state)
	}
	event.Set("clock", clock)
	return err
}

type issueParams struct {
	Tx       string `json:"tx"`
	Encoding string `json:"encoding"`
}

func hexnc(text string) issueParams { return issueParams{"0x" + text, "hexnc"} }

func (n *Node) issue(event *ordered.Object) error {
	var reply struct{ TxID string }
	err := n.Ask(xPath, "avm.issueTx", hexnc(event.Text("bytes")), &reply)
	var refused *RPCError
	switch {
	case err == nil:
		event.Set("expect", "accepted")
		event.Set("txID", reply.TxID)
		event.Set("error", nil)
		event.Set("errorCode", nil)
	case errors.As(err, &refused):
		event.Set("expect", "refused")
		event.Set("error", refused.Message)
		event.Set("errorCode", refused.Code)
	default:
		return err
	}
	return nil
}

func (n *Node) block(event *ordered.Object, state *chainState) error {
	var height uint64
	if err := event.Get("height", &height); err != nil {
		return err
	}
	if err := until(func() (bool, error) {
		var reply struct {
			Height uint64 `json:",string"`
		}
		err := n.Ask(xPath, "avm.getHeight", struct{}{}, &reply)
		return reply.Height >= height, err
	}); err != nil {
		return err
	}
	var reply struct{ Block string }
	params := map[string]string{"height": strconv.FormatUint(height, 10), "encoding": "hexnc"}
	if err := n.Ask(xPath, "avm.getBlockByHeight", params, &reply); err != nil {
		return err
	}
	blob := reply.Block[2:]
	judged := judge.BlockCase{Blob: judge.Blob{Bytes: &blob}}
	if err := judged.Judge(); err != nil {
		return err
	}
	blockTime, err := strconv.ParseUint(judged.Time, 10, 64)
	if err != nil {
		return err
	}
	event.Set("bytes", blob)
	event.Set("blockID", judged.BlockID)
	event.Set("parentID", judged.ParentID)
	event.Set("time", blockTime)
	event.Set("txIDs", judged.TxIDs)
	return state.accept(blob)
}

// chain issues the P-Chain transactions that create a subnet and a chain in it.
func (n *Node) chain(event *ordered.Object) error {
	var list []string
	if err := event.Get("sourceTxs", &list); err != nil {
		return err
	}
	var made []string
	for _, tx := range list {
		id, err := n.issueOn(pPath, tx)
		if err != nil {
			return err
		}
		made = append(made, id)
	}
	if len(made) != 2 {
		return errors.New("expected two transactions: subnet and chain")
	}
	event.Set("subnetID", made[0])
	event.Set("chainID", made[1])
	return nil
}

// issueOn issues a transaction of the P- or C-Chain and waits for acceptance.
func (n *Node) issueOn(path, tx string) (string, error) {
	service, status := "platform", "platform.getTxStatus"
	accepted := "Committed"
	if path == cPath {
		service, status, accepted = "avax", "avax.getAtomicTxStatus", "Accepted"
	}
	var reply struct{ TxID string }
	if err := n.Ask(path, service+".issueTx", hexnc(tx), &reply); err != nil {
		return "", fmt.Errorf("%s.issueTx: %w", service, err)
	}
	return reply.TxID, until(func() (bool, error) {
		var answer struct{ Status string }
		err := n.Ask(path, status, map[string]string{"txID": reply.TxID}, &answer)
		return answer.Status == accepted, err
	})
}

func peerPath(chain string) string {
	if chain == judge.CChainID.String() {
		return cPath
	}
	return pPath
}

func (n *Node) fromPeer(event *ordered.Object) error {
	chain := event.Text("sourceChain")
	if _, err := n.issueOn(peerPath(chain), event.Text("sourceTx")); err != nil {
		return err
	}
	exported, err := judge.PeerExports(chain, event.Text("sourceTx"))
	if err != nil {
		return err
	}
	utxos, names := []string{}, []string{}
	for _, utxo := range exported {
		utxos = append(utxos, utxo.UTXO)
		names = append(names, utxo.UTXOID)
	}
	event.Set("utxos", utxos)
	event.Set("utxoIDs", names)
	return nil
}

func (n *Node) toPeer(event *ordered.Object, state *chainState) error {
	chain := event.Text("destinationChain")
	if _, err := n.issueOn(peerPath(chain), event.Text("sourceTx")); err != nil {
		return err
	}
	imported, err := judge.PeerImports(chain, event.Text("sourceTx"))
	if err != nil {
		return err
	}
	event.Set("utxoIDs", imported)
	for _, id := range imported {
		delete(state.exported[chain], id)
	}
	return nil
}
