import { createHash } from 'node:crypto'
import { fc, test } from '@fast-check/vitest'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { encodeUnsignedTx } from '../../../src/core/chain/x/tx.ts'
import { encodeUTXO } from '../../../src/core/chain/x/utxo.ts'
import { verifyTx } from '../../../src/core/chain/x/verify/verify.ts'
import { type PartlySigned, requireSigned } from '../../../src/core/sign/job.ts'
import { explainRequest } from '../../../src/core/sign/request/explain-request.ts'
import {
  addSignature,
  createRequest,
  finishRequest,
  requestID,
  requestStatus,
} from '../../../src/core/sign/request/request.ts'
import { formatRequest } from '../../../src/core/sign/request/request-file.ts'
import { mergeRequests } from '../../../src/core/sign/request/request-merge.ts'
import { signRequest, signRequestWith } from '../../../src/core/sign/request/request-sign.ts'
import type { SigningRequest } from '../../../src/core/sign/request/signing-request.ts'
import { signDraft } from '../../../src/core/sign/sign.ts'
import { keyChainSigner } from '../../../src/core/sign/signers.ts'
import { verifySignatures } from '../../../src/core/sign/verify.ts'
import { codeOf } from '../../helpers/vectors.ts'
import { anyDraft } from './arbitraries.ts'
import { coins, fast, keysOf, owners, people, proven, transfer, trusting } from './fixtures.ts'

const accept = trusting

/** The people at these positions, by the hex of their addresses. */
function names(...positions: readonly number[]): string[] {
  return positions.map((i) => hex.encode(people[i]!.address))
}

function signersOf(request: SigningRequest): string[][] {
  return requestStatus(request).map(({ signers }) => signers.map(hex.encode))
}

describe('createRequest', () => {
  const draft = transfer(coins(owners(2, 0, 1, 2), owners(2, 0, 1, 2)))

  it('keeps the draft unchanged, unless more signer sets are requested', () => {
    const request = proven(draft)
    expect(request.signerSets).toEqual([{ unsignedTx: draft.unsignedTx, signatures: [] }])
    expect(request).toMatchObject({ utxos: draft.utxos, change: draft.change })
  })

  it('includes every signer set of 2-of-3 owners, or those among candidates', () => {
    const request = proven(draft, { signers: 'all' })
    expect(signersOf(request).sort()).toEqual([names(0, 1), names(0, 2), names(1, 2)].sort())
    for (const { unsignedTx } of request.signerSets)
      verifyTx({ unsignedTx, credentials: [emptyCredential, emptyCredential] }, networks.local)
    const some = proven(draft, { signers: [people[2]!.address, people[0]!.address] })
    expect(signersOf(some)).toEqual([names(0, 2)])
  })

  it('chooses signers for each group of owners separately', () => {
    const mixed = transfer(coins(owners(2, 0, 1, 2), owners(1, 3, 4), owners(1, 5)))
    const sets = signersOf(proven(mixed, { signers: 'all' }))
    expect(sets).toHaveLength(6)
    expect(new Set(sets.map(String)).size).toBe(6)
    for (const set of sets) expect(set).toHaveLength(4)
  })

  it('rejects too many signer sets and too few candidates', () => {
    const wide = transfer(coins(owners(3, 0, 1, 2, 3, 4, 5), owners(2, 0, 1, 2, 3)))
    expect(codeOf(() => proven(wide, { signers: 'all' }))).toBe('REQUEST_SIGNER_SETS')
    const few = { signers: [people[0]!.address] }
    expect(codeOf(() => proven(draft, few))).toBe('REQUEST_SIGNER_SETS')
    const crowd = Array.from({ length: 100 }, (_, i) => new Uint8Array(20).fill(i))
    const huge = transfer(coins({ locktime: 0n, threshold: 50, addresses: crowd }))
    expect(codeOf(() => proven(huge, { signers: 'all' }))).toBe('REQUEST_SIGNER_SETS')
  })

  it('includes the signatures of the draft and the paths of owners', () => {
    const { signatures } = signDraft(draft, keysOf(1)) as PartlySigned
    const paths = [
      // Person 5 is paid, person 4 has nothing to do with it.
      { address: people[4]!.address, path: "m/44'/9000'/0'/0/4" },
      { address: people[5]!.address, path: "m/44'/9000'/0'/0/5" },
      { address: people[2]!.address, path: "m/44'/9000'/0'/0/2" },
      { address: people[0]!.address, path: "m/44'/9000'/0'/0/0" },
    ]
    const request = proven(draft, { signers: 'all', signatures, paths })
    expect(request.paths).toEqual([paths[3], paths[2], paths[1]])
    const signed = request.signerSets.filter((signerSet) => signerSet.signatures.length > 0)
    expect(signed).toEqual([{ unsignedTx: draft.unsignedTx, signatures }])
    const elsewhere = { signers: [people[0]!.address, people[2]!.address], signatures }
    expect(codeOf(() => proven(draft, elsewhere))).toBe('REQUEST_SIGNER_SETS')
  })
})

