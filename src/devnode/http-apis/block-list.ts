import { cb58 } from '../../core/base/encoding/cb58.ts'
import { decodeBlock } from '../../core/chain/x/block.ts'
import { blockID, txID } from '../../core/chain/x/ids.ts'
import type { Json } from '../../core/codec/json.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import { json, type NodeResponse } from '../transport.ts'
import { httpError } from './errors.ts'
import type { PageTokens } from './page-tokens.ts'

/** The blocks of the list. */
export type BlockSource = {
  /** Height of the last accepted block. */
  readonly height: () => bigint
  readonly bytesAt: (height: bigint) => Uint8Array | undefined
}

const DEFAULT_PAGE_SIZE = 10
const MAX_BLOCKS_PER_PAGE = 100

/** Parameters of the list. */
export type BlockListRequest = {
  /** As in the path: `mainnet`, `fuji` or `testnet`. */
  readonly network: string
  readonly query: URLSearchParams
  /** Unix seconds. */
  readonly now: bigint
}

/**
 * Answers `/v1/networks/{network}/blockchains/x-chain/blocks`: the latest blocks, newest first, in pages of
 * `pageSize` (default 10, at most 100). A page token stands for the next height, so new blocks do not shift the pages.
 */
export function blockList(
  source: BlockSource,
  tokens: PageTokens,
  { network, query, now }: BlockListRequest,
): NodeResponse {
  const size = pageSizeOf(query)
  if (typeof size !== 'number') return httpError(400, { message: size })
  const listing = `${network} blocks`
  const start = tokens.find(query.get('pageToken'), listing, source.height(), now)
  if (start === undefined) return httpError(400, { message: ['pageToken is invalid or expired'] })
  const count = start + 1n < BigInt(size) ? Number(start + 1n) : size
  const next = start - BigInt(count)
  return json(
    200,
    stringifyJSON({
      blocks: Array.from({ length: count }, (_, i) =>
        blockEntry(source.bytesAt(start - BigInt(i))!),
      ),
      chainInfo: { chainName: 'x-chain', network },
      ...(next >= 0n ? { nextPageToken: tokens.make(listing, next, now) } : {}),
    }),
  )
}

/** Returns the requested page size, or the rules that it violates. */
export function pageSizeOf(query: URLSearchParams): number | string[] {
  const text = query.get('pageSize')
  if (text === null) return DEFAULT_PAGE_SIZE
  const size = /^-?[0-9]+$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(size)) return ['pageSize must be an integer number']
  if (size > MAX_BLOCKS_PER_PAGE)
    return [`pageSize must not be greater than ${MAX_BLOCKS_PER_PAGE}`]
  return size < 1 ? ['pageSize must not be less than 1'] : size
}

/** Returns a block with the required members of the API. */
function blockEntry(bytes: Uint8Array): Json {
  const block = decodeBlock(bytes)
  return {
    blockNumber: String(block.height),
    blockHash: cb58.encode(blockID(bytes)),
    parentHash: cb58.encode(block.parentID),
    blockTimestamp: block.time,
    blockType: 'StandardBlock',
    txCount: block.txs.length,
    transactions: block.txs.map((tx) => cb58.encode(txID(tx))),
    blockSizeBytes: bytes.length,
  }
}
