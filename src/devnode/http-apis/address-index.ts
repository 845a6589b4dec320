import { parseAddress } from '../../core/base/encoding/address.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import { decodeBlock } from '../../core/chain/x/block.ts'
import { createdUTXOs } from '../../core/chain/x/created.ts'
import { blockID, txID } from '../../core/chain/x/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { SignedTx } from '../../core/chain/x/tx.ts'
import type { Json } from '../../core/codec/json.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import { json, type NodeResponse } from '../transport.ts'
import { type BlockListRequest, type BlockSource, pageSizeOf } from './block-list.ts'
import { httpError } from './errors.ts'
import type { PageTokens } from './page-tokens.ts'

/** The provider's limit for one request. */
const MAX_QUERY_ADDRESSES = 64

/** Blocks, and the transactions whose outputs they spend. */
export type IndexSource = BlockSource & {
  readonly chainID: Uint8Array
  /** Returns a transaction by its ID in hex. */
  readonly tx: (id: string) => SignedTx | undefined
}

/**
 * Answers `/v1/networks/{network}/blockchains/x-chain/transactions?addresses=…`: the transactions that created or spent
 * outputs of the addresses, newest first.
 */
export function addressTxList(
  source: IndexSource,
  tokens: PageTokens,
  { network, query, now }: BlockListRequest,
): NodeResponse {
  const size = pageSizeOf(query)
  if (typeof size !== 'number') return httpError(400, { message: size })
  const addresses = parseAddressQuery(query)
  if (addresses === undefined) return httpError(400, { message: ['addresses are invalid'] })
  const listing = `${network} transactions ${addresses.join()}`
  // The token stands for the number of older transactions that remain, so new ones do not shift the pages.
  const all = entriesOf(source, addresses)
  const end = tokens.find(query.get('pageToken'), listing, BigInt(all.length), now)
  if (end === undefined) return httpError(400, { message: ['pageToken is invalid or expired'] })
  const start = Math.max(0, Number(end) - size)
  return json(
    200,
    stringifyJSON({
      transactions: all
        .slice(start, Number(end))
        .reverse()
        .map(({ entry }) => entry),
      chainInfo: { chainName: 'x-chain', network },
      ...(start > 0 ? { nextPageToken: tokens.make(listing, BigInt(start), now) } : {}),
    }),
  )
}

/** Answers `/v1/networks/{network}/addresses:listChainIds?addresses=…`: the chains on which each address was used. */
export function addressChains(source: IndexSource, query: URLSearchParams): NodeResponse {
  const addresses = parseAddressQuery(query)
  if (addresses === undefined) return httpError(400, { message: ['addresses are invalid'] })
  const used = new Set(entriesOf(source, addresses).flatMap(({ owners }) => owners))
  return json(
    200,
    stringifyJSON({
      addresses: query
        .get('addresses')!
        .split(',')
        .map((address, i) => ({
          address: address.replace(/^[XP]-/, ''),
          blockchainIds: used.has(addresses[i]!) ? [cb58.encode(source.chainID)] : [],
        })),
    }),
  )
}

/** Addresses as hex, in the order of the query; undefined if one is invalid or there are too many. */
function parseAddressQuery(query: URLSearchParams): string[] | undefined {
  const texts = (query.get('addresses') ?? '').split(',')
  if (texts.length > MAX_QUERY_ADDRESSES) return undefined
  try {
    return texts.map((text) =>
      hex.encode(parseAddress(text.includes('-') ? text : `X-${text}`).address),
    )
  } catch (error) {
    if (error instanceof AvmError) return undefined
    throw error
  }
}

type OwnedEntry = { readonly entry: Json; readonly owners: readonly string[] }

/**
 * The transactions that involve the addresses, oldest first. Reads all blocks, which is fast enough for a development
 * chain.
 */
function entriesOf(source: IndexSource, addresses: readonly string[]): OwnedEntry[] {
  const wanted = new Set(addresses)
  const found: OwnedEntry[] = []
  for (let height = 0n; height <= source.height(); height++) {
    const bytes = source.bytesAt(height)!
    const block = decodeBlock(bytes)
    for (const tx of block.txs) {
      const spent = consumedUTXOs(tx.unsignedTx).flatMap((input) => {
        const parent = source.tx(hex.encode(input.txID))
        return parent === undefined ? [] : (createdUTXOs(parent)[input.outputIndex] ?? [])
      })
      const owners = [...createdUTXOs(tx), ...spent]
        .flatMap(({ output }) => output.addresses.map(hex.encode))
        .filter((owner) => wanted.has(owner))
      if (owners.length === 0) continue
      const entry = {
        txHash: cb58.encode(txID(tx)),
        chainFormat: 'linear',
        timestamp: block.time,
        txType: tx.unsignedTx.type,
        memo: `0x${hex.encode(tx.unsignedTx.memo)}`,
        blockHeight: block.height,
        blockHash: cb58.encode(blockID(bytes)),
      }
      found.push({ entry, owners })
    }
  }
  return found
}
