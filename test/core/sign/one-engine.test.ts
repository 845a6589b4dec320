import { describe, expect, it } from 'vitest'
import { argument } from '../../../src/core/base/argument.ts'
import { isBytes } from '../../../src/core/base/require.ts'
import type { ChainAlias } from '../../../src/core/chain/chain-types.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import type { Credential } from '../../../src/core/chain/x/fx.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import type { Draft } from '../../../src/core/draft/draft.ts'
import { copyDraft } from '../../../src/core/sign/arguments.ts'
import { pChain as pDescription } from '../../../src/core/sign/chains/p.ts'
import type * as Registry from '../../../src/core/sign/registry.ts'
import {
  type AddressSignature,
  addSignature,
  collectProofs,
  createRequest,
  explainDraft,
  explainRequest,
  explainTx,
  finishRequest,
  formatExplanation,
  formatRequest,
  type Keys,
  keyChainSigner,
  mergeRequests,
  type PartlySigned,
  parseRequest,
  requestID,
  requestStatus,
  requireSigned,
  type Signer,
  type SigningRequest,
  signDraft,
  signDraftWith,
  signRequest,
  signRequestWith,
  verifySignatures,
} from '../../../src/index.ts'
import { requestOf, type Sample, samples } from './chains/samples.ts'
import { coins, keysOf, owners, transfer } from './fixtures.ts'
import { schemaFaults } from './schema.ts'
import { codeOf, codeOfPromise, errorOf, NOW as now } from './verdicts.ts'

const context = networks.local

const { publicKeys } = keysOf(0, 1)
const both = keysOf(0, 1)

/** Members that depend on the transaction, and those whose names are IDs. */
const OPAQUE = ['unsignedTx', 'signedTx', 'utxos', 'context']

/** The names of the members of a value, by their paths; positions in lists and IDs are left out. */
function shapesOf(value: unknown, path = '', found = new Map<string, Set<string>>()) {
  if (Array.isArray(value)) {
    for (const item of value) shapesOf(item, `${path}[]`, found)
    return found
  }
  if (typeof value !== 'object' || value === null || isBytes(value)) return found
  const byID = path.endsWith('.assets')
  // Only accounts have a nonce.
  const keys = byID ? ['*'] : Object.keys(value).filter((key) => key !== 'nonce')
  const known = found.get(path) ?? new Set()
  found.set(path, known.add(keys.sort().join()))
  for (const [key, member] of Object.entries(value))
    if (!OPAQUE.includes(key)) shapesOf(member, `${path}.${byID ? '*' : key}`, found)
  return found
}

/** Compares the shapes of one document of every sample. */
function expectOneShape(documents: readonly unknown[]): void {
  const all = new Map<string, Set<string>>()
  for (const document of documents)
    for (const [path, keys] of shapesOf(document))
      all.set(path, new Set([...(all.get(path) ?? []), ...keys]))
  for (const [path, keys] of all) expect([...keys], path).toHaveLength(1)
}

const changedFile = (request: SigningRequest<ChainAlias>, change: object): string =>
  JSON.stringify({ ...JSON.parse(formatRequest(request)), ...change })

