import { formatAddress, parseAddress } from '../../src/core/base/encoding/address.ts'
import { hex } from '../../src/core/base/encoding/hex.ts'
import type { DevNode } from '../../src/devnode/index.ts'
import { type Fetch, systemClock } from '../../src/node/index.ts'
import { type Call, type Interceptor, intercepted } from '../wallet/requests.ts'
import { type Behavior, badServer } from '../wallet/trust/bad-servers.ts'
import { ALICE_HEX, ALICE_KEY, type Around, devNode, stateFolder } from './shell.ts'

export const HOSTS = ['a.test', 'b.test', 'c.test'] as const
export const SERVERS: readonly string[] = HOSTS.map((host) => `${host}:9650`)
export const URLS: readonly string[] = SERVERS.map((server) => `http://${server}`)

const address = hex.decode(ALICE_HEX)
export const ALICE: string = formatAddress({ chain: 'X', hrp: 'local', address })

/** What ALICE owns at the beginning, in nAVAX. */
export const AMOUNTS: readonly bigint[] = [10n, 20n, 30n].map((avax) => avax * 1_000_000_000n)
export const TOTAL: bigint = AMOUNTS.reduce((sum, amount) => sum + amount, 0n)

/** A node with UTXOs of ALICE. */
export async function fundedNode(): Promise<DevNode> {
  const node = await devNode()
  for (const amount of AMOUNTS) node.fund(ALICE, amount)
  return node
}

export type Servers = Around & {
  readonly node: DevNode
  /** Every request so far. */
  readonly requests: readonly Call[]
}

/**
 * The surroundings of a command that uses three servers of one node.
 *
 * @param bad - what servers do wrong, by position; those without an entry are honest
 */
export async function severalServers(
  node: DevNode,
  bad: readonly (readonly string[] | Behavior | undefined)[] = [],
  { owner = ALICE, env = {} }: { readonly owner?: string; readonly env?: Around['env'] } = {},
): Promise<Servers> {
  const at = { node, clock: systemClock, owner: parseAddress(owner).address, spent: [] }
  const interceptors = new Map<string, Interceptor>()
  for (const [i, wrong] of bad.entries()) {
    if (wrong === undefined) continue
    const behavior = typeof wrong === 'function' ? wrong : badServer(...wrong)
    interceptors.set(HOSTS[i]!, await behavior(at))
  }
  const requests: Call[] = []
  const reach: Fetch = (url, init) => node.fetch(url, init)
  const fetch = intercepted(reach, async (call, next, init) => {
    requests.push(call)
    const interceptor = interceptors.get(call.host)
    if (interceptor !== undefined) return interceptor(call, next, init)
    // Bad servers are faster, so that their answers are the first.
    await systemClock.sleep(3)
    return next()
  })
  return {
    node,
    requests,
    fetch,
    env: {
      AVMKIT_URL: URLS.join(','),
      AVMKIT_KEY: ALICE_KEY,
      XDG_STATE_HOME: stateFolder(node),
      ...env,
    },
  }
}