const emptyCredential = { type: 'secp256k1fx.Credential', signatures: [] } as const

describe('signRequest', () => {
  const draft = transfer(coins(owners(2, 0, 1, 2)))
  const request = proven(draft, { signers: 'all' })

  for (const present of [
    [0, 1],
    [1, 0],
    [0, 2],
    [2, 0],
    [1, 2],
    [2, 1],
  ] as const)
    it(`completes a 2-of-3 with ${present.join(' and then ')}`, () => {
      const [first, second] = present
      const one = signRequest(request, keysOf(first), { accept })
      expect(codeOf(() => finishRequest(one))).toBe('INCOMPLETE')
      const { signedTx } = finishRequest(signRequest(one, keysOf(second), { accept }))
      verifySignatures(signedTx, draft.utxos)
      expect(signedTx.credentials[0]).toMatchObject({ signatures: [{}, {}] })
      // The same pair, each on their own copy.
      const apart = mergeRequests(one, signRequest(request, keysOf(second), { accept }))
      expect(finishRequest(apart).signedTx).toEqual(signedTx)
    })

  it('refuses signer sets that the explanation does not cover, also if they were not parsed', async () => {
    const [first, ...others] = request.signerSets as [SigningRequest['signerSets'][number]]
    const changed = (outputs: typeof first.unsignedTx.outputs) => ({
      ...request,
      signerSets: [first, { ...first, unsignedTx: { ...first.unsignedTx, outputs } }, ...others],
    })
    const misleading = changed(first.unsignedTx.outputs.slice(1))
    for (const hostile of [misleading, changed(first.unsignedTx.outputs)]) {
      expect(codeOf(() => signRequest(hostile, keysOf(0), { accept }))).toBe('REQUEST_SIGNER_SETS')
      expect(codeOf(() => explainRequest(hostile))).toBe('REQUEST_SIGNER_SETS')
    }
    await expect(
      signRequestWith(misleading, [keyChainSigner(keysOf(0))], { accept }),
    ).rejects.toMatchObject({ code: 'REQUEST_SIGNER_SETS' })
  })

  it('signs every signer set in which the key is a signer', () => {
    const counts = signRequest(request, keysOf(0), { accept }).signerSets.map(
      (v) => v.signatures.length,
    )
    expect(counts.sort()).toEqual([0, 1, 1])
  })

  it('returns one transaction, however many signer sets are complete', () => {
    const all = signRequest(request, keysOf(0, 1, 2), { accept })
    expect(requestStatus(all).every(({ missing }) => missing.length === 0)).toBe(true)
    const signed = finishRequest(all)
    expect(signed.signedTx.unsignedTx).toEqual(all.signerSets[0]!.unsignedTx)
  })

  it('rejects keys that own nothing, keys in no signer set, and dangers', () => {
    expect(codeOf(() => signRequest(request, keysOf(0, 4)))).toBe('UNUSED_KEY')
    const narrow = proven(draft)
    expect(codeOf(() => signRequest(narrow, keysOf(2)))).toBe('KEY_NOT_A_SIGNER')
    const burning = proven(transfer(draft.utxos, { outputs: [] }))
    expect(codeOf(() => signRequest(burning, keysOf(0)))).toBe('BURN')
    const network = { network: networks.fuji }
    expect(codeOf(() => signRequest(request, keysOf(0), network))).toBe('WRONG_NETWORK')
  })

  test.prop([anyDraft])('equals signDraft when all signers sign', (draft) => {
    const keys = keysOf(0, 1, 2, 3, 4, 5)
    const signed = finishRequest(signRequest(proven(draft), keys, { accept }), { backend: fast })
    expect(signed).toEqual(requireSigned(signDraft(draft, keys, { accept })))
  })

  it('works with asynchronous signers', async () => {
    const signed = await signRequestWith(request, [keyChainSigner(keysOf(0, 2))], { accept })
    expect(signed).toEqual(signRequest(request, keysOf(0, 2), { accept }))
    await expect(signRequestWith(request, [keyChainSigner(keysOf(4))])).rejects.toMatchObject({
      code: 'UNUSED_KEY',
    })
  })
})