describe('documents of all chains', () => {
  const each = <T>(make: (sample: Sample) => T): T[] => samples.map(([, , sample]) => make(sample))

  it('have one shape of drafts', () => {
    expectOneShape(each(({ draft }) => draft))
    for (const [, chain, { draft }] of samples) {
      expect(draft.chain).toBe(chain)
      expect(Object.keys(draft).sort()).toEqual([
        'burned',
        'chain',
        'change',
        'context',
        'fee',
        'signedSize',
        'unsignedTx',
        'utxos',
      ])
    }
  })

  it('have one shape of explanations of drafts, of requests and of signed transactions', () => {
    const options = { ours: both, now }
    expectOneShape(each(({ draft }) => explainDraft(draft, options)))
    expectOneShape(each((sample) => explainRequest(requestOf(sample), options)))
    expectOneShape(
      each(({ draft }) => {
        const { signedTx } = requireSigned(signDraft(draft, both))
        const { chain, utxos } = draft
        return explainTx<ChainAlias>(signedTx, { ...options, chain, utxos, context })
      }),
    )
  })

  it('state the limit of the size of a transaction on their chain', () => {
    const limits = each(({ draft }) => [draft.chain, explainDraft(draft).maxSize])
    expect(Object.fromEntries(limits)).toEqual({ X: 65_536, P: 65_536, C: 40_960 })
  })

  it('have one shape of results, requests, files and states', () => {
    expectOneShape(each(({ draft }) => signDraft(draft, both)))
    expectOneShape(each(({ draft }) => signDraft(draft, keysOf(0))))
    expectOneShape(each(requestOf))
    expectOneShape(each((sample) => signRequest(requestOf(sample), keysOf(0), { now })))
    expectOneShape(each((sample) => requestStatus(requestOf(sample))))
    expectOneShape(each((sample) => JSON.parse(formatRequest(requestOf(sample)))))
  })

  it('of a chain that is not imported are refused with a hint', async () => {
    // The query makes a second instance of the module, which no entry point has registered chains in.
    const url = `${new URL('../../../src/core/sign/registry.ts', import.meta.url).pathname}?fresh`
    const registry: typeof Registry = await import(/* @vite-ignore */ url)
    expect(registry.chainNamed('X').alias).toBe('X')
    for (const chain of ['P', 'C'] as const)
      expect(() => registry.chainNamed(chain)).toThrow(
        expect.objectContaining({
          code: 'CHAIN_NOT_IMPORTED',
          hint: expect.stringContaining(`avmkit/${chain.toLowerCase()}-chain`),
        }),
      )
    registry.registerChain(pDescription)
    expect(registry.chainNamed('P').alias).toBe('P')
  })
})

