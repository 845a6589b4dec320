// Package recorder repeats the recordings of test-vectors on a node: it sends the
// recorded requests in the recorded order and writes down what the node answers.
package recorder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

var (
	errStopped     = errors.New("the node stopped")
	errTooLate     = errors.New("what was waited for did not happen within 40 s")
	errUnavailable = errors.New("the node is not bootstrapped after 60 s")
)

// Build compiles the node of this module into a folder. Only its clock differs
// from the release, see package clock. The working directory must be the module's.
func Build(folder string) (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", avalanchego).Output()
	if err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	// The go command does not let an overlay replace files of its cache.
	source := filepath.Join(folder, "source")
	if err := os.CopyFS(source, os.DirFS(strings.TrimSpace(string(out)))); err != nil {
		return "", err
	}
	replaced := filepath.Join(source, "utils", "timer", "mockable", "clock.go")
	if err := errors.Join(os.Remove(replaced), copyFile(filepath.Join("recorder", "clock", "clock.go"), replaced)); err != nil {
		return "", err
	}
	module, err := os.ReadFile("go.mod")
	if err != nil {
		return "", err
	}
	module = fmt.Appendf(module, "\nreplace %s => %s\n", avalanchego, source)
	moduleFile := filepath.Join(folder, "go.mod")
	if err := errors.Join(os.WriteFile(moduleFile, module, 0o644), copyFile("go.sum", filepath.Join(folder, "go.sum"))); err != nil {
		return "", err
	}
	binary := filepath.Join(folder, "avalanchego")
	// With -trimpath the compiled packages do not depend on the folder's name and are
	// found again in the next run.
	build := exec.Command("go", "build", "-trimpath", "-modfile", moduleFile, "-o", binary, avalanchego+"/main")
	build.Stderr = os.Stderr
	return binary, build.Run()
}

// BuildRelease compiles the node of this module as it was released.
func BuildRelease(folder string) (string, error) {
	binary := filepath.Join(folder, "avalanchego")
	build := exec.Command("go", "build", "-o", binary, avalanchego+"/main")
	build.Stderr = os.Stderr
	return binary, build.Run()
}

const avalanchego = "github.com/ava-labs/avalanchego"

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

// Node is a running node of network local.
type Node struct {
	URL     string
	process *exec.Cmd
	folder  string
	exited  chan error
	offset  time.Duration
}

// Start starts a fresh node whose clock shows the given unix time, and waits
// until its three chains are bootstrapped.
func Start(binary string, clock int64) (*Node, error) {
	folder, err := os.MkdirTemp("", "recorder-")
	if err != nil {
		return nil, err
	}
	contextFile := filepath.Join(folder, "process.json")
	node := &Node{folder: folder, exited: make(chan error, 1), offset: time.Until(time.Unix(clock, 0))}
	node.process = exec.Command(binary,
		"--network-id=local", "--sybil-protection-enabled=false", "--db-type=memdb", "--data-dir="+folder,
		"--http-host=127.0.0.1", "--http-port=0", "--staking-host=127.0.0.1", "--staking-port=0", "--public-ip=127.0.0.1",
		"--staking-ephemeral-cert-enabled", "--staking-ephemeral-signer-enabled", "--process-context-file="+contextFile,
		"--index-enabled", "--fd-limit=8192", "--log-level=warn", "--log-display-level=off",
	)
	node.process.Env = append(os.Environ(), "RECORDER_CLOCK_START="+strconv.FormatInt(clock, 10))
	if err := node.process.Start(); err != nil {
		return nil, err
	}
	go func() { node.exited <- node.process.Wait() }()
	if err := node.bootstrap(contextFile); err != nil {
		return nil, errors.Join(err, node.Stop())
	}
	return node, nil
}

func (n *Node) bootstrap(contextFile string) error {
	for range 240 {
		time.Sleep(250 * time.Millisecond)
		select {
		case err := <-n.exited:
			n.exited <- err
			return fmt.Errorf("%w: %w", errStopped, err)
		default:
		}
		text, err := os.ReadFile(contextFile)
		if err != nil {
			continue
		}
		var context struct{ URI string }
		if json.Unmarshal(text, &context) != nil {
			continue
		}
		n.URL = context.URI
		ready := true
		for _, chain := range []string{"P", "X", "C"} {
			var reply struct{ IsBootstrapped bool }
			err := n.Ask("/ext/info", "info.isBootstrapped", map[string]string{"chain": chain}, &reply)
			ready = ready && err == nil && reply.IsBootstrapped
		}
		if ready {
			return nil
		}
	}
	return errUnavailable
}

// Stop ends the node and removes its data.
func (n *Node) Stop() error {
	// An error means that it has ended already.
	_ = n.process.Process.Signal(os.Interrupt)
	select {
	case <-n.exited:
	case <-time.After(20 * time.Second):
		_ = n.process.Process.Kill()
		<-n.exited
	}
	return os.RemoveAll(n.folder)
}

// Clock is what the node's clock shows, in unix seconds.
func (n *Node) Clock() int64 { return time.Now().Add(n.offset).Unix() }

// WaitFor waits until the node's clock shows a time.
func (n *Node) WaitFor(clock int64) {
	time.Sleep(time.Until(time.Unix(clock, 0).Add(-n.offset)))
}

// RPCError is the error member of a reply.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *RPCError) Error() string { return e.Message }

// Post sends a body and returns the reply as text.
func (n *Node) Post(path string, body []byte) ([]byte, error) {
	reply, err := http.Post(n.URL+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	return io.ReadAll(reply.Body)
}

// Ask calls a method; the error is an *RPCError if the node answered with one.
func (n *Node) Ask(path, method string, params, into any) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	text, err := n.Post(path, body)
	if err != nil {
		return err
	}
	var reply struct {
		Result json.RawMessage
		Error  *RPCError
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return err
	}
	if reply.Error != nil {
		return reply.Error
	}
	return json.Unmarshal(reply.Result, into)
}

// until repeats a question for at most 40 s.
func until(condition func() (bool, error)) error {
	for end := time.Now().Add(40 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		ok, err := condition()
		if err != nil || ok {
			return err
		}
		if time.Now().After(end) {
			return errTooLate
		}
	}
}
