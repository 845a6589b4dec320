import { fc, test } from '@fast-check/vitest'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import type { Credential } from '../../../src/core/chain/x/fx.ts'
import { hashToSign, txID } from '../../../src/core/chain/x/ids.ts'
import {
  type BaseTx,
  decodeTx,
  decodeUnsignedTx,
  encodeTx,
  encodeUnsignedTx,
  type SignedTx,
} from '../../../src/core/chain/x/tx.ts'
import { decodeUTXO, type UTXO } from '../../../src/core/chain/x/utxo.ts'
import { verifyTx } from '../../../src/core/chain/x/verify/verify.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { addressOf } from '../../../src/core/crypto/secp256k1.ts'
import { xChain } from '../../../src/core/sign/chains/x.ts'
import { SignError } from '../../../src/core/sign/errors.ts'
import { type PartlySigned, requireSigned, type SignResult } from '../../../src/core/sign/job.ts'
import { finishRequest } from '../../../src/core/sign/request/request.ts'
import { signRequest } from '../../../src/core/sign/request/request-sign.ts'
import { type SignOptions, signDraft, signDraftWith } from '../../../src/core/sign/sign.ts'
import type { Signer } from '../../../src/core/sign/signer.ts'
import { keyChainSigner } from '../../../src/core/sign/signers.ts'
import { matchUTXOs, planCredentials } from '../../../src/core/sign/spends.ts'
import { verifySignatures } from '../../../src/core/sign/verify.ts'
import { codeOf, vectors } from '../../helpers/vectors.ts'
import { anyDraft } from './arbitraries.ts'
import {
  acceptedTxs,
  coins,
  draftOf,
  fast,
  keysOf,
  owners,
  paying,
  people,
  proven,
  signCases,
  transfer,
  trusting,
} from './fixtures.ts'

/** The keys of all who sign, of which some may own nothing. */
const anyKeys: SignOptions = { accept: ['UNUSED_KEY', 'OPEN_OUTPUT', 'STUCK_EXPORT'] }

/** Who made the signatures, by noble alone. */
function signersOf(tx: SignedTx): string[][] {
  const hash = hashToSign(tx.unsignedTx)
  return (tx.credentials as Credential[]).map(({ signatures }) =>
    signatures.map((signature) => {
      const rs = secp256k1.Signature.fromBytes(signature.subarray(0, 64), 'compact')
      return hex.encode(
        addressOf(rs.addRecoveryBit(signature[64]!).recoverPublicKey(hash).toBytes(true)),
      )
    }),
  )
}

function errorOf(run: () => unknown): SignError {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(SignError)
    return error as SignError
  }
  return expect.unreachable('should throw')
}

