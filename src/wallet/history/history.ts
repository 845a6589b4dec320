import {
  type Check,
  capability,
  fn,
  integerFrom,
  type Members,
  object,
  optional,
  text,
} from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { parseID } from '../../core/base/encoding/ids.ts'
import { ArgumentError } from '../../core/base/errors.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import { txID as idOf, utxoKey } from '../../core/chain/x/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import type { CallOptions } from '../../node/http.ts'
import { bigintHeight } from '../../node/methods/params.ts'
import type { NodeClient } from '../../node/node.ts'
import type { DataClient } from '../../node/services/data.ts'
import { indexedHistory } from '../discovery/data-api.ts'
import { DiscoveryError } from '../discovery/errors.ts'
import { readBlocks } from '../evidence/read-blocks.ts'
import { txSigners } from '../evidence/signatures.ts'
import { type BlockProgress, type SendOptions, waitMembers } from '../options.ts'
import { isGeneratedKey } from '../payments/payment-keys.ts'
import type { WalletState } from '../wallet-state.ts'
import { type FoundEntry, historyEntry, type WalletHistoryEntry } from './entry.ts'

/** Options of `wallet.history`. */
export type WalletHistoryOptions = Pick<SendOptions, 'wait' | 'signal'> & {
  /**
   * The `cursor` of the last entry of an earlier call.
   *
   * @defaultValue begins with the oldest transaction
   */
  readonly after?: string | undefined
  /**
   * Maximum number of entries; 1 to 10,000.
   *
   * @defaultValue 100
   */
  readonly limit?: number | undefined
  /**
   * Height of the first block to read.
   *
   * @defaultValue that of the first block that the store knows; with `data`, that of the first transaction
   */
  readonly fromHeight?: bigint | undefined
  /**
   * Height of the last block to read.
   *
   * @defaultValue the newest one
   */
  readonly toHeight?: bigint | undefined
  /** Called while blocks are read. */
  readonly onProgress?: ((progress: BlockProgress) => void) | undefined
  /**
   * A client of the data API, which lists the transactions of the addresses. Their content comes from the node; what the API
   * omits is missing.
   *
   * @defaultValue blocks are read
   */
  readonly data?: Pick<DataClient, 'list'> | undefined
}

const members: Members<WalletHistoryOptions> = {
  ...waitMembers,
  after: optional(text),
  limit: optional(integerFrom(1, 10_000)),
  fromHeight: optional(bigintHeight),
  toHeight: optional(bigintHeight),
  onProgress: optional(fn<(progress: BlockProgress) => void>()),
  data: optional(capability<Pick<DataClient, 'list'>>('a data client', 'list')),
}

/** Description of `WalletHistoryOptions`. */
export const walletHistoryOptions: Check<WalletHistoryOptions> = object(members)

/** The last entry of an earlier call. */
type Cursor = { readonly height: bigint | undefined; readonly txID: Uint8Array }

/** The transactions of a wallet, the oldest one first. */
export async function walletHistory(
  state: WalletState,
  options: WalletHistoryOptions,
): Promise<WalletHistoryEntry[]> {
  const { after, limit = 100, data } = options
  const call = state.call(options)
  const cursor = after === undefined ? undefined : parseCursor(after)
  // Applies all blocks, so that all used addresses of an account are known.
  const { context } = await state.view(call, 0)
  const found =
    data === undefined
      ? await findInBlocks(state, { ...options, limit }, cursor, call)
      : await readIndex(state, { ...options, data, limit }, cursor, call)
  const keys = await keysByTx(state)
  return found.map((one) =>
    historyEntry(one, state.own, context, keys.get(hex.encode(one.txID)) ?? []),
  )
}

type Range = WalletHistoryOptions & { readonly limit: number }

async function findInBlocks(
  state: WalletState,
  { fromHeight, toHeight, limit, onProgress }: Range,
  cursor: Cursor | undefined,
  call: CallOptions,
): Promise<FoundEntry[]> {
  const { chain, clock, own, live } = state
  const newest = (live.nextHeight ?? 1n) - 1n
  const end = toHeight === undefined || toHeight > newest ? newest : toHeight
  const from = cursor?.height ?? fromHeight ?? state.firstHeight
  const reader = chain.blockReader({ from: from > 0n ? from : 1n })
  const backend = await state.backend()
  const parents = new Parents(state, call)
  const found: FoundEntry[] = []
  // Entries up to the cursor are in its block.
  let isAfter = cursor?.height === undefined
  for await (const blocks of readBlocks(reader, end, { chain, clock, ...call, onProgress }))
    for (const { block } of blocks) {
      const { height, time } = block
      if (height > end) break
      for (const tx of block.txs) {
        const isPaid = createdUTXOs(tx, NO_ID).some(({ output }) => output.addresses.some(own.has))
        const signers = txSigners(tx, backend)
        if (!isPaid && !signers.some(own.has) && !parents.isSpent(tx)) continue
        const txID = idOf(tx)
        parents.add(tx, txID)
        if (isAfter)
          found.push({ txID, tx, height, time, signers, spent: await parents.spentBy(tx) })
        else if (equalBytes(txID, cursor!.txID)) isAfter = true
        if (found.length === limit) return found
      }
      if (!isAfter && height >= from) throw unknownCursor()
    }
  return found
}

/** Takes the place of an ID that is not needed. */
const NO_ID: Uint8Array = /* @__PURE__ */ new Uint8Array(32)

