import { networks } from '../../src/core/chain/networks.ts'
import { txID } from '../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../src/core/chain/x/transferables.ts'
import { encodeTx } from '../../src/core/chain/x/tx.ts'
import type { Claim } from '../../src/wallet/store/store.ts'

/** The address of the wallet of a model: all outputs are its own. */
export const OWNER: Uint8Array = new Uint8Array(20)

/** A transaction of a model. A `foreign` one is of another holder of the keys, and claimed nowhere. */
export type ModelTx = {
  readonly kind: Claim['kind'] | 'foreign'
  readonly keys: readonly string[]
  readonly inputs: readonly UTXOID[]
  readonly outputs: readonly UTXOID[]
  readonly bytes: Uint8Array
  readonly txID: Uint8Array
}

/** A UTXO that exists at the start. */
export function coin(n: number): UTXOID {
  return { txID: new Uint8Array(32).fill(n + 1), outputIndex: 0 }
}

/**
 * A transaction without signatures and with amounts that do not matter.
 *
 * @param n - makes it different from others
 * @param outputs - their number
 */
export function modelTx(
  n: number,
  { kind, keys, inputs }: Pick<ModelTx, 'kind' | 'keys' | 'inputs'>,
  outputs: number,
): ModelTx {
  const { networkID, chainID, assetID } = networks.local
  const bytes = encodeTx({
    unsignedTx: {
      type: 'BaseTx',
      networkID,
      blockchainID: chainID,
      inputs: inputs.map((id) => ({
        ...id,
        assetID,
        input: { type: 'secp256k1fx.TransferInput', amount: 9n, signatureIndices: [0] },
      })),
      outputs: Array.from({ length: outputs }, () => ({
        assetID,
        output: {
          type: 'secp256k1fx.TransferOutput',
          amount: 1n,
          locktime: 0n,
          threshold: 1,
          addresses: [OWNER],
        },
      })),
      memo: Uint8Array.of(n),
    },
    credentials: [],
  } as Parameters<typeof encodeTx>[0])
  const id = txID(bytes)
  const created = Array.from({ length: outputs }, (_, outputIndex) => ({ txID: id, outputIndex }))
  return { kind, keys, inputs, outputs: created, bytes, txID: id }
}