describe('signDraft', () => {
  it('rejects values that are not keys', () => {
    const [item] = signCases('tx')
    const utxos = item!.utxos.map((text) => decodeUTXO(hex.decode(text)))
    const draft = draftOf(decodeUnsignedTx(hex.decode(item!.unsigned)), utxos)
    for (const keys of [{}, { has: () => false, sign: () => undefined }])
      expect(codeOf(() => signDraft(draft, keys as never, anyKeys))).toBe('ENC_INVALID')
    expect(codeOf(() => signDraft(draft, undefined as never, anyKeys))).toBe('MISSING_OPTION')
  })

  for (const item of signCases('tx'))
    it(`signs ${item.id} (${item.txType}) like the node, byte for byte`, () => {
      const draft = draftOf(
        decodeUnsignedTx(hex.decode(item.unsigned)),
        item.utxos.map((text) => decodeUTXO(hex.decode(text))),
      )
      const signed = requireSigned(signDraft(draft, new KeyChain(item.keys), anyKeys))
      expect(hex.encode(signed.bytes)).toBe(item.signed)
      expect(formatID(signed.txID)).toBe(item.txID)
      expect(encodeTx(signed.signedTx)).toEqual(signed.bytes)
    })

  it('reproduces the credentials that a node accepted, of all types', () => {
    const { keys } = vectors<{ keys: { privateKey: string }[] }>('node-sequence.json')
    const { txs, utxos } = acceptedTxs()
    const types = new Set<string>()
    for (const bytes of txs) {
      const { unsignedTx } = decodeTx(bytes)
      const draft = draftOf(
        unsignedTx,
        matchUTXOs(xChain, unsignedTx, utxos).map((utxo) => utxo as UTXO),
      )
      const chain = new KeyChain(keys.map(({ privateKey }) => privateKey))
      const accept = ['UNUSED_KEY', 'BURN', 'HIGH_FEE', 'OPEN_OUTPUT', 'STUCK_EXPORT'] as const
      const signed = requireSigned(signDraft(draft, chain, { accept }))
      expect(hex.encode(signed.bytes)).toBe(hex.encode(bytes))
      for (const { type } of signed.signedTx.credentials) types.add(type)
    }
    expect(txs.length).toBeGreaterThan(40)
    expect([...types].sort()).toEqual([
      'nftfx.Credential',
      'propertyfx.Credential',
      'secp256k1fx.Credential',
    ])
  })

  // The reference signer keeps what stands in a slot and passes over UTXOs that it does not know. Here a
  // signature that was there before is handed in and checked, and every UTXO must be given.
  for (const item of signCases('partial'))
    it(`leaves the same slots of ${item.id} empty as the reference signer`, () => {
      const before = decodeTx(hex.decode(item.before))
      const draft = draftOf(
        before.unsignedTx,
        item.utxos.map((text) => decodeUTXO(hex.decode(text))),
      )
      const known = matchUTXOs(xChain, before.unsignedTx, draft.utxos)
      if (!item.ok) {
        expect(codeOf(() => signDraft(draft, new KeyChain(item.keys), anyKeys))).toBe(item.code)
        return
      }
      if (known.includes(undefined)) {
        const unknown = { ...draft, utxos: known as typeof draft.utxos }
        const run = () => signDraft(unknown, new KeyChain(item.keys), anyKeys)
        expect(codeOf(run)).toBe('UTXO_UNKNOWN')
        return
      }
      const plans = planCredentials(xChain, xChain.spends(draft.unsignedTx), draft.utxos)
      const signatures = slotsOf(before).filter(({ signature }) => signature.some((b) => b !== 0))
      const options = { ...anyKeys, signatures }
      const result = signDraft(draft, new KeyChain(item.keys), options)
      const made = new Map(
        (result.complete ? slotsOf(result.signedTx) : result.signatures).map((item) => [
          hex.encode(item.address),
          hex.encode(item.signature),
        ]),
      )
      for (const { address, signature } of slotsOf(decodeTx(hex.decode(item.signed)))) {
        const mine = made.get(hex.encode(address))
        if (signature.some((byte) => byte !== 0)) expect(mine).toBe(hex.encode(signature))
        // It does not copy a signature of a key that it does not have into other slots.
        else
          expect(signatures.some((given) => hex.encode(given.signature) === mine)).toBe(
            mine !== undefined,
          )
      }
      if (signatures.length === 0 && !result.complete)
        expect(result.missing).toHaveLength(item.missing)

      function slotsOf(tx: SignedTx) {
        return (tx.credentials as Credential[]).flatMap((credential, c) =>
          credential.signatures.map((signature, slot) => ({
            address: plans[c]!.signers[slot]!,
            signature,
          })),
        )
      }
    })

  test.prop([anyDraft])('returns valid transactions signed by the owners', (draft) => {
    const signed = requireSigned(signDraft(draft, keysOf(0, 1, 2, 3, 4, 5), anyKeys))
    verifyTx(signed.signedTx, networks.local)
    expect(signed.bytes.length).toBe(draft.signedSize)
    expect(encodeUnsignedTx(draft.unsignedTx)).toEqual(
      signed.bytes.subarray(0, encodeUnsignedTx(draft.unsignedTx).length),
    )
    expect(txID(decodeTx(signed.bytes))).toEqual(signed.txID)
    const expected = planCredentials(xChain, xChain.spends(draft.unsignedTx), draft.utxos)
    expect(signersOf(signed.signedTx)).toEqual(
      expected.map(({ signers }) => signers.map(hex.encode)),
    )
  })

  it('signs once per key, however many inputs it owns', () => {
    const draft = transfer(coins(...Array.from({ length: 50 }, () => owners(1, 2))))
    let times = 0
    const keys = keysOf(2)
    const counting = {
      addresses: keys.addresses,
      has: (address: Uint8Array) => keys.has(address),
      sign: (address: Uint8Array, hash: Uint8Array) => {
        times++
        return keys.sign(address, hash)
      },
    }
    expect(signDraft(draft, counting).complete).toBe(true)
    expect(times).toBe(1)
  })

  it('spends an output without owners without a signature', () => {
    const open = coins({ locktime: 0n, threshold: 0, addresses: [] })
    const { signedTx } = requireSigned(signDraft(transfer(open), new KeyChain([])))
    expect(signedTx.credentials).toEqual([{ type: 'secp256k1fx.Credential', signatures: [] }])
  })

  const orders = [
    [0, 1],
    [1, 0],
    [0, 2],
    [2, 0],
    [1, 2],
    [2, 1],
  ] as const
  for (const [first, second] of orders)
    it(`completes a 2-of-3 if ${first} signs before ${second}`, () => {
      const draft = transfer(coins(owners(2, 0, 1, 2), owners(2, 0, 1, 2)))
      const indices = [first, second].sort()
      const unsignedTx = {
        ...draft.unsignedTx,
        inputs: draft.unsignedTx.inputs.map((input) => ({
          ...input,
          input: { ...input.input, signatureIndices: indices },
        })),
      }
      const mine = { ...draft, unsignedTx }
      const half = signDraft(mine, keysOf(first))
      if (half.complete) return expect.unreachable('one signature is not enough')
      const slot = indices.indexOf(second)
      const { address } = people[second]!
      expect(half.missing).toEqual([
        { credential: 0, slot, address },
        { credential: 1, slot, address },
      ])
      const whole = requireSigned(signDraft(mine, keysOf(second), { signatures: half.signatures }))
      expect(signersOf(whole.signedTx)).toEqual(
        Array(2).fill(indices.map((i) => hex.encode(people[i]!.address))),
      )
      expect(whole).toEqual(signDraft(mine, keysOf(0, 1, 2)))
    })

  it('returns no signed transaction if a signature is missing', () => {
    const result = signDraft(transfer(coins(owners(1, 0), owners(1, 1))), keysOf(0))
    expectTypeOf<PartlySigned>().not.toHaveProperty('signedTx')
    expectTypeOf<PartlySigned>().not.toHaveProperty('bytes')
    expectTypeOf<SignResult>().not.toExtend<SignedTx>()
    expect(Object.keys(result).sort()).toEqual([
      'complete',
      'hash',
      'missing',
      'signatures',
      'unsignedTx',
    ])
    expect(() => encodeTx(result as unknown as SignedTx)).toThrow()
    const error = errorOf(() => requireSigned(result))
    expect(error.code).toBe('INCOMPLETE')
    expect(error.missing).toEqual([{ credential: 1, slot: 0, address: people[1]!.address }])
  })

  it('rejects keys that own nothing in the draft unless accepted', () => {
    const draft = transfer(coins(owners(1, 0)))
    const error = errorOf(() => signDraft(draft, keysOf(0, 3)))
    expect(error.code).toBe('UNUSED_KEY')
    expect(error.address).toEqual(people[3]!.address)
    expect(signDraft(draft, keysOf(0, 3), anyKeys).complete).toBe(true)
  })

  it('rejects an owner that is not a signer of the transaction', () => {
    const draft = transfer(coins(owners(2, 0, 1, 2)))
    expect(errorOf(() => signDraft(draft, keysOf(2))).code).toBe('KEY_NOT_A_SIGNER')
    expect(signDraft(draft, keysOf(2), { accept: ['KEY_NOT_A_SIGNER'] }).complete).toBe(false)
    // It is allowed together with keys that sign.
    expect(signDraft(draft, keysOf(0, 1, 2)).complete).toBe(true)
  })

  test.prop([anyDraft, fc.nat(), fc.nat()])(
    'rejects any changed external signature',
    (draft, pick, at) => {
      const keys = keysOf(0, 1, 2, 3, 4, 5)
      const half = signDraft(draft, new KeyChain([]))
      const { missing, hash } = half as PartlySigned
      const { address } = missing[pick % missing.length]!
      const signature = keys.sign(address, hash)
      const options = (bytes: Uint8Array): SignOptions => ({
        signatures: [{ address, signature: bytes }],
        backend: fast,
      })
      expect(codeOf(() => signDraft(draft, new KeyChain([]), options(signature)))).toBeUndefined()
      signature[at % 65]! ^= 1 << (at % 8)
      const { code } = errorOf(() => signDraft(draft, new KeyChain([]), options(signature)))
      expect(['WRONG_SIGNER', 'SIG_INVALID', 'SIG_HIGH_S']).toContain(code)
    },
  )

  it('rejects a signature for another transaction, of another key, and two of one key', () => {
    const draft = transfer(coins(owners(1, 0), owners(1, 1)))
    const other = transfer(coins(owners(1, 0), owners(1, 1)), { memo: new Uint8Array([1]) })
    const none = new KeyChain([])
    const { signatures } = signDraft(other, keysOf(0)) as PartlySigned
    const foreign = errorOf(() => signDraft(draft, none, { signatures }))
    expect(foreign.code).toBe('WRONG_SIGNER')
    expect(foreign).toMatchObject({ credential: 0, slot: 0, address: people[0]!.address })
    // The first slot of the owner is reported, not the last.
    const mixed = transfer(coins(owners(1, 1), owners(1, 0), owners(1, 1), owners(1, 0)))
    expect(errorOf(() => signDraft(mixed, none, { signatures }))).toMatchObject({ credential: 1 })

    const hash = hashToSign(draft.unsignedTx)
    const { address } = people[3]!
    const stranger = { address, signature: keysOf(3).sign(address, hash) }
    expect(errorOf(() => signDraft(draft, none, { signatures: [stranger] })).code).toBe(
      'WRONG_SIGNER',
    )

    const [own] = (signDraft(draft, keysOf(0)) as PartlySigned).signatures
    const extra = secp256k1.sign(hash, people[0]!.key, {
      prehash: false,
      extraEntropy: new Uint8Array(32).fill(7),
    })
    const again = { address: people[0]!.address, signature: extra }
    expect(errorOf(() => signDraft(draft, none, { signatures: [own!, again] })).code).toBe(
      'SIGNATURE_DUPLICATE',
    )
  })
})

