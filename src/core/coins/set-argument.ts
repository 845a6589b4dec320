import { bulk, type Check, capability } from '../base/argument.ts'
import type { UTXOSet } from './utxo-set.ts'

// Sets are told by their methods, not by `instanceof`: sets of another copy of this library are accepted, and programs
// that have no set do not contain its code.

/* @__NO_SIDE_EFFECTS__ */
function setOr(what: string): Check<UTXOSet> {
  return capability<UTXOSet>(what, 'add', 'balances', 'holdings', 'ofType', 'select', 'size')
}

/** A `UTXOSet`. */
export const utxoSet: Check<UTXOSet> = /* @__PURE__ */ setOr('a UTXOSet')

/** A set, or a list of UTXOs. Neither is copied. */
/* @__NO_SIDE_EFFECTS__ */
export function utxosArgument<U>(): Check<UTXOSet | readonly U[]> {
  const items = bulk<U>()
  const set = setOr('a UTXOSet or an array of UTXOs')
  return (value, at) => (Array.isArray(value) ? items : set)(value, at)
}

/** Whether checked UTXOs are a set. */
export function isSet(utxos: UTXOSet | readonly unknown[]): utxos is UTXOSet {
  return !Array.isArray(utxos)
}
