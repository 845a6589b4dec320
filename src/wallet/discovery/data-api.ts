import {
  argument,
  bytesOf,
  type Check,
  capability,
  fn,
  iterable,
  type Members,
  object,
  optional,
  signal as signalCheck,
} from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { ADDRESS_SIZE, formatAddress } from '../../core/base/encoding/address.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID, parseID } from '../../core/base/encoding/ids.ts'
import { AvmError } from '../../core/base/errors.ts'
import { iterate } from '../../core/base/iterate.ts'
import { contextWith, type NetworkContext } from '../../core/chain/networks.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import { txID as idOf } from '../../core/chain/x/ids.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { Json } from '../../core/codec/json.ts'
import { isJSONObject, type JsonObject } from '../../core/codec/json-value.ts'
import { AddressSet } from '../../node/blocks/watched.ts'
import type { NodeClient } from '../../node/node.ts'
import type { DataClient } from '../../node/services/data.ts'
import { DiscoveryError } from './errors.ts'
import type { HistoryEntry } from './history.ts'
import { clientWith, ParentTxs } from './parents.ts'

/** The maximum number of addresses in one request of the data API. */
const ADDRESSES_PER_REQUEST = 64

/** Transactions per page; the maximum of the API. */
const PAGE_SIZE = 100

/** Options of the functions that use the data API. */
export type IndexOptions = {
  readonly data: Pick<DataClient, 'list'>
  /** The network whose X-Chain is searched. */
  readonly context: Pick<NetworkContext, 'networkID' | 'chainID' | 'hrp'>
  /** Aborts requests with an AbortError. */
  readonly signal?: AbortSignal | undefined
}

const indexMembers: Members<IndexOptions> = {
  data: capability<IndexOptions['data']>('a data client', 'list'),
  context: contextWith('networkID', 'chainID', 'hrp'),
  signal: optional(signalCheck),
}

const indexOptions: Check<IndexOptions> = object(indexMembers)

const addressList: Check<readonly Uint8Array[]> = iterable(bytesOf(ADDRESS_SIZE))

/**
 * Returns a function for the option `wasUsed` of `discoverAccount`, which asks the data API whether addresses were ever
 * used on the X-Chain.
 *
 * @throws DiscoveryError `INDEX_MISMATCH` from that function, if a reply does not name the addresses of the request
 * @example
 * await discoverAccount(account, { client, context, wasUsed: usedByDataAPI({ data, context }) })
 */
export function usedByDataAPI(
  options: IndexOptions,
): (addresses: readonly Uint8Array[]) => Promise<boolean[]> {
  const { data, context, signal } = argument('usedByDataAPI', options, indexOptions)
  const chainID = formatID(context.chainID)
  return async (addresses) => {
    const used: boolean[] = []
    const copies = argument('wasUsed', addresses, addressList, 'addresses')
    for (const texts of addressGroups(copies, context)) {
      const chains = new Map<string, readonly Json[]>()
      const list = data.list(`/v1/networks/${apiNetworkName(context)}/addresses:listChainIds`, {
        query: { addresses: texts.join() },
        field: 'addresses',
        signal,
      })
      for await (const item of list) {
        const { address, blockchainIds } = membersOfItem(item)
        if (typeof address === 'string' && Array.isArray(blockchainIds))
          chains.set(address.replace(/^X-/, ''), blockchainIds as readonly Json[])
      }
      for (const text of texts) {
        const ids = chains.get(text.slice('X-'.length))
        if (ids === undefined)
          throw indexMismatch(`the reply of the data API lacks the address ${text}`)
        used.push(ids.includes(chainID))
      }
    }
    return used
  }
}

/** Options of `indexedHistory`. */
export type IndexedHistoryOptions = IndexOptions & {
  readonly client: Pick<NodeClient, 'avm'>
  /** 20 bytes each. */
  readonly addresses: Iterable<Uint8Array>
  /** Called after every transaction, with the number of transactions so far. */
  readonly onProgress?: ((transactions: number) => void) | undefined
}

const indexedHistoryOptions: Check<IndexedHistoryOptions> = object<IndexedHistoryOptions>({
  ...indexMembers,
  client: clientWith('getTx', 'getBlockByHeight'),
  addresses: addressList,
  onProgress: optional(fn<NonNullable<IndexedHistoryOptions['onProgress']>>()),
})

/** A transaction of the addresses. Transactions from before the X-Chain had blocks have no height. */
export type IndexedEntry = Omit<HistoryEntry, 'height'> & { readonly height: bigint | undefined }

/**
 * Iterates over the transactions of addresses in the order of the data API: newest first within each group of 64
 * addresses. IDs and heights come from the API, and the time of transactions without a height. Transactions and blocks
 * are requested from the node, and what was created and spent is computed from their bytes. Transactions that the API
 * omits are missing.
 *
 * @throws DiscoveryError `INDEX_MISMATCH` if the node does not have a listed transaction in the block of that height, or if
 * a transaction is listed without a height although it is not older than the first block
 * @example
 * const history = indexedHistory({ data, client, context, addresses })
 * for await (const { txID, created } of history) console.log(txID, created)
 */
