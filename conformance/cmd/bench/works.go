package main

import (
	"encoding/hex"

	"github.com/ava-labs/avalanchego/codec"
	"github.com/ava-labs/avalanchego/utils/cb58"
	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/utils/formatting"
	"github.com/ava-labs/avalanchego/utils/formatting/address"
	"github.com/ava-labs/avalanchego/vms/avm/fxs"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/components/avax"
	"github.com/ava-labs/avalanchego/vms/nftfx"
	platform "github.com/ava-labs/avalanchego/vms/platformvm/txs"
	"github.com/ava-labs/avalanchego/vms/propertyfx"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"
)

// A work is run again and again. What it made last is shown once, outside of the
// time that counts.
type work struct {
	run   func() error
	shown func() (string, error)
}

// works by their name. Data is given as text: bytes as hex, texts as they are.
var works = map[string]func(texts []string) work{
	"decode":         func(texts []string) work { return decoding(machine.Codec(), &txs.Tx{}, bytesOf(texts[0])) },
	"decode P":       func(texts []string) work { return decoding(platform.Codec, &platform.Tx{}, bytesOf(texts[0])) },
	"encode":         func(texts []string) work { return encoding(bytesOf(texts[0])) },
	"page":           page,
	"cb58 encode":    func(texts []string) work { return encodingText(cb58.Encode, bytesOf(texts[0])) },
	"cb58 decode":    func(texts []string) work { return decodingText(cb58.Decode, texts[0]) },
	"address format": func(texts []string) work { return encodingText(formatAddress, bytesOf(texts[0])) },
	"address parse":  func(texts []string) work { return decodingText(parseAddress, texts[0]) },
	"sign":           func(texts []string) work { return signing(bytesOf(texts[0]), bytesOf(texts[1])) },
	"recover":        func(texts []string) work { return recovering(bytesOf(texts[0]), bytesOf(texts[1])) },
}

var machine = must(txs.NewParser([]fxs.Fx{&secp256k1fx.Fx{}, &nftfx.Fx{}, &propertyfx.Fx{}}))

func decoding[T any](manager codec.Manager, last *T, data []byte) work {
	return work{
		run: func() error {
			last = new(T)
			_, err := manager.Unmarshal(data, last)
			return err
		},
		shown: func() (string, error) {
			again, err := manager.Marshal(txs.CodecVersion, last)
			return hex.EncodeToString(again), err
		},
	}
}

func encoding(data []byte) work {
	tx := new(txs.Tx)
	must(machine.Codec().Unmarshal(data, tx))
	var last []byte
	return work{
		run: func() (err error) {
			last, err = machine.Codec().Marshal(txs.CodecVersion, tx)
			return err
		},
		shown: func() (string, error) { return hex.EncodeToString(last), nil },
	}
}

// page decodes the UTXOs of an answer of getUTXOs, checksums included.
func page(texts []string) work {
	utxos := make([]*avax.UTXO, len(texts))
	return work{
		run: func() error {
			for i, text := range texts {
				data, err := formatting.Decode(formatting.Hex, text)
				if err != nil {
					return err
				}
				utxos[i] = new(avax.UTXO)
				if _, err := machine.Codec().Unmarshal(data, utxos[i]); err != nil {
					return err
				}
			}
			return nil
		},
		shown: func() (string, error) {
			all := ""
			for _, utxo := range utxos {
				data, err := machine.Codec().Marshal(txs.CodecVersion, utxo)
				if err != nil {
					return "", err
				}
				all += hex.EncodeToString(data)
			}
			return all, nil
		},
	}
}

func encodingText(encode func([]byte) (string, error), data []byte) work {
	last := ""
	return work{
		run: func() (err error) {
			last, err = encode(data)
			return err
		},
		shown: func() (string, error) { return last, nil },
	}
}

func decodingText(decode func(string) ([]byte, error), text string) work {
	var last []byte
	return work{
		run: func() (err error) {
			last, err = decode(text)
			return err
		},
		shown: func() (string, error) { return hex.EncodeToString(last), nil },
	}
}

func formatAddress(data []byte) (string, error) {
	return address.Format("X", "fuji", data)
}

func parseAddress(text string) ([]byte, error) {
	_, _, data, err := address.Parse(text)
	return data, err
}

func signing(secret, digest []byte) work {
	key := must(secp256k1.ToPrivateKey(secret))
	var last []byte
	return work{
		run: func() (err error) {
			last, err = key.SignHash(digest)
			return err
		},
		shown: func() (string, error) { return hex.EncodeToString(last), nil },
	}
}

func recovering(digest, signature []byte) work {
	var last *secp256k1.PublicKey
	return work{
		run: func() (err error) {
			last, err = secp256k1.RecoverPublicKeyFromHash(digest, signature)
			return err
		},
		shown: func() (string, error) { return hex.EncodeToString(last.Bytes()), nil },
	}
}

func bytesOf(text string) []byte {
	return must(hex.DecodeString(text))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