describe('signDraft with inputs that do not match the UTXOs', () => {
  const draft = transfer(coins(owners(2, 0, 1), owners(1, 2)))
  const keys = keysOf(0, 1, 2)
  const [first, second] = draft.utxos as [(typeof draft.utxos)[0], (typeof draft.utxos)[0]]
  const input = draft.unsignedTx.inputs[0]!

  function withInput(changes: Partial<typeof input.input>): typeof draft {
    const inputs = [
      { ...input, input: { ...input.input, ...changes } },
      ...draft.unsignedTx.inputs.slice(1),
    ]
    return { ...draft, unsignedTx: { ...draft.unsignedTx, inputs } }
  }

  const cases: readonly (readonly [string, typeof draft, string])[] = [
    ['a UTXO that is missing', { ...draft, utxos: [first] }, 'UTXO_UNKNOWN'],
    ['a UTXO too many', { ...draft, utxos: [first, second, second] }, 'UTXO_MISMATCH'],
    ['exchanged UTXOs', { ...draft, utxos: [second, first] }, 'UTXO_MISMATCH'],
    [
      'another output of the same transaction',
      { ...draft, utxos: [{ ...first, outputIndex: 9 }, second] },
      'UTXO_MISMATCH',
    ],
    [
      'a UTXO of another asset',
      { ...draft, utxos: [{ ...first, assetID: new Uint8Array(32).fill(3) }, second] },
      'UTXO_MISMATCH',
    ],
    [
      'a UTXO of another amount',
      { ...draft, utxos: [{ ...first, output: paying(5n, owners(2, 0, 1)) }, second] },
      'UTXO_MISMATCH',
    ],
    [
      'a UTXO that is a mint right',
      {
        ...draft,
        utxos: [
          { ...first, output: { type: 'secp256k1fx.MintOutput', ...owners(2, 0, 1) } },
          second,
        ],
      },
      'SIGNER_UNKNOWN_OUTPUT',
    ],
    ['too few signers', withInput({ signatureIndices: [0] }), 'TOO_FEW_SIGNERS'],
    ['too many signers', withInput({ signatureIndices: [0, 1, 2] }), 'TOO_MANY_SIGNERS'],
    [
      'a signer that is no owner',
      withInput({ signatureIndices: [0, 2] }),
      'SIGNER_INVALID_SIG_INDEX',
    ],
  ]
  for (const [what, bad, code] of cases)
    it(`rejects ${what}`, () => {
      expect(errorOf(() => signDraft(bad, keys, anyKeys)).code).toBe(code)
    })

  it('rejects an operation on more than one UTXO', () => {
    const utxo = { ...coins(owners(1, 0))[0]!, outputIndex: 5 }
    const unsignedTx = {
      ...draft.unsignedTx,
      type: 'OperationTx',
      inputs: [],
      outputs: [],
      operations: [
        {
          assetID: utxo.assetID,
          inputIDs: [utxo, { ...utxo, outputIndex: 6 }],
          operation: { type: 'propertyfx.BurnOperation', signatureIndices: [0] },
        },
      ],
    } as const
    const { code, path } = errorOf(() => signDraft(draftOf(unsignedTx, [utxo]), keysOf(0)))
    expect([code, path]).toEqual(['WRONG_NUMBER_OF_UTXOS', 'operations[0]'])
  })
})

