package judge

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/btcsuite/btcd/btcutil/bech32"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/utils/cb58"
	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/utils/formatting"
	"github.com/ava-labs/avalanchego/utils/formatting/address"
	"github.com/ava-labs/avalanchego/vms/components/avax"
)

var errUnknownText = errors.New("unknown kind of text")

// TextCase asks the parsers of IDs, addresses, hex and keys.
type TextCase struct {
	Head
	As   string `json:"as"`
	Text string `json:"text"`
	Verdict
	Value       *string `json:"value,omitempty"`
	Alias       string  `json:"alias,omitempty"`
	HRP         string  `json:"hrp,omitempty"`
	PublicKey   string  `json:"publicKey,omitempty"`
	Address     string  `json:"address,omitempty"`
	TxID        string  `json:"txID,omitempty"`
	OutputIndex *uint32 `json:"outputIndex,omitempty"`
	UTXOID      string  `json:"utxoID,omitempty"`
	// Printed is what the node prints for the value, if that differs from Text.
	Printed string `json:"printed,omitempty"`
}

func (c *TextCase) Judge() error {
	*c = TextCase{Head: c.Head, As: c.As, Text: c.Text}
	c.accept()
	printed, err := c.parse()
	if errors.Is(err, errUnknownText) {
		return err
	}
	if err != nil {
		c.refuse(err)
		c.ErrName, c.Code = textError(c.As, err)
		return nil
	}
	if printed != c.Text {
		c.Printed = printed
	}
	return nil
}

func (c *TextCase) value(data []byte) { c.Value = ptr(hex.EncodeToString(data)) }

// parse fills in the answers and returns what the node prints for the value.
func (c *TextCase) parse() (string, error) {
	manager := avax.NewAddressManager(vm.context)
	switch c.As {
	case "id":
		id, err := ids.FromString(c.Text)
		c.value(id[:])
		return id.String(), c.clear(err)
	case "shortID":
		id, err := ids.ShortFromString(c.Text)
		c.value(id[:])
		return id.String(), c.clear(err)
	case "nodeID":
		id, err := ids.NodeIDFromString(c.Text)
		c.value(id[:])
		return id.String(), c.clear(err)
	case "cb58":
		data, err := cb58.Decode(c.Text)
		if err != nil {
			return "", err
		}
		c.value(data)
		return cb58.Encode(data)
	case "hex", "hexc", "hexnc":
		return c.parseHex()
	case "encoding":
		var encoding formatting.Encoding
		err := encoding.UnmarshalJSON([]byte(c.Text))
		c.Value = ptr(encoding.String())
		return `"` + encoding.String() + `"`, c.clear(err)
	case "privateKey":
		return c.parsePrivateKey()
	case "utxoID":
		id, err := avax.UTXOIDFromString(c.Text)
		if err != nil {
			return "", err
		}
		c.TxID, c.OutputIndex, c.UTXOID = id.TxID.Hex(), ptr(id.OutputIndex), id.InputID().String()
		if id.String() != c.Text {
			c.Lenient = []string{"leading-zeros"}
		}
		return id.String(), nil
	case "bech32":
		hrp, data, err := address.ParseBech32(c.Text)
		if err != nil {
			return "", err
		}
		c.HRP = hrp
		c.value(data)
		c.Lenient = lenientBech32(c.Text, hrp, data)
		return address.FormatBech32(hrp, data)
	case "address":
		alias, hrp, data, err := address.Parse(c.Text)
		if err != nil {
			return "", err
		}
		c.Alias, c.HRP = alias, hrp
		c.value(data)
		c.Lenient = lenientAddress(c.Text)
		if alias == "" {
			c.Lenient = append(c.Lenient, "empty-alias")
		}
		if len(data) != ids.ShortIDLen {
			c.Lenient = append(c.Lenient, "address-length")
		}
		return address.Format(alias, hrp, data)
	case "localAddress":
		id, err := manager.ParseLocalAddress(c.Text)
		if err != nil {
			return "", err
		}
		c.value(id[:])
		c.Lenient = lenientAddress(c.Text)
		return manager.FormatLocalAddress(id)
	case "serviceAddress":
		id, err := avax.ParseServiceAddress(manager, c.Text)
		if err != nil {
			return "", err
		}
		c.value(id[:])
		if _, err := ids.ShortFromString(c.Text); err == nil {
			return id.String(), nil
		}
		c.Lenient = lenientAddress(c.Text)
		return manager.FormatLocalAddress(id)
	}
	return "", fmt.Errorf("%w: %q", errUnknownText, c.As)
}

// clear removes the value if there was an error.
func (c *TextCase) clear(err error) error {
	if err != nil {
		c.Value = nil
	}
	return err
}

