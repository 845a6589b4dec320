import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { txID } from '../../../src/core/chain/x/ids.ts'
import { decodeTx, encodeUnsignedTx } from '../../../src/core/chain/x/tx.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { nobleBackend as backend } from '../../../src/core/crypto/secp256k1.ts'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { signDraft } from '../../../src/core/sign/sign.ts'
import { nonceEntropy } from '../../../src/wallet/recovery/nonce-entropy.ts'
import { variantOf } from '../../../src/wallet/recovery/variant.ts'
import { addressOf, direct, fee, people, scene } from '../setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]

describe('variantOf', () => {
  it('has the same content, another ID, and is accepted by the node', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), fee)
    const mine = wallet()
    const { draft } = await mine.prepare.transfer({ to: addressOf(you), amount: fee })
    const { signedTx } = requireSigned(signDraft(draft, me))
    const variant = variantOf(signedTx, me, backend)!
    // Always the same one, so that it is recognized without a record.
    expect(variantOf(signedTx, me, backend)).toEqual(variant)
    const variants = [variant, variantOf(decodeTx(variant), me, backend)!]
    const ids = [signedTx, ...variants.map((bytes) => decodeTx(bytes))].map((tx) =>
      hex.encode(txID(tx)),
    )
    expect(new Set(ids).size).toBe(3)
    for (const bytes of variants) {
      const { unsignedTx, credentials } = decodeTx(bytes)
      expect(encodeUnsignedTx(unsignedTx)).toEqual(encodeUnsignedTx(signedTx.unsignedTx))
      // One signature per key and transaction.
      const all = credentials.flatMap((one) => ('signatures' in one ? one.signatures : []))
      expect(all.length).toBeGreaterThan(1)
      expect(new Set(all.map(hex.encode)).size).toBe(1)
    }
    await direct(node).avm.issueTx({ tx: variants[1]! })
  })

  it('keeps the signatures of keys that it does not have', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 9n * fee)
    const shared = { to: [addressOf(me), addressOf(third)], threshold: 2, amount: 5n * fee }
    await wallet().transfer(shared)
    const both = new KeyChain([1, 3].map((byte) => new Uint8Array(32).fill(byte)))
    const all = await wallet({ keys: both }).utxos()
    const pinned = all
      .ofType('secp256k1fx.TransferOutput')
      .filter(({ output }) => output.threshold === 2)
    const choose = { pinned }
    const prepared = await wallet({ keys: both }).prepare.transfer({
      to: addressOf(you),
      amount: 3n * fee,
      choose,
    })
    const { signedTx } = requireSigned(signDraft(prepared.draft, both))
    const bytes = variantOf(signedTx, me, backend)!
    const before = signedTx.credentials.flatMap((one) =>
      'signatures' in one ? one.signatures : [],
    )
    const after = decodeTx(bytes).credentials.flatMap((one) =>
      'signatures' in one ? one.signatures : [],
    )
    const changed = before.filter((signature, i) => hex.encode(signature) !== hex.encode(after[i]!))
    expect(changed).toHaveLength(1)
    await direct(node).avm.issueTx({ tx: bytes })
  })

  it('is undefined if none of the signatures was made by the keys', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    const { draft } = await wallet().prepare.transfer({ to: addressOf(you), amount: 5n })
    const { signedTx } = requireSigned(signDraft(draft, me))
    expect(variantOf(signedTx, third, backend)).toBeUndefined()
  })
})

describe('nonceEntropy', () => {
  it('is 32 bytes, different each time', () => {
    const all = Array.from({ length: 100 }, nonceEntropy)
    expect(all.every(({ length }) => length === 32)).toBe(true)
    expect(new Set(all.map(hex.encode)).size).toBe(100)
  })
})
