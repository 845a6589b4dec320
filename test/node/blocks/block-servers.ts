import { createHash } from 'node:crypto'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { type Block, encodeBlock } from '../../../src/core/chain/x/block.ts'
import type { SignedTx } from '../../../src/core/chain/x/tx.ts'
import type { Fetch } from '../../../src/node/index.ts'

/** A block as a server stores it. */
export type StoredBlock = { readonly bytes: Uint8Array; readonly id: Uint8Array }

/** SHA-256 by the platform, which is not the code under test. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest())
}

/** A chain of blocks from height 0 on; `salt` makes networks differ. */
export function makeChain(
  length: number,
  { salt = 0, txs = () => [] }: { salt?: number; txs?: (height: number) => SignedTx[] } = {},
): StoredBlock[] {
  const chain: StoredBlock[] = []
  for (let height = 0; height < length; height++) {
    const block: Block = {
      type: 'StandardBlock',
      parentID: chain.at(-1)?.id ?? new Uint8Array(32).fill(salt),
      height: BigInt(height),
      time: BigInt(1_700_000_000 + height),
      merkleRoot: new Uint8Array(32),
      txs: txs(height),
    }
    const bytes = encodeBlock(block)
    chain.push({ bytes, id: sha256(bytes) })
  }
  return chain
}

/** The node API's hex with checksum. */
export function checked(bytes: Uint8Array): string {
  return `0x${hex.encode(bytes)}${hex.encode(sha256(bytes).slice(28))}`
}

/** How a server treats a request: never answers, breaks the connection, or sends this. Undefined: as usual. */
export type Behavior = 'silent' | 'lost' | Response | { readonly block: string } | undefined

/** A server of `avm.getBlockByHeight`. */
export type BlockServer = {
  chain: readonly StoredBlock[]
  /** Height of the last block that it has; all of its chain by default. */
  tip?: number
  /** Called before each answer with the height asked for and how often the server was asked before. */
  behave?: (height: number, count: number) => Behavior | Promise<Behavior>
}

/** Servers by host name, and which heights each was asked for. */
export function blockServers(servers: { readonly [host: string]: BlockServer }): {
  readonly fetch: Fetch
  readonly url: string[]
  readonly asked: string[]
  /** Maximum number of concurrent requests. */
  readonly most: () => number
} {
  const asked: string[] = []
  const counts = new Map<string, number>()
  let open = 0
  let most = 0
  const answer = async (url: string, init: RequestInit): Promise<Response> => {
    const host = new URL(url).hostname
    const server = servers[host]!
    const { id, method, params } = JSON.parse(String(init.body))
    if (method !== 'avm.getBlockByHeight') throw new Error(`unexpected ${method}`)
    const height = Number(params.height)
    const count = counts.get(host) ?? 0
    counts.set(host, count + 1)
    asked.push(`${host} ${height}`)
    // A macrotask, so that requests overlap as on a network.
    await new Promise((resolve) => setImmediate(resolve))
    const behavior = await server.behave?.(height, count)
    if (behavior === 'silent') return new Promise(() => {})
    if (behavior === 'lost') throw new TypeError('fetch failed')
    if (behavior instanceof Response) return behavior
    const tip = server.tip ?? server.chain.length - 1
    if (behavior === undefined && height > tip) {
      const message = `couldn't get block at height ${height}: not found`
      return json({ jsonrpc: '2.0', error: { code: -32000, message, data: null }, id })
    }
    const block = behavior?.block ?? checked(server.chain[height]!.bytes)
    return json({ jsonrpc: '2.0', result: { block, encoding: 'hex' }, id })
  }
  return {
    asked,
    url: Object.keys(servers).map((host) => `http://${host}`),
    most: () => most,
    fetch: async (url, init) => {
      most = Math.max(most, ++open)
      try {
        return await answer(url, init)
      } finally {
        open--
      }
    },
  }
}

function json(body: object): Response {
  return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
}