/** The transactions that created what a wallet spends. Their hashes prove them. */
class Parents {
  private readonly state: WalletState
  private readonly call: CallOptions
  private readonly txs = new Map<string, SignedTx | undefined>()
  /** UTXOs of the wallet that were read. */
  private readonly owned = new Set<string>()

  constructor(state: WalletState, call: CallOptions) {
    this.state = state
    this.call = call
  }

  add(tx: SignedTx, txID: Uint8Array): void {
    this.txs.set(hex.encode(txID), tx)
    for (const utxo of createdUTXOs(tx, txID)) if (this.isOurs(utxo)) this.owned.add(utxoKey(utxo))
  }

  /** Whether a transaction spends a UTXO of the wallet that was read: another owner may have signed. */
  isSpent({ unsignedTx }: SignedTx): boolean {
    return consumedUTXOs(unsignedTx).some((id) => this.owned.has(utxoKey(id)))
  }

  /** UTXOs of the wallet that a transaction spends; without imported ones, which other chains have created. */
  async spentBy({ unsignedTx }: SignedTx): Promise<UTXO[]> {
    const spent: UTXO[] = []
    for (const id of consumedUTXOs(unsignedTx)) {
      const parent = await this.find(id.txID)
      const utxo = parent && createdUTXOs(parent, id.txID)[id.outputIndex]
      if (utxo !== undefined && this.isOurs(utxo)) spent.push(utxo)
    }
    return spent
  }

  private isOurs({ output }: UTXO): boolean {
    return output.addresses.some((address) => this.state.own.has(address))
  }

  private async find(txID: Uint8Array): Promise<SignedTx | undefined> {
    const name = hex.encode(txID)
    if (!this.txs.has(name)) this.txs.set(name, await this.state.chain.findTx(txID, this.call))
    return this.txs.get(name)
  }
}

async function readIndex(
  state: WalletState,
  { data, fromHeight, toHeight, limit }: Range & { readonly data: Pick<DataClient, 'list'> },
  cursor: Cursor | undefined,
  call: CallOptions,
): Promise<FoundEntry[]> {
  const context = await state.context(call)
  const backend = await state.backend()
  const places = new Map<string, number>()
  const client = agreedClient(state, places)
  const all: FoundEntry[] = []
  const { signal } = call
  const addresses = state.own.list
  for await (const entry of indexedHistory({ data, client, context, addresses, signal }))
    if (isWithin(entry.height, fromHeight, toHeight))
      all.push({ ...entry, signers: txSigners(entry.tx, backend) })
  const placeOf = ({ txID }: FoundEntry) => places.get(hex.encode(txID)) ?? 0
  // The API lists the newest first, in groups of addresses. Only its order of transactions without a block is used.
  const ordered = all
    .reverse()
    .sort((a, b) => compare(a.height ?? 0n, b.height ?? 0n) || placeOf(a) - placeOf(b))
  const at = cursor === undefined ? 0 : 1 + indexOf(ordered, cursor)
  return ordered.slice(at, at + limit)
}

/**
 * A client whose blocks are those that servers agree on.
 *
 * @param places - gets the place of each transaction in its block, by the hex of its ID
 */
function agreedClient(
  { client, chain }: WalletState,
  places: Map<string, number>,
): Pick<NodeClient, 'avm'> {
  const getBlockByHeight: NodeClient['avm']['getBlockByHeight'] = async (params, options) => {
    const height = BigInt(params.height)
    const reader = chain.blockReader({ from: height })
    const [found] = await reader.read({ limit: 1, signal: options?.signal })
    if (found === undefined)
      throw new DiscoveryError(
        'INDEX_MISMATCH',
        `the data API lists a transaction at height ${height}, where the node has no block`,
      )
    for (const [place, tx] of found.block.txs.entries()) places.set(hex.encode(idOf(tx)), place)
    return found.block
  }
  return { avm: { ...client.avm, getBlockByHeight } }
}

/** Transactions without a height are older than all blocks. */
function isWithin(height: bigint | undefined, from = 0n, to?: bigint): boolean {
  if (height === undefined) return from === 0n
  return height >= from && (to === undefined || height <= to)
}

function indexOf(entries: readonly FoundEntry[], { txID }: Cursor): number {
  const at = entries.findIndex((one) => equalBytes(one.txID, txID))
  if (at === -1) throw unknownCursor()
  return at
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function parseCursor(after: string): Cursor {
  const [, height = '', txID = ''] = /^([0-9]{0,20})\/(\w+)$/.exec(after) ?? []
  try {
    return { height: height === '' ? undefined : BigInt(height), txID: parseID(txID) }
  } catch (cause) {
    throw unknownCursor(cause)
  }
}

function unknownCursor(cause?: unknown): ArgumentError {
  return new ArgumentError('ENC_INVALID', 'history: after is no cursor of this wallet', {
    path: 'after',
    cause,
  })
}

/** The idempotency keys of the accepted payments of the store, by the hex of their transactions. */
async function keysByTx(state: WalletState): Promise<ReadonlyMap<string, readonly string[]>> {
  const keys = new Map<string, string[]>()
  for await (const { key, status, txID } of state.store.list())
    if (status === 'accepted' && txID !== undefined && !isGeneratedKey(key))
      keys.set(hex.encode(txID), [...(keys.get(hex.encode(txID)) ?? []), key])
  return keys
}
