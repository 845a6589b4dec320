import { hex } from '../../../src/core/base/encoding/hex.ts'
import { sha256 } from '../../../src/core/base/hash/sha256.ts'
import { txID } from '../../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import { encodeTx } from '../../../src/core/chain/x/tx.ts'
import type {
  Acceptance,
  Attempt,
  Claim,
  PaymentRecord,
  StoreBinding,
} from '../../../src/wallet/store/store.ts'

export const binding: StoreBinding = { networkID: 5, chainID: bytesOf('chain') }

/** 32 bytes derived from a text. */
export function bytesOf(text: string): Uint8Array {
  return sha256(new TextEncoder().encode(text))
}

/** A UTXO named by a letter. */
export function utxo(name: string): UTXOID {
  return { txID: bytesOf(`utxo ${name}`), outputIndex: 7 }
}

/** A signed transaction that spends UTXOs; `salt` makes other transactions with the same inputs. */
export function txOf(inputs: readonly (string | UTXOID)[], salt = ''): Uint8Array {
  return encodeTx({
    unsignedTx: {
      type: 'BaseTx',
      networkID: binding.networkID,
      blockchainID: binding.chainID,
      outputs: [],
      inputs: inputs.map((input) => ({
        ...(typeof input === 'string' ? utxo(input) : input),
        assetID: bytesOf('asset'),
        input: { type: 'secp256k1fx.TransferInput', amount: 1n, signatureIndices: [0] },
      })),
      memo: new TextEncoder().encode(salt),
    },
    credentials: [],
  })
}

/** A payment of the keys, all with the content `content`, that spends the inputs. */
export function payment(
  keys: string | readonly string[],
  inputs: string,
  options: {
    readonly salt?: string
    readonly content?: string
    readonly generated?: boolean
    readonly kind?: Claim['kind']
  } = {},
): Claim {
  const { salt = '', content = 'content', generated = false, kind = 'payment' } = options
  const list = typeof keys === 'string' ? [keys] : keys
  return {
    kind,
    payments: list.map((key) => ({ key, digest: bytesOf(content), generated })),
    bytes: txOf([...inputs], salt),
    fromHeight: 12n,
  }
}

export function cancellation(keys: string | readonly string[], inputs: string): Claim {
  return payment(keys, inputs, { salt: 'cancel', kind: 'cancellation' })
}

/** The acceptance of a claimed transaction that spends `inputs`. */
export function accepted(claim: Claim, inputs: string): Acceptance {
  return { txID: txID(claim.bytes), inputs: [...inputs].map(utxo) }
}

/** The acceptance of an unclaimed transaction. */
export function rival(inputs: string): Acceptance {
  return { txID: bytesOf(`rival ${inputs}`), inputs: [...inputs].map(utxo) }
}

/** The acceptance of an unclaimed transaction with an output of the wallet. */
export function shown(input: UTXOID, salt: string): Acceptance {
  const bytes = txOf([input], salt)
  return { txID: txID(bytes), inputs: [input], own: [0], bytes }
}

/** The first output of a transaction. */
export function outputOf({ txID }: Pick<Acceptance, 'txID'>): UTXOID {
  return { txID, outputIndex: 0 }
}

/** The complete state of a store. */
export async function contentOf(store: {
  list: () => AsyncIterable<PaymentRecord>
  attempts: () => AsyncIterable<Attempt>
}): Promise<{ payments: PaymentRecord[]; attempts: Attempt[] }> {
  return {
    payments: await collect(store.list()),
    attempts: await collect(store.attempts()),
  }
}

/** The same as a text, which is faster to compare. */
export async function textOf(store: Parameters<typeof contentOf>[0]): Promise<string> {
  return JSON.stringify(await contentOf(store), (_key, value) =>
    typeof value === 'bigint'
      ? `${value}n`
      : value instanceof Uint8Array
        ? hex.encode(value)
        : value,
  )
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
