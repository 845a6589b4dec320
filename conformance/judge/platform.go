package judge

import (
	"context"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/ava-labs/avalanchego/database"
	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/snow"
	"github.com/ava-labs/avalanchego/snow/validators"
	"github.com/ava-labs/avalanchego/utils/constants"
	"github.com/ava-labs/avalanchego/utils/hashing"
	"github.com/ava-labs/avalanchego/utils/timer/mockable"
	"github.com/ava-labs/avalanchego/vms/components/avax"
	"github.com/ava-labs/avalanchego/vms/components/gas"
	"github.com/ava-labs/avalanchego/vms/components/verify"
	"github.com/ava-labs/avalanchego/vms/platformvm/stakeable"
	platform "github.com/ava-labs/avalanchego/vms/platformvm/txs"
	"github.com/ava-labs/avalanchego/vms/platformvm/txs/fee"
	"github.com/ava-labs/avalanchego/vms/platformvm/utxo"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"
)

// Answers of the P- and C-Chain are by name, as in cross-chain.json: numbers are
// decimal text, bytes are hex.
type Answers map[string]any

// refused says at which stage a transaction is refused.
func (a Answers) refused(stage string, err error) Answers {
	a["verdict"], a["stage"], a["error"] = "err", stage, err.Error()
	return a
}

// primaryChains is what the P-Chain knows about chains: those of the Primary
// Network.
type primaryChains [3]ids.ID

func (p primaryChains) GetSubnetID(_ context.Context, chain ids.ID) (ids.ID, error) {
	for _, known := range p {
		if known == chain {
			return constants.PrimaryNetworkID, nil
		}
	}
	return ids.Empty, errChainNotFound
}

// The other methods are not called.
func (primaryChains) GetMinimumHeight(context.Context) (uint64, error) { panic("unused") }
func (primaryChains) GetCurrentHeight(context.Context) (uint64, error) { panic("unused") }
func (primaryChains) GetWarpValidatorSets(context.Context, uint64) (map[ids.ID]validators.WarpSet, error) {
	panic("unused")
}

func (primaryChains) GetValidatorSet(context.Context, uint64, ids.ID) (map[ids.NodeID]*validators.GetValidatorOutput, error) {
	panic("unused")
}

func (primaryChains) GetCurrentValidatorSet(context.Context, ids.ID) (map[ids.ID]*validators.GetCurrentValidatorOutput, uint64, error) {
	panic("unused")
}

func decimal[T ~uint64 | ~uint32 | ~int](value T) string {
	return strconv.FormatUint(uint64(value), 10)
}

// weights turn the four dimensions of complexity into gas; they are those of all
// public networks.
var weights = gas.Dimensions{gas.Bandwidth: 1, gas.DBRead: 1000, gas.DBWrite: 1000, gas.Compute: 4}

var platformTypes = map[string]string{"*txs.BaseTx": "base", "*txs.ImportTx": "import", "*txs.ExportTx": "export"}

// PlatformTx asks the P-Chain's packages about the bytes of a transaction.
func PlatformTx(network, signed string, prices []string) (Answers, error) {
	chain, err := contextOf(network, "P")
	if err != nil {
		return nil, err
	}
	data, err := hex.DecodeString(signed)
	if err != nil {
		return nil, err
	}
	answers := Answers{"verdict": "ok"}
	tx, err := platform.Parse(platform.Codec, data)
	if err != nil {
		return answers.refused("decode", err), nil
	}
	answers["type"] = platformTypes[goType(tx.Unsigned)]
	if lenient := platformLenient(tx); lenient != nil {
		answers["lenient"] = lenient
	}
	if answers["type"] == "" {
		// Fees, UTXOs and rules of other types are not asked.
		return answers, nil
	}
	answers["unsigned"] = hex.EncodeToString(tx.Unsigned.Bytes())
	answers["txID"] = tx.ID().String()
	answers["hashToSign"] = hex.EncodeToString(hashing.ComputeHash256(tx.Unsigned.Bytes()))
	answers["size"] = decimal(len(tx.Bytes()))
	used, err := platformGas(answers, tx)
	if err != nil {
		return nil, err
	}
	fees := []map[string]string{}
	for _, text := range prices {
		price, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, err
		}
		cost, err := used.Cost(gas.Price(price))
		if err != nil {
			return nil, err
		}
		fees = append(fees, map[string]string{"fee": decimal(cost), "price": text})
	}
	answers["fees"] = fees
	var produced []map[string]string
	for _, utxo := range tx.UTXOs() {
		data, err := platform.Codec.Marshal(platform.CodecVersion, utxo)
		if err != nil {
			return nil, err
		}
		produced = append(produced, map[string]string{"utxo": hex.EncodeToString(data), "utxoID": utxo.InputID().String()})
	}
	answers["produces"] = produced
	answers["exports"] = platformExports(tx)
	if err := tx.SyntacticVerify(chain); err != nil {
		return answers.refused("syntactic", err), nil
	}
	if err := avax.VerifyMemoFieldLength(platformMemo(tx), true); err != nil {
		return answers.refused("memo", err), nil
	}
	tx.Unsigned.InitCtx(chain)
	text, err := marshalHTML(tx)
	answers["jsonText"] = string(text)
	return answers, err
}