for (const [name, chain, sample] of samples) {
  const { draft, parents } = sample
  const request = requestOf(sample)
  const isExport = name === 'C export'
  const signersOf = (keys: KeyChain) => [keyChainSigner(keys)]
  const signed = requireSigned(signDraft(draft, both))

  describe(`a document of the ${name}`, () => {
    it('is signed alike with keys, with signers and in copies of a request file', async () => {
      const signers = [keyChainSigner(keysOf(0)), keyChainSigner(keysOf(1))]
      const withSigners = requireSigned(await signDraftWith(draft, signers, { publicKeys }))
      expect(withSigners).toEqual(signed)
      expect(signed.bytes).toHaveLength(draft.signedSize)
      const text = formatRequest(request)
      expect(schemaFaults(JSON.parse(text))).toEqual([])
      const read = () => parseRequest(text, { network: context }) as SigningRequest<ChainAlias>
      expect(formatRequest(read())).toBe(text)
      const first = signRequest(read(), keysOf(0), { now })
      const second = await signRequestWith(read(), signersOf(keysOf(1)), { now, publicKeys })
      const merged = mergeRequests(first, second)
      expect(mergeRequests(second, first, merged)).toEqual(merged)
      const whole = formatRequest(merged)
      expect(schemaFaults(JSON.parse(whole))).toEqual([])
      expect(finishRequest(parseRequest(whole) as SigningRequest<ChainAlias>)).toEqual(signed)
      const partly = signDraft(draft, keysOf(1)) as PartlySigned<ChainAlias>
      expect(addSignature(first, partly.signatures[0]!)).toEqual(merged)
      expect(createRequest(draft, { parents, signatures: partly.signatures })).toEqual(second)
      expect(requestID(merged)).toEqual(requestID(request))
      expect(requestStatus(request)[0]).toMatchObject({ missing: [{ slot: 0 }, {}] })
      expect(requestStatus(first)[0]!.missing).toHaveLength(1)
      expect(requestStatus(merged)[0]!.missing).toEqual([])
    })

    it('is explained alike as a draft, as a request and as a signed transaction', () => {
      const options = { ours: both, now }
      const { signedTx } = signed
      const { utxos } = draft
      const ofDraft = explainDraft(draft, options)
      const { signerSets, ...ofRequest } = explainRequest(request, options)
      const { change } = draft
      const ofTx = explainTx<ChainAlias>(signedTx, { ...options, chain, utxos, context, change })
      expect(signerSets).toHaveLength(1)
      const dangers = ofRequest.warnings.filter(({ danger }) => danger)
      expect(dangers).toEqual([])
      expect(ofRequest).toEqual(ofDraft)
      expect(ofTx).toEqual({
        ...ofDraft,
        signatures: { needed: 2, made: 2, invalid: 0, unverified: 0 },
      })
      expect(ofDraft.chain).toBe(chain)
      expect(formatExplanation(ofDraft)).toMatch(
        new RegExp(`^.* on local \\(network 12345\\), ${chain}-Chain\n`),
      )
    })

    it('is verified with the option chain, and not as one of another chain', () => {
      const { signedTx } = signed
      verifySignatures<ChainAlias>(signedTx, draft.utxos, { chain })
      for (const other of ['X', 'P', 'C'] as const)
        if (other !== chain)
          expect(
            codeOf(() => verifySignatures<ChainAlias>(signedTx, draft.utxos, { chain: other })),
          ).not.toBe('no error')
    })

    it('shows signatures of a signed transaction that do not verify: INVALID_SIGNATURE', () => {
      const { unsignedTx, credentials } = signed.signedTx as {
        readonly unsignedTx: never
        readonly credentials: readonly Credential[]
      }
      const thief = keysOf(5)
      const [address] = thief.addresses
      const bad = thief.sign(address!, new Uint8Array(32).fill(1))
      const withFirst = (signature: Uint8Array) =>
        ({
          unsignedTx,
          credentials: credentials.map((credential, i) =>
            i > 0
              ? credential
              : { ...credential, signatures: [signature, ...credential.signatures.slice(1)] },
          ),
        }) as typeof signed.signedTx
      const { utxos } = draft
      const explained = (signature: Uint8Array) =>
        explainTx<ChainAlias>(withFirst(signature), { context, chain, utxos, ours: both, now })
      for (const signature of [bad, bad.with(64, 9)]) {
        const { signatures, warnings, ...rest } = explained(signature)
        expect(signatures).toEqual({ needed: 2, made: 1, invalid: 1, unverified: 0 })
        expect(warnings).toContainEqual(
          expect.objectContaining({ code: 'INVALID_SIGNATURE', path: 'credential 0' }),
        )
        expect(formatExplanation({ signatures, warnings, ...rest })).toMatch(
          /^sign +1 of 2 signatures made, 1 invalid$/m,
        )
      }
      const missing = explained(new Uint8Array(65))
      expect(missing.signatures).toEqual({ needed: 2, made: 1, invalid: 0, unverified: 0 })
      expect(missing.warnings.map(({ code }) => code)).not.toContain('INVALID_SIGNATURE')
    })

    it('is proven by what collectProofs asks the right chain for', async () => {
      const asked: ChainAlias[] = []
      const found = await collectProofs(draft, (_txID, of) => {
        asked.push(of)
        return parents[0]
      })
      const source = { 'X import': 'P', 'P import': 'X', 'C import': 'P' }[name] ?? chain
      expect(asked).toEqual(isExport ? [] : [source])
      expect(found).toEqual(parents)
    })

    it('counts signatures that cannot be verified without its UTXOs', () => {
      const explanation = explainTx<ChainAlias>(signed.signedTx, { chain, context })
      // An export of the C-Chain names the accounts that sign it.
      const unverified = isExport ? 0 : 2
      expect(explanation.signatures).toEqual({
        needed: 2,
        made: 2 - unverified,
        invalid: 0,
        unverified,
      })
      const text = formatExplanation(explanation)
      expect(text.split('\n').find((line) => line.startsWith('sign '))).toMatch(
        isExport
          ? /^sign +2 of 2 signatures made$/
          : /^sign +0 of 2 signatures made, 2 not verified: the UTXOs are not known$/,
      )
      const { utxos } = draft
      const known = explainTx<ChainAlias>(signed.signedTx, { chain, context, utxos })
      expect(known.signatures).toMatchObject({ made: 2, unverified: 0 })
    })

    it('with failing getters gives a typed error', () => {
      const { signedTx } = signed
      const throwing = (name: string, value: object): never =>
        Object.defineProperty({ ...value }, name, {
          enumerable: true,
          get: () => {
            throw new TypeError('no')
          },
        }) as never
      const tx = throwing('unsignedTx', signedTx)
      const utxos = [throwing('txID', draft.utxos[0] ?? { outputIndex: 0 })]
      for (const use of [
        () => explainTx<ChainAlias>(tx, { chain, context }),
        () => explainTx<ChainAlias>(signedTx, { chain, context, utxos }),
        () => verifySignatures<ChainAlias>(tx, draft.utxos, { chain }),
        () => verifySignatures<ChainAlias>(signedTx, utxos, { chain }),
      ])
        expect(errorOf(use), String(use)).toMatchObject({
          name: 'ArgumentError',
          code: 'ENC_INVALID',
        })
    })

    it('knows keys that are an object of functions as ours', () => {
      const keys: Keys = {
        addresses: both.addresses,
        publicKeys,
        has: (address) => both.has(address),
        sign: (...args) => both.sign(...args),
      }
      expect(signDraft(draft, keys)).toEqual(signed)
      expect(explainDraft(draft, { ours: keys })).toEqual(explainDraft(draft, { ours: both }))
      const { addresses, ...others } = keys
      expect(codeOf(() => explainDraft(draft, { ours: others as never }))).toBe('MISSING_OPTION')
    })

    it('is copied for a wallet of the X-Chain only if it is of that chain', () => {
      const copied = () => argument('sign', draft, copyDraft, 'draft')
      if (chain === 'X') expect(copied()).toEqual(draft)
      else
        expect(errorOf(copied)).toMatchObject({
          name: 'ArgumentError',
          code: 'ENC_INVALID',
          path: 'draft.chain',
        })
    })

    it('refuses keys of others with UNUSED_KEY', async () => {
      const stranger = keysOf(5)
      const options = { publicKeys: stranger.publicKeys }
      expect(codeOf(() => signDraft(draft, stranger))).toBe('UNUSED_KEY')
      expect(codeOf(() => signRequest(request, stranger))).toBe('UNUSED_KEY')
      const signers = signersOf(stranger)
      expect(await codeOfPromise(() => signDraftWith(draft, signers, options))).toBe('UNUSED_KEY')
      expect(await codeOfPromise(() => signRequestWith(request, signers, options))).toBe(
        'UNUSED_KEY',
      )
      const partly = signDraft(draft, stranger, { accept: ['UNUSED_KEY'] })
      expect(partly).toMatchObject({ complete: false, signatures: [] })
    })

    it('refuses who is not a signer with KEY_NOT_A_SIGNER', async () => {
      const silent: Signer = { sign: () => undefined }
      expect(await codeOfPromise(() => signDraftWith(draft, [silent]))).toBe('KEY_NOT_A_SIGNER')
      expect(await codeOfPromise(() => signRequestWith(request, [silent]))).toBe('KEY_NOT_A_SIGNER')
      // The third owner of the vault could sign in another signer set. Accounts have no owners but themselves.
      const third = keysOf(2)
      const code = isExport ? 'UNUSED_KEY' : 'KEY_NOT_A_SIGNER'
      expect(codeOf(() => signDraft(draft, third))).toBe(code)
      expect(codeOf(() => signRequest(request, third))).toBe(code)
      const sets = createRequest(draft, { parents, signers: 'all' }).signerSets
      expect(sets).toHaveLength(isExport ? 1 : 3)
    })

    it('refuses UTXOs that are not those of the inputs', () => {
      const [utxo] = coins(owners(1, 0))
      const uses = (utxos: readonly unknown[]) => {
        const changed = { ...draft, utxos } as Draft<ChainAlias>
        const forged = { ...request, utxos } as SigningRequest<ChainAlias>
        return [
          () => signDraft(changed, both),
          () => createRequest(changed),
          () => signRequest(forged, both),
          () => explainRequest(forged),
          () => finishRequest(forged),
          () => requestStatus(forged),
          () => mergeRequests(request, forged),
          () => formatRequest(forged),
        ]
      }
      for (const use of uses([...draft.utxos, utxo])) expect(codeOf(use)).toBe('UTXO_MISMATCH')
      if (isExport) return
      for (const use of uses([])) expect(codeOf(use)).toBe('UTXO_UNKNOWN')
      for (const use of uses([{ ...draft.utxos[0]!, outputIndex: 9 }]))
        expect(codeOf(use)).toBe('UTXO_MISMATCH')
    })

    it('is INCOMPLETE until all have signed', () => {
      expect(codeOf(() => requireSigned(signDraft(draft, keysOf(0))))).toBe('INCOMPLETE')
      expect(codeOf(() => finishRequest(request))).toBe('INCOMPLETE')
      const half = signRequest(request, keysOf(0), { now })
      expect(codeOf(() => finishRequest(half))).toBe('INCOMPLETE')
    })

    it('refuses dangers with the same code in every signing verb, and in the same explanation', async () => {
      const cases = [
        ['HIGH_FEE', { maxFee: 0n }],
        ['WRONG_NETWORK', { network: networks.fuji }],
      ] as const
      for (const [code, options] of cases) {
        const signers = signersOf(both)
        expect(codeOf(() => signDraft(draft, both, options))).toBe(code)
        expect(codeOf(() => signRequest(request, both, options))).toBe(code)
        const more = { ...options, publicKeys }
        expect(await codeOfPromise(() => signDraftWith(draft, signers, more))).toBe(code)
        expect(await codeOfPromise(() => signRequestWith(request, signers, more))).toBe(code)
        for (const { warnings } of [explainDraft(draft, options), explainRequest(request, options)])
          expect(warnings).toContainEqual(expect.objectContaining({ code, danger: true }))
      }
      const accepted = signDraft(draft, both, { maxFee: 0n, accept: ['HIGH_FEE'] })
      expect(accepted).toEqual(signed)
    })

    it('refuses unknown options and members with UNKNOWN_OPTION', async () => {
      const wrong = { acceptt: [] } as object
      const unknown = { ...draft, gas: 1n }
      const noted = { ...request, note: '' }
      const text = formatRequest(request)
      const signature = (signDraft(draft, keysOf(0)) as PartlySigned<ChainAlias>).signatures[0]!
      const tx = signed.signedTx
      for (const use of [
        () => signDraft(draft, both, wrong),
        () => signDraft(unknown, both),
        () => explainDraft(draft, wrong),
        () => explainDraft(unknown),
        () => explainTx<ChainAlias>(tx, { context, chain, ...wrong }),
        () => formatExplanation({ ...explainDraft(draft), ...wrong }),
        () => createRequest(draft, wrong),
        () => createRequest(unknown),
        () => parseRequest(text, wrong),
        () => parseRequest(changedFile(request, { note: '' })),
        () => formatRequest(noted),
        () => explainRequest(request, wrong),
        () => explainRequest(noted),
        () => signRequest(request, both, wrong),
        () => signRequest(noted, both),
        () => addSignature(request, signature, wrong),
        () => addSignature(noted, signature),
        () => mergeRequests(request, noted),
        () => requestStatus(noted),
        () => requestID(noted),
        () => finishRequest(request, wrong),
        () => finishRequest(noted),
        () => verifySignatures<ChainAlias>(tx, draft.utxos, { chain, ...wrong }),
      ])
        expect(codeOf(use), String(use)).toBe('UNKNOWN_OPTION')
      for (const use of [
        () => signDraftWith(draft, [], wrong),
        () => signRequestWith(request, [], wrong),
        () => collectProofs(unknown, () => undefined),
      ])
        expect(await codeOfPromise(use)).toBe('UNKNOWN_OPTION')
    })

    it('is refused as a changed file with the same codes', () => {
      const { id, network, proofs } = JSON.parse(formatRequest(request))
      const changes: [object, string][] = [
        [{ id: network.chainID }, 'REQUEST_ID'],
        [{ txID: id }, 'REQUEST_TX_ID'],
        [{ version: 1 }, 'REQUEST_VERSION'],
        [{ chain: 'D' }, 'REQUEST_MALFORMED'],
        [{ network: { ...network, networkID: 5 } }, 'REQUEST_NETWORK'],
        [{ signerSets: [] }, 'REQUEST_SIGNER_SETS'],
        [{ change: [{ assetID: network.assetID, amount: '7' }] }, 'REQUEST_MALFORMED'],
        [{ proofs: [...proofs, '0x0000000000'] }, 'REQUEST_MALFORMED'],
      ]
      if (!isExport) changes.push([{ proofs: [...proofs, ...proofs] }, 'REQUEST_PROOF'])
      for (const [change, code] of changes)
        expect(
          codeOf(() => parseRequest(changedFile(request, change))),
          code,
        ).toBe(code)
      expect(codeOf(() => parseRequest(formatRequest(request), { network: networks.fuji }))).toBe(
        'REQUEST_NETWORK',
      )
      const others = (['X', 'P', 'C'] as const).filter((other) => other !== chain)
      for (const other of others)
        expect(codeOf(() => parseRequest(changedFile(request, { chain: other })))).not.toBe(
          'no error',
        )
    })

    it('conflicts with other requests and other signatures of the same key', () => {
      const other = { ...request, change: [{ assetID: context.assetID, amount: 1n }] }
      expect(codeOf(() => mergeRequests(request, other))).toBe('REQUEST_CONFLICT')
      const again = (extraEntropy: Uint8Array) =>
        signRequest(request, keysOf(0), { now, extraEntropy })
      const one = again(new Uint8Array(32).fill(1))
      const two = again(new Uint8Array(32).fill(2))
      expect(codeOf(() => mergeRequests(one, two))).toBe('REQUEST_CONFLICT')
      const [signature] = two.signerSets[0]!.signatures as [AddressSignature]
      expect(codeOf(() => addSignature(one, signature))).toBe('SIGNATURE_DUPLICATE')
    })

    it('does not take signatures of other keys, whichever verb reads them', async () => {
      const half = signDraft(draft, keysOf(0)) as PartlySigned<ChainAlias>
      const [{ address, signature }] = half.signatures as [AddressSignature]
      const thief = keysOf(5)
      const forged = { address, signature: thief.sign(thief.addresses[0]!, half.hash) }
      const [signerSet] = request.signerSets
      const tampered = { ...request, signerSets: [{ ...signerSet!, signatures: [forged] }] }
      for (const use of [
        () => signDraft(draft, both, { signatures: [forged] }),
        () => createRequest(draft, { signatures: [forged] }),
        () => addSignature(request, forged),
        () => addSignature(request, { address: thief.addresses[0]!, signature }),
        () => formatRequest(tampered),
        () => explainRequest(tampered),
        () => signRequest(tampered, both),
        () => addSignature(tampered, { address, signature }),
        () => mergeRequests(request, tampered),
        () => mergeRequests(tampered),
        () => requestStatus(tampered),
        () => finishRequest(tampered),
      ])
        expect(codeOf(use), String(use)).toBe('WRONG_SIGNER')
      const signer = { addresses: keysOf(0).addresses, sign: () => forged.signature }
      const broken: Signer = {
        ...signer,
        sign: () => {
          throw new Error('unplugged')
        },
      }
      for (const [bad, code] of [
        [signer, 'WRONG_SIGNER'],
        [broken, 'SIGNER_FAILED'],
      ] as const) {
        const options = { publicKeys, now }
        expect(await codeOfPromise(() => signDraftWith(draft, [bad], { publicKeys }))).toBe(code)
        expect(await codeOfPromise(() => signRequestWith(request, [bad], options))).toBe(code)
      }
    })

    it('is not signed as a request if nothing proves its UTXOs', () => {
      const unproven = createRequest(draft)
      const code = codeOf(() => signRequest(unproven, both, { now }))
      // Accounts are named by the transaction itself.
      expect(code).toBe(isExport ? 'no error' : 'UNPROVEN_UTXO')
    })
  })
}

