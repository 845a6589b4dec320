import { sha256 } from '../../../src/core/base/hash/sha256.ts'
import type { TransferOutput } from '../../../src/core/chain/secp256k1fx.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'

/** 32 bytes that differ for each name. */
export function idOf(name: string): Uint8Array {
  return sha256(new TextEncoder().encode(name))
}

/** 20 bytes that differ for each name. */
export function addressNamed(name: string): Uint8Array {
  return idOf(name).slice(0, 20)
}

export const alice: Uint8Array = addressNamed('alice')
export const bob: Uint8Array = addressNamed('bob')
export const carol: Uint8Array = addressNamed('carol')
/** Alice, Bob and Carol in the order of the chain. */
export const trio: Uint8Array[] = [alice, bob, carol].sort((a, b) => (hexOf(a) < hexOf(b) ? -1 : 1))

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

export type CoinDetails = Partial<Omit<TransferOutput, 'type'>> & { assetID?: Uint8Array }

/** A UTXO with a transaction ID made from its name; owned by Alice by default. */
export function coin(name: string, amount: bigint, details: CoinDetails = {}): UTXO {
  const { assetID = idOf('asset'), ...rest } = details
  return {
    txID: idOf(name),
    outputIndex: name.length % 3,
    assetID,
    output: {
      type: 'secp256k1fx.TransferOutput',
      amount,
      locktime: 0n,
      threshold: 1,
      addresses: [alice],
      ...rest,
    },
  }
}

/** A number of UTXOs with the same amount. */
export function coins(count: number, amount: bigint, details: CoinDetails = {}): UTXO[] {
  return Array.from({ length: count }, (_, i) => coin(`${amount}/${i}`, amount, details))
}