func platformGas(answers Answers, tx *platform.Tx) (gas.Gas, error) {
	complexity, err := fee.TxComplexity(tx.Unsigned)
	if err != nil {
		return 0, err
	}
	answers["complexity"] = map[string]string{
		"bandwidth": decimal(complexity[gas.Bandwidth]),
		"compute":   decimal(complexity[gas.Compute]),
		"dbRead":    decimal(complexity[gas.DBRead]),
		"dbWrite":   decimal(complexity[gas.DBWrite]),
	}
	used, err := complexity.ToGas(weights)
	answers["gas"] = decimal(used)
	return used, err
}

func platformMemo(tx *platform.Tx) []byte {
	switch unsigned := tx.Unsigned.(type) {
	case *platform.BaseTx:
		return unsigned.Memo
	case *platform.ImportTx:
		return unsigned.Memo
	case *platform.ExportTx:
		return unsigned.Memo
	}
	return nil
}

// platformLenient lists reasons why a reader of the P-Chain may refuse what the
// parser accepts: types of transactions that only validators need, and values in
// place of credentials.
func platformLenient(tx *platform.Tx) (reasons []string) {
	if platformTypes[goType(tx.Unsigned)] == "" {
		reasons = append(reasons, "tx-type")
	}
	if hasOddCredential(tx.Creds) {
		reasons = append(reasons, "credential-type")
	}
	return reasons
}

// hasOddCredential says whether a value of another type is in the place of a
// credential: the codec accepts every type that can be verified, the rules do not.
func hasOddCredential(credentials []verify.Verifiable) bool {
	for _, credential := range credentials {
		if _, ok := credential.(*secp256k1fx.Credential); !ok {
			return true
		}
	}
	return false
}

// Spending is a transaction with the UTXOs that exist.
type Spending struct {
	Network, Signed string
	UTXOs           []string
	Now             string
	// Price is that of gas: per unit on the P-Chain, the base fee on the C-Chain.
	Price string
}

func (s *Spending) clock() (*mockable.Clock, error) {
	seconds, err := strconv.ParseInt(s.Now, 10, 64)
	clock := new(mockable.Clock)
	clock.Set(time.Unix(seconds, 0))
	return clock, err
}

// PlatformSpend asks the P-Chain's verifier whether a transaction may spend.
func PlatformSpend(s *Spending) (Answers, error) {
	chain, err := contextOf(s.Network, "P")
	if err != nil {
		return nil, err
	}
	data, err := hex.DecodeString(s.Signed)
	if err != nil {
		return nil, err
	}
	tx, err := platform.Parse(platform.Codec, data)
	if err != nil {
		return Answers{}.refused("decode", err), nil
	}
	if platformTypes[goType(tx.Unsigned)] == "" {
		return Answers{"verdict": "ok", "lenient": []string{"tx-type"}}, nil
	}
	answers := Answers{"verdict": "ok", "type": platformTypes[goType(tx.Unsigned)], "txID": tx.ID().String()}
	if lenient := platformLenient(tx); lenient != nil {
		answers["lenient"] = lenient
	}
	if err := tx.SyntacticVerify(chain); err != nil {
		return answers.refused("syntactic", err), nil
	}
	if err := avax.VerifyMemoFieldLength(platformMemo(tx), true); err != nil {
		return answers.refused("memo", err), nil
	}
	used, err := platformGas(answers, tx)
	if err != nil {
		return nil, err
	}
	price, err := strconv.ParseUint(s.Price, 10, 64)
	if err != nil {
		return nil, err
	}
	cost, err := used.Cost(gas.Price(price))
	if err != nil {
		return nil, err
	}
	answers["fee"] = decimal(cost)
	known := make(map[ids.ID]*avax.UTXO)
	for _, text := range s.UTXOs {
		data, err := hex.DecodeString(text)
		if err != nil {
			return nil, err
		}
		parsed := new(avax.UTXO)
		if _, err := platform.Codec.Unmarshal(data, parsed); err != nil {
			return nil, err
		}
		known[parsed.InputID()] = parsed
	}
	clock, err := s.clock()
	if err != nil {
		return nil, err
	}
	if err := verifySpend(chain, clock, tx, known, cost); err != nil {
		return answers.refused("spend", err), nil
	}
	return answers, nil
}

