package vectors

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/utils/constants"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	platform "github.com/ava-labs/avalanchego/vms/platformvm/txs"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"

	"avmkit/conformance/judge"
	"avmkit/conformance/ordered"
)

// WriteGenesis computes the entries of genesis.json for the networks whose
// genesis is part of avalanchego. The entry of another network, which has no
// bytes, and the members that say where the values are from stay.
func WriteGenesis(folder string) error {
	path := filepath.Join(folder, "genesis.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var entries []ordered.Object
	if err := json.Unmarshal(text, &entries); err != nil {
		return err
	}
	for i := range entries {
		if !entries[i].Has("bytesHex") {
			continue
		}
		network, err := strconv.ParseUint(entries[i].Text("network"), 10, 32)
		if err != nil {
			return err
		}
		if err := describeGenesis(&entries[i], uint32(network)); err != nil {
			return err
		}
	}
	text, err = ordered.Indent(entries, " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// members of the entry.
type (
	genesisIDs struct {
		AssetID       ids.ID `json:"assetID"`
		XBlockchainID ids.ID `json:"xBlockchainID"`
	}
	genesisDecoded struct {
		Type         string        `json:"type"`
		NetworkID    uint32        `json:"networkID"`
		BlockchainID ids.ID        `json:"blockchainID"`
		Name         string        `json:"name"`
		Symbol       string        `json:"symbol"`
		Denomination byte          `json:"denomination"`
		MemoLength   int           `json:"memoLength"`
		Holders      int           `json:"holders"`
		FirstOutput  genesisOutput `json:"firstOutput"`
		LastOutput   genesisOutput `json:"lastOutput"`
	}
	genesisOutput struct {
		Type      string   `json:"type"`
		Amount    uint64   `json:"amount,string"`
		Locktime  uint64   `json:"locktime,string"`
		Threshold uint32   `json:"threshold"`
		Addresses []string `json:"addresses"`
	}
	genesisComputed struct {
		AssetID        ids.ID `json:"assetID"`
		SHA256         string `json:"sha256"`
		XGenesisLength int    `json:"xGenesisLength"`
		XGenesisSHA256 string `json:"xGenesisSha256"`
		XBlockchainID  ids.ID `json:"xBlockchainID"`
	}
)

func describeGenesis(entry *ordered.Object, network uint32) error {
	chain, _, list, err := judge.XGenesis(network)
	if err != nil {
		return err
	}
	tx := list[0]
	data := chain.Unsigned.(*platform.CreateChainTx).GenesisData
	asset := tx.Unsigned.(*txs.CreateAssetTx)
	holders := asset.States[0].Outs
	entry.Set("byteLength", len(tx.Bytes()))
	entry.Set("bytesHex", hex.EncodeToString(tx.Bytes()))
	entry.Set("stated", genesisIDs{tx.ID(), chain.ID()})
	entry.Set("decoded", genesisDecoded{
		Type:         judge.TypeOf(asset),
		NetworkID:    asset.NetworkID,
		BlockchainID: asset.BlockchainID,
		Name:         asset.Name,
		Symbol:       asset.Symbol,
		Denomination: asset.Denomination,
		MemoLength:   len(asset.Memo),
		Holders:      len(holders),
		FirstOutput:  describeOutput(holders[0]),
		LastOutput:   describeOutput(holders[len(holders)-1]),
	})
	entry.Set("computed", genesisComputed{tx.ID(), sum(tx.Bytes()), len(data), sum(data), chain.ID()})
	if network != constants.MainnetID {
		// Those of mainnet would double the file.
		entry.Set("xGenesisHex", hex.EncodeToString(data))
		entry.Set("createChainTxHex", hex.EncodeToString(chain.Bytes()))
	}
	return nil
}

func describeOutput(state any) genesisOutput {
	out := state.(*secp256k1fx.TransferOutput)
	described := genesisOutput{"secp256k1fx.TransferOutput", out.Amt, out.Locktime, out.Threshold, []string{}}
	for _, address := range out.Addrs {
		described.Addresses = append(described.Addresses, address.Hex())
	}
	return described
}

func sum(data []byte) string {
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}
