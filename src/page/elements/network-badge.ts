import { argument, integerFrom, text } from '../../core/base/argument.ts'
import { escaped } from '../../core/sign/text.ts'
import { el } from './dom.ts'

/** Kinds of networks, told apart by color and words. */
const KINDS: { readonly [networkID: number]: readonly [kind: string, words: string] } = {
  1: ['main', 'Mainnet: real funds'],
  5: ['test', 'Fuji: test network'],
  12345: ['local', 'Local: development network'],
}

/** A network, such as `NetworkContext` or `Explanation['network']`. */
export type NamedNetwork = { readonly name: string; readonly networkID: number }

/**
 * A badge with the network, in words and color: real funds, test network, development network. Decided by its ID: names of
 * other networks are chosen by whoever runs them.
 */
export function networkBadge(network: NamedNetwork): HTMLElement {
  // Contexts and explanations have further members.
  const { name: label, networkID: id } = Object(network) as NamedNetwork
  const name = argument('networkBadge', label, text, 'name')
  const networkID = argument('networkBadge', id, integerFrom(0), 'networkID')
  const [kind, words] = KINDS[networkID] ?? [
    'unknown',
    `${escaped(name)}: network ${networkID}, not built in`,
  ]
  return el('strong', { class: `badge badge-${kind}` }, words)
}