describe('addSignature', () => {
  const draft = transfer(coins(owners(2, 0, 1, 2)))
  const request = proven(draft, { signers: 'all' })
  const [status] = requestStatus(request)
  const address = status!.signers[1]!
  const person = people.find((p) => hex.encode(p.address) === hex.encode(address))!
  const der = secp256k1.Signature.fromBytes(
    secp256k1.sign(status!.hash, person.key, { prehash: false }),
  ).toBytes('der')

  it('finds the signer set of an external signature', () => {
    const added = addSignature(request, { address, signature: der })
    expect(added.signerSets.map(({ signatures }) => signatures.length)).toEqual([1, 0, 0])
    expect(addSignature(added, { address, signature: der })).toEqual(added)
  })

  it('rejects signatures for no signer set, of another key, and duplicates', () => {
    const hash = new Uint8Array(32).fill(5)
    const other = keysOf(0).sign(people[0]!.address, hash)
    const wrong = { address: people[0]!.address, signature: other }
    expect(codeOf(() => addSignature(request, wrong))).toBe('WRONG_SIGNER')
    const stranger = { address: people[4]!.address, signature: other }
    expect(codeOf(() => addSignature(request, stranger))).toBe('WRONG_SIGNER')
    const added = addSignature(request, { address, signature: der })
    const again = secp256k1.sign(status!.hash, person.key, {
      prehash: false,
      extraEntropy: new Uint8Array(32).fill(1),
    })
    expect(codeOf(() => addSignature(added, { address, signature: again }))).toBe(
      'SIGNATURE_DUPLICATE',
    )
  })
})

describe('mergeRequests', () => {
  const anyPeople = fc.subarray([0, 1, 2, 3, 4, 5])

  test.prop([anyDraft, anyPeople, anyPeople, anyPeople])(
    'is commutative, associative and idempotent',
    (draft, ...parts) => {
      const request = proven(draft)
      const [a, b, c] = parts.map((part) => signRequest(request, keysOf(...part), { accept })) as [
        SigningRequest,
        SigningRequest,
        SigningRequest,
      ]
      const ab = mergeRequests(a, b)
      expect(mergeRequests(b, a)).toEqual(ab)
      expect(mergeRequests(a, a)).toEqual(a)
      expect(mergeRequests(ab, b)).toEqual(ab)
      expect(mergeRequests(ab, c)).toEqual(mergeRequests(a, mergeRequests(b, c)))
      expect(formatRequest(mergeRequests(c, b, a))).toBe(formatRequest(mergeRequests(a, b, c)))
      // Nothing is lost: it is as if all had signed one copy.
      const together = signRequest(request, keysOf(...parts.flat()), { accept })
      expect(mergeRequests(a, b, c)).toEqual(together)
    },
  )

  const draft = transfer(coins(owners(2, 0, 1, 2)))
  const request = proven(draft)

  it('rejects requests for different transactions, UTXOs or change', () => {
    const { unsignedTx, utxos } = draft
    const others = [
      { ...draft, unsignedTx: { ...unsignedTx, memo: new Uint8Array([1]) } },
      { ...draft, utxos: [{ ...utxos[0]!, output: { ...utxos[0]!.output, locktime: 1n } }] },
      { ...draft, change: [] },
    ]
    for (const other of others)
      expect(codeOf(() => mergeRequests(request, createRequest(other)))).toBe('REQUEST_CONFLICT')
    const wider = proven(draft, { signers: 'all' })
    expect(codeOf(() => mergeRequests(request, wider))).toBe('REQUEST_CONFLICT')
    const context = { ...networks.local, chainID: new Uint8Array(32).fill(1) }
    expect(codeOf(() => mergeRequests(request, { ...request, context }))).toBe('REQUEST_CONFLICT')
  })

  it('rejects two different signatures of one key, and different paths', () => {
    const { key, address } = people[0]!
    const { hash } = requestStatus(request)[0]!
    const random = { prehash: false, extraEntropy: new Uint8Array(32).fill(9) }
    const a = signRequest(request, keysOf(0), { accept })
    const b = addSignature(request, { address, signature: secp256k1.sign(hash, key, random) })
    expect(codeOf(() => mergeRequests(a, b))).toBe('REQUEST_CONFLICT')
    const path = (index: number) => ({
      ...request,
      paths: [{ address, path: `m/44'/9000'/0'/0/${index}` }],
    })
    expect(codeOf(() => mergeRequests(path(0), path(1)))).toBe('REQUEST_CONFLICT')
    expect(mergeRequests(path(0), request).paths).toEqual(path(0).paths)
  })
})

