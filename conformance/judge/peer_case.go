package judge

import "fmt"

// PeerCase asks about a transaction or UTXO of the P- or C-Chain. The kinds are
// those of cross-chain.json; there the answers stand beside the inputs.
type PeerCase struct {
	Head
	Network string `json:"network,omitempty"`
	Signed  string `json:"signed,omitempty"`
	UTXO    string `json:"utxo,omitempty"`
	// Prices are those at which fees are computed: of gas on the P-Chain, base fees
	// on the C-Chain.
	Prices []string `json:"prices,omitempty"`
	// Spends are all UTXOs that exist, Now the time in unix seconds and Price the one
	// that must be paid.
	Spends []string `json:"spends,omitempty"`
	Now    string   `json:"now,omitempty"`
	Price  string   `json:"price,omitempty"`

	Answers Answers `json:"answers"`
}

func (c *PeerCase) Judge() (err error) {
	spending := &Spending{Network: c.Network, Signed: c.Signed, UTXOs: c.Spends, Now: c.Now, Price: c.Price}
	switch c.Kind {
	case "p-tx":
		c.Answers, err = PlatformTx(c.Network, c.Signed, c.Prices)
	case "p-spend":
		c.Answers, err = PlatformSpend(spending)
	case "p-utxo":
		c.Answers, err = PlatformUTXO(c.UTXO)
	case "c-tx":
		c.Answers, err = AtomicTx(c.Network, c.Signed, c.Prices)
	case "c-spend":
		c.Answers, err = AtomicSpend(spending)
	case "helicon":
		c.Answers, err = Helicon(spending)
	default:
		err = fmt.Errorf("%w: %q", errUnknownKind, c.Kind)
	}
	return err
}

// Answer has the verdict in the form of the other kinds. Each version lacks one of
// the rules of the C-Chain.
func (c *PeerCase) Answer() any {
	if c.Answers == nil {
		return Answers{"kind": c.Kind, "id": c.ID, "unsupported": true}
	}
	answer := Answers{"kind": c.Kind, "id": c.ID, "ok": c.Answers["verdict"] == "ok"}
	for name, value := range c.Answers {
		switch name {
		case "verdict":
		case "error":
			answer["err"] = value
		default:
			answer[name] = value
		}
	}
	return answer
}
