import {
  argument,
  boolean,
  bytesOf,
  type Check,
  integerFrom,
  list,
  object,
  omissible,
  optional,
  text,
} from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { concat } from '../../core/base/bytes/concat.ts'
import { base58 } from '../../core/base/encoding/base58.ts'
import { ID_SIZE } from '../../core/base/encoding/ids.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import { addressOf } from '../../core/crypto/secp256k1.ts'
import { LedgerError } from './errors.ts'
import { encodePath, hasOtherRoot, splitPath } from './paths.ts'
import {
  exchange,
  exclusively,
  type LedgerTransport,
  OPEN_APP,
  SHORTEN,
  transport,
  UPDATE,
} from './transport.ts'

// The protocol of the Avalanche app, read in its source at 1.4.4 (app/rust/src/handlers) and in the vendor's client.
// docs/APDUSPEC.md of the app is wrong about the number of change paths, which is one byte.

const CLA = 0x80
const GET_PUBLIC_KEY = 0x02
const GET_EXTENDED_PUBLIC_KEY = 0x03
const SIGN_HASH = 0x04
const SIGN = 0x05
const SIGN_MESSAGE = 0x06

const CHUNK_SIZE = 250
const [INIT, ADD, LAST] = [0, 1, 2] as const
const [LAST_SIGNER, NEXT_SIGNER] = [2, 3] as const

/** Size of the buffer in which the app assembles an upload, including one byte of its own and the prefix. */
export const BUFFER_SIZE = 0x4000

/** The number of change paths is one byte. */
const MAX_CHANGE_PATHS = 255

/** Roots other than 9000' are refused by 1.4.6 and work again from here. */
const OTHER_ROOTS_SINCE = '1.4.13'

/** The app that is open on a device. */
export type LedgerAppInfo = { readonly name: string; readonly version: string }

/** Options of `publicKey`. */
export type LedgerKeyOptions = {
  /** `m/44'/9000'/a'/c/i`. */
  readonly path: string
  /**
   * Whether the device shows the address and waits for approval.
   *
   * @defaultValue false
   */
  readonly show?: boolean | undefined
  /**
   * Prefix of the address that the device shows.
   *
   * @defaultValue `avax`
   */
  readonly hrp?: string | undefined
  /**
   * ID of the chain of the address that the device shows.
   *
   * @defaultValue the P-Chain
   */
  readonly chainID?: Uint8Array | undefined
}

const keyOptions: Check<LedgerKeyOptions> = /* @__PURE__ */ object<LedgerKeyOptions>({
  path: text,
  show: optional(boolean),
  hrp: optional(text),
  chainID: optional(bytesOf(ID_SIZE)),
})

/** Which account of the device. */
export type LedgerAccountOptions = {
  /** @defaultValue 0 */
  readonly account?: number | undefined
}

/** The number of an account. */
export const accountNumber: Check<number> = /* @__PURE__ */ integerFrom(0, 0x7fffffff)

const accountOptions: Check<LedgerAccountOptions> = /* @__PURE__ */ omissible(
  object<LedgerAccountOptions>({ account: optional(accountNumber) }),
)

/** Options of `signTransaction`. */
export type LedgerSignOptions = {
  /** `m/44'/9000'/a'`, or `m/44'/60'/a'` for accounts of the C-Chain. */
  readonly prefix: string
  /** The rest of the path of each signer, `c/i`. */
  readonly signers: readonly string[]
  /**
   * The rest of the paths whose outputs the device need not show. It derives their addresses itself.
   *
   * @defaultValue those of the signers
   */
  readonly change?: readonly string[] | undefined
  readonly unsignedBytes: Uint8Array
}

const signOptions: Check<LedgerSignOptions> = /* @__PURE__ */ object<LedgerSignOptions>({
  prefix: text,
  signers: list(text),
  change: optional(list(text)),
  unsignedBytes: bytesOf(),
})

/** Options of `signMessage`. */
export type LedgerMessageOptions = {
  /** `m/44'/9000'/a'/c/i`. */
  readonly path: string
  /** The text with its header, as `messageBytes` returns it. */
  readonly bytes: Uint8Array
}

const messageOptions: Check<LedgerMessageOptions> = /* @__PURE__ */ object<LedgerMessageOptions>({
  path: text,
  bytes: bytesOf(),
})