describe('evidence that a caller vouches for', () => {
  it('is part of the digest, and counts only if it is what is spent', () => {
    const [utxo] = coins(owners(1, 0))
    const draft = transfer([utxo!])
    const lying = {
      ...draft,
      utxos: [{ ...utxo!, output: { ...utxo!.output, ...owners(1, 3) } }] as typeof draft.utxos,
    }
    expect(explainDraft(lying).digest).not.toBe(explainDraft(draft).digest)
    const other = { ...draft, utxos: coins(owners(1, 3)) }
    const { spends, warnings } = explainDraft(other)
    expect(spends[0]?.owners).toBeUndefined()
    expect(warnings.map(({ code }) => code)).toContain('UNKNOWN_UTXO')
  })

  it('is refused if the details of the document are not those of the intended network', () => {
    const draft = transfer(coins(owners(1, 0)))
    const bad = { ...draft, context: { ...draft.context, hrp: 'avax', name: 'mainnet' } }
    expect(codeOf(() => signDraft(bad, keysOf(0), { network: networks.local }))).toBe(
      'WRONG_NETWORK',
    )
    const control = { ...draft, context: { ...draft.context, chainAlias: 'X\r\u001b[8m' } }
    expect(codeOf(() => signDraft(control, keysOf(0)))).toBe('ENC_INVALID')
  })

  it('of signatures is verified, also of keys that are not a key chain', () => {
    const draft = transfer(coins(owners(1, 0)))
    const keys = { addresses: keysOf(0).addresses, has: () => true, sign: () => new Uint8Array(65) }
    expect(codeOf(() => signDraft(draft, keys as never))).toMatch(/SIG_INVALID|WRONG_SIGNER/)
  })

  it('with holes or failing getters gives a typed error', () => {
    const draft = transfer(coins(owners(1, 0)))
    expect(codeOf(() => explainDraft({ ...draft, utxos: new Array(2 ** 24) }))).toBe(
      'UTXO_MISMATCH',
    )
    const failing = {
      ...draft,
      get unsignedTx(): never {
        throw new Error('no')
      },
    }
    expect(codeOf(() => explainDraft(failing))).toBe('ENC_INVALID')
  })
})
