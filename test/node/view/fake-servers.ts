import { decodeBlock } from '../../../src/core/chain/x/block.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import type { UTXOPage } from '../../../src/core/chain/x/utxo-page.ts'
import type { BlockReaderOptions, FollowedBlock } from '../../../src/node/blocks/block-reader.ts'
import { SequentialReader } from '../../../src/node/blocks/block-reader.ts'
import {
  AbortError,
  type CallOptions,
  type Clock,
  type NodeClient,
  RpcError,
} from '../../../src/node/index.ts'
import { makeChain } from '../blocks/block-servers.ts'

/** A request that ends only when it is aborted. */
export function silence({ signal }: CallOptions): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new AbortError('test', signal?.reason))
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** The error of a node that does not have what was asked for. */
export function notFound(method: string): RpcError {
  return new RpcError(method, -32000, 'not found')
}

/** An error of a server that answers nothing. */
export function failure(message = 'broken'): RpcError {
  return new RpcError('test', -32000, message)
}

/** All orders of a list. */
export function ordersOf<T>(list: readonly T[]): T[][] {
  return list.length < 2
    ? [[...list]]
    : list.flatMap((one, i) =>
        ordersOf(list.filter((_, j) => j !== i)).map((others) => [one, ...others]),
      )
}

/** A chain of decoded blocks from height 0 on; `salt` makes chains differ from their first block on. */
export function blocksOf(length: number, salt = 0): FollowedBlock[] {
  return makeChain(length, { salt }).map(({ bytes, id }) => ({
    block: decodeBlock(bytes),
    blockID: id,
  }))
}

/** Blocks that follow those of a chain up to a height, but differ from all that come later; `salt` makes branches differ. */
export function branchOf(
  chain: readonly FollowedBlock[],
  height: number,
  length: number,
  salt = 0x55,
): FollowedBlock[] {
  const branch = chain.slice(0, height + 1)
  for (let i = 0; i < length; i++) {
    const { block, blockID } = branch.at(-1)!
    const id = blockID.map((byte) => byte ^ salt)
    branch.push({
      block: { ...block, height: block.height + 1n, parentID: blockID },
      blockID: id.with(0, i),
    })
  }
  return branch
}

/** The block of a server at a height; undefined if it has none. May be a promise, or throw. */
export type BlockSource = (
  height: bigint,
  call: CallOptions,
) => Promise<FollowedBlock | undefined> | FollowedBlock | undefined

/** Blocks from a list. */
export function blocksFrom(chain: readonly FollowedBlock[]): BlockSource {
  return (height) => chain[Number(height)]
}

/** A server of blocks. */
export function blockServer(source: BlockSource, clock: Clock): NodeClient {
  const getBlock = async (height: bigint, _: number, call: CallOptions) => {
    const block = await source(height, call)
    if (block === undefined) throw notFound('avm.getBlockByHeight')
    return () => block
  }
  const calls = { getBlock, serverCount: 1, timeoutMs: 10_000, clock }
  return fakeClient({
    blockReader: (start: BlockReaderOptions) => new SequentialReader(calls, start),
  })
}

/** A UTXO with a number as its ID. */
export function utxoOf(id: number, amount = 1n): UTXO {
  return {
    txID: new Uint8Array(32).fill(id),
    outputIndex: 0,
    assetID: new Uint8Array(32).fill(0xaa),
    output: {
      type: 'secp256k1fx.TransferOutput',
      amount,
      locktime: 0n,
      threshold: 1,
      addresses: [new Uint8Array(20).fill(7)],
    },
  }
}

/** A page of UTXOs. */
export function pageOf(utxos: readonly UTXO[]): UTXOPage {
  return { utxos: [...utxos], opaque: [] }
}

/** What a server of UTXOs says. All members may be promises that never end. */
export type ListServer = {
  readonly height?: (call: CallOptions) => Promise<bigint> | bigint
  readonly pages: (call: CallOptions) => AsyncIterable<readonly UTXO[]>
}

/** A server of lists of UTXOs. It has no transaction. */
export function listServer({ height = () => 0n, pages }: ListServer): NodeClient {
  return fakeClient({
    avm: {
      getHeight: async (_: object, call: CallOptions) => height(call),
      getTx: async () => {
        throw notFound('avm.getTx')
      },
    },
    async *utxoPages(call: CallOptions) {
      for await (const utxos of pages(call)) yield pageOf(utxos)
    },
  })
}

/** A server that lists UTXOs on one page. */
export function lists(utxos: readonly UTXO[], height?: bigint): NodeClient {
  return listServer({
    ...(height === undefined ? {} : { height: () => height }),
    async *pages() {
      yield utxos
    },
  })
}

/** A client with some of its members. */
export function fakeClient(members: object): NodeClient {
  return members as NodeClient
}

/** A client of several servers. Its own methods are those of the first. */
export function clientOf(servers: readonly NodeClient[]): NodeClient {
  return {
    ...servers[0]!,
    servers: () => servers,
    lastRequests: () =>
      servers.map((_, i) => ({ server: `s${i}`, lastAsked: undefined, height: undefined })),
  }
}
