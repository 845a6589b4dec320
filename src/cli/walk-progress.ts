import type { NodeClient } from '../rpc/index.ts'
import type { Invocation } from './invocation.ts'

/** The client of the node, whose walks over UTXOs show their progress on a terminal. */
export async function clientWithProgress(invocation: Invocation): Promise<NodeClient> {
  const client = await invocation.client()
  // Counting decodes every page, which is not always necessary.
  if (invocation.io.stderr.isTTY !== true) return client
  return {
    ...client,
    async *utxoPages(options) {
      const onProgress = ({ utxos }: { readonly utxos: number }) =>
        invocation.progress.show(utxos, undefined, 'UTXOs read')
      try {
        yield* client.utxoPages({ ...options, onProgress })
      } finally {
        invocation.progress.end()
      }
    },
  }
}