describe('signDraft with dangers', () => {
  const utxos = coins(owners(1, 0))
  const keys = keysOf(0)
  const { assetID } = networks.local
  const back = (amount: bigint) => ({
    outputs: [{ assetID, output: paying(amount, owners(1, 0)) }],
  })

  function refused(draft: ReturnType<typeof transfer>, options: SignOptions = {}): string[] {
    const error = errorOf(() => signDraft(draft, keys, options))
    expect(error.code).toBe(error.warnings![0]!.code)
    return error.warnings!.map(({ code }) => code)
  }

  it('refuses to burn a single unit of the native asset beyond the fee', () => {
    const draft = transfer(utxos, back(10_000_000_000n - 1_000_001n))
    expect(refused(draft)).toEqual(['BURN'])
    expect(signDraft(draft, keys, { accept: ['BURN'] }).complete).toBe(true)
  })

  it('refuses more than ten times the fee, even if burning is accepted', () => {
    const draft = transfer(utxos, back(10_000_000_000n - 10_000_001n))
    expect(refused(draft)).toEqual(['BURN', 'HIGH_FEE'])
    expect(refused(draft, { accept: ['BURN'] })).toEqual(['HIGH_FEE'])
    expect(signDraft(draft, keys, { accept: ['BURN', 'HIGH_FEE'] }).complete).toBe(true)
    const options = { accept: ['BURN'], maxFee: 10_000_001n } as const
    expect(signDraft(draft, keys, options).complete).toBe(true)
    const atTen = transfer(utxos, back(10_000_000_000n - 10_000_000n))
    expect(refused(atTen)).toEqual(['BURN'])
  })

  it('refuses a high fee that the context states', () => {
    const lying = { ...networks.local, txFee: 5_000_000_000n }
    expect(refused(transfer(utxos, {}, lying))).toEqual(['HIGH_FEE'])
  })

  it('refuses to burn a token', () => {
    const tokens = [{ ...utxos[0]!, assetID: new Uint8Array(32).fill(0xee) }]
    const both = [...coins(owners(1, 0)), { ...tokens[0]!, txID: new Uint8Array(32).fill(0x99) }]
    const draft = transfer(both, back(10_000_000_000n - 1_000_000n))
    expect(refused(draft)).toEqual(['BURN'])
  })

  it('refuses another network or chain than the intended one', () => {
    expect(refused(transfer(utxos, { networkID: 1 }))).toEqual(['WRONG_NETWORK'])
    expect(refused(transfer(utxos), { network: networks.fuji })).toContain('WRONG_NETWORK')
    const chain = { blockchainID: new Uint8Array(32).fill(1) }
    expect(refused(transfer(utxos, chain))).toEqual(['WRONG_CHAIN'])
    // A draft whose context claims another X-Chain for a public network.
    const fake = { ...networks.fuji, chainID: new Uint8Array(32).fill(1) }
    const native = coins(owners(1, 0)).map((utxo) => ({ ...utxo, assetID: fake.assetID }))
    expect(refused(transfer(native, {}, fake))).toEqual(['WRONG_CHAIN'])
    // Exports to a chain that the context of a public network calls C, and other names of that network.
    const { fuji } = networks
    const assetUTXOs = coins(owners(1, 0)).map((utxo) => ({ ...utxo, assetID: fuji.assetID }))
    const draft = transfer(assetUTXOs, {}, fuji)
    const [paid, back] = draft.unsignedTx.outputs
    const chainID = new Uint8Array(32).fill(1)
    const exporting = draftOf(
      {
        ...(draft.unsignedTx as BaseTx),
        type: 'ExportTx',
        outputs: [back!],
        destinationChain: chainID,
        exportedOutputs: [paid!],
      },
      assetUTXOs,
      fuji,
    )
    expect(refused(exporting)).toEqual(['UNKNOWN_CHAIN'])
    const chains = { ...fuji.chains, C: chainID }
    for (const claim of [{ chains }, { chains: { ...fuji.chains, D: chainID } }])
      expect(refused({ ...exporting, context: { ...fuji, ...claim } })).toContain('WRONG_NETWORK')
    for (const claim of [{ name: 'local' }, { hrp: 'avax' }])
      expect(refused({ ...draft, context: { ...fuji, ...claim } })).toEqual(['WRONG_NETWORK'])
    const accept = ['WRONG_CHAIN'] as const
    expect(signDraft(transfer(utxos, chain), keys, { accept }).complete).toBe(true)
  })
})

