import { type ParsedPolicy, parsePolicy } from '../../signers/policy/policy.ts'
import { PageError } from '../errors.ts'

/** The policy that was loaded into the page, and its file. It is forgotten when the page is closed. */
let loaded: { readonly file: string; readonly policy: ParsedPolicy } | undefined

/** Whether a text may be the file of a policy or of its address book. */
export function isPolicyFile(text: string): boolean {
  return /^\s*\{/.test(text) && /"format"\s*:\s*"avmkit-(policy|address-book)"/.test(text)
}

/**
 * Loads a policy, or the address book of the loaded one. It decides about all requests that are read afterwards.
 *
 * @throws PolicyError, ArgumentError; PageError `MISMATCH` for an address book without a policy
 */
export function loadPolicyFile(text: string): ParsedPolicy {
  if (/"format"\s*:\s*"avmkit-policy"/.test(text)) {
    loaded = { file: text, policy: parsePolicy(text) }
    return loaded.policy
  }
  if (loaded === undefined)
    throw new PageError('MISMATCH', 'load the policy before its address book')
  // An address book that is refused must not remove the policy.
  loaded = { ...loaded, policy: parsePolicy(loaded.file, { addressBook: text }) }
  return loaded.policy
}

/** The loaded policy; undefined for none. */
export function loadedPolicy(): ParsedPolicy | undefined {
  return loaded?.policy
}
