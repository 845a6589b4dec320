import { networks } from '../../src/core/chain/networks.ts'
import { vectors } from './vectors.ts'

/** Fields of `cross-chain.json`; which of them a vector has depends on its kind. */
export type CrossChainVector = {
  readonly kind: string
  readonly name: string
  readonly network: 'mainnet' | 'fuji' | 'local'
  readonly type?: string
  readonly verdict: 'ok' | 'err'
  readonly stage?: string
  readonly error?: string
  readonly helicon?: {
    readonly verdict: 'ok' | 'err'
    readonly stage?: string
    readonly error?: string
  }
  readonly oddCredential?: boolean
  readonly signed: string
  readonly unsigned: string
  readonly txID: string
  readonly hashToSign: string
  readonly size: string
  readonly complexity: { readonly [name: string]: string }
  readonly gas: string
  readonly fees: readonly {
    readonly fee: string
    readonly price?: string
    readonly baseFee?: string
  }[]
  readonly jsonText?: string
  readonly keys?: readonly (readonly string[])[]
  readonly spends?: readonly string[]
  readonly produces?: readonly { readonly utxoID: string; readonly utxo: string }[] | null
  readonly exports?: readonly {
    readonly utxoID: string
    readonly utxo: string
    readonly traits: readonly string[]
  }[]
  readonly burned?: string
  readonly gasPrice?: string
  readonly utxo: string
  readonly utxoID: string
  readonly amount: string
  readonly locktime: string
  readonly stakeableLocktime?: string
  readonly threshold: string
  readonly addresses: readonly string[]
  readonly assetID: string
  readonly outputIndex: string
  readonly excess: string
  readonly excessConversionConstant: string
  readonly minPrice: string
  readonly price: string
  readonly seconds: string
  readonly capacity: string
  readonly after: { readonly capacity: string; readonly excess: string; readonly price: string }
  readonly consumed?: { readonly capacity: string; readonly excess: string; readonly price: string }
  readonly baseFee: string
  readonly fee: string
  readonly now: string
  readonly publicKey: string
  readonly privateKey: string
  readonly evmAddress: string
  readonly checksummed: string
  readonly address: string
  readonly from: 'X' | 'P' | 'C'
  readonly to: 'X' | 'P' | 'C'
  readonly atomicUTXO: string
  readonly atomicUTXOID: string
  readonly export: CrossChainVector & { readonly chain: 'X' | 'P' | 'C' }
  readonly import: CrossChainVector & { readonly chain: 'X' | 'P' | 'C' }
  readonly seq: string
  readonly path: string
  readonly method: string
  readonly params: unknown
  readonly reply: { readonly result?: unknown; readonly error?: { readonly message: string } }
  readonly replyText?: string
}

const all = vectors<{ vectors: readonly CrossChainVector[] }>('cross-chain.json').vectors

/** The vectors of a kind; there must be some. */
export function crossChain(kind: string): readonly CrossChainVector[] {
  const found = all.filter((vector) => vector.kind === kind)
  if (found.length === 0) throw new Error(`no vectors of kind ${kind}`)
  return found
}

/** The network that a vector belongs to. */
export function contextOf(vector: CrossChainVector): (typeof networks)['local'] {
  return networks[vector.network ?? 'local']
}
