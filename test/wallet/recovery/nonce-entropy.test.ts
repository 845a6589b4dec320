import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { derivingKeys, entropyContext } from '../../../src/wallet/recovery/nonce-entropy.ts'

const secret = new Uint8Array(32).fill(7)
const keys = new KeyChain([secret])
const storeID = new Uint8Array(16).fill(0xab)
const payment = (key: string, byte: number) => ({ key, digest: new Uint8Array(32).fill(byte) })

it('nonces of payments are derived from the secret, the store and length-prefixed keys with digests', () => {
  const context = entropyContext(storeID, [payment('a', 1), payment('ü1', 2)])!
  const expected = [
    'ab'.repeat(16),
    '00000001',
    '61',
    '01'.repeat(32),
    '00000003',
    'c3bc31',
    '02'.repeat(32),
    '00000000',
  ]
  expect(Buffer.from(context).toString('hex')).toBe(expected.join(''))
  const hash = new Uint8Array(32).fill(5)
  const entropy = createHmac('sha256', secret).update(context).digest()
  const [address] = keys.addresses as [Uint8Array]
  expect(derivingKeys(keys, context).sign(address, hash)).toEqual(
    keys.sign(address, hash, new Uint8Array(entropy)),
  )
})

it('nonces of payments without a key of the caller, or without a store ID, are random', () => {
  expect(entropyContext(undefined, [payment('a', 1)])).toBeUndefined()
  const generated = { ...payment('b', 2), generated: true }
  expect(entropyContext(storeID, [payment('a', 1), generated])).toBeUndefined()
})
