package draw

import (
	"strings"

	"github.com/btcsuite/btcd/btcutil/bech32"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/utils/cb58"
	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/utils/formatting"
	"github.com/ava-labs/avalanchego/utils/formatting/address"
	"github.com/ava-labs/avalanchego/vms/components/avax"
)

// Text is a text and what it is read as.
type Text struct{ As, Text string }

// byHand are texts that chance would not find.
var byHand = []Text{
	{"hex", "0x"}, {"hex", "0x7852b855"}, {"hex", "0x7852B855"}, {"hex", "0X7852b855"}, {"hex", "0x7852b85"},
	{"hex", "0x785"}, {"hex", "7852b855"}, {"hex", " 0x7852b855"}, {"hex", "0x7852b855 "}, {"hex", "0x0x7852b855"},
	{"hexc", "0x7852b855"}, {"hexc", "0x"}, {"hexc", "0x00"}, {"hexc", "0xg852b855"},
	{"hexnc", "0x"}, {"hexnc", "0x0"}, {"hexnc", "0x00"}, {"hexnc", "0xAb"}, {"hexnc", "0xzz"}, {"hexnc", "00"},
	{"encoding", `"hex"`}, {"encoding", `"hexc"`}, {"encoding", `"hexnc"`}, {"encoding", `"json"`}, {"encoding", `"HEX"`},
	{"encoding", `"cb58"`}, {"encoding", `hex`}, {"encoding", `null`}, {"encoding", `""`},
	{"privateKey", "PrivateKey-"}, {"privateKey", "privateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN"},
	{"privateKey", "PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN"},
	{"privateKey", "ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN"},
	{"cb58", "1"}, {"cb58", "11"}, {"cb58", "45PJLL"}, {"cb58", "1c7hwa"}, {"cb58", " 45PJLL"}, {"cb58", "45PJLL\n"}, {"cb58", "é"},
	{"bech32", "a12uel5l"}, {"bech32", "A12UEL5L"}, {"bech32", "a1lqfn3a"}, {"bech32", "A1lqfn3a"}, {"bech32", "1qzzfhee"},
	{"bech32", "10a06t8"}, {"bech32", "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w"},
	{"utxoID", ":0"}, {"utxoID", "0"}, {"utxoID", "11111111111111111111111111111111LpoYY:4294967295"},
	{"utxoID", "11111111111111111111111111111111LpoYY:4294967296"}, {"utxoID", "11111111111111111111111111111111LpoYY:01"},
	{"utxoID", "11111111111111111111111111111111LpoYY:+1"}, {"utxoID", "11111111111111111111111111111111LpoYY: 1"},
	{"utxoID", "11111111111111111111111111111111LpoYY:-1"}, {"utxoID", "11111111111111111111111111111111LpoYY:0x1"},
	{"utxoID", "11111111111111111111111111111111LpoYY:1:1"}, {"utxoID", "11111111111111111111111111111111LpoYY:"},
	{"nodeID", "NodeID-"}, {"nodeID", "nodeID-111111111111111111116DBWJs"}, {"nodeID", "111111111111111111116DBWJs"},
}

// kindsOfText are all values of As with how many random texts there are of each.
var kindsOfText = []struct {
	as    string
	count int
}{
	{"id", 9}, {"shortID", 9}, {"nodeID", 8}, {"cb58", 8}, {"hex", 10}, {"hexc", 9}, {"hexnc", 9}, {"privateKey", 12},
	{"bech32", 10}, {"address", 14}, {"localAddress", 22}, {"serviceAddress", 16}, {"utxoID", 8}, {"encoding", 1},
}

// Texts returns valid and damaged texts of all kinds.
func (p *Pool) Texts() (list []Text) {
	for _, kind := range kindsOfText {
		list = append(list, Text{kind.as, ""})
	}
	list = append(list, byHand...)
	for _, kind := range kindsOfText {
		for range kind.count {
			text := p.text(kind.as)
			if p.Chance(2) {
				text = p.misspell(text)
			}
			list = append(list, Text{kind.as, text})
		}
	}
	return list
}

