import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { type Block, encodeBlock } from '../../../src/core/chain/x/block.ts'
import { blockID } from '../../../src/core/chain/x/ids.ts'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import type { DevNodeOptions } from '../../../src/devnode/index.ts'
import type { Fetch } from '../../../src/node/index.ts'
import { resultFor } from '../requests.ts'
import { direct, type Scene, scene } from '../setup.ts'

/** A single server that can withhold transactions, and show them in blocks or as accepted although they are not. */
export type LyingServer = Scene & {
  /** The transactions that it was sent while it was lying, in their order. */
  readonly withheld: Uint8Array[]
  readonly lie: (lies: boolean) => void
  /** Shows a transaction as accepted, in a block of its own. */
  readonly show: (bytes: Uint8Array) => Promise<void>
  /** Takes all false blocks back. */
  readonly forget: () => void
  /** Issues a transaction to the node. */
  readonly release: (bytes: Uint8Array) => Promise<unknown>
}

/**
 * Starts a node behind a lying server.
 *
 * @param options - those of the node; `through` wraps the fetch function of the client
 */
export async function lyingServer(
  options: DevNodeOptions & { readonly through?: (fetch: Fetch) => Fetch } = {},
): Promise<LyingServer> {
  const withheld: Uint8Array[] = []
  const blocks: Block[] = []
  let isLying = false
  const at = await scene({
    ...options,
    intercept: async (call, next) => {
      if (!isLying) return next()
      if (call.tx !== undefined) {
        withheld.push(call.tx)
        return resultFor(call, { txID: call.txID })
      }
      const block = blocks.find(({ height }) => String(height) === call.params.height)
      if (call.method === 'avm.getBlockByHeight' && block !== undefined)
        return resultFor(call, { block: checkedHex.encode(encodeBlock(block)), encoding: 'hex' })
      return next()
    },
  })
  const client = direct(at.node)
  return {
    ...at,
    withheld,
    lie: (lies: boolean) => {
      isLying = lies
    },
    show: async (bytes: Uint8Array) => {
      const height = await client.avm.getHeight({})
      const last = blocks.at(-1) ?? (await client.avm.getBlockByHeight({ height }))
      const parentID = blockID(encodeBlock(last))
      blocks.push({ ...last, parentID, height: last.height + 1n, txs: [decodeTx(bytes)] } as Block)
    },
    forget: () => {
      blocks.splice(0)
    },
    release: (bytes: Uint8Array) => client.avm.issueTx({ tx: bytes }),
  }
}