describe('objects whose getters change', () => {
  const utxos = coins(owners(1, 0))
  const harmless = transfer(utxos)
  const { unsignedTx } = harmless
  const burning = { ...unsignedTx, outputs: unsignedTx.outputs.slice(0, 1) } as BaseTx
  /** The harmless transaction the first times, then one that burns the rest. */
  const switching = (count: number) => {
    let reads = 0
    return () => (reads++ < count ? unsignedTx : burning)
  }
  const txOrCode = (sign: () => SignedTx): unknown => {
    try {
      return sign().unsignedTx.outputs.length
    } catch (error) {
      return (error as SignError).code
    }
  }
  const keys = keysOf(0)

  it('are signed as they are checked', () => {
    for (let count = 0; count < 8; count++) {
      const next = switching(count)
      const draft = Object.defineProperty({ ...harmless }, 'unsignedTx', { get: next })
      const signed = txOrCode(() => requireSigned(signDraft(draft, keys)).signedTx)
      expect(['BURN', 2]).toContain(signed)
      const request = proven(harmless)
      const read = switching(count)
      const signerSet = Object.defineProperty({ ...request.signerSets[0]! }, 'unsignedTx', {
        get: read,
      })
      const options = { accept: trusting }
      const changing = { ...request, signerSets: [signerSet] }
      const done = () => finishRequest(signRequest(changing, keys, options)).signedTx
      expect(['BURN', 2]).toContain(txOrCode(done))
    }
  })
})

