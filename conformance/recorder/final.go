package recorder

import (
	"encoding/json"
	"slices"
	"strconv"

	"avmkit/conformance/judge"
	"avmkit/conformance/ordered"
)

// members returns the keys of a member that is an object, in order.
func members(object ordered.Object, name string) ([]string, error) {
	var inner ordered.Object
	if err := object.Get(name, &inner); err != nil {
		return nil, err
	}
	names := make([]string, len(inner))
	for i, member := range inner {
		names[i] = member.Name
	}
	return names, nil
}

// final asks for the state at the end: the same questions as before.
func (n *Node) final(final *ordered.Object, state *chainState) error {
	var height struct {
		Height int `json:",string"`
	}
	if err := n.Ask(xPath, "avm.getHeight", struct{}{}, &height); err != nil {
		return err
	}
	final.Set("height", height.Height)
	var last struct{ Block struct{ ID string } }
	params := map[string]any{"height": strconv.Itoa(height.Height), "encoding": "json"}
	if err := n.Ask(xPath, "avm.getBlockByHeight", params, &last); err != nil {
		return err
	}
	final.Set("lastBlockID", last.Block.ID)
	final.Set("clock", n.Clock())
	if err := n.finalUTXOs(final); err != nil {
		return err
	}
	if err := n.finalBalances(final); err != nil {
		return err
	}
	var assets []ordered.Object
	for _, id := range state.assets {
		var asset ordered.Object
		if err := n.Ask(xPath, "avm.getAssetDescription", map[string]string{"assetID": id}, &asset); err != nil {
			return err
		}
		assets = append(assets, asset)
	}
	final.Set("assets", assets)
	without := []string{}
	for _, utxo := range state.utxos {
		if judge.HasNoOwner(utxo) {
			without = append(without, utxo)
		}
	}
	slices.Sort(without)
	final.Set("utxosWithoutAddress", without)
	exported := ordered.Object{}
	for _, chain := range []string{pChain, judge.CChainID.String()} {
		list := []string{}
		for _, utxo := range state.exported[chain] {
			list = append(list, utxo)
		}
		slices.Sort(list)
		exported.Set(chain, list)
	}
	final.Set("exportedUTXOs", exported)
	return nil
}

func (n *Node) finalUTXOs(final *ordered.Object) error {
	addresses, err := members(*final, "utxos")
	if err != nil {
		return err
	}
	all := ordered.Object{}
	for _, address := range addresses {
		list, err := n.walk(address, "")
		if err != nil {
			return err
		}
		all.Set(address, list)
	}
	final.Set("utxos", all)
	atomic := ordered.Object{}
	for _, chain := range []string{judge.CChainID.String(), pChain} {
		owned := ordered.Object{}
		for _, address := range addresses {
			list, err := n.walk(address, chain)
			if err != nil {
				return err
			}
			if len(list) > 0 {
				owned.Set(address, list)
			}
		}
		if len(owned) > 0 {
			atomic.Set(chain, owned)
		}
	}
	final.Set("atomicUTXOs", atomic)
	return nil
}

// walk returns all UTXOs of an address in the order of the pages, repeated
// entries left out.
func (n *Node) walk(address, sourceChain string) ([]string, error) {
	list := []string{}
	var start json.RawMessage
	for {
		params := map[string]any{"addresses": []string{address}, "limit": 1024, "encoding": "hexnc"}
		if start != nil {
			params["startIndex"] = start
		}
		if sourceChain != "" {
			params["sourceChain"] = sourceChain
		}
		var page struct {
			UTXOs      []string
			EndIndex   json.RawMessage
			NumFetched int `json:",string"`
		}
		if err := n.Ask(xPath, "avm.getUTXOs", params, &page); err != nil {
			return nil, err
		}
		for _, utxo := range page.UTXOs {
			if !slices.Contains(list, utxo[2:]) {
				list = append(list, utxo[2:])
			}
		}
		if page.NumFetched < 1024 {
			return list, nil
		}
		start = page.EndIndex
	}
}

func (n *Node) finalBalances(final *ordered.Object) error {
	for _, question := range []struct {
		member  string
		partial bool
	}{{"allBalances", false}, {"allBalancesIncludePartial", true}} {
		addresses, err := members(*final, question.member)
		if err != nil {
			return err
		}
		all := ordered.Object{}
		for _, address := range addresses {
			var reply struct{ Balances json.RawMessage }
			params := map[string]any{"address": address, "includePartial": question.partial}
			if err := n.Ask(xPath, "avm.getAllBalances", params, &reply); err != nil {
				return err
			}
			all.Set(address, reply.Balances)
		}
		final.Set(question.member, all)
	}
	return nil
}
