import { createHash } from 'node:crypto'

/** A member of an answer, of any type. */
export type Answer = { readonly [name: string]: unknown }

/**
 * Calls a node with plain JSON-RPC, without the library, so that the answers of the library can be compared with those of
 * the node.
 */
export class RawNode {
  private readonly url: string

  constructor(url: string) {
    this.url = url.replace(/\/+$/, '')
  }

  async ask(path: string, method: string, params: object = {}): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(20_000),
    })
    const { result, error } = (await response.json()) as {
      readonly result?: Answer
      readonly error?: { readonly message: string }
    }
    if (result === undefined) throw new Error(`${method}: ${error?.message ?? 'no answer'}`)
    return result
  }

  avm(method: string, params?: object): Promise<Answer> {
    return this.ask('/ext/bc/X', `avm.${method}`, params)
  }

  info(method: string, params?: object): Promise<Answer> {
    return this.ask('/ext/info', `info.${method}`, params)
  }

  /** The spendable balance of an address; with `partial`, locked and shared outputs are included. */
  async balance(address: string, assetID = 'AVAX', partial = false): Promise<bigint> {
    const answer = await this.avm('getBalance', { address, assetID, includePartial: partial })
    return BigInt(answer.balance as string)
  }

  async height(): Promise<number> {
    return Number((await this.avm('getHeight')).height)
  }

  async txBytes(txID: string): Promise<Uint8Array> {
    return bytesOf((await this.avm('getTx', { txID, encoding: 'hex' })).tx)
  }

  async blockBytes(height: number): Promise<Uint8Array> {
    return bytesOf((await this.avm('getBlockByHeight', { height, encoding: 'hex' })).block)
  }

  /** The block ID in the node's JSON. */
  async blockID(height: number): Promise<string> {
    const { block } = await this.avm('getBlockByHeight', { height, encoding: 'json' })
    return (block as { readonly id: string }).id
  }
}

/** SHA-256 by the platform. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest())
}

/** Reads the node's `hex`: `0x`, the bytes, and the last four of their hash. */
function bytesOf(text: unknown): Uint8Array {
  const all = new Uint8Array(Buffer.from((text as string).slice(2), 'hex'))
  const bytes = all.slice(0, -4)
  if (!Buffer.from(sha256(bytes).slice(-4)).equals(all.slice(-4)))
    throw new Error('the node sent a wrong checksum')
  return bytes
}
