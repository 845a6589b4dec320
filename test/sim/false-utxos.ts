import { decodeTx as cTx } from '../../src/core/chain/c/tx.ts'
import { unlockedInput, unlockedOutput } from '../../src/core/chain/p/transferables.ts'
import { inputsOf, decodeTx as pTx } from '../../src/core/chain/p/tx.ts'
import type { UTXO as PUTXO } from '../../src/core/chain/p/utxo.ts'
import { utxoKey } from '../../src/core/chain/x/ids.ts'
import { spendsOf } from '../../src/core/chain/x/spends.ts'
import type { UTXOID } from '../../src/core/chain/x/transferables.ts'
import { decodeTx } from '../../src/core/chain/x/tx.ts'
import type { UTXO } from '../../src/core/chain/x/utxo.ts'
import type { MoveChain } from '../../src/wallet/moves/index.ts'

/** A UTXO with the amount that is spent. */
type Spent = UTXOID & { readonly amount: bigint | undefined }

/** UTXOs that a liar has listed although they do not exist, or with other amounts than they have. */
export class FalseUTXOs {
  private readonly names = new Set<string>()

  add(utxo: UTXO | PUTXO): void {
    const output = unlockedOutput(utxo.output as PUTXO['output'])
    this.names.add(nameOf({ ...utxo, amount: output.amount }))
  }

  /** Whether a signed transaction of a chain spends one of them. */
  areSpentBy(chain: MoveChain, bytes: Uint8Array): boolean {
    return spentBy[chain](bytes).some((spent) => this.names.has(nameOf(spent)))
  }
}

const spentBy: { readonly [chain in MoveChain]: (bytes: Uint8Array) => Spent[] } = {
  X: (bytes) =>
    spendsOf(decodeTx(bytes).unsignedTx).flatMap(({ utxoIDs, amount }) =>
      utxoIDs.map((id) => ({ ...id, amount })),
    ),
  P: (bytes) =>
    inputsOf(pTx(bytes).unsignedTx).map(({ input, ...id }) => {
      return { ...id, amount: unlockedInput(input).amount }
    }),
  C: (bytes) => {
    const { unsignedTx } = cTx(bytes)
    // Exports spend from an account.
    const inputs = unsignedTx.type === 'ImportTx' ? unsignedTx.importedInputs : []
    return inputs.map(({ input: { amount }, ...id }) => ({ ...id, amount }))
  },
}

function nameOf({ amount, ...id }: Spent): string {
  return `${utxoKey(id)} ${amount}`
}
