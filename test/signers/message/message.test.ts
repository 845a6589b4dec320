import { createHash } from 'node:crypto'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { cb58 } from '../../../src/core/base/encoding/cb58.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { signHash } from '../../../src/core/crypto/secp256k1.ts'
import { ledgerApp } from '../../../src/signers/ledger/index.ts'
import { encodeMessage, signMessage, verifyMessage } from '../../../src/signers/message/index.ts'
import { keysOf, people } from '../../core/sign/fixtures.ts'
import { vectors } from '../../helpers/vectors.ts'
import { EmulatedLedger } from '../ledger/emulated-ledger.ts'

type Vector = { name: string; message: string; address: string; signature: string }

const codeOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    return (error as { code: string }).code
  }
  return 'none'
}

describe('verifyMessage', () => {
  for (const { name, message, address, signature } of vectors<{ vectors: Vector[] }>(
    'messages/signatures.json',
  ).vectors) {
    it(`verifies a ${name}`, () => {
      verifyMessage(message, signature, { address })
      verifyMessage(message, hex.encode(cb58.decode(signature)), { address })
      verifyMessage(message, cb58.decode(signature), { address: address.replace('X-', 'P-') })
    })

    it(`refuses a changed ${name}`, () => {
      expect(codeOf(() => verifyMessage(`${message} `, signature, { address }))).toBe(
        'MESSAGE_SIGNER',
      )
      const other = people[0]!.address
      expect(codeOf(() => verifyMessage(message, signature, { address: other }))).toBe(
        'MESSAGE_SIGNER',
      )
      for (const broken of ['', 'baba', signature.slice(1), '0x00', `${'00'.repeat(65)}`])
        expect(codeOf(() => verifyMessage(message, broken, { address }))).toBe('MESSAGE_SIGNATURE')
    })
  }

  it('verifies texts whose length was converted to text, as the former web wallet does', () => {
    const { key, address } = people[1]!
    const message = 'é'.repeat(100)
    // As ava-labs/avalanche-wallet, src/helpers/helper.ts, digestMessage.
    const size = Buffer.alloc(4)
    size.writeUInt32BE(Buffer.byteLength(message))
    const text = Buffer.from(`\x1AAvalanche Signed Message:\n${size}${message}`, 'utf8')
    const hash = createHash('sha256').update(text).digest()
    verifyMessage(message, signHash(hash, key), { address })
    expect(
      codeOf(() => verifyMessage(Buffer.from(message), signHash(hash, key), { address })),
    ).toBe('MESSAGE_SIGNER')
  })
})

describe('signMessage', () => {
  test.prop([fc.string({ maxLength: 300 }), fc.nat(5)])(
    'signs what verifyMessage accepts, for this message and key only',
    (message, i) => {
      const keys = keysOf(i)
      const signature = signMessage(message, keys)
      verifyMessage(message, signature, { address: keys.addresses[0]! })
      const other = people[(i + 1) % 6]!.address
      expect(codeOf(() => verifyMessage(message, signature, { address: other }))).toBe(
        'MESSAGE_SIGNER',
      )
      expect(
        codeOf(() => verifyMessage(`${message}.`, signature, { address: keys.addresses[0]! })),
      ).toBe('MESSAGE_SIGNER')
    },
  )

  it('signs with the key of an address, and refuses others', () => {
    const keys = keysOf(0, 1)
    const { address } = people[1]!
    verifyMessage('hello', signMessage('hello', keys, { address }), { address })
    expect(codeOf(() => signMessage('hello', keys, { address: people[2]!.address }))).toBe(
      'KEY_UNKNOWN',
    )
    expect(codeOf(() => signMessage('hello', { ...keys, addresses: [] } as never))).not.toBe('none')
  })

  it('signs nothing that could be a transaction', () => {
    // Transactions begin with the codec version 0.
    expect(encodeMessage('').slice(0, 2)).toEqual(Uint8Array.of(0x1a, 0x41))
  })
})

describe('signMessage of the Ledger app', () => {
  it('signs what encodeMessage gives, and the device shows the message', async () => {
    const device = new EmulatedLedger()
    const app = ledgerApp(device)
    const path = "m/44'/9000'/0'/0/3"
    const { address } = await app.publicKey({ path })
    const message = 'I own this address; sign in to example.org'
    const signature = await app.signMessage({ path, bytes: encodeMessage(message) })
    verifyMessage(message, signature, { address })
    expect(device.reviews).toEqual([
      [
        ['Sign', 'Avax Message'],
        ['Message', message],
      ],
    ])
    await expect(
      app.signMessage({ path, bytes: new TextEncoder().encode(message) }),
    ).rejects.toMatchObject({ code: 'LEDGER_DATA_REFUSED' })
  })
})
