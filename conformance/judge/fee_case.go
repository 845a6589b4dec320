package judge

import "fmt"

// FeeCase asks how fees follow from numbers. On the P-Chain (kind "p-fee") the
// price of gas and the fee state after some seconds and gas, on the C-Chain
// ("c-fee") the fee of gas. All numbers are decimal text.
type FeeCase struct {
	Head
	MinPrice   string `json:"minPrice,omitempty"`
	Conversion string `json:"conversion,omitempty"`
	Capacity   string `json:"capacity,omitempty"`
	Excess     string `json:"excess,omitempty"`
	Seconds    string `json:"seconds,omitempty"`
	Gas        string `json:"gas,omitempty"`
	BaseFee    string `json:"baseFee,omitempty"`
	Verdict
	Price    string `json:"price,omitempty"`
	After    any    `json:"after,omitempty"`
	Consumed any    `json:"consumed,omitempty"`
	Fee      string `json:"fee,omitempty"`
}

func (c *FeeCase) Judge() error {
	c.Price, c.After, c.Consumed, c.Fee = "", nil, nil, ""
	switch c.Kind {
	case "p-fee":
		return c.judgePrice()
	case "c-fee":
		fee, err := AtomicFee(c.Gas, c.BaseFee)
		if err != nil {
			c.refuse(err)
			return nil
		}
		c.accept()
		c.Fee = fee
		return nil
	}
	return fmt.Errorf("%w: %q", errUnknownKind, c.Kind)
}

func (c *FeeCase) judgePrice() (err error) {
	if c.Price, err = GasPrice(c.MinPrice, c.Excess, c.Conversion); err != nil {
		return err
	}
	answers, err := FeeState(c.Capacity, c.Excess, c.Seconds, c.Gas)
	if err != nil {
		return err
	}
	c.accept()
	c.After, c.Consumed = answers["after"], answers["consumed"]
	return nil
}

func (c *FeeCase) Answer() any {
	answer := *c
	answer.MinPrice, answer.Conversion, answer.Capacity, answer.Excess = "", "", "", ""
	answer.Seconds, answer.Gas, answer.BaseFee = "", "", ""
	return &answer
}
