package judge

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"

	"github.com/ava-labs/avalanchego/database"
	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/utils/hashing"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/components/avax"
	"github.com/ava-labs/avalanchego/vms/components/verify"
	"github.com/ava-labs/avalanchego/vms/nftfx"
	"github.com/ava-labs/avalanchego/vms/propertyfx"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"
	"github.com/ava-labs/avalanchego/wallet/chain/x/signer"
)

var errUnknownWhat = errors.New("unknown value of what")

// SignCase asks for signatures: of a hash, of a message, of a whole transaction
// (What "tx") or, with the Go wallet's signer, of as many slots as the given keys
// can fill (What "partial").
type SignCase struct {
	Head
	What string `json:"what,omitempty"`

	PrivateKey string  `json:"privateKey,omitempty"`
	Message    *string `json:"message,omitempty"`
	Hash       string  `json:"hash,omitempty"`

	Keys []string `json:"keys,omitzero"`
	// UTXOs are those the signer knows; for What "tx" in the order of the
	// credentials.
	UTXOs    []string  `json:"utxos,omitzero"`
	Unsigned string    `json:"unsigned,omitempty"`
	Signers  []Signers `json:"signers,omitempty"`
	Before   string    `json:"before,omitempty"`

	Verdict
	Signature string `json:"signature,omitempty"`
	PublicKey string `json:"publicKey,omitempty"`
	Address   string `json:"address,omitempty"`
	TxType    string `json:"txType,omitempty"`
	Signed    string `json:"signed,omitempty"`
	TxID      string `json:"txID,omitempty"`
	// Missing counts the slots that are still 65 zero bytes.
	Missing *int `json:"missing,omitempty"`
}

// Signers says which credential a transaction gets: its feature extension and
// the positions of the keys.
type Signers struct {
	Fx   string `json:"fx"`
	Keys []int  `json:"keys"`
}

func (c *SignCase) Judge() error {
	c.accept()
	c.Signature, c.PublicKey, c.Address, c.TxType, c.Signed, c.TxID, c.Missing = "", "", "", "", "", "", nil
	switch c.What {
	case "hash", "message":
		return c.signHash()
	case "tx":
		return c.signTx()
	case "partial":
		return c.signPartly()
	}
	return fmt.Errorf("%w: %q", errUnknownWhat, c.What)
}

func (c *SignCase) Answer() any {
	answer := *c
	answer.What, answer.PrivateKey, answer.Message, answer.Before, answer.Unsigned = "", "", nil, "", ""
	answer.Keys, answer.UTXOs, answer.Signers = nil, nil, nil
	if c.What == "hash" {
		answer.Hash = ""
	}
	return &answer
}

func (c *SignCase) signHash() error {
	key, err := parseKey(c.PrivateKey)
	if err != nil {
		return err
	}
	if c.Message != nil {
		message, err := hex.DecodeString(*c.Message)
		if err != nil {
			return err
		}
		c.Hash = hex.EncodeToString(hashing.ComputeHash256(message))
	}
	hash, err := hex.DecodeString(c.Hash)
	if err != nil {
		return err
	}
	signature, err := key.SignHash(hash)
	if err != nil {
		c.refuse(err)
		return nil
	}
	c.Signature = hex.EncodeToString(signature)
	c.PublicKey = hex.EncodeToString(key.PublicKey().Bytes())
	c.Address = key.Address().Hex()
	return nil
}

func (c *SignCase) signTx() error {
	data, err := hex.DecodeString(c.Unsigned)
	if err != nil {
		return err
	}
	tx := new(txs.Tx)
	if _, err := vm.Codec().Unmarshal(data, &tx.Unsigned); err != nil {
		return err
	}
	keys, err := parseKeys(c.Keys)
	if err != nil {
		return err
	}
	// The three functions append credentials of one type each.
	for _, entry := range c.Signers {
		chosen := make([]*secp256k1.PrivateKey, len(entry.Keys))
		for i, position := range entry.Keys {
			chosen[i] = keys[position]
		}
		sign := tx.SignSECP256K1Fx
		switch entry.Fx {
		case "nftfx":
			sign = tx.SignNFTFx
		case "propertyfx":
			sign = tx.SignPropertyFx
		}
		if err := sign(vm.Codec(), [][]*secp256k1.PrivateKey{chosen}); err != nil {
			c.refuse(err)
			return nil
		}
	}
	if err := tx.Initialize(vm.Codec()); err != nil {
		return err
	}
	c.Hash = hex.EncodeToString(hashing.ComputeHash256(data))
	c.describe(tx)
	return nil
}

