package judge

import (
	"encoding/hex"
	"math/big"

	"github.com/ava-labs/avalanchego/codec"
	"github.com/ava-labs/avalanchego/codec/linearcodec"
	"github.com/ava-labs/avalanchego/graft/coreth/params/extras"
	"github.com/ava-labs/avalanchego/graft/coreth/plugin/evm/atomic"
	"github.com/ava-labs/avalanchego/utils/cb58"
	"github.com/ava-labs/avalanchego/utils/formatting/address"
	"github.com/ava-labs/avalanchego/utils/hashing"
	"github.com/ava-labs/avalanchego/utils/logging"
	"github.com/ava-labs/avalanchego/utils/timer/mockable"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"
)

// granite are the rules with all upgrades up to Granite.
var granite = extras.Rules{AvalancheRules: extras.AvalancheRules{
	IsApricotPhase1: true, IsApricotPhase2: true, IsApricotPhase3: true, IsApricotPhase4: true, IsApricotPhase5: true,
	IsApricotPhasePre6: true, IsApricotPhase6: true, IsApricotPhasePost6: true,
	IsBanff: true, IsCortina: true, IsDurango: true, IsEtna: true, IsFortuna: true, IsGranite: true,
}}

var atomicTypes = map[string]string{"*atomic.UnsignedImportTx": "import", "*atomic.UnsignedExportTx": "export"}

// AtomicTx asks the C-Chain's packages about the bytes of a transaction.
func AtomicTx(network, signed string, baseFees []string) (Answers, error) {
	chain, err := contextOf(network, "C")
	if err != nil {
		return nil, err
	}
	data, err := hex.DecodeString(signed)
	if err != nil {
		return nil, err
	}
	answers := Answers{"verdict": "ok"}
	tx, err := parseAtomic(data)
	if err != nil {
		return answers.refused("decode", err), nil
	}
	answers["type"] = atomicTypes[goType(tx.UnsignedAtomicTx)]
	if hasOddCredential(tx.Creds) {
		answers["lenient"] = []string{"credential-type"}
	}
	answers["unsigned"] = hex.EncodeToString(tx.Bytes())
	answers["txID"] = tx.ID().String()
	answers["hashToSign"] = hex.EncodeToString(hashing.ComputeHash256(tx.Bytes()))
	answers["size"] = decimal(len(tx.SignedBytes()))
	used, err := tx.GasUsed(true)
	if err != nil {
		return nil, err
	}
	answers["gas"] = decimal(used)
	fees := []map[string]string{}
	for _, text := range baseFees {
		cost, err := AtomicFee(answers["gas"].(string), text)
		if err != nil {
			return nil, err
		}
		fees = append(fees, map[string]string{"baseFee": text, "fee": cost})
	}
	answers["fees"] = fees
	// What is burned can be negative, and then has no price.
	if burned, err := tx.Burned(chain.AVAXAssetID); err == nil {
		answers["burned"] = decimal(burned)
		if price, err := atomic.EffectiveGasPrice(tx.UnsignedAtomicTx, chain.AVAXAssetID, true); err == nil {
			answers["gasPrice"] = price.Dec()
		}
	}
	if answers["type"] == "export" {
		exported, err := PeerExports(CChainID.String(), signed)
		if err != nil {
			return nil, err
		}
		answers["exports"] = exported
	}
	if err := tx.UnsignedAtomicTx.Verify(chain, granite); err != nil {
		return answers.refused("verify", err), nil
	}
	return answers, nil
}

// parseAtomic reads a transaction as avax.issueTx does: without signers, Sign only
// fills in the bytes and the ID.
func parseAtomic(data []byte) (*atomic.Tx, error) {
	tx := new(atomic.Tx)
	if _, err := atomic.Codec.Unmarshal(data, tx); err != nil {
		return nil, err
	}
	return tx, tx.Sign(atomic.Codec, nil)
}

// AtomicFee returns what gas costs at a base fee, in nAVAX.
func AtomicFee(used, baseFee string) (string, error) {
	numbers, err := parseNumbers(used)
	if err != nil {
		return "", err
	}
	price, ok := new(big.Int).SetString(baseFee, 10)
	if !ok {
		return "", errUnknownWhat
	}
	cost, err := atomic.CalculateDynamicFee(numbers[0], price)
	return decimal(cost), err
}

// EVMAddress derives the addresses of a key.
func EVMAddress(privateKey, hrp string) (Answers, error) {
	key, err := parseKey(privateKey)
	if err != nil {
		return nil, err
	}
	public := key.PublicKey()
	xy := public.ToECDSA()
	short := public.Address()
	text, err := cb58.Encode(short[:])
	if err != nil {
		return nil, err
	}
	answers := Answers{
		"publicKey":   hex.EncodeToString(public.Bytes()),
		"publicKeyXY": hex.EncodeToString(append(xy.X.FillBytes(make([]byte, 32)), xy.Y.FillBytes(make([]byte, 32))...)),
		"evmAddress":  hex.EncodeToString(public.EthAddress().Bytes()),
		"checksummed": public.EthAddress().Hex(),
		"address":     short.Hex(),
		"cb58":        text,
	}
	for _, chain := range []string{"X", "P", "C"} {
		if answers[chain], err = address.Format(chain, hrp, short[:]); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// fxVM is what the feature extension asks of its chain.
type fxVM struct {
	clock    *mockable.Clock
	registry linearcodec.Codec
}

func secp256k1fxVM(clock *mockable.Clock) *fxVM {
	return &fxVM{clock: clock, registry: linearcodec.NewDefault()}
}

func (f *fxVM) CodecRegistry() codec.Registry { return f.registry }
func (f *fxVM) Clock() *mockable.Clock        { return f.clock }
func (*fxVM) Logger() logging.Logger          { return logging.NoLog{} }

var _ secp256k1fx.VM = (*fxVM)(nil)
