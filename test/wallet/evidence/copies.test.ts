import { describe, expect, it } from 'vitest'
import { networks } from '../../../src/core/chain/networks.ts'
import { decodeTx, encodeTx, type SignedTx } from '../../../src/core/chain/x/tx.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { nobleBackend as noble } from '../../../src/core/crypto/secp256k1.ts'
import { buildTransfer } from '../../../src/core/draft/x/transfer.ts'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { signDraft } from '../../../src/core/sign/sign.ts'
import { copyOf } from '../../../src/wallet/evidence/copies.ts'
import { variantOf } from '../../../src/wallet/recovery/variant.ts'

const keys = new KeyChain([new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)])
const stranger = new KeyChain([new Uint8Array(32).fill(3)])

/** A transaction with an input of each key. */
const draft = buildTransfer({
  context: networks.local,
  funds: {
    utxos: keys.addresses.map((address, i) => ({
      txID: new Uint8Array(32).fill(i + 1),
      outputIndex: 0,
      assetID: networks.local.assetID,
      output: {
        type: 'secp256k1fx.TransferOutput',
        amount: networks.local.txFee,
        locktime: 0n,
        threshold: 1,
        addresses: [address],
      },
    })),
    owners: keys.addresses,
    now: 0n,
  },
  outputs: [{ to: stranger.addresses[0]!, amount: 5n }],
})

const signed = (entropy: number) =>
  requireSigned(signDraft(draft, keys, { extraEntropy: new Uint8Array(32).fill(entropy) })).bytes

const attempt = signed(1)
const variant = (bytes: Uint8Array) => variantOf(decodeTx(bytes), keys, noble)
const second = variant(attempt)!
const relation = (tx: SignedTx) => copyOf(tx, attempt, variant, noble)

/** A transaction with one credential of another. */
function withCredential(bytes: Uint8Array, other: Uint8Array, at = 0): SignedTx {
  const tx = decodeTx(bytes)
  const credentials = tx.credentials.map((one, i) =>
    i === at ? decodeTx(other).credentials[at]! : one,
  )
  return { ...tx, credentials }
}

describe('a transaction that differs from an attempt at most in its signatures', () => {
  it('is the attempt with its signatures, those of a variant, or some of each', () => {
    expect(relation(decodeTx(attempt))).toBe('attempt')
    expect(relation(decodeTx(second))).toBe('attempt')
    expect(relation(decodeTx(variant(second)!))).toBe('attempt')
    const mixed = withCredential(attempt, second)
    expect(encodeTx(mixed)).not.toEqual(attempt)
    expect(relation(mixed)).toBe('attempt')
  })

  it('is a rival with other signatures of the same keys, as an equal payment of another store has', () => {
    expect(relation(decodeTx(signed(2)))).toBe('rival')
    expect(relation(withCredential(attempt, signed(2), 1))).toBe('rival')
  })

  it('is forged with signatures of others, in the wrong place, of the wrong number or type', () => {
    const tx = decodeTx(attempt)
    const [one, other] = tx.credentials as [
      (typeof tx.credentials)[number],
      (typeof tx.credentials)[number],
    ]
    const forged = (credentials: readonly unknown[]) =>
      relation({ ...tx, credentials } as unknown as SignedTx)
    const zeros = { ...one, signatures: [new Uint8Array(65)] }
    expect(forged([zeros, other])).toBe('forged')
    expect(forged([other, one])).toBe('forged')
    expect(forged([one])).toBe('forged')
    expect(forged([one, other, other])).toBe('forged')
    expect(forged([{ ...one, signatures: [] }, other])).toBe('forged')
    expect(forged([{ ...one, type: 'nftfx.Credential' }, other])).toBe('forged')
    expect(forged([{ ...one, type: 'unknown' }, other])).toBe('forged')
  })

  it('is anything else if it differs in more', () => {
    const tx = decodeTx(attempt)
    const other = { ...tx, unsignedTx: { ...tx.unsignedTx, memo: Uint8Array.of(1) } }
    expect(relation(other)).toBeUndefined()
  })
})