func (p *Pool) text(as string) string {
	size := Pick(p.Source, 20, 20, 20, 20, 19, 21, 32, p.IntN(50))
	switch as {
	case "id":
		if p.Chance(5) {
			return p.address().String()
		}
		return p.id().String()
	case "shortID":
		return must(cb58.Encode(p.Bytes(size)))
	case "nodeID":
		return ids.NodeID(p.address()).String()
	case "cb58":
		return must(cb58.Encode(append(make([]byte, p.IntN(3)), p.Bytes(p.IntN(50))...)))
	case "hex", "hexc":
		return must(formatting.Encode(formatting.Hex, p.Bytes(p.IntN(20))))
	case "hexnc":
		return must(formatting.Encode(formatting.HexNC, p.Bytes(p.IntN(20))))
	case "privateKey":
		return secp256k1.PrivateKeyPrefix + must(cb58.Encode(Pick(p.Source,
			p.Bytes(32), p.Bytes(32), p.Bytes(31), make([]byte, 32), scalar(secp256k1Order), plus(secp256k1Order, -1), p.Bytes(33))))
	case "bech32":
		return p.bech32(Pick(p.Source, "local", "avax", "fuji", "x", "custom"), size)
	case "address":
		return Pick(p.Source, "X", "P", "C", "", "X-Y", "avm") + "-" + p.bech32(Pick(p.Source, "local", "avax"), size)
	case "localAddress":
		alias := Pick(p.Source, "X", "X", "X", "avm", "P", "C", "x", "", "2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed")
		return alias + "-" + p.bech32(Pick(p.Source, "local", "local", "local", "fuji"), size)
	case "serviceAddress":
		if p.Chance(3) {
			return must(cb58.Encode(p.Bytes(size)))
		}
		return Pick(p.Source, "X", "X", "P", "Q") + "-" + p.bech32(Pick(p.Source, "local", "local", "loca"), size)
	case "utxoID":
		id := avax.UTXOID{TxID: p.id(), OutputIndex: uint32(p.Number())}
		return id.String()
	}
	return Pick(p.Source, `"hex"`, `"json "`)
}

// bech32 returns a text with an ordinary checksum, that of bech32m, or padding
// that encoders do not write.
func (p *Pool) bech32(hrp string, size int) string {
	data := p.Bytes(size)
	if p.Chance(10) {
		data = make([]byte, size)
	}
	groups, err := bech32.ConvertBits(data, 8, 5, true)
	if err != nil {
		panic(err)
	}
	switch p.IntN(10) {
	case 0:
		return must(bech32.EncodeM(hrp, groups))
	case 1:
		return must(bech32.Encode(hrp, append(groups, 0)))
	case 2:
		if len(groups) > 0 {
			groups[len(groups)-1] |= 1
		}
		return must(bech32.Encode(hrp, groups))
	case 3:
		return strings.ToUpper(must(address.FormatBech32(hrp, data)))
	}
	return must(address.FormatBech32(hrp, data))
}

// misspell changes a text a little.
func (p *Pool) misspell(text string) string {
	if text == "" {
		return " "
	}
	at := p.IntN(len(text))
	before, char, after := text[:at], text[at:at+1], text[at+1:]
	switch p.IntN(10) {
	case 0:
		return before + after
	case 1:
		return before + char + char + after
	case 2:
		return before + Pick(p.Source, "0", "O", "I", "l", " ", "-", "1", "z", "é", "\t", "\x7f", "b") + after
	case 3:
		return before + Pick(p.Source, "q", "p", "5", "A") + char + after
	case 4:
		return strings.ToUpper(text)
	case 5:
		return strings.ToLower(text)
	case 6:
		return text + Pick(p.Source, " ", "\n", "q", "1")
	case 7:
		if after != "" {
			return before + after[:1] + char + after[1:]
		}
	}
	return before + Pick(p.Source, "2", "3", "c", "f", "R") + after
}

func must(text string, err error) string {
	if err != nil {
		panic(err)
	}
	return text
}
