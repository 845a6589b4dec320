/** Which keys sign. The mnemonic is in an encrypted key file; a Ledger keeps its own. */
export type KeySource =
  | { readonly kind: 'mnemonic'; readonly keyFile: string }
  | { readonly kind: 'ledger'; readonly extendedPublicKey: string }

/** Which chain: a development node in the page, or a node by URL, whose network must stay the same. */
export type NetworkSetting =
  | { readonly kind: 'development' }
  | { readonly kind: 'node'; readonly url: string; readonly networkID: number }

/** All that the wallet remembers in plain text. None of it can spend. */
export type Settings = {
  readonly keys?: KeySource | undefined
  readonly network: NetworkSetting
  /** Whether every payment gets a new change address. */
  readonly freshChange: boolean
}

const STORAGE_KEY = 'avmkit wallet settings'
const DEFAULTS: Settings = { network: { kind: 'development' }, freshChange: true }

/** What an earlier visit has stored. */
export function loadSettings(): Settings {
  const stored = localStorage.getItem(STORAGE_KEY)
  return stored === null ? DEFAULTS : { ...DEFAULTS, ...(JSON.parse(stored) as Partial<Settings>) }
}

/** Stores a change, and returns all settings. */
export function changeSettings(change: Partial<Settings>): Settings {
  const settings = { ...loadSettings(), ...change }
  localStorage.setItem(STORAGE_KEY, JSON.stringify(settings))
  return settings
}

/** Removes everything that the wallet has stored in this browser, including its record of payments. */
export async function forgetAll(): Promise<void> {
  localStorage.clear()
  for (const { name } of await indexedDB.databases())
    if (name !== undefined) indexedDB.deleteDatabase(name)
}
