import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { decodeUTXO, encodeUTXO, type UTXO } from '../../src/core/chain/x/utxo.ts'

/** Ways to falsify an entry of a listing. */
export const FALSE_ENTRIES: { readonly [name: string]: (utxo: UTXO) => UTXO[] } = {
  'a false amount': (utxo) => {
    const { output } = utxo
    if (output.type !== 'secp256k1fx.TransferOutput') return [utxo]
    return [{ ...utxo, output: { ...output, amount: 2n * output.amount } }]
  },
  'a UTXO that does not exist': (utxo) => [utxo, { ...utxo, outputIndex: 77 }],
}

/** The answer of a node, with falsified entries. */
export async function falsified(
  next: () => Promise<Response>,
  entriesOf: (utxo: UTXO, index: number) => UTXO[],
): Promise<Response> {
  const reply = await (await next()).json()
  const utxos = reply.result.utxos.flatMap((text: string, i: number) =>
    entriesOf(decodeUTXO(checkedHex.decode(text)), i).map((utxo) =>
      checkedHex.encode(encodeUTXO(utxo)),
    ),
  )
  const result = { ...reply.result, utxos, numFetched: String(utxos.length) }
  return Response.json({ ...reply, result })
}