func (c *TextCase) parseHex() (string, error) {
	encoding := map[string]formatting.Encoding{
		"hex": formatting.Hex, "hexc": formatting.HexC, "hexnc": formatting.HexNC,
	}[c.As]
	data, err := formatting.Decode(encoding, c.Text)
	if err != nil {
		return "", err
	}
	c.value(data)
	if c.Text == "" {
		c.Lenient = []string{"empty-string"}
	}
	return formatting.Encode(encoding, data)
}

func (c *TextCase) parsePrivateKey() (string, error) {
	key := new(secp256k1.PrivateKey)
	if err := key.UnmarshalText([]byte(c.Text)); err != nil {
		return "", err
	}
	c.value(key.Bytes())
	c.PublicKey = hex.EncodeToString(key.PublicKey().Bytes())
	c.Address = key.Address().Hex()
	if !isScalar(key.Bytes()) {
		c.Lenient = []string{"private-key-range"}
	}
	return key.String(), nil
}

// isScalar says whether 32 bytes are above 0 and below the group order.
func isScalar(data []byte) bool {
	const order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
	text := hex.EncodeToString(data)
	return strings.Trim(text, "0") != "" && text < order
}

// lenientAddress is lenientBech32 of the part behind the chain.
func lenientAddress(text string) []string {
	_, hrp, data, err := address.Parse(text)
	if err != nil {
		panic(err)
	}
	_, text, _ = strings.Cut(text, "-")
	return lenientBech32(text, hrp, data)
}

// lenientBech32 lists what a strict reader of bech32 refuses: the checksum of
// bech32m, and padding that the encoder would not write.
func lenientBech32(text, hrp string, data []byte) []string {
	if plain, err := address.FormatBech32(hrp, data); err == nil && plain == strings.ToLower(text) {
		return nil
	}
	groups, err := bech32.ConvertBits(data, 8, 5, true)
	if err != nil {
		panic(err)
	}
	if other, err := bech32.EncodeM(hrp, groups); err == nil && other == strings.ToLower(text) {
		return []string{"bech32m"}
	}
	return []string{"bech32-padding"}
}

// textError names the error of a parser. Only texts in hex have codes of their
// own: of all others a reader knows that they are invalid, and no more.
func textError(as string, err error) (name, code string) {
	names := []struct{ text, name, code string }{
		{"missing 0x prefix", "errMissingHexPrefix", "ENC_MISSING_0X"},
		{"odd length hex string", "hex.ErrLength", "ENC_BAD_HEX"},
		{"encoding/hex: invalid byte", "hex.InvalidByteError", "ENC_BAD_HEX"},
		{"invalid encoding", "errInvalidEncoding", "ENC_INVALID"},
		{"base58 decoding error", "ErrBase58Decoding", ""},
		{"failed decoding UTXOID TxID", "errFailedDecodingUTXOIDTxID", ""},
		{"failed decoding UTXOID index", "errFailedDecodingUTXOIDIndex", ""},
		{"unexpected number of tokens", "errMalformedUTXOIDString", ""},
		{"private key missing", "errMissingKeyPrefix", ""},
		{"private key has unexpected length", "errInvalidPrivateKeyLength", ""},
		{"invalid hash length", "ErrInvalidHashLen", ""},
		{"mismatched chainIDs", "ErrMismatchedChainIDs", ""},
		{"there is no ID with alias", "ErrNoIDWithAlias", ""},
		{"no separator found in address", "ErrNoSeparator", ""},
		{"invalid checksum", "bech32.ErrInvalidChecksum", ""},
		{"invalid bech32 string length", "bech32.ErrInvalidLength", ""},
		{"invalid separator index", "bech32.ErrInvalidSeparatorIndex", ""},
		{"string not all lowercase or all uppercase", "bech32.ErrMixedCase", ""},
		{"invalid character in string", "bech32.ErrInvalidCharacter", ""},
		{"invalid character not part of charset", "bech32.ErrNonCharsetChar", ""},
	}
	isHex := strings.HasPrefix(as, "hex")
	for _, entry := range append(names, []struct{ text, name, code string }{
		{"input string is smaller than the checksum size", pick(isHex, "errMissingChecksum", "ErrMissingChecksum"), pick(isHex, "ENC_MISSING_CHECKSUM", "")},
		{"invalid input checksum", pick(isHex, "errBadChecksum", "ErrBadChecksum"), pick(isHex, "ENC_BAD_CHECKSUM", "")},
	}...) {
		if strings.Contains(err.Error(), entry.text) {
			return entry.name, entry.code
		}
	}
	return "", ""
}

func pick(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// Answer hides the inputs, of which the text may be empty.
func (c *TextCase) Answer() any {
	return &struct {
		*TextCase
		As   string `json:"as,omitempty"`
		Text string `json:"text,omitempty"`
	}{TextCase: c}
}
