import type { Draft } from '../../src/build/draft.ts'
import { compareBytes } from '../../src/bytes/compare.ts'
import {
  type BaseTx,
  createdUTXOs,
  decodeTx,
  decodeUTXO,
  feeOf,
  genesisTx,
  localGenesis,
  type NetworkContext,
  networks,
  type OutputOwners,
  signedSize,
  type TransferOutput,
  type UnsignedTx,
  type UTXO,
} from '../../src/chain/index.ts'
import { KeyChain } from '../../src/crypto/index.ts'
import { hex } from '../../src/encoding/hex.ts'
import { vectors } from '../helpers/vectors.ts'

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
  return new KeyChain(positions.map((i) => people[i]!.key))
}

export function owners(threshold: number, ...positions: readonly number[]): OutputOwners {
  return { locktime: 0n, threshold, addresses: positions.map((i) => people[i]!.address) }
}

export function paying(amount: bigint, to: OutputOwners): TransferOutput {
  return { type: 'secp256k1fx.TransferOutput', amount, ...to }
}

/** The native coins, one for each set of owners. */
export function coins(...all: readonly OutputOwners[]): UTXO[] {
  return all.map((owner, i) => ({
    txID: new Uint8Array(32).fill(0x11 + i),
    outputIndex: i,
    assetID: networks.local.assetID,
    output: paying(10_000_000_000n, owner),
  }))
}

export function draftOf(
  unsignedTx: UnsignedTx,
  utxos: readonly UTXO[],
  context: NetworkContext = networks.local,
): Draft {
  return {
    unsignedTx,
    utxos,
    context,
    fee: feeOf(unsignedTx, context),
    change: [],
    burned: [],
    signedSize: signedSize(unsignedTx),
  }
}

/** All that `utxos` hold, less the fee and what is paid to person 5, goes back to person 0. */
export function transfer(
  utxos: readonly UTXO[],
  changes: Partial<BaseTx> = {},
  context: NetworkContext = networks.local,
): Draft {
  const { assetID, chainID, networkID } = context
  const total = utxos.reduce((sum, { output }) => sum + (output as TransferOutput).amount, 0n)
  const back = total - 1_000_000_000n - context.txFee
  const unsignedTx: BaseTx = {
    type: 'BaseTx',
    networkID,
    blockchainID: chainID,
    outputs: [
      { assetID, output: paying(1_000_000_000n, owners(1, 5)) },
      { assetID, output: paying(back, owners(1, 0)) },
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
