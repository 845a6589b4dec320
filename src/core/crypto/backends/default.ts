import type { Secp256k1Backend } from '../backend.ts'
import { nobleBackend } from '../secp256k1.ts'

// Imported as `#backend`, which is `default-node.ts` on Node: see `imports` in package.json.

/** The backend that wallet, development node and CLI use by default: noble, so that bundles do not grow. */
export function loadDefaultBackend(): Promise<Secp256k1Backend> {
  return Promise.resolve(nobleBackend)
}
