import { formatPrivateKey, generatePrivateKey, KeyChain } from 'avmkit'

const STORAGE_KEY = 'avmkit web wallet key'

/**
 * The key of this browser. It is stored in plain text, which is acceptable only for test funds: use a password, a
 * hardware device or a signing service instead.
 */
export function openKeys(): KeyChain {
  const known = localStorage.getItem(STORAGE_KEY)
  const text = known ?? formatPrivateKey(generatePrivateKey())
  if (known === null) localStorage.setItem(STORAGE_KEY, text)
  return new KeyChain([text])
}
