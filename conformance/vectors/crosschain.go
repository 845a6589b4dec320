package vectors

import (
	"fmt"
	"path/filepath"

	"avmkit/conformance/judge"
	"avmkit/conformance/ordered"
	"avmkit/conformance/recorder"
)

// WriteCrossChain judges the vectors of cross-chain.json again that are not
// recordings. The inputs stay as they are; so do answers that only another version
// has: helicon needs the next one, the stage spend of the C-Chain the present one.
func WriteCrossChain(folder string) error {
	path := filepath.Join(folder, "cross-chain.json")
	file, err := recorder.ReadCrossChain(path)
	if err != nil {
		return err
	}
	for i := range file.Vectors {
		vector := &file.Vectors[i]
		answers, err := crossChainAnswers(*vector)
		if err != nil {
			return fmt.Errorf("%s: %w", vector.Text("name"), err)
		}
		if answers != nil {
			answer(vector, answers)
		}
		if vector.Has("helicon") {
			after, err := judge.Helicon(spendingOf(*vector, vector.Text("baseFee")))
			if err != nil {
				return fmt.Errorf("%s: %w", vector.Text("name"), err)
			}
			if after != nil {
				vector.Set("helicon", after)
			}
		}
	}
	return file.Write(path)
}

// crossChainAnswers returns nothing for recordings.
func crossChainAnswers(vector ordered.Object) (judge.Answers, error) {
	text := vector.Text
	switch text("kind") {
	case "p-tx":
		return judge.PlatformTx(text("network"), text("signed"), pricesOf(vector, "price"))
	case "p-spend":
		return judge.PlatformSpend(spendingOf(vector, text("price")))
	case "p-utxo":
		return judge.PlatformUTXO(text("utxo"))
	case "p-price":
		price, err := judge.GasPrice(text("minPrice"), text("excess"), text("excessConversionConstant"))
		return judge.Answers{"price": price}, err
	case "p-fee-state":
		return judge.FeeState(text("capacity"), text("excess"), text("seconds"), text("gas"))
	case "c-tx":
		return judge.AtomicTx(text("network"), text("signed"), pricesOf(vector, "baseFee"))
	case "c-spend":
		return judge.AtomicSpend(spendingOf(vector, text("baseFee")))
	case "c-fee":
		cost, err := judge.AtomicFee(text("gas"), text("baseFee"))
		return judge.Answers{"verdict": "ok", "fee": cost}, err
	case "evm-address":
		return judge.EVMAddress(text("privateKey"), text("hrp"))
	}
	return nil, nil
}

func spendingOf(vector ordered.Object, price string) *judge.Spending {
	spending := &judge.Spending{
		Network: vector.Text("network"), Signed: vector.Text("signed"), Now: vector.Text("now"), Price: price,
	}
	if err := vector.Get("spends", &spending.UTXOs); err != nil {
		panic(err)
	}
	return spending
}

// pricesOf returns the prices at which the fees of a vector are computed.
func pricesOf(vector ordered.Object, name string) (prices []string) {
	var fees []map[string]string
	if err := vector.Get("fees", &fees); err != nil {
		panic(err)
	}
	for _, fee := range fees {
		prices = append(prices, fee[name])
	}
	return prices
}

// answer writes the verdict, and those of the other answers that the vector
// records.
func answer(vector *ordered.Object, answers judge.Answers) {
	for _, name := range []string{"verdict", "stage", "error"} {
		if value, ok := answers[name]; ok || vector.Has(name) {
			vector.Set(name, value)
		}
	}
	for name, value := range answers {
		if vector.Has(name) {
			vector.Set(name, value)
		}
	}
}
