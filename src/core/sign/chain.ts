import { equalBytes } from '../base/bytes/compare.ts'
import type { ChainAlias, SignedTxOf, UnsignedTxOf, UTXOOf } from '../chain/chain-types.ts'
import type { NetworkContext } from '../chain/networks.ts'
import type { Output } from '../chain/x/fx.ts'
import type { Spend as XSpend } from '../chain/x/spends.ts'

/** What one credential authorizes: an input, an operation, or the debit of an account, which spends no UTXO. */
export type Spend = XSpend & {
  /** Unix seconds of the stakeable lock that it spends; absent for none. */
  readonly stakeableLocktime?: bigint | undefined
  /** The account that it debits, which signs itself; absent if it spends a UTXO. */
  readonly account?: Account | undefined
}

/** Whether a spend consumes a UTXO, not the balance of an account. */
export function spendsUTXO({ account }: Spend): boolean {
  return account === undefined
}

/** Whether the accounts that a transaction debits sign it, not the owners of UTXOs. */
export function areSignedByAccounts([first]: readonly Spend[]): boolean {
  return first?.account !== undefined
}

/** An account, and the nonce with which a transaction debits it. */
export type Account = { readonly address: Uint8Array; readonly nonce: bigint }

/** The output of a UTXO without its stakeable lock, and that lock in Unix seconds; 0n for none. */
export type LockableOutput = { readonly output: Output; readonly stakeableLocktime: bigint }

/** Type of the struct of an output, on any chain. */
export type OutputType = Output['type'] | 'stakeable.LockOut' | 'EVMOutput'

/** An output that a transaction creates. */
export type NewOutput = LockableOutput & {
  readonly outputIndex: number
  /** {@link NEW_ASSET} for the asset that the transaction creates. */
  readonly assetID: Uint8Array
  /** Type of the struct that contains it. */
  readonly type: OutputType
  /** Where in the transaction it comes from. */
  readonly source: 'outputs' | 'exportedOutputs' | 'initialStates' | 'operations'
  /** Position of the operation that creates it. */
  readonly operation?: number | undefined
  /** Whether its address is an account. */
  readonly isAccount?: true | undefined
}

/** Placeholder for the ID of the asset that a transaction creates, which has no ID until it is signed. */
export const NEW_ASSET: Uint8Array = /* @__PURE__ */ new Uint8Array(32)

/** The signature indices for each credential. */
export type PickSigners = (credential: number) => readonly number[]

/** How a chain names accounts. */
export type Accounts = {
  /** The account of a compressed public key, 20 bytes. */
  readonly of: (publicKey: Uint8Array) => Uint8Array
  readonly format: (address: Uint8Array) => string
  readonly parse: (text: string) => Uint8Array
}

/** The fee that a transaction should have, and the one above which it is conspicuous, in nAVAX. */
export type ExpectedFee = { readonly fee: bigint; readonly limit: bigint }

/**
 * What signing, explanations and requests know of a chain. Only the words of an explanation name transaction types
 * outside of it. Methods, so that the description of one chain can be used where any is expected.
 */
export interface Chain<A extends ChainAlias = ChainAlias> {
  readonly alias: A
  /** Its ID in a network; undefined if the network does not name it. */
  idIn(network: NetworkContext): Uint8Array | undefined
  /** The prefix of its addresses. */
  prefixIn(network: NetworkContext): string
  encodeUnsignedTx(tx: UnsignedTxOf<A>): Uint8Array
  decodeUnsignedTx(bytes: Uint8Array): UnsignedTxOf<A>
  /** Checks every field of a signed transaction and copies it. */
  copyTx(tx: SignedTxOf<A>): SignedTxOf<A>
  /** Checks every field of UTXOs and copies them. */
  copyUTXOs(utxos: readonly UTXOOf<A>[]): readonly UTXOOf<A>[]
  encodeUTXO(utxo: UTXOOf<A>): Uint8Array
  decodeUTXO(bytes: Uint8Array): UTXOOf<A>
  /** Everything that a transaction spends, in the order of its credentials. */
  spends(tx: UnsignedTxOf<A>): readonly Spend[]
  /** All outputs that a transaction creates, in the order of their indices. */
  outputs(tx: UnsignedTxOf<A>): readonly NewOutput[]
  outputOf(utxo: UTXOOf<A>): LockableOutput
  /** Replaces the signature indices. Lists are sorted by earlier members, so their order stays valid. */
  withSigners(tx: UnsignedTxOf<A>, pick: PickSigners): UnsignedTxOf<A>
  /** Applies the stateless rules, and that the transaction does not create more than it spends. */
  verify(tx: UnsignedTxOf<A>, context: NetworkContext): void
  /**
   * Decodes a signed transaction and returns the outputs that it creates on this chain, by output index; undefined if
   * it is of another chain or network.
   */
  created(
    bytes: Uint8Array,
    id: Uint8Array,
    context: NetworkContext,
  ): ReadonlyMap<number, CreatedOutput> | undefined
  signedSize(tx: UnsignedTxOf<A>): number
  /** Limit of the size of a signed transaction in bytes. */
  readonly maxSize: number
  /** The part of the burned AVAX that is the fee, in nAVAX. */
  feeOf(tx: UnsignedTxOf<A>, network: NetworkContext, burned: bigint): bigint
  /** The fee that a transaction should have; `price` is the current price of gas, as far as the chain has one. */
  expectedFee(tx: UnsignedTxOf<A>, network: NetworkContext, price: bigint | undefined): ExpectedFee
  /** Absent on chains without accounts. */
  readonly accounts?: Accounts | undefined
}

/** The members of a UTXO that the transaction which created it proves. */
export type CreatedOutput = { readonly assetID: Uint8Array; readonly output: object }

/** Any unsigned transaction. */
export type AnyTx = UnsignedTxOf<ChainAlias>

/** Any UTXO. */
export type AnyUTXO = UTXOOf<ChainAlias>

/**
 * The chain of a network with an ID.
 *
 * @returns the alias, or undefined if the network has no such chain
 */
export function aliasOf(chainID: Uint8Array, network: NetworkContext): string | undefined {
  if (equalBytes(chainID, network.chainID)) return network.chainAlias
  return Object.entries(network.chains).find(([, id]) => equalBytes(id, chainID))?.[0]
}

/** Outputs by their position. */
export function indexed(outputs: readonly CreatedOutput[]): ReadonlyMap<number, CreatedOutput> {
  return new Map(outputs.map((output, i) => [i, output]))
}
