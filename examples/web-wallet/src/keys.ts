import { formatPrivateKey, generatePrivateKey, KeyChain } from 'avmkit'

const PLACE = 'avmkit web wallet key'

/**
 * The key of this browser. It stands in the page's storage in plain text, which is fine for play money and for
 * nothing else: ask for a password, a hardware device or a signing service instead.
 */
export function openKeys(): KeyChain {
  const known = localStorage.getItem(PLACE)
  const text = known ?? formatPrivateKey(generatePrivateKey())
  if (known === null) localStorage.setItem(PLACE, text)
  return new KeyChain([text])
}
