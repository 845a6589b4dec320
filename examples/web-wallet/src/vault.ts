import { accountFromMnemonic, type HDAccount, parseMnemonic } from 'avmkit/hd'
import { decryptKeyFile, encryptKeyFile } from 'avmkit/keyfile'
import { changeSettings, loadSettings } from './settings.ts'

/** Encrypts a mnemonic with a password, stores it, and returns its account. */
export async function storeMnemonic(words: string, password: string): Promise<HDAccount> {
  const mnemonic = parseMnemonic(words)
  const keyFile = await encryptKeyFile(mnemonic, password)
  changeSettings({ keys: { kind: 'mnemonic', keyFile } })
  return accountFromMnemonic(mnemonic)
}

/** The encrypted key file of this browser. */
export function storedKeyFile(): string {
  const { keys } = loadSettings()
  if (keys?.kind !== 'mnemonic') throw new Error('no recovery phrase is stored')
  return keys.keyFile
}

/** The words that are stored, to be shown once more. */
export function readMnemonic(password: string): Promise<string> {
  return decryptKeyFile(storedKeyFile(), password)
}

/** The account of the stored mnemonic. Its private keys are in memory until `wipe` is called. */
export async function openStored(password: string): Promise<HDAccount> {
  return accountFromMnemonic(await readMnemonic(password))
}
