import { compareBytes } from '../../../src/core/base/bytes/compare.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { type NetworkContext, networks } from '../../../src/core/chain/networks.ts'
import { haveSameOwners, type OutputOwners } from '../../../src/core/chain/owners.ts'
import type { TransferOutput } from '../../../src/core/chain/secp256k1fx.ts'
import { createdUTXOs } from '../../../src/core/chain/x/created.ts'
import { genesisTx, localGenesis } from '../../../src/core/chain/x/genesis.ts'
import { txID } from '../../../src/core/chain/x/ids.ts'
import { signedSize } from '../../../src/core/chain/x/size.ts'
import {
  type BaseTx,
  decodeTx,
  encodeTx,
  type SignedTx,
  type UnsignedTx,
} from '../../../src/core/chain/x/tx.ts'
import { decodeUTXO, type UTXO } from '../../../src/core/chain/x/utxo.ts'
import { feeOf } from '../../../src/core/chain/x/verify/verify.ts'
import type { Secp256k1Backend } from '../../../src/core/crypto/backend.ts'
import { loadWasmBackend } from '../../../src/core/crypto/backends/wasm.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import type { Draft } from '../../../src/core/draft/draft.ts'
import { createRequest, type RequestOptions } from '../../../src/core/sign/request/request.ts'
import type { SigningRequest } from '../../../src/core/sign/request/signing-request.ts'
import { vectors } from '../../helpers/vectors.ts'

/** Produces the same bytes as noble (see test/crypto) in a tenth of the time. */
export const fast: Secp256k1Backend = await loadWasmBackend()

/** Six people with a key each, in the order of their addresses. */
export const people: readonly { readonly key: Uint8Array; readonly address: Uint8Array }[] = [
  1, 2, 3, 4, 5, 6,
]
  .map((i) => {
    const key = new Uint8Array(32).fill(i)
    return { key, address: new KeyChain([key]).addresses[0]! }
  })
  .sort((a, b) => compareBytes(a.address, b.address))

/** The keys of the people at these positions. */
export function keysOf(...positions: readonly number[]): KeyChain {
  return new KeyChain(
    positions.map((i) => people[i]!.key),
    { backend: fast },
  )
}

export function owners(threshold: number, ...positions: readonly number[]): OutputOwners {
  return { locktime: 0n, threshold, addresses: positions.map((i) => people[i]!.address) }
}

export function paying(amount: bigint, to: OutputOwners): TransferOutput {
  return { type: 'secp256k1fx.TransferOutput', amount, ...to }
}

/** The bytes of transactions that created UTXOs of these tests, by the hex of their ID. */
const parents = new Map<string, Uint8Array>()

/** A transaction with these outputs, and the UTXOs it creates. */
export function created(
  outputs: readonly { readonly assetID: Uint8Array; readonly output: TransferOutput }[],
  context: NetworkContext = networks.local,
): { readonly parent: Uint8Array; readonly utxos: UTXO[] } {
  const tx: SignedTx = {
    unsignedTx: {
      type: 'BaseTx',
      networkID: context.networkID,
      blockchainID: context.chainID,
      outputs,
      inputs: [],
      memo: new Uint8Array(),
    },
    credentials: [],
  }
  const parent = encodeTx(tx)
  parents.set(hex.encode(txID(parent)), parent)
  return { parent, utxos: createdUTXOs(tx) }
}

/** The native coins, one for each set of owners, all created by one transaction. */
export function coins(...all: readonly OutputOwners[]): UTXO[] {
  const { assetID } = networks.local
  return created(all.map((owner) => ({ assetID, output: paying(10_000_000_000n, owner) }))).utxos
}

/** The transactions that created UTXOs of `coins` or `created`. */
export function parentsOf({ utxos }: { readonly utxos: readonly UTXO[] }): Uint8Array[] {
  return utxos.flatMap((utxo) => parents.get(hex.encode(utxo.txID)) ?? [])
}

/** A request with proofs. */
export function proven(draft: Draft, options: RequestOptions = {}): SigningRequest {
  return createRequest(draft, { parents: parentsOf(draft), ...options })
}

