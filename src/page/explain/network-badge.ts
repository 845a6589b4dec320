import { escaped } from '../../core/sign/text.ts'
import { el } from '../dom.ts'

/** Kinds of networks, told apart by color and words. */
const KINDS: { readonly [networkID: number]: readonly [kind: string, words: string] } = {
  1: ['main', 'Mainnet: real funds'],
  5: ['test', 'Fuji: test network'],
  12345: ['local', 'Local: development network'],
}

/** A badge with the network, by its ID: names of other networks are chosen by whoever runs them. */
export function networkBadge({
  name,
  networkID,
}: {
  readonly name: string
  readonly networkID: number
}): HTMLElement {
  const [kind, words] = KINDS[networkID] ?? [
    'unknown',
    `${escaped(name)}: network ${networkID}, not built in`,
  ]
  return el('strong', { class: `badge badge-${kind}` }, words)
}
