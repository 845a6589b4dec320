package recorder

import "avmkit/conformance/judge"

// chainState follows what accepted transactions create and consume.
type chainState struct {
	utxos map[string]string
	// exported is what lies in shared memory for each other chain.
	exported map[string]map[string]string
	assets   []string
}

func newChainState() *chainState {
	return &chainState{
		utxos:    make(map[string]string),
		exported: map[string]map[string]string{pChain: {}, judge.CChainID.String(): {}},
	}
}

const pChain = "11111111111111111111111111111111LpoYY"

func (c *chainState) accept(block string) error {
	txs, err := judge.BlockTxs(block)
	if err != nil {
		return err
	}
	for _, tx := range txs {
		for _, id := range tx.InputIDs {
			delete(c.utxos, id)
		}
		for _, utxo := range tx.UTXOs {
			c.utxos[utxo.UTXOID] = utxo.Bytes
		}
		if tx.AssetID != "" {
			c.assets = append(c.assets, tx.AssetID)
		}
		if tx.Atomic != nil {
			for _, put := range tx.Atomic.Put {
				c.exported[tx.Atomic.PeerChain][judge.IDOfHex(put.Key)] = put.Value
			}
		}
	}
	return nil
}
