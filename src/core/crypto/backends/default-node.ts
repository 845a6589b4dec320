import type { Secp256k1Backend } from '../backend.ts'
import { CryptoError } from '../errors.ts'
import { nobleBackend } from '../secp256k1.ts'
import { loadWasmBackend } from './wasm.ts'

let loading: Promise<Secp256k1Backend> | undefined

/**
 * The backend that wallet, development node and CLI use by default on Node: WebAssembly, loaded by the first call
 * and shared from then on. If WebAssembly is not available (`node --jitless`), it is noble, which gives the same
 * bytes and the same errors.
 */
export function loadDefaultBackend(): Promise<Secp256k1Backend> {
  loading ??= loadWasmBackend().catch((error: unknown) => {
    if (error instanceof CryptoError && error.code === 'BACKEND_UNAVAILABLE') return nobleBackend
    throw error
  })
  return loading
}
