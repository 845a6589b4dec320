import { checkedHex, encodeBlock, encodeUTXO, parseAmount } from 'avmkit'
import { createNodeClient, type NodeClient } from 'avmkit/client'
import { createDevNode, type DevNode } from 'avmkit/devnode'

/** What happened to the chain, in order: blocks, and what other chains left for it. */
type Happening = { readonly block: string } | { readonly fromC: readonly string[] }

const PLACE = 'avmkit web wallet chain'

/** A development node in the page, whose chain survives a reload. */
export type LocalChain = {
  readonly client: NodeClient
  /** Leaves an amount for an address, as an export of the C-Chain would. */
  readonly receiveFromC: (address: Uint8Array, amount: string) => void
  /** Remembers the blocks that were accepted since the last call. */
  readonly save: () => Promise<void>
}

/** Starts the node and brings its chain to where it was. A real wallet has the URL of a node instead. */
export async function openChain(): Promise<LocalChain> {
  const node = await createDevNode()
  const client = createNodeClient({ url: 'http://localhost', fetch: node.fetch })
  const story = JSON.parse(localStorage.getItem(PLACE) ?? '[]') as Happening[]
  for (const event of story) replay(node, event)
  let height = await client.avm.getHeight()
  const remember = (event: Happening) => {
    story.push(event)
    localStorage.setItem(PLACE, JSON.stringify(story))
  }
  return {
    client,
    receiveFromC: (address, amount) => {
      const utxos = node.exportFrom('C', { address, amount: parseAmount(amount) })
      remember({ fromC: utxos.map((utxo) => checkedHex.encode(encodeUTXO(utxo))) })
    },
    save: async () => {
      const tip = await client.avm.getHeight()
      while (height < tip) {
        height += 1n
        const block = await client.avm.getBlockByHeight({ height })
        remember({ block: checkedHex.encode(encodeBlock(block)) })
      }
    },
  }
}

function replay(node: DevNode, event: Happening): void {
  if ('block' in event) node.acceptBlock(checkedHex.decode(event.block))
  else node.addAtomicUTXOs(node.context.chains.C!, event.fromC.map(checkedHex.decode))
}
