//go:build avalanchego_next

package judge

// AtomicSpend has no answer with the next version: the C-Chain's verifier is part
// of an EVM that does not build from the module proxy alone.
func AtomicSpend(*Spending) (Answers, error) { return nil, nil }
