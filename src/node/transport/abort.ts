/** Functions to call when a signal is aborted. */
type Callbacks = Set<() => void>

/** Node warns about more than ten listeners on one signal, so each signal has one for all callbacks. */
const callbacksOf = new WeakMap<AbortSignal, Callbacks>()

/**
 * Calls back when a signal is aborted, not if it is aborted already.
 *
 * @returns a function that removes the callback
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {}
  const callbacks = callbacksOf.get(signal) ?? listenForAbort(signal)
  // A new function, because the set would merge a callback that is passed twice.
  const entry = () => callback()
  callbacks.add(entry)
  return () => {
    callbacks.delete(entry)
    // A signal with a listener may be kept in memory until it is aborted.
    if (callbacks.size === 0) ignore(signal, callbacks)
  }
}

function listenForAbort(signal: AbortSignal): Callbacks {
  const callbacks: Callbacks = new Set()
  callbacksOf.set(signal, callbacks)
  signal.addEventListener('abort', abort)
  return callbacks
}

function ignore(signal: AbortSignal, callbacks: Callbacks): void {
  if (callbacksOf.get(signal) !== callbacks) return
  callbacksOf.delete(signal)
  signal.removeEventListener('abort', abort)
}

function abort(this: AbortSignal): void {
  const callbacks = callbacksOf.get(this) ?? []
  callbacksOf.delete(this)
  for (const callback of callbacks) callback()
}
