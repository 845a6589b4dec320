package draw

import (
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/ava-labs/avalanchego/utils/constants"
	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/utils/formatting/address"
	"github.com/ava-labs/avalanchego/utils/hashing"
	"github.com/ava-labs/avalanchego/vms/avm/fxs"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"

	"avmkit/conformance/judge"
)

// Signing returns the keys that a plan needs, who signs which credential, and
// the UTXOs in the order of the credentials.
func (p *Plan) Signing() (keys []string, signers []judge.Signers, utxos []string) {
	position := make(map[string]int)
	keys, utxos = []string{}, []string{}
	for _, spend := range p.inOrder() {
		entry := judge.Signers{Fx: []string{"secp256k1fx", "nftfx", "propertyfx"}[spend.Fx], Keys: []int{}}
		for _, key := range spend.Signers {
			text := hex.EncodeToString(key.Bytes())
			if _, ok := position[text]; !ok {
				position[text] = len(keys)
				keys = append(keys, text)
			}
			entry.Keys = append(entry.Keys, position[text])
		}
		signers = append(signers, entry)
		data, err := judge.Codec().Marshal(txs.CodecVersion, spend.UTXO)
		if err != nil {
			panic(err)
		}
		utxos = append(utxos, hex.EncodeToString(data))
	}
	return keys, signers, utxos
}

// SignedBy returns the credentials after only some keys have signed.
func (p *Plan) SignedBy(keys []string) (credentials []*fxs.FxCredential) {
	hash := hashing.ComputeHash256(p.UnsignedBytes())
	for _, spend := range p.inOrder() {
		secp := secp256k1fx.Credential{Sigs: make([][secp256k1.SignatureLen]byte, len(spend.Signers))}
		for i, key := range spend.Signers {
			if slices.Contains(keys, hex.EncodeToString(key.Bytes())) {
				signature, err := key.SignHash(hash)
				if err != nil {
					panic(err)
				}
				copy(secp.Sigs[i][:], signature)
			}
		}
		credentials = append(credentials, &fxs.FxCredential{Credential: credentialOfFx(spend.Fx, secp)})
	}
	return credentials
}

// AssetPlans returns definitions of genesis assets with different aliases.
func (p *Pool) AssetPlans(network uint32) (plans []judge.AssetPlan) {
	hrp := constants.GetHRP(network)
	seen := make(map[string]bool)
	for range p.Between(1, 4) {
		plan := judge.AssetPlan{
			Alias:        p.validWords(6),
			Name:         p.validWords(12),
			Symbol:       p.validWords(4),
			Denomination: byte(p.IntN(33)),
			Memo:         hex.EncodeToString(p.memo()),
			FixedCap:     []judge.Holding{},
			VariableCap:  []judge.Minting{},
		}
		if seen[plan.Alias] {
			continue
		}
		seen[plan.Alias] = true
		for range p.IntN(4) {
			plan.FixedCap = append(plan.FixedCap, judge.Holding{
				Amount:  strconv.FormatUint(p.Amount(), 10),
				Address: must(address.FormatBech32(hrp, p.Address().Bytes())),
			})
		}
		for range p.IntN(3) {
			minting := judge.Minting{}
			for _, minter := range p.addresses(p.Between(1, 2)) {
				minting.Minters = append(minting.Minters, must(address.FormatBech32(hrp, minter.Bytes())))
			}
			p.Shuffle(len(minting.Minters), func(i, j int) {
				minting.Minters[i], minting.Minters[j] = minting.Minters[j], minting.Minters[i]
			})
			plan.VariableCap = append(plan.VariableCap, minting)
		}
		plans = append(plans, plan)
	}
	return plans
}