func (c *SignCase) signPartly() error {
	data, err := hex.DecodeString(c.Before)
	if err != nil {
		return err
	}
	tx, err := vm.ParseTx(data)
	if err != nil {
		return err
	}
	keys, err := parseKeys(c.Keys)
	if err != nil {
		return err
	}
	known := make(knownUTXOs)
	for _, text := range c.UTXOs {
		utxo, err := parseUTXO(text)
		if err != nil {
			return err
		}
		known[utxo.InputID()] = utxo
	}
	wallet := signer.New(secp256k1fx.NewKeychain(keys...), known)
	if err := wallet.Sign(context.Background(), tx); err != nil {
		c.TxType = TypeOf(tx.Unsigned)
		c.refuse(err)
		return nil
	}
	c.describe(tx)
	missing := 0
	for _, credential := range tx.Creds {
		for _, signature := range SignaturesOf(credential.Credential) {
			if signature == ([secp256k1.SignatureLen]byte{}) {
				missing++
			}
		}
	}
	c.Missing = &missing
	return nil
}

func (c *SignCase) describe(tx *txs.Tx) {
	c.TxType = TypeOf(tx.Unsigned)
	c.Signed = hex.EncodeToString(tx.Bytes())
	c.TxID = tx.ID().String()
}

// SignaturesOf returns the signatures of a credential of any extension.
func SignaturesOf(value verify.Verifiable) [][secp256k1.SignatureLen]byte {
	switch credential := value.(type) {
	case *secp256k1fx.Credential:
		return credential.Sigs
	case *nftfx.Credential:
		return credential.Sigs
	case *propertyfx.Credential:
		return credential.Sigs
	}
	return nil
}

// FxOf returns the index of the feature extension that a value belongs to.
func FxOf(value any) int { return vm.fxOf[reflect.TypeOf(value)] }

type knownUTXOs map[ids.ID]*avax.UTXO

func (k knownUTXOs) GetUTXO(_ context.Context, _, id ids.ID) (*avax.UTXO, error) {
	if utxo, ok := k[id]; ok {
		return utxo, nil
	}
	return nil, database.ErrNotFound
}

func parseKey(text string) (*secp256k1.PrivateKey, error) {
	data, err := hex.DecodeString(text)
	if err != nil {
		return nil, err
	}
	return secp256k1.ToPrivateKey(data)
}

func parseKeys(list []string) ([]*secp256k1.PrivateKey, error) {
	keys := make([]*secp256k1.PrivateKey, len(list))
	for i, text := range list {
		key, err := parseKey(text)
		if err != nil {
			return nil, err
		}
		keys[i] = key
	}
	return keys, nil
}

// RecoverCase asks RecoverPublicKeyFromHash whose signature it is.
type RecoverCase struct {
	Head
	Made      string `json:"made"`
	Hash      string `json:"hash"`
	Signature string `json:"signature"`
	Verdict
	PublicKey string `json:"publicKey,omitempty"`
	Address   string `json:"address,omitempty"`
}

func (c *RecoverCase) Judge() error {
	hash, err := hex.DecodeString(c.Hash)
	if err != nil {
		return err
	}
	signature, err := hex.DecodeString(c.Signature)
	if err != nil {
		return err
	}
	c.PublicKey, c.Address = "", ""
	key, err := secp256k1.RecoverPublicKeyFromHash(hash, signature)
	if err != nil {
		c.refuse(err)
		return nil
	}
	c.accept()
	c.PublicKey = hex.EncodeToString(key.Bytes())
	c.Address = key.Address().Hex()
	return nil
}

// Answer hides the inputs, of which the signature may be empty.
func (c *RecoverCase) Answer() any {
	return &struct {
		*RecoverCase
		Made      string `json:"made,omitempty"`
		Hash      string `json:"hash,omitempty"`
		Signature string `json:"signature,omitempty"`
	}{RecoverCase: c}
}
