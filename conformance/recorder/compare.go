package recorder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Differences lists where two values differ, as paths with both values.
func Differences(before, after any) []string { return differences("", plain(before), plain(after)) }

// plain turns a value into what JSON knows.
func plain(value any) (result any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	// Amounts are larger than what a float holds exactly.
	decoder.UseNumber()
	if err := decoder.Decode(&result); err != nil {
		panic(err)
	}
	return result
}

func differences(path string, before, after any) (list []string) {
	switch before := before.(type) {
	case map[string]any:
		after, ok := after.(map[string]any)
		if !ok {
			break
		}
		names := make([]string, 0, len(before))
		for name := range before {
			names = append(names, name)
		}
		for name := range after {
			if _, ok := before[name]; !ok {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			list = append(list, differences(path+"."+name, before[name], after[name])...)
		}
		return list
	case []any:
		after, ok := after.([]any)
		if !ok || len(after) != len(before) {
			break
		}
		for i := range before {
			list = append(list, differences(fmt.Sprintf("%s[%d]", path, i), before[i], after[i])...)
		}
		return list
	}
	if reflect.DeepEqual(before, after) {
		return nil
	}
	return []string{fmt.Sprintf("%s: %s, now %s", path, brief(before), brief(after))}
}

func brief(value any) string {
	text := fmt.Sprint(value)
	if len(text) > 200 {
		return text[:200] + "…"
	}
	return text
}

// Normalized is the sequence without what no two runs have in common: times, the
// IDs and bytes of blocks, which contain times, and orders that the node does not
// promise (inside a block, of UTXOs and of balances).
func (s *Sequence) Normalized() any {
	events := make([]any, len(s.Events))
	for i, event := range s.Events {
		fields := plain(event).(map[string]any)
		delete(fields, "clock")
		if fields["event"] == "block" {
			for _, name := range []string{"time", "bytes", "blockID", "parentID"} {
				delete(fields, name)
			}
			sortTexts(fields["txIDs"])
		}
		events[i] = fields
	}
	final := plain(s.Final).(map[string]any)
	delete(final, "clock")
	delete(final, "lastBlockID")
	for _, name := range []string{"utxos", "allBalances", "allBalancesIncludePartial"} {
		for _, list := range final[name].(map[string]any) {
			sortTexts(list)
		}
	}
	for _, owners := range final["atomicUTXOs"].(map[string]any) {
		for _, list := range owners.(map[string]any) {
			sortTexts(list)
		}
	}
	return map[string]any{"events": events, "final": final}
}

// sortTexts sorts a list by the text of its elements.
func sortTexts(list any) {
	elements, _ := list.([]any)
	slices.SortFunc(elements, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}