/** The Avalanche app on a Ledger device. All calls throw `LedgerError`. */
export type LedgerApp = {
  /** Name and version of the app that is open, whichever it is. */
  info(): Promise<LedgerAppInfo>
  /** A compressed public key and its address. */
  publicKey(
    options: LedgerKeyOptions,
  ): Promise<{ readonly publicKey: Uint8Array; readonly address: Uint8Array }>
  /**
   * The `xpub…` of `m/44'/9000'/a'`, for `new WatchAccount(xpub)`. The device does not tell the fingerprint of the
   * parent key: it is zero.
   */
  extendedPublicKey(options?: LedgerAccountOptions): Promise<string>
  /** 65 bytes `r‖s‖v` for each signer after one approval. */
  signTransaction(options: LedgerSignOptions): Promise<readonly Uint8Array[]>
  /** 65 bytes `r‖s‖v` of the SHA-256 of a message, which the device shows. */
  signMessage(options: LedgerMessageOptions): Promise<Uint8Array>
}

/**
 * A client of the Avalanche app. Calls with the same connection run one after the other.
 *
 * @example
 * const xpub = await ledgerApp(transport).extendedPublicKey()
 */
export function ledgerApp(connection: LedgerTransport): LedgerApp {
  const device = argument('ledgerApp', connection, transport, 'transport')
  return {
    info: () => exclusively(device, () => appInfo(device)),
    async publicKey(options) {
      const { path, show = false, hrp = '', chainID } = argument('publicKey', options, keyOptions)
      const { prefix, suffix } = splitPath(path)
      const request = keyRequest(`${prefix}/${suffix}`, hrp, chainID)
      return exclusively(device, async () => {
        await requireApp(device, prefix)
        return readKey(await exchange(device, [CLA, GET_PUBLIC_KEY, Number(show), 0], request))
      })
    },
    async extendedPublicKey(options) {
      const { account = 0 } = argument('extendedPublicKey', options, accountOptions)
      const prefix = `m/44'/9000'/${account}'`
      return exclusively(device, async () => {
        await requireApp(device, prefix)
        const header = [CLA, GET_EXTENDED_PUBLIC_KEY, 0, 0] as const
        return readExtendedKey(await exchange(device, header, keyRequest(prefix)), account)
      })
    },
    async signTransaction(options) {
      const given = argument('signTransaction', options, signOptions)
      const { prefix, signers, change = signers, unsignedBytes } = given
      for (const suffix of [...signers, ...change]) splitPath(`${prefix}/${suffix}`)
      const upload = transactionUpload(prefix, change, unsignedBytes)
      return exclusively(device, () => signUpload(device, SIGN, prefix, upload, signers))
    },
    async signMessage(options) {
      const { path, bytes } = argument('signMessage', options, messageOptions)
      const { prefix, suffix } = splitPath(path)
      requireFits(prefix, bytes)
      return exclusively(device, async () => {
        const [signature] = await signUpload(device, SIGN_MESSAGE, prefix, bytes, [suffix])
        return signature!
      })
    },
  }
}

/**
 * What is uploaded for a transaction: the change paths, then the transaction.
 *
 * @throws LedgerError `LEDGER_TOO_LARGE`
 */
function transactionUpload(
  prefix: string,
  change: readonly string[],
  unsignedBytes: Uint8Array,
): Uint8Array {
  // The app toggles an output once per path, so a repeated path would show it again. Paths above the limit are left
  // out: the device then shows more than necessary, never less.
  const paths = [...new Set(change)].slice(0, MAX_CHANGE_PATHS).map(encodePath)
  const upload = concat([Uint8Array.of(paths.length), ...paths, unsignedBytes])
  requireFits(prefix, upload)
  return upload
}

function requireFits(prefix: string, upload: Uint8Array): void {
  const size = 1 + encodePath(prefix).length + upload.length
  if (size > BUFFER_SIZE)
    throw new LedgerError(
      'LEDGER_TOO_LARGE',
      `too large for the app: ${size} bytes, its buffer has ${BUFFER_SIZE}`,
      { hint: SHORTEN },
    )
}

