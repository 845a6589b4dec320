import type { NodeClient, UTXOPagesOptions } from '../../node/index.ts'
import type { Invocation } from '../invocation.ts'

/** The part of a client of any chain that walks over UTXOs. */
type Walker = {
  readonly utxoPages: (options: never) => AsyncGenerator<unknown, void, undefined>
}

/** The client of the node, whose walks over UTXOs show their progress on a terminal. */
export async function clientWithProgress(invocation: Invocation): Promise<NodeClient> {
  return withProgress(await invocation.client(), invocation)
}

/** A client whose walks over UTXOs show their progress on a terminal. */
export function withProgress<Client extends Walker>(
  client: Client,
  invocation: Invocation,
): Client {
  // Counting decodes every page, which is not always necessary.
  if (invocation.io.stderr.isTTY !== true) return client
  const onProgress: UTXOPagesOptions['onProgress'] = ({ utxos }) =>
    invocation.progress.show(utxos, undefined, 'UTXOs read')
  return {
    ...client,
    async *utxoPages(options: UTXOPagesOptions) {
      try {
        yield* client.utxoPages({ ...options, onProgress } as never)
      } finally {
        invocation.progress.end()
      }
    },
  }
}