func verifySpend(chain *snow.Context, clock *mockable.Clock, tx *platform.Tx, known map[ids.ID]*avax.UTXO, cost uint64) error {
	fx := new(secp256k1fx.Fx)
	if err := fx.Initialize(secp256k1fxVM(clock)); err != nil {
		return err
	}
	if err := fx.Bootstrapped(); err != nil {
		return err
	}
	ins, outs, _, err := utxo.GetInputOutputs(tx.Unsigned)
	if err != nil {
		return err
	}
	utxos := make([]*avax.UTXO, len(ins))
	for i, input := range ins {
		found, ok := known[input.InputID()]
		if !ok {
			return database.ErrNotFound
		}
		utxos[i] = found
	}
	credentials := append([]verify.Verifiable(nil), tx.Creds...)
	verifier := utxo.NewVerifier(chain, clock, fx)
	return verifier.VerifySpendUTXOs(tx.Unsigned, utxos, ins, outs, credentials, map[ids.ID]uint64{chain.AVAXAssetID: cost})
}

// PlatformUTXO asks the P-Chain's codec about the bytes of a UTXO.
func PlatformUTXO(text string) (Answers, error) {
	data, err := hex.DecodeString(text)
	if err != nil {
		return nil, err
	}
	answers := Answers{"verdict": "ok"}
	parsed := new(avax.UTXO)
	if _, err := platform.Codec.Unmarshal(data, parsed); err != nil {
		return answers.refused("decode", err), nil
	}
	answers["txID"] = parsed.TxID.String()
	answers["outputIndex"] = decimal(parsed.OutputIndex)
	answers["assetID"] = parsed.AssetID().String()
	answers["utxoID"] = parsed.InputID().String()
	out := parsed.Out
	answers["type"] = "7"
	if locked, ok := out.(*stakeable.LockOut); ok {
		answers["type"] = "22"
		answers["stakeableLocktime"] = decimal(locked.Locktime)
		out = locked.TransferableOut
	}
	if transfer, ok := out.(*secp256k1fx.TransferOutput); ok {
		answers["amount"] = decimal(transfer.Amt)
		answers["locktime"] = decimal(transfer.Locktime)
		answers["threshold"] = decimal(transfer.Threshold)
		addresses := []string{}
		for _, address := range transfer.Addrs {
			addresses = append(addresses, address.Hex())
		}
		answers["addresses"] = addresses
	}
	return answers, nil
}

// GasPrice returns the price of gas for an excess.
func GasPrice(minPrice, excess, conversion string) (string, error) {
	numbers, err := parseNumbers(minPrice, excess, conversion)
	if err != nil {
		return "", err
	}
	return decimal(gas.CalculatePrice(gas.Price(numbers[0]), gas.Gas(numbers[1]), gas.Gas(numbers[2]))), nil
}

// FeeState advances the fee state of the P-Chain and consumes gas if it fits.
func FeeState(capacity, excess, seconds, used string) (Answers, error) {
	const (
		maxCapacity, maxPerSecond, targetPerSecond = 1_000_000, 100_000, 50_000
		minPrice, conversion                       = 1, 2_164_043
	)
	numbers, err := parseNumbers(capacity, excess, seconds, used)
	if err != nil {
		return nil, err
	}
	describe := func(state gas.State) map[string]string {
		return map[string]string{
			"capacity": decimal(state.Capacity),
			"excess":   decimal(state.Excess),
			"price":    decimal(gas.CalculatePrice(minPrice, state.Excess, conversion)),
		}
	}
	state := gas.State{Capacity: gas.Gas(numbers[0]), Excess: gas.Gas(numbers[1])}
	state = state.AdvanceTime(maxCapacity, maxPerSecond, targetPerSecond, numbers[2])
	answers := Answers{"verdict": "ok", "after": describe(state)}
	consumed, err := state.ConsumeGas(gas.Gas(numbers[3]))
	if err != nil {
		return answers.refused("capacity", err), nil
	}
	answers["consumed"] = describe(consumed)
	return answers, nil
}

func parseNumbers(list ...string) ([]uint64, error) {
	numbers := make([]uint64, len(list))
	for i, text := range list {
		number, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, err
		}
		numbers[i] = number
	}
	return numbers, nil
}
