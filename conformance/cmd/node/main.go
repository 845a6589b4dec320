// Command node starts a fresh node of network local, as released, and prints what
// the tests against a real node need. It runs until it is interrupted, and must be
// started in the module's folder.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"time"

	"avmkit/conformance/recorder"
)

// key is the published key that owns funds in the genesis of network local.
const key = "PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	folder, err := os.MkdirTemp("", "node-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	binary, err := recorder.BuildRelease(folder)
	if err != nil {
		return err
	}
	// Interrupts are for this program: it stops the node itself.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	node, err := recorder.Start(binary, time.Now().Unix())
	if err != nil {
		return err
	}
	fmt.Printf("AVMKIT_NODE_URL=%s\nAVMKIT_NODE_KEY=%s\n", node.URL, key)
	<-interrupted
	return node.Stop()
}