describe('finishRequest', () => {
  it('lists the missing signatures of the most complete signer set', () => {
    const draft = transfer(coins(owners(2, 0, 1, 2), owners(1, 3)))
    const request = signRequest(proven(draft, { signers: 'all' }), keysOf(2, 3), { accept })
    expect(requestStatus(request).map(({ missing }) => missing.length)).toEqual([2, 1, 1])
    try {
      finishRequest(request)
      expect.unreachable('should throw')
    } catch (error) {
      expect(error).toMatchObject({ code: 'INCOMPLETE', missing: [{ credential: 0 }] })
    }
  })

  it('verifies signatures that were added without addSignature', () => {
    const draft = transfer(coins(owners(1, 0)))
    const request = signRequest(proven(draft), keysOf(0), { accept })
    const [signerSet] = request.signerSets
    const [item] = signerSet!.signatures
    const forged = { ...item!, signature: item!.signature.with(3, item!.signature[3]! ^ 1) }
    const tampered = { ...request, signerSets: [{ ...signerSet!, signatures: [forged] }] }
    expect(['WRONG_SIGNER', 'SIG_INVALID']).toContain(codeOf(() => finishRequest(tampered)))
  })
})

describe('requestID', () => {
  it('equals the hash that the schema describes', () => {
    const sha = (data: Uint8Array | string) => createHash('sha256').update(data).digest()
    const draft = transfer(coins(owners(2, 0, 1, 2)))
    const request = proven(draft, { signers: 'all' })
    const { chainID, assetID } = networks.local
    const txs = request.signerSets.map(({ unsignedTx }) => encodeUnsignedTx(unsignedTx))
    const parts = [
      'avmkit signing request 2, X-Chain of network 12345',
      chainID,
      assetID,
      ...draft.utxos.map(encodeUTXO),
      `${hex.encode(assetID)}:${draft.change[0]!.amount}`,
      '1 UTXOs, 1 amounts of change',
      ...txs.toSorted(Buffer.compare),
    ]
    expect(hex.encode(requestID(request))).toBe(sha(Buffer.concat(parts.map(sha))).toString('hex'))
  })

  test.prop([anyDraft, fc.subarray([0, 1, 2, 3, 4, 5])])(
    'does not depend on signatures',
    (draft, who) => {
      const request = proven(draft)
      const signed = signRequest(request, keysOf(...who), { accept })
      expect(requestID(signed)).toEqual(requestID(request))
      const other = { ...draft, unsignedTx: { ...draft.unsignedTx, memo: new Uint8Array(70) } }
      expect(requestID(proven(other))).not.toEqual(requestID(request))
      expect(encodeUnsignedTx(request.signerSets[0]!.unsignedTx)).toEqual(
        encodeUnsignedTx(draft.unsignedTx),
      )
    },
  )
})
