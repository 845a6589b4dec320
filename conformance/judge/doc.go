// Package judge asks avalanchego's own packages about one case at a time.
//
// A case is a struct with two kinds of fields. Inputs are given: bytes, texts,
// keys, the state of the chain. Answers are filled in by Judge and come from
// avalanchego only: verdict, error text, IDs, JSON, signatures, orders. The
// JSON form of a case is a line of a file in test-vectors/generated, so the same
// code writes those files, checks them again with another version of avalanchego,
// and answers a fuzzer that sends lines (see Line and the command cmd/judge).
package judge
