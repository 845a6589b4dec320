import { format, inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { formatPrivateKey } from '../../../src/core/base/encoding/ids.ts'
import {
  accountFromMnemonic,
  HDAccount,
  parseMnemonic,
  WatchAccount,
} from '../../../src/core/crypto/hd/index.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { publicKeyOf, recoverPublicKey, signHash } from '../../../src/core/crypto/secp256k1.ts'
import { normalizeSignature } from '../../../src/core/crypto/signature.ts'

const mnemonic =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
const position = { change: 0, index: 0 }

/** The encodings in which a secret could appear. */
function textsOf(secret: Uint8Array): string[] {
  return [
    hex.encode(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    BigInt(`0x${hex.encode(secret)}`).toString(),
    secret.join(),
    secret.join(', '),
    Array.from(secret, (byte, i) => `"${i}":${byte}`).join(),
    [...secret].map((byte) => byte.toString(16).padStart(2, '0')).join(' '),
  ]
}

/** Everything that is visible of a value without reading a secret explicitly. */
function shown(value: unknown): string {
  const texts = [
    inspect(value, { depth: 20, showHidden: true, getters: true, maxArrayLength: null }),
    inspect(value, { customInspect: false, depth: 20, showHidden: true, maxArrayLength: null }),
    format('%s %o %O %j', value, value, value, value),
    String(value),
    JSON.stringify(value) ?? '',
    JSON.stringify(Object.entries(value as object)),
    JSON.stringify(structuredCloneOf(value)) ?? '',
  ]
  if (value instanceof Error)
    texts.push(
      value.message,
      value.stack ?? '',
      value.cause === undefined ? '' : shown(value.cause),
    )
  // `inspect` prints bytes as a table.
  return texts.join('\n').replaceAll(/\s+/g, ' ').toLowerCase()
}

function structuredCloneOf(value: unknown): unknown {
  try {
    return structuredClone(value)
  } catch {
    return undefined
  }
}

function thrown(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return expect.unreachable('should throw')
}

function expectHidden(value: unknown, secrets: readonly string[]): void {
  const text = shown(value)
  // Empty lines would hide everything.
  expect(text.trim()).not.toBe('')
  for (const secret of secrets) expect(text).not.toContain(secret.toLowerCase())
}

const privateKey = hex.decode('56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027')
const secrets = [...textsOf(privateKey), formatPrivateKey(privateKey).slice('PrivateKey-'.length)]

describe('the search for secrets', () => {
  it('detects a key that is not hidden', () => {
    expect(() => expectHidden({ privateKey }, secrets)).toThrow()
    expect(() => expectHidden(new Error(hex.encode(privateKey)), secrets)).toThrow()
    expect(() => expectHidden(new Error('x', { cause: { privateKey } }), secrets)).toThrow()
  })
})

describe('KeyChain', () => {
  it('shows addresses but no keys before use, after use and after wipe()', () => {
    const keys = new KeyChain([privateKey])
    expectHidden(keys, secrets)
    keys.sign(keys.addresses[0]!, new Uint8Array(32).fill(1))
    expectHidden(keys, secrets)
    expectHidden({ nested: [keys] }, secrets)
    const address = '3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c'
    expect(inspect(keys)).toBe(`KeyChain (${address})`)
    expect(JSON.stringify({ keys })).toBe(`{"keys":{"addresses":["${address}"]}}`)
    keys.wipe()
    expectHidden(keys, secrets)
  })

  it('throws errors without the key', () => {
    const keys = new KeyChain([privateKey])
    const stranger = new Uint8Array(20)
    expectHidden(
      thrown(() => keys.sign(stranger, privateKey)),
      secrets,
    )
    expectHidden(
      thrown(() => keys.sign(keys.addresses[0]!, stranger)),
      secrets,
    )
  })

  it('throws errors without any part of an invalid key', () => {
    const text = formatPrivateKey(privateKey)
    const broken = [`${text}1`, text.slice(0, -1), text.slice(11), `${hex.encode(privateKey)}0`]
    for (const key of [...broken, `${hex.encode(privateKey)}zz`, `  ${text}`])
      expectHidden(
        thrown(() => new KeyChain([key])),
        [key, text.slice(11, -2), hex.encode(privateKey).slice(0, 16), ...secrets],
      )
  })
})

describe('the curve functions', () => {
  it('throw errors without the key', () => {
    const long = new Uint8Array([...privateKey, 1])
    for (const run of [
      () => signHash(new Uint8Array(31), privateKey),
      () => signHash(new Uint8Array(32), long),
      () => publicKeyOf(long),
      // Keys where a hash, a signature or a signer belongs.
      () => recoverPublicKey(long, privateKey),
      () => recoverPublicKey(privateKey, privateKey),
      () => normalizeSignature(privateKey, { hash: privateKey, signer: new Uint8Array(20) }),
      () => normalizeSignature(new Uint8Array(65), { hash: privateKey, signer: privateKey }),
    ])
      expectHidden(thrown(run), secrets)
  })
})

describe('HDAccount', () => {
  const account = accountFromMnemonic(mnemonic)
  const derived = account.privateKey(position)

  it('shows its account number but no key', () => {
    const hidden = [...textsOf(derived), 'xprv', mnemonic]
    expectHidden(account, hidden)
    expectHidden(account.keyChain([position]), hidden)
    expect(inspect(account)).toBe("HDAccount (m/44'/9000'/0')")
    expect(JSON.stringify(account)).toBe('{"account":0}')
    const wiped = new HDAccount(new Uint8Array(16).fill(5))
    wiped.wipe()
    expectHidden(
      thrown(() => wiped.privateKey(position)),
      ['xprv', ...textsOf(new Uint8Array(16).fill(5))],
    )
  })

  it('throws errors without any part of a mnemonic, a seed or an xprv', () => {
    for (const text of [
      `${mnemonic} about`,
      mnemonic.replace('about', 'zebra'),
      `zzz ${mnemonic.slice(8)}`,
    ])
      expectHidden(
        thrown(() => parseMnemonic(text)),
        ['abandon', 'zebra', 'zzz'],
      )
    const seed = new Uint8Array(65).fill(0xa7)
    expectHidden(
      thrown(() => new HDAccount(seed)),
      textsOf(seed),
    )
    // The extended private key of BIP-32's first test vector, chain m.
    const xprv =
      'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi'
    expectHidden(
      thrown(() => new WatchAccount(xprv)),
      [xprv],
    )
    expectHidden(
      thrown(() => new WatchAccount(`${xprv}1`)),
      [xprv],
    )
  })
})