export function indexedHistory(
  options: IndexedHistoryOptions,
): AsyncGenerator<IndexedEntry, void, undefined> {
  return iterate(() => argument('indexedHistory', options, indexedHistoryOptions), readIndexed)
}

async function* readIndexed(
  checked: IndexedHistoryOptions,
): AsyncGenerator<IndexedEntry, void, undefined> {
  const { data, client, context, signal, onProgress } = checked
  const owners = new AddressSet(checked.addresses)
  const parents = new ParentTxs(client, owners, signal)
  const seen = new Set<string>()
  const beginning = beginningOf(client, signal)
  const path = `/v1/networks/${apiNetworkName(context)}/blockchains/${formatID(context.chainID)}/transactions`
  for (const texts of addressGroups([...owners], context))
    for await (const item of data.list(path, {
      query: { addresses: texts.join() },
      pageSize: PAGE_SIZE,
      field: 'transactions',
      signal,
    })) {
      const { txID, height, time } = listedTx(item)
      const key = hex.encode(txID)
      if (seen.has(key)) continue
      seen.add(key)
      if (height === undefined && time >= (await beginning()))
        throw indexMismatch(
          `the data API lists ${formatID(txID)}, of a time with blocks, in no block`,
        )
      const found = await fetchTx(txID, height, client, signal)
      parents.add(found.tx, txID)
      const created = createdUTXOs(found.tx, txID).filter((utxo) => parents.isOurs(utxo))
      const spent = await parents.spentBy(found.tx)
      parents.limit()
      onProgress?.(seen.size)
      // The API may list a transaction that does not concern the addresses; it is omitted.
      if (created.length + spent.length > 0)
        yield { txID, tx: found.tx, height, time: found.time ?? time, created, spent }
    }
}

/** Returns a function that reads the time of the first block, once. Transactions that are in no block are older. */
function beginningOf(
  client: Pick<NodeClient, 'avm'>,
  signal: AbortSignal | undefined,
): () => Promise<bigint> {
  let time: Promise<bigint> | undefined
  return () => {
    time ??= client.avm.getBlockByHeight({ height: 1n }, { signal }).then((block) => block.time)
    return time
  }
}

type Listed = {
  readonly txID: Uint8Array
  readonly height: bigint | undefined
  readonly time: bigint
}

function listedTx(item: Json): Listed {
  const { txHash, blockHeight, timestamp } = membersOfItem(item)
  try {
    const height = blockHeight === undefined ? undefined : wholeNumber(blockHeight)
    return { txID: parseID(String(txHash)), height, time: wholeNumber(timestamp) }
  } catch (cause) {
    if (!(cause instanceof AvmError)) throw cause
    throw indexMismatch(
      'the data API lists a transaction without a valid ID, height or time',
      cause,
    )
  }
}

function wholeNumber(value: Json | undefined): bigint {
  if (!/^[0-9]{1,20}$/.test(String(value)))
    throw indexMismatch('the data API lists a transaction without a valid height or time')
  return BigInt(String(value))
}

/** The transaction from the block of that height, or by its ID if there is no height. */
async function fetchTx(
  txID: Uint8Array,
  height: bigint | undefined,
  client: Pick<NodeClient, 'avm'>,
  signal: AbortSignal | undefined,
): Promise<{ readonly tx: SignedTx; readonly time?: bigint }> {
  const call = { signal }
  if (height === undefined) return { tx: await client.avm.getTx({ txID }, call) }
  const { txs, time } = await client.avm.getBlockByHeight({ height }, call)
  const tx = txs.find((candidate) => equalBytes(idOf(candidate), txID))
  if (tx === undefined)
    throw indexMismatch(
      `the node has no transaction ${formatID(txID)} in the block at height ${height}`,
    )
  return { tx, time }
}

/** The addresses as text, in groups of one request each. */
function* addressGroups(
  addresses: readonly Uint8Array[],
  { hrp }: IndexOptions['context'],
): Generator<string[]> {
  for (let at = 0; at < addresses.length; at += ADDRESSES_PER_REQUEST)
    yield addresses
      .slice(at, at + ADDRESSES_PER_REQUEST)
      .map((address) => formatAddress({ chain: 'X', hrp, address }))
}

/** The API knows Mainnet and test networks, which are all called `fuji` and told apart by the chain ID. */
function apiNetworkName({ networkID }: IndexOptions['context']): string {
  return networkID === 1 ? 'mainnet' : 'fuji'
}

function membersOfItem(item: Json): JsonObject {
  if (isJSONObject(item)) return item
  throw indexMismatch('the data API sent an item that is not an object')
}

function indexMismatch(message: string, cause?: unknown): DiscoveryError {
  return new DiscoveryError('INDEX_MISMATCH', message, {
    cause,
    hint: 'check that the data API and the node belong to the same network',
  })
}