describe('extraEntropy', () => {
  const extraEntropy = new Uint8Array(32).fill(9)

  it('changes every signature of signDraft and keeps each valid', () => {
    const utxos = coins(owners(2, 0, 1), owners(1, 2))
    const draft = transfer(utxos)
    const plain = requireSigned(signDraft(draft, keysOf(0, 1, 2)))
    const other = requireSigned(signDraft(draft, keysOf(0, 1, 2), { extraEntropy }))
    const again = requireSigned(signDraft(draft, keysOf(0, 1, 2), { extraEntropy }))
    verifySignatures(other.signedTx, utxos)
    expect(again.bytes).toEqual(other.bytes)
    expect(other.txID).not.toEqual(plain.txID)
    const signaturesOf = ({ signedTx }: typeof plain) =>
      signedTx.credentials.flatMap((slot) => ('signatures' in slot ? slot.signatures : []))
    const before = signaturesOf(plain).map(hex.encode)
    expect(signaturesOf(other).filter((one) => before.includes(hex.encode(one)))).toEqual([])
  })

  it('is passed to signers, and signDraftWith returns the bytes of signDraft', async () => {
    const utxos = coins(owners(1, 0))
    const draft = transfer(utxos)
    const keys = keysOf(0)
    const seen: (Uint8Array | undefined)[] = []
    const external: Signer = {
      sign: ({ address, hash, extraEntropy: given }) => {
        seen.push(given)
        return keys.sign(address, hash)
      },
    }
    await signDraftWith(draft, [external], { extraEntropy })
    await signDraftWith(draft, [external])
    expect(seen).toEqual([extraEntropy, undefined])
    const asked = await signDraftWith(draft, [keyChainSigner(keys)], { extraEntropy })
    expect(requireSigned(asked).bytes).toEqual(
      requireSigned(signDraft(draft, keys, { extraEntropy })).bytes,
    )
  })

  it('must have 32 bytes', () => {
    const utxos = coins(owners(1, 0))
    const draft = transfer(utxos)
    expect(() => signDraft(draft, keysOf(0), { extraEntropy: new Uint8Array(16) })).toThrow(
      expect.objectContaining({ code: 'ENTROPY_INVALID' }),
    )
  })
})