/** For drafts with invented UTXOs and any recipients. */
export const trusting = [
  'UNPROVEN_UTXO',
  'UNPROVEN_ASSET',
  'SHARED_OUTPUT',
  'LOCKED_RETURN',
  'FOREIGN_CHANGE',
  'WEAKER_CHANGE',
  'BURNED_PROPERTY',
  'UNUSED_KEY',
] as const

export function draftOf(
  unsignedTx: UnsignedTx,
  utxos: readonly UTXO[],
  context: NetworkContext = networks.local,
): Draft {
  return {
    chain: 'X',
    unsignedTx,
    utxos,
    context,
    fee: feeOf(unsignedTx, context),
    change: [],
    burned: [],
    signedSize: signedSize(unsignedTx),
  }
}

/**
 * All that `utxos` hold, less the fee and what is paid to person 5, is returned: to the owners of the UTXOs if all have
 * the same owners and need a signature, otherwise to person 0.
 */
export function transfer(
  utxos: readonly UTXO[],
  changes: Partial<BaseTx> = {},
  context: NetworkContext = networks.local,
): Draft {
  const { assetID, chainID, networkID } = context
  const total = utxos.reduce((sum, { output }) => sum + (output as TransferOutput).amount, 0n)
  const back = total - 1_000_000_000n - context.txFee
  const [{ output: first }] = utxos as [UTXO]
  const sameOwners = utxos.every(({ output }) => haveSameOwners(output, first))
  const { threshold, addresses } = first
  const returned =
    sameOwners && threshold > 0 ? { locktime: 0n, threshold, addresses } : owners(1, 0)
  const unsignedTx: BaseTx = {
    type: 'BaseTx',
    networkID,
    blockchainID: chainID,
    outputs: [
      { assetID, output: paying(1_000_000_000n, owners(1, 5)) },
      { assetID, output: paying(back, returned) },
    ],
    inputs: utxos.map(({ output, ...id }) => ({
      ...id,
      input: {
        type: 'secp256k1fx.TransferInput',
        amount: (output as TransferOutput).amount,
        signatureIndices: Array.from({ length: output.threshold }, (_, i) => i),
      },
    })),
    memo: new Uint8Array(),
    ...changes,
  }
  return { ...draftOf(unsignedTx, utxos, context), change: [{ assetID, amount: back }] }
}

/** A case of `generated/sign.json` in which whole transactions are signed. */
export type TxCase = {
  readonly id: string
  readonly what: string
  readonly txType: string
  readonly keys: readonly string[]
  readonly utxos: readonly string[]
  readonly unsigned: string
  readonly before: string
  readonly signed: string
  readonly missing: number
  readonly txID: string
  readonly ok: boolean
  readonly code: string
}

export function signCases(what: 'tx' | 'partial'): TxCase[] {
  return vectors<TxCase[]>('generated/sign.json').filter((item) => item.what === what)
}

type NodeEvent = {
  readonly event: string
  readonly expect?: string
  readonly bytes?: string
  readonly utxos?: readonly string[]
}

/** The transactions that a node accepted in a row, and every UTXO they spend. */
export function acceptedTxs(): { readonly txs: readonly Uint8Array[]; readonly utxos: UTXO[] } {
  const { events } = vectors<{ events: readonly NodeEvent[] }>('node-sequence.json')
  const txs = events
    .filter(({ event, expect }) => event === 'tx' && expect === 'accepted')
    .map(({ bytes }) => hex.decode(bytes!))
  return {
    txs,
    utxos: [
      ...localGenesis(networks.local.networkID).assets.flatMap((asset) =>
        createdUTXOs(genesisTx(asset)),
      ),
      ...events.flatMap(({ event, utxos = [] }) =>
        event === 'atomic-utxos' ? utxos.map((text) => decodeUTXO(hex.decode(text))) : [],
      ),
      ...txs.flatMap((bytes) => createdUTXOs(decodeTx(bytes))),
    ],
  }
}
