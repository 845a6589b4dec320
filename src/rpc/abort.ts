import { requireFields } from '../encoding/require.ts'

/** What to call when a signal is aborted. */
type Callbacks = Set<() => void>

/** Node warns about more than ten listeners on one signal, so each signal has one for all callbacks. */
const waiting = new WeakMap<AbortSignal, Callbacks>()

/**
 * Calls back when a signal is aborted, not if it is aborted already.
 *
 * @returns a function that removes the callback
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {}
  requireFields(signal, 'signal', ['addEventListener'])
  const callbacks = waiting.get(signal) ?? listen(signal)
  // An entry of its own, because the same callback may be passed twice.
  const entry = () => callback()
  callbacks.add(entry)
  return () => {
    callbacks.delete(entry)
    // A signal with a listener may be kept in memory until it is aborted.
    if (callbacks.size === 0) ignore(signal, callbacks)
  }
}

function listen(signal: AbortSignal): Callbacks {
  const callbacks: Callbacks = new Set()
  waiting.set(signal, callbacks)
  signal.addEventListener('abort', abort)
  return callbacks
}

function ignore(signal: AbortSignal, callbacks: Callbacks): void {
  if (waiting.get(signal) !== callbacks) return
  waiting.delete(signal)
  signal.removeEventListener('abort', abort)
}

function abort(this: AbortSignal): void {
  const callbacks = waiting.get(this) ?? []
  waiting.delete(this)
  for (const callback of callbacks) callback()
}
