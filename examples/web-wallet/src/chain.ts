import { checkedHex, encodeUTXO, parseAmount } from 'avmkit'
import { createNodeClient, type NodeClient } from 'avmkit/client'
import { encodeBlock } from 'avmkit/codec'
import { createDevNode, type DevNode } from 'avmkit/devnode'

/** A change of the chain: an accepted block, or UTXOs exported by the C-Chain. */
type ChainEvent = { readonly block: string } | { readonly fromC: readonly string[] }

const STORAGE_KEY = 'avmkit web wallet chain'

/** A development node in the page, whose chain survives a reload. */
export type LocalChain = {
  readonly client: NodeClient
  /** Exports an amount to an address, as the C-Chain does. */
  readonly receiveFromC: (address: Uint8Array, amount: string) => void
  /** Stores the blocks that were accepted since the last call. */
  readonly save: () => Promise<void>
}

/** Starts the node and replays the stored events. A real wallet uses the URL of a node instead. */
export async function openChain(): Promise<LocalChain> {
  const node = await createDevNode()
  const client = createNodeClient({ url: 'http://localhost', fetch: node.fetch })
  const events = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]') as ChainEvent[]
  for (const event of events) replay(node, event)
  let height = await client.avm.getHeight()
  const append = (event: ChainEvent) => {
    events.push(event)
    localStorage.setItem(STORAGE_KEY, JSON.stringify(events))
  }
  return {
    client,
    receiveFromC: (address, amount) => {
      const utxos = node.exportFrom('C', { address, amount: parseAmount(amount) })
      append({ fromC: utxos.map((utxo) => checkedHex.encode(encodeUTXO(utxo))) })
    },
    save: async () => {
      const tip = await client.avm.getHeight()
      while (height < tip) {
        height += 1n
        const block = await client.avm.getBlockByHeight({ height })
        append({ block: checkedHex.encode(encodeBlock(block)) })
      }
    },
  }
}

function replay(node: DevNode, event: ChainEvent): void {
  if ('block' in event) node.acceptBlock(checkedHex.decode(event.block))
  else node.addAtomicUTXOs(node.context.chains.C!, event.fromC.map(checkedHex.decode))
}
