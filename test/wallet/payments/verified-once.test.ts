import { describe, expect, it } from 'vitest'
import { checkedBackend } from '../../../src/core/crypto/backend.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { nobleBackend } from '../../../src/core/crypto/secp256k1.ts'
import type { Keys } from '../../../src/core/sign/signer.ts'
import { memoryStore } from '../../../src/wallet/store/index.ts'
import { addressOf, balanceOf, fee, people, scene } from '../setup.ts'

const secret = new Uint8Array(32).fill(31)
const me = new KeyChain([secret])
const [you, thief] = people as [KeyChain, KeyChain]

/** A backend that counts the signatures that are verified. */
function countingBackend() {
  const counts = { verified: 0 }
  const backend = checkedBackend({
    sign: (hash, key, entropy) => nobleBackend.sign(hash, key, entropy),
    publicKey: (key) => nobleBackend.publicKey(key),
    recover: (hash, signature, recoveryID) => {
      counts.verified++
      const whole = signature.slice()
      whole[64] = recoveryID
      return nobleBackend.recover(hash, whole)
    },
  })
  return { backend, counts }
}

async function paid(keys: Keys, options = {}) {
  const { node, wallet } = await scene()
  node.fund(addressOf(me), 3n * fee)
  const mine = wallet({ keys, store: memoryStore(), ...options })
  const payment = { to: addressOf(you), amount: 5n }
  await mine.transfer(payment, { key: 'a' })
  return balanceOf(node, you)
}

describe('the signature of a payment', () => {
  it('is verified once if a key chain made it', async () => {
    const { backend, counts } = countingBackend()
    expect(await paid(me, { backend })).toBe(5n)
    expect(counts.verified).toBe(1)
  })

  it('is verified again if anything else made it, whatever it claims', async () => {
    const claiming: Keys = Object.assign(Object.create(null), {
      addresses: me.addresses,
      publicKeys: me.publicKeys,
      has: (address: Uint8Array) => me.has(address),
      derivedEntropy: (address: Uint8Array, context: Uint8Array) =>
        me.derivedEntropy(address, context),
      sign: (_: Uint8Array, hash: Uint8Array) => thief.sign(thief.addresses[0]!, hash),
    })
    await expect(paid(claiming)).rejects.toMatchObject({ code: 'WRONG_SIGNER' })
  })
})
