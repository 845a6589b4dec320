import { buildTransfer, type Draft, decodeTx, KeyChain, type SignedTx, type UTXOSet } from 'avmkit'
import { createNodeClient, type NodeClient } from 'avmkit/client'
import { createDevNode, type DevNode } from 'avmkit/devnode'
import { accountFromMnemonic, type HDAccount } from 'avmkit/hd'
import { loadNativeBackend } from 'avmkit/native'
import { fileStore } from 'avmkit/store'
import { createWallet, type Wallet } from 'avmkit/wallet'
import { loadWasmBackend } from 'avmkit/wasm'

// Compiled against the installed package, as a module and as CommonJS, and never run.

export const read: (bytes: Uint8Array) => SignedTx = decodeTx
export const restore = (mnemonic: string): HDAccount => accountFromMnemonic(mnemonic)
export const connect = (node: DevNode): NodeClient =>
  createNodeClient({ url: 'http://localhost', fetch: node.fetch })
export const draft = async (client: NodeClient, coins: UTXOSet): Promise<Draft> =>
  buildTransfer({
    context: await client.context(),
    funds: { coins, owners: [], now: 0n },
    outputs: [{ to: 'X-local1…', amount: 1n }],
  })
export async function open(keys: Uint8Array, native: boolean): Promise<Wallet> {
  const backend = native ? await loadNativeBackend() : await loadWasmBackend()
  return createWallet({
    client: connect(await createDevNode()),
    keys: new KeyChain([keys], { backend }),
    store: fileStore('payments.store'),
  })
}
