import { onTestFinished } from 'vitest'
import { formatAddress } from '../../../src/core/base/encoding/address.ts'
import { cb58 } from '../../../src/core/base/encoding/cb58.ts'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { keyChainSigner } from '../../../src/core/sign/signers.ts'
import { createDevNode, type DevNode } from '../../../src/devnode/index.ts'
import { createNodeClient, type NodeClient } from '../../../src/node/index.ts'
import type { AnsweringWallet, EIP1193Provider } from '../../../src/signers/core/index.ts'
import { signMessage } from '../../../src/signers/message/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { ReferenceCore } from './reference-core.ts'

export const AVAX = 1_000_000_000n
export const key = (n: number): Uint8Array => new Uint8Array(32).fill(n)
export const stranger: Uint8Array = new KeyChain([key(99)]).addresses[0]!

/** The code of the error that a promise is rejected with; undefined if it is fulfilled. */
export async function codeOf(run: Promise<unknown>): Promise<string | undefined> {
  try {
    await run
  } catch (error) {
    return (error as { code?: string }).code
  }
  return undefined
}

export type Surroundings = {
  readonly node: DevNode
  readonly client: NodeClient
  readonly core: ReferenceCore
}

/** A node, and a wallet with two keys that have 3 AVAX each. The parents of these UTXOs are known to the node. */
export async function surroundings(): Promise<Surroundings> {
  const node = await createDevNode()
  onTestFinished(() => node.close())
  const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
  const core = new ReferenceCore([key(1), key(2)], async (text) => {
    const { txID } = await client.issueTx(checkedHex.decode(text))
    return cb58.encode(txID)
  })
  const rich = new KeyChain([key(50)])
  node.fund(rich.addresses[0]!, 10n * AVAX)
  const outputs = core.keys.addresses.map((to) => ({ to, amount: 3n * AVAX }))
  await createWallet({ client, keys: rich }).transfer({ outputs })
  return { node, client, core }
}

/** Adds the method that lists addresses, which the extension of Core has. */
export function withRange(core: ReferenceCore, hrp: string): EIP1193Provider {
  const text = (address: Uint8Array) => formatAddress({ chain: 'X', hrp, address }).slice(2)
  return {
    request: async (args) =>
      args.method === 'avalanche_getAddressesInRange'
        ? { external: core.keys.addresses.map(text), internal: [] }
        : core.request(args),
  }
}

/** The wallet of an author who answers requests with this library. */
export function answering({ client, node }: Surroundings, keys: KeyChain): AnsweringWallet {
  return {
    network: node.context,
    signers: [keyChainSigner(keys)],
    publicKeys: { xp: keys.publicKeys[0]!, evm: keys.publicKeys[0]! },
    getTx: (txID) => client.avm.getTx({ txID }),
    issueTx: async ({ bytes }) => client.issueTx(bytes),
    signMessage: (message) => signMessage(message, keys),
    address: ({ index }) => keys.addresses[index]!,
  }
}
