import { scrypt } from '#scrypt'
import { argument, type Check, integerFrom, object, optional } from '../../base/argument.ts'
import { hex } from '../../base/encoding/hex.ts'
import { AvmError } from '../../base/errors.ts'
import { sha256 } from '../../base/hash/sha256.ts'
import { requireText, utf8 } from '../../base/require.ts'
import type { Json } from '../../codec/json.ts'
import { parseJSON } from '../../codec/json-text.ts'
import { isJSONObject, type JsonObject } from '../../codec/json-value.ts'
import { KeyFileError } from './errors.ts'
import type { KeyFileCost } from './kdf.ts'

/** The member `format` of an encrypted key file. */
export const KEY_FILE_FORMAT = 'avmkit-key-file'

const KEY_FILE_VERSION = 1
const SALT_SIZE = 32
const NONCE_SIZE = 12
const TAG_SIZE = 16
const CHECK_SIZE = 16
const KEY_FILE_CHECKSUM_SIZE = 8
const MAX_TEXT_SIZE = 1024 * 1024
/** Longer texts are not parsed. The ciphertext is hex, and everything else takes less than a kilobyte. */
const MAX_FILE_LENGTH = 4 * MAX_TEXT_SIZE

/** Takes 128 MiB of memory and about half a second. */
const DEFAULT_COST = { n: 2 ** 17, r: 8, p: 1 }

/** Limits of the cost: opening a file from someone else must not exhaust the memory. */
const MIN_N = 2 ** 10
const MAX_MEMORY = 512 * 1024 * 1024
const MAX_P = 16

/** An encrypted key file; bytes are lower-case hex. */
type KeyFile = {
  readonly kdf: KeyFileCost & { readonly salt: string }
  readonly nonce: string
  /** First 16 bytes of the SHA-256 of the second half of the derived key: recognizes a wrong password. */
  readonly check: string
  /** AES-256-GCM, followed by the tag of 16 bytes. */
  readonly ciphertext: string
}

/** Options of {@link encryptKeyFile}. */
export type KeyFileOptions = { readonly cost?: KeyFileCost | undefined }

const count: Check<number> = integerFrom(1)

const keyFileOptions: Check<KeyFileOptions> = object<KeyFileOptions>({
  cost: optional(object<KeyFileCost>({ n: count, r: count, p: count })),
})

/**
 * Encrypts the text of a key file, that is, private keys or a mnemonic, with scrypt and AES-256-GCM.
 *
 * @param options.cost - default n = 2^17, r = 8, p = 1
 * @throws KeyFileError `BAD_PASSWORD` if the password is empty; `KEYFILE_UNSUPPORTED` if the text is longer than 1 MiB
 * or the cost is outside the limits
 */
export async function encryptKeyFile(
  text: string,
  password: string,
  options: KeyFileOptions = {},
): Promise<string> {
  const bytes = utf8(text, 'key file')
  if (bytes.length > MAX_TEXT_SIZE)
    throw new KeyFileError(
      'KEYFILE_UNSUPPORTED',
      `the text to encrypt has more than ${MAX_TEXT_SIZE} bytes`,
    )
  const given = argument('encryptKeyFile', options, keyFileOptions)
  const cost = checkedCost(given.cost ?? DEFAULT_COST)
  const salt = hex.encode(crypto.getRandomValues(new Uint8Array(SALT_SIZE)))
  const nonce = hex.encode(crypto.getRandomValues(new Uint8Array(NONCE_SIZE)))
  const kdf = { ...cost, salt }
  const { key, check } = await deriveFileKey(password, kdf)
  const header = headerOf({ kdf, nonce, check })
  const encrypted = await crypto.subtle.encrypt(
    {
      name: 'AES-GCM',
      iv: new Uint8Array(hex.decode(nonce)),
      additionalData: utf8(header, 'header'),
    },
    key,
    bytes,
  )
  const ciphertext = hex.encode(new Uint8Array(encrypted))
  const file = {
    format: KEY_FILE_FORMAT,
    version: KEY_FILE_VERSION,
    kdf: { name: 'scrypt', ...kdf },
    cipher: { name: 'aes-256-gcm', nonce },
    check,
    ciphertext,
    checksum: checksumOf(header, ciphertext),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/**
 * Decrypts a key file.
 *
 * @throws KeyFileError `KEYFILE_DAMAGED`, `KEYFILE_WRONG_PASSWORD`, `KEYFILE_UNSUPPORTED`
 * @throws ArgumentError `UNKNOWN_OPTION` if the file has a member that is not part of the format
 */
export async function decryptKeyFile(file: string, password: string): Promise<string> {
  requireText(file, 'key file')
  const { kdf, nonce, check, ciphertext } = parseKeyFile(file)
  const derived = await deriveFileKey(password, kdf)
  if (derived.check !== check)
    throw new KeyFileError('KEYFILE_WRONG_PASSWORD', 'wrong password for the key file')
  try {
    const additionalData = utf8(headerOf({ kdf, nonce, check }), 'header')
    const text = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv: new Uint8Array(hex.decode(nonce)), additionalData },
      derived.key,
      new Uint8Array(hex.decode(ciphertext)),
    )
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text)
  } catch {
    // The password is correct, so the file was modified, and its checksum was adapted.
    throw damaged()
  }
}