async function signUpload(
  device: LedgerTransport,
  ins: number,
  prefix: string,
  upload: Uint8Array,
  signers: readonly string[],
): Promise<Uint8Array[]> {
  await requireApp(device, prefix)
  // The vendor's client sends 1 as P2 of the first packet.
  await exchange(device, [CLA, ins, INIT, 1], encodePath(prefix))
  for (let at = 0; at < upload.length; at += CHUNK_SIZE) {
    const step = at + CHUNK_SIZE < upload.length ? ADD : LAST
    await exchange(device, [CLA, ins, step, 0], upload.slice(at, at + CHUNK_SIZE))
  }
  const signatures: Uint8Array[] = []
  for (const [i, suffix] of signers.entries()) {
    const step = i < signers.length - 1 ? NEXT_SIGNER : LAST_SIGNER
    const signature = await exchange(device, [CLA, SIGN_HASH, step, 0], encodePath(suffix))
    if (signature.length !== 65) throw badReply(`a signature of ${signature.length} bytes`)
    signatures.push(signature)
  }
  return signatures
}

async function requireApp(device: LedgerTransport, prefix: string): Promise<void> {
  const { name, version } = await appInfo(device)
  if (name !== 'Avalanche')
    throw new LedgerError('LEDGER_WRONG_APP', `the app ${JSON.stringify(name)} is open`, {
      hint: OPEN_APP,
    })
  if (hasOtherRoot(prefix) && isOlder(version, OTHER_ROOTS_SINCE))
    throw new LedgerError('LEDGER_APP_OUTDATED', `version ${version} refuses paths of ${prefix}`, {
      hint: UPDATE,
    })
}

/** Whether a version such as `1.4.9-rc1` is below another; one that is not of this form counts as old. */
function isOlder(version: string, than: string): boolean {
  const [numbers = ''] = /^\d+\.\d+\.\d+/.exec(version) ?? []
  return numbers.localeCompare(than, 'en', { numeric: true }) < 0
}

/** A command of the operating system that every app answers: format 1, then name and version with their lengths. */
async function appInfo(device: LedgerTransport): Promise<LedgerAppInfo> {
  const reply = await exchange(device, [0xb0, 0x01, 0, 0])
  const name = reply[0] === 1 ? sized(reply, 1) : undefined
  const version = name && sized(reply, 2 + name.length)
  if (name === undefined || version === undefined) throw badReply('no name and version of the app')
  return { name: ascii(name), version: ascii(version) }
}

/** The bytes whose length stands at `at`. */
function sized(bytes: Uint8Array, at: number): Uint8Array | undefined {
  const length = bytes[at] ?? bytes.length
  return at + 1 + length <= bytes.length ? bytes.subarray(at + 1, at + 1 + length) : undefined
}

function ascii(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}

function keyRequest(path: string, hrp = '', chainID: Uint8Array = new Uint8Array()): Uint8Array {
  if (!/^[a-z]{0,24}$/.test(hrp))
    throw new LedgerError('LEDGER_UNSUPPORTED', 'hrp must have at most 24 lower-case letters')
  const prefix = Uint8Array.from(hrp, (letter) => letter.charCodeAt(0))
  return concat([
    Uint8Array.of(prefix.length),
    prefix,
    Uint8Array.of(chainID.length),
    chainID,
    encodePath(path),
  ])
}

function readKey(reply: Uint8Array): {
  readonly publicKey: Uint8Array
  readonly address: Uint8Array
} {
  const publicKey = sized(reply, 0)?.slice()
  const stated = reply.slice(34, 54)
  if (publicKey?.length !== 33) throw badReply('no compressed public key')
  const address = addressOf(publicKey)
  if (!equalBytes(address, stated)) throw badReply('an address of another public key')
  return { publicKey, address }
}

const XPUB_VERSION = /* @__PURE__ */ Uint8Array.of(0x04, 0x88, 0xb2, 0x1e)

function readExtendedKey(reply: Uint8Array, account: number): string {
  const publicKey = sized(reply, 0)
  if (publicKey?.length !== 33 || reply.length !== 66) throw badReply('no extended public key')
  const place = new Uint8Array(9)
  place[0] = 3
  new DataView(place.buffer).setUint32(5, 0x80000000 + account)
  const payload = concat([XPUB_VERSION, place, reply.subarray(34), publicKey])
  return base58.encode(concat([payload, sha256(sha256(payload)).subarray(0, 4)]))
}

function badReply(found: string): LedgerError {
  return new LedgerError('LEDGER_REPLY', `unexpected reply: ${found}`)
}
