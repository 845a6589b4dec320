import { secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { hashToSign } from '../../../src/core/chain/x/ids.ts'
import { encodeUnsignedTx } from '../../../src/core/chain/x/tx.ts'
import { accountFromMnemonic } from '../../../src/core/crypto/hd/index.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { type PartlySigned, requireSigned } from '../../../src/core/sign/job.ts'
import { finishRequest } from '../../../src/core/sign/request/request.ts'
import { signRequestWith } from '../../../src/core/sign/request/request-sign.ts'
import { signDraft, signDraftWith } from '../../../src/core/sign/sign.ts'
import type { SignAllQuery, SignatureQuery, Signer } from '../../../src/core/sign/signer.ts'
import { hdSigner, keyChainSigner } from '../../../src/core/sign/signers.ts'
import { coins, keysOf, owners, people, proven, transfer } from './fixtures.ts'

async function codeOf(run: Promise<unknown>): Promise<string | undefined> {
  try {
    await run
    return undefined
  } catch (error) {
    return (error as { code?: string }).code
  }
}

/** Signs with noble in the given form, for one person. */
function device(person: number, form: 'compact' | 'der', lowS = true): Signer {
  const { key, address } = people[person]!
  return {
    addresses: [address],
    sign: async ({ hash }) =>
      secp256k1.Signature.fromBytes(
        secp256k1.sign(hash, key, { prehash: false, lowS, format: 'compact' }),
        'compact',
      ).toBytes(form),
  }
}

describe('signDraftWith', () => {
  const draft = transfer(coins(owners(2, 0, 1), owners(1, 1), owners(1, 2)))
  const whole = signDraft(draft, keysOf(0, 1, 2))

  it('equals signDraft for signers of all kinds', async () => {
    expect(await signDraftWith(draft, [keyChainSigner(keysOf(0, 1, 2))])).toEqual(whole)
    const devices = [device(0, 'der'), device(1, 'compact', false), device(2, 'der', false)]
    expect(await signDraftWith(draft, devices)).toEqual(whole)
    const all = keysOf(0, 1, 2)
    const anyone: Signer = { sign: ({ address, hash }) => all.sign(address, hash) }
    expect(await signDraftWith(draft, [anyone])).toEqual(whole)
  })

  it('requests one signature per address, with hash, bytes and path', async () => {
    const keys = keysOf(0, 1, 2)
    const queries: SignatureQuery[] = []
    const signer: Signer = {
      sign: async (query) => {
        queries.push(query)
        return keys.sign(query.address, query.hash)
      },
    }
    const paths = [{ address: people[1]!.address, path: "m/44'/9000'/0'/0/7" }]
    await signDraftWith(draft, [signer], { paths })
    expect(queries.map(({ address }) => hex.encode(address))).toEqual(
      [0, 1, 2].map((i) => hex.encode(people[i]!.address)),
    )
    expect(queries.map(({ path }) => path)).toEqual([undefined, "m/44'/9000'/0'/0/7", undefined])
    expect(queries[0]!.hash).toEqual(hashToSign(draft.unsignedTx))
    expect(queries[0]!.unsignedBytes).toEqual(encodeUnsignedTx(draft.unsignedTx))
  })

  it('reports missing signers if a signer does not sign for all addresses', async () => {
    const result = await signDraftWith(draft, [keyChainSigner(keysOf(0)), device(2, 'der')])
    expect(result).toMatchObject({
      complete: false,
      missing: [
        { credential: 0, slot: 1, address: people[1]!.address },
        { credential: 1, slot: 0, address: people[1]!.address },
      ],
    })
  })

  it('accepts that a signer with known addresses declines', async () => {
    const declining: Signer = { addresses: [people[2]!.address], sign: async () => undefined }
    const result = await signDraftWith(draft, [keyChainSigner(keysOf(0, 1)), declining])
    expect(result).toMatchObject({ complete: false, missing: [{ credential: 2, slot: 0 }] })
  })

  it('rejects wrong signatures and is not affected by a signer that modifies its arguments', async () => {
    const { address } = people[0]!
    const wrong = (sign: Signer['sign']) => signDraftWith(draft, [{ addresses: [address], sign }])
    const stranger = keysOf(4)
    const theirs = stranger.addresses[0]!
    expect(await codeOf(wrong(({ hash }) => stranger.sign(theirs, hash)))).toBe('WRONG_SIGNER')
    expect(await codeOf(wrong(() => new Uint8Array(65)))).toBe('SIG_INVALID')
    expect(await codeOf(wrong(() => new Uint8Array([0x30, 1])))).toBe('SIG_MALFORMED')
    const result = await wrong((query) => {
      const signature = keysOf(0).sign(address, query.hash)
      query.hash.fill(0)
      query.address.fill(0)
      query.unsignedBytes.fill(0)
      return signature
    })
    expect(result).toMatchObject({ complete: false, unsignedTx: draft.unsignedTx })
  })

  it('reports a failing signer with the cause, without a result', async () => {
    const cause = new Error('unplugged')
    const failing: Signer = { sign: () => Promise.reject(cause) }
    await expect(signDraftWith(draft, [failing])).rejects.toMatchObject({
      code: 'SIGNER_FAILED',
      address: people[0]!.address,
      cause,
    })
  })

  it('rejects signers with nothing to sign, and dangers, like signDraft', async () => {
    expect(await codeOf(signDraftWith(draft, [device(4, 'der')]))).toBe('UNUSED_KEY')
    const silent: Signer = { sign: () => undefined }
    expect(await codeOf(signDraftWith(draft, [silent]))).toBe('KEY_NOT_A_SIGNER')
    const foreign = transfer(coins(owners(1, 0)), { networkID: 5 })
    expect(await codeOf(signDraftWith(foreign, [device(0, 'der')]))).toBe('WRONG_NETWORK')
  })
})

describe('signAll', () => {
  const draft = transfer(coins(owners(2, 0, 1), owners(1, 1), owners(1, 2)))
  const keys = keysOf(0, 1, 2)
  const paths = [0, 1, 5].map((i) => ({
    address: people[i]!.address,
    path: `m/44'/9000'/0'/0/${i}`,
  }))

  function wholeSigner(asked: SignAllQuery[], answer = keys): Signer {
    return {
      addresses: answer.addresses,
      sign: () => expect.unreachable('signAll is there'),
      signAll: async (query) => {
        asked.push(query)
        return query.signers.map(({ address }) => answer.sign(address, query.hash))
      },
    }
  }

  it('is called once for all addresses, with their paths and those of outputs', async () => {
    const asked: SignAllQuery[] = []
    const signed = await signDraftWith(draft, [wholeSigner(asked)], { paths })
    expect(signed).toEqual(signDraft(draft, keys))
    expect(asked).toHaveLength(1)
    const [query] = asked
    expect(query!.hash).toEqual(hashToSign(draft.unsignedTx))
    expect(query!.unsignedBytes).toEqual(encodeUnsignedTx(draft.unsignedTx))
    expect(query!.signers).toEqual([
      { address: people[0]!.address, path: paths[0]!.path },
      { address: people[1]!.address, path: paths[1]!.path },
      { address: people[2]!.address },
    ])
    // Person 5 is paid and person 0 gets the change.
    expect(query!.changePaths).toEqual([paths[2]!.path, paths[0]!.path])
  })

  it('approves a sweep of many addresses once', async () => {
    const many = new KeyChain(
      Array.from({ length: 60 }, (_, i) => new Uint8Array(32).fill(7).with(31, i)),
    )
    const held = many.addresses.map((address) => ({
      locktime: 0n,
      threshold: 1,
      addresses: [address],
    }))
    const asked: SignAllQuery[] = []
    const sweep = transfer(coins(...held))
    const signed = await signDraftWith(sweep, [wholeSigner(asked, many)])
    expect(signed.complete).toBe(true)
    expect(asked.map(({ signers }) => signers.length)).toEqual([60])
  })

  it('is called only for missing signatures, and may decline some', async () => {
    const asked: SignAllQuery[] = []
    const { signatures } = signDraft(draft, keysOf(0)) as PartlySigned
    const signer: Signer = {
      ...wholeSigner(asked),
      signAll: (query) => {
        asked.push(query)
        return query.signers.map(({ address }, i) =>
          i === 0 ? undefined : keys.sign(address, query.hash),
        )
      },
    }
    const result = await signDraftWith(draft, [signer], { signatures })
    expect(asked[0]!.signers.map(({ address }) => address)).toEqual([
      people[1]!.address,
      people[2]!.address,
    ])
    expect(result).toMatchObject({ complete: false })
    await signDraftWith(draft, [signer], { signatures: signDraftAll() })
    expect(asked).toHaveLength(1)
  })

  it('has every answer checked', async () => {
    const answering = (signAll: NonNullable<Signer['signAll']>) =>
      codeOf(signDraftWith(draft, [{ addresses: keys.addresses, sign: () => undefined, signAll }]))
    const [first, second] = keys.addresses as [Uint8Array, Uint8Array]
    expect(
      await answering(({ hash, signers }) =>
        signers.map((_, i) => keys.sign(i === 0 ? second : first, hash)),
      ),
    ).toBe('WRONG_SIGNER')
    expect(await answering(() => [])).toBe('SIGNER_FAILED')
    expect(await answering(() => undefined as never)).toBe('SIGNER_FAILED')
    expect(
      await answering(() => {
        throw new Error('declined')
      }),
    ).toBe('SIGNER_FAILED')
    expect(await answering(({ signers }) => signers.map(() => new Uint8Array(65)))).toBe(
      'SIG_INVALID',
    )
    // Changing the arguments changes nothing but the signer's own signature.
    expect(
      await answering(({ hash, signers }) => {
        hash.fill(0)
        for (const { address } of signers) address.fill(0)
        return signers.map(() => undefined)
      }),
    ).toBeUndefined()
  })

  it('works for requests, with the paths of the request', async () => {
    const vault = transfer(coins(owners(2, 0, 1)))
    const request = proven(vault, { paths })
    const asked: SignAllQuery[] = []
    const accept = ['UNUSED_KEY'] as const
    const signed = await signRequestWith(request, [wholeSigner(asked)], { accept })
    expect(finishRequest(signed).signedTx).toEqual(
      requireSigned(signDraft(vault, keysOf(0, 1))).signedTx,
    )
    expect(asked[0]!.signers.map(({ path }) => path)).toEqual([paths[0]!.path, paths[1]!.path])
  })

  function signDraftAll() {
    const all = signDraft(draft, keysOf(0, 1)) as PartlySigned
    const other = signDraft(draft, keysOf(2)) as PartlySigned
    return [...all.signatures, ...other.signatures]
  }
})

describe('hdSigner', () => {
  const account = accountFromMnemonic(
    'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
  )
  const positions = [
    { change: 0, index: 0 },
    { change: 1, index: 3 },
  ]

  it('signs with the keys at the given positions', async () => {
    const addresses = positions.map((position) => account.watch.address(position))
    const held = addresses.map((address) => ({ locktime: 0n, threshold: 1, addresses: [address] }))
    const draft = transfer(coins(...held))
    const signed = requireSigned(await signDraftWith(draft, [hdSigner(account, positions)]))
    expect(signed).toEqual(signDraft(draft, account.keyChain(positions)))
    const half = await signDraftWith(draft, [hdSigner(account, [positions[1]!])])
    expect(half).toMatchObject({ complete: false, missing: [{ credential: 0, slot: 0 }] })
  })

  it('refuses an account that does not know its addresses', () => {
    const keyChain = () => keysOf(0)
    for (const watch of [undefined, {}, { address: () => people[0]!.address }])
      expect(() => hdSigner({ keyChain, watch } as never, positions)).toThrow(
        expect.objectContaining({
          name: 'ArgumentError',
          code: watch === undefined ? 'MISSING_OPTION' : 'ENC_INVALID',
          path: 'account.watch',
        }),
      )
  })

  it('returns undefined for other addresses', async () => {
    const query = {
      address: people[0]!.address,
      hash: new Uint8Array(32),
      unsignedBytes: new Uint8Array(),
    }
    expect(await hdSigner(account, positions).sign(query)).toBeUndefined()
    expect(await keyChainSigner(keysOf(1)).sign(query)).toBeUndefined()
  })
})