/** Whether a text claims to be an encrypted key file. */
export function isEncryptedKeyFile(text: string): boolean {
  requireText(text, 'key file')
  return text.trimStart().startsWith('{') && text.includes(KEY_FILE_FORMAT)
}

async function deriveFileKey(
  password: string,
  { salt, n, r, p }: KeyFile['kdf'],
): Promise<{ readonly key: CryptoKey; readonly check: string }> {
  requireText(password, 'password')
  if (password === '') throw new KeyFileError('BAD_PASSWORD', 'the password is empty')
  const secret = utf8(password.normalize('NFKC'), 'password')
  const derived = await scrypt(secret, hex.decode(salt), { n, r, p })
  try {
    const raw = derived.slice(0, 32)
    const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt'])
    raw.fill(0)
    return { key, check: hex.encode(sha256(derived.subarray(32)).subarray(0, CHECK_SIZE)) }
  } finally {
    derived.fill(0)
    secret.fill(0)
  }
}

/** Everything but the ciphertext in one line. The cipher authenticates it as additional data. */
function headerOf({ kdf, nonce, check }: Omit<KeyFile, 'ciphertext'>): string {
  const { n, r, p, salt } = kdf
  return `${KEY_FILE_FORMAT} ${KEY_FILE_VERSION} scrypt ${n} ${r} ${p} ${salt} aes-256-gcm ${nonce} ${check}`
}

/** A checksum that detects a damaged file before the password is needed, so that the password is not blamed. */
function checksumOf(header: string, ciphertext: string): string {
  return hex.encode(
    sha256(utf8(`${header} ${ciphertext}`, 'key file')).subarray(0, KEY_FILE_CHECKSUM_SIZE),
  )
}

function parseKeyFile(text: string): KeyFile {
  if (text.length > MAX_FILE_LENGTH) throw damaged()
  let json: JsonObject
  try {
    json = requireJSONObject(parseJSON(text))
  } catch (error) {
    if (error instanceof AvmError) throw damaged()
    throw error
  }
  if (json.format !== KEY_FILE_FORMAT) throw damaged()
  const kdf = requireJSONObject(json.kdf)
  const cipher = requireJSONObject(json.cipher)
  if (json.version !== KEY_FILE_VERSION || kdf.name !== 'scrypt' || cipher.name !== 'aes-256-gcm')
    throw new KeyFileError('KEYFILE_UNSUPPORTED', 'the key file has an unsupported version')
  const { n, r, p } = kdf
  if (typeof n !== 'number' || typeof r !== 'number' || typeof p !== 'number') throw damaged()
  const file = {
    kdf: { n, r, p, salt: hexOf(kdf.salt, SALT_SIZE) },
    nonce: hexOf(cipher.nonce, NONCE_SIZE),
    check: hexOf(json.check, CHECK_SIZE),
    ciphertext: hexOf(json.ciphertext),
  }
  if (json.checksum !== checksumOf(headerOf(file), file.ciphertext)) throw damaged()
  // Only now: a file with a wrong checksum is damaged, whatever the names of its members are.
  argument('decryptKeyFile', json, fileMembers)
  checkedCost(file.kdf)
  return file
}

const alreadyChecked: Check<unknown> = (member) => member

/** The names of all members. A member that is ignored would not be protected by the password. */
const fileMembers: Check<object> = object({
  format: alreadyChecked,
  version: alreadyChecked,
  kdf: object({
    name: alreadyChecked,
    n: alreadyChecked,
    r: alreadyChecked,
    p: alreadyChecked,
    salt: alreadyChecked,
  }),
  cipher: object({ name: alreadyChecked, nonce: alreadyChecked }),
  check: alreadyChecked,
  ciphertext: alreadyChecked,
  checksum: alreadyChecked,
})

function checkedCost(cost: KeyFileCost): KeyFileCost {
  const { n, r, p } = cost
  const areWhole = [n, r, p].every((value) => Number.isInteger(value) && value >= 1)
  const isPower = areWhole && n >= MIN_N && Number.isInteger(Math.log2(n))
  // RFC 7914 requires n < 2^(128·r/8). Node refuses other values, @noble/hashes does not.
  if (isPower && Math.log2(n) < 16 * r && 128 * n * r <= MAX_MEMORY && p <= MAX_P)
    return { n, r, p }
  throw new KeyFileError('KEYFILE_UNSUPPORTED', 'the cost of scrypt is outside the limits')
}

function requireJSONObject(value: Json | undefined): JsonObject {
  if (!isJSONObject(value)) throw damaged()
  return value
}

function hexOf(value: Json | undefined, size?: number): string {
  // Not /^([0-9a-f]{2})*$/: repeating a group over a megabyte can exhaust the stack.
  if (typeof value !== 'string' || value.length % 2 !== 0 || !/^[0-9a-f]*$/.test(value))
    throw damaged()
  if (value.length > 2 * (MAX_TEXT_SIZE + TAG_SIZE)) throw damaged()
  if (size === undefined ? value.length < 2 * TAG_SIZE : value.length !== 2 * size) throw damaged()
  return value
}

function damaged(): KeyFileError {
  return new KeyFileError(
    'KEYFILE_DAMAGED',
    'the key file is damaged: it was truncated or modified',
    {
      hint: 'use a backup of the file',
    },
  )
}
