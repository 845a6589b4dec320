import { HDKey } from '@scure/bip32'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import {
  accountFromMnemonic,
  HDAccount,
  parseHDPath,
  WatchAccount,
} from '../../../../src/core/crypto/hd/index.ts'
import { publicKeyOf } from '../../../../src/core/crypto/secp256k1.ts'
import { vectors } from '../cases.ts'

type HDVector = {
  readonly name: string
  readonly hd?: {
    readonly mnemonic?: string
    readonly seedHex?: string
    readonly xpub?: string
    readonly path?: string
    readonly pathTemplate?: string
  }
  readonly privateKeyHex?: string
  readonly publicKeyHex?: string
  readonly addressHex?: string
  readonly addresses?: readonly {
    readonly index: number
    readonly addressHex: string
    readonly publicKeyHex?: string
  }[]
}

// The C-Chain's paths, m/44'/60', are omitted.
const derivations = [
  ...vectors<HDVector>('addresses.json'),
  ...vectors<HDVector>('signing.json'),
].filter(({ hd }) => (hd?.path ?? hd?.pathTemplate)?.startsWith("m/44'/9000'/"))

/** The keys of a vector, each with its path. */
function keysOf(v: HDVector) {
  if (v.hd!.path !== undefined) return [{ path: v.hd!.path, ...v }]
  return v.addresses!.map((key) => ({
    privateKeyHex: undefined,
    ...key,
    path: v.hd!.pathTemplate!.replace(/i$/, `${key.index}`),
  }))
}

function accountOf(hd: NonNullable<HDVector['hd']>, account: number): HDAccount | undefined {
  if (hd.mnemonic !== undefined) return accountFromMnemonic(hd.mnemonic, { account })
  return hd.seedHex === undefined ? undefined : new HDAccount(hex.decode(hd.seedHex), { account })
}

const mnemonic = derivations.find((v) => v.hd!.mnemonic !== undefined)!.hd!.mnemonic!
const xpub = derivations.find((v) => v.hd!.xpub !== undefined)!.hd!.xpub!
const position = { change: 0, index: 0 }

for (const v of derivations)
  describe(v.name, () => {
    const keys = keysOf(v)
    const { account } = parseHDPath(keys[0]!.path)
    const secret = accountOf(v.hd!, account)

    if (secret !== undefined)
      it('is what HDAccount derives', () => {
        for (const key of keys) {
          const path = parseHDPath(key.path)
          const privateKey = secret.privateKey(path)
          if (key.privateKeyHex !== undefined)
            expect(hex.encode(privateKey)).toBe(key.privateKeyHex)
          if (key.addressHex !== undefined) {
            expect(hex.encode(secret.keyChain([path]).addresses[0]!)).toBe(key.addressHex)
            expect(hex.encode(secret.watch.address(path))).toBe(key.addressHex)
          }
          expect(secret.watch.publicKey(path)).toEqual(publicKeyOf(privateKey))
          expect(secret.watch.path(path)).toBe(key.path)
        }
      })

    if (v.hd!.xpub !== undefined)
      it('is what WatchAccount derives', () => {
        const watch = new WatchAccount(v.hd!.xpub!)
        expect(watch.account).toBe(account)
        if (secret !== undefined) expect(secret.watch.extendedPublicKey).toBe(v.hd!.xpub)
        for (const key of keys) {
          const path = parseHDPath(key.path)
          expect(hex.encode(watch.address(path))).toBe(key.addressHex)
          if (key.publicKeyHex !== undefined)
            expect(hex.encode(watch.publicKey(path))).toBe(key.publicKeyHex)
        }
      })
  })

describe('HDAccount', () => {
  it('derives other keys for another account and another passphrase', () => {
    const accounts = [
      accountFromMnemonic(mnemonic),
      accountFromMnemonic(mnemonic, { account: 1 }),
      accountFromMnemonic(mnemonic, { passphrase: 'x' }),
    ]
    const addresses = accounts.map(({ watch }) => hex.encode(watch.address(position)))
    expect(new Set(addresses).size).toBe(3)
    expect(accounts.map(({ watch }) => watch.account)).toEqual([0, 1, 0])
  })

  it('equals a path derived in one step', () => {
    const seed = new Uint8Array(32).fill(7)
    const expected = HDKey.fromMasterSeed(seed).derive("m/44'/9000'/5'/1/9").privateKey
    const key = new HDAccount(seed, { account: 5 }).privateKey({ change: 1, index: 9 })
    expect(key).toEqual(expected)
  })

  it('returns no private key after wipe(), while addresses and key chains remain usable', () => {
    const account = accountFromMnemonic(mnemonic)
    const keys = account.keyChain([position])
    account.wipe()
    expect(() => account.privateKey(position)).toThrow(
      expect.objectContaining({ code: 'KEY_WIPED' }),
    )
    expect(() => account.keyChain([position])).toThrow(
      expect.objectContaining({ code: 'KEY_WIPED' }),
    )
    expect(keys.addresses).toEqual([account.watch.address(position)])
    account.wipe()
  })

  it('rejects a seed of the wrong size and numbers out of range', () => {
    for (const size of [15, 65])
      expect(() => new HDAccount(new Uint8Array(size))).toThrow(
        expect.objectContaining({ code: 'KEY_INVALID', reason: 'length' }),
      )
    const seed = new Uint8Array(32)
    const outOfRange = expect.objectContaining({ code: 'ENC_INVALID' })
    expect(() => new HDAccount(seed, { account: 0x80000000 })).toThrow(outOfRange)
    const account = new HDAccount(seed)
    expect(() => account.privateKey({ change: -1, index: 0 })).toThrow(outOfRange)
    expect(() => account.privateKey({ change: 0, index: 0x80000000 })).toThrow(outOfRange)
    expect(() => account.watch.address({ change: 0, index: 0.5 })).toThrow(outOfRange)
  })
})

describe('WatchAccount', () => {
  const root = HDKey.fromMasterSeed(new Uint8Array(32).fill(7))
  const refused: readonly (readonly [string, string])[] = [
    ['an empty text', ''],
    ['a changed letter', `${xpub.slice(0, -1)}${xpub.endsWith('1') ? '2' : '1'}`],
    ['an extended private key', root.derive("m/44'/9000'/0'").privateExtendedKey],
    ['the key of the root', root.publicExtendedKey],
    ['the key of a chain', root.derive("m/44'/9000'/0'/0").publicExtendedKey],
    ['a key whose last number is not hardened', root.derive("m/44'/9000'/0").publicExtendedKey],
  ]
  for (const [name, text] of refused)
    it(`rejects ${name}`, () => {
      expect(() => new WatchAccount(text)).toThrow(
        expect.objectContaining({ code: 'XPUB_INVALID' }),
      )
    })

  it('returns addresses with their paths', () => {
    const account = new WatchAccount(xpub)
    const positions = [
      { change: 0, index: 0 },
      { change: 1, index: 7 },
    ]
    expect(account.paths(positions)).toEqual([
      { address: account.address(positions[0]!), path: "m/44'/9000'/0'/0/0" },
      { address: account.address(positions[1]!), path: "m/44'/9000'/0'/1/7" },
    ])
  })
})
