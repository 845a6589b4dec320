import { hex } from '../../core/base/encoding/hex.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
import { networks } from '../../core/chain/networks.ts'
import { unsupported } from './items.ts'

// What the app knows of networks (app/rust/vendor/chainIDs.json and parser/network_info.rs at 1.4.4). It refuses all
// others.

const { mainnet, fuji, local } = networks

const CHAINS: ReadonlyMap<string, ChainAlias> = /* @__PURE__ */ new Map<string, ChainAlias>([
  ['0'.repeat(64), 'P'],
  [hex.encode(mainnet.chainID), 'X'],
  [hex.encode(fuji.chainID), 'X'],
  [hex.encode(local.chainID), 'X'],
  ['6f3f45c17a15b4ad36f65ebcea5df66089e8495bb7e59cd25411cf31d8fc874b', 'X'],
  [hex.encode(mainnet.chains.C!), 'C'],
  [hex.encode(fuji.chains.C!), 'C'],
  // Former IDs of local networks; the current one is not known to the app.
  ['9d0775f450604bd2fbc49ce0c5c1c6dfeb2dc2acb8c92c26eeae6e6df4502b19', 'C'],
  ['40fb912c7e42374d98d99c408ebf89f7ff2bdcc2e74c4f12d623fde464d92139', 'C'],
])

/** Prefixes of addresses, by network ID. */
const PREFIXES: { readonly [networkID: number]: string } = {
  1: 'avax',
  5: 'fuji',
  76: 'custom',
  1337: 'custom',
  12345: 'local',
}

/**
 * The chain with an ID, as the app names it.
 *
 * @throws LedgerError `LEDGER_UNSUPPORTED`
 */
export function knownChain(chainID: Uint8Array, path: string): ChainAlias {
  const alias = CHAINS.get(hex.encode(chainID))
  if (alias !== undefined) return alias
  throw unsupported('the app does not know the chain', path)
}

/**
 * The prefix with which the app shows addresses of a network.
 *
 * @throws LedgerError `LEDGER_UNSUPPORTED`
 */
export function knownPrefix(networkID: number): string {
  const prefix = PREFIXES[networkID]
  if (prefix !== undefined) return prefix
  throw unsupported(`the app does not know the network ${networkID}`, 'networkID')
}
