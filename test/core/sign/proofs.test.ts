import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { parseAddress } from '../../../src/core/base/encoding/address.ts'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { AvmError } from '../../../src/core/base/errors.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { genesisTx, localGenesis } from '../../../src/core/chain/x/genesis.ts'
import { txID } from '../../../src/core/chain/x/ids.ts'
import { decodeTx, encodeTx, encodeUnsignedTx } from '../../../src/core/chain/x/tx.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import { xChain } from '../../../src/core/sign/chains/x.ts'
import { explainDraft } from '../../../src/core/sign/explain/explain.ts'
import { explainRequest } from '../../../src/core/sign/request/explain-request.ts'
import { createRequest } from '../../../src/core/sign/request/request.ts'
import { formatRequest, parseRequest } from '../../../src/core/sign/request/request-file.ts'
import { mergeRequests } from '../../../src/core/sign/request/request-merge.ts'
import type { SigningRequest } from '../../../src/core/sign/request/signing-request.ts'
import { matchUTXOs } from '../../../src/core/sign/spends.ts'
import { runs } from '../../helpers/runs.ts'
import { anyDraft } from './arbitraries.ts'
import { acceptedTxs, draftOf, keysOf, owners, parentsOf, people } from './fixtures.ts'
import { asset, drafted, FEE } from './scenes.ts'

const { local } = networks

/** Transactions that a node accepted, with what they spend and the transactions that created it. */
const accepted = acceptedTxs()
const genesis = localGenesis(local.networkID).assets.map((one) => encodeTx(genesisTx(one)))
const known = [...accepted.txs, ...genesis]

function acceptedRequests(): SigningRequest[] {
  return accepted.txs.map((bytes) => {
    const { unsignedTx } = decodeTx(bytes)
    const utxos = matchUTXOs(xChain, unsignedTx, accepted.utxos).map((utxo) => utxo as UTXO)
    return createRequest(draftOf(unsignedTx, utxos), { parents: known })
  })
}

describe('proofs', () => {
  it('prove everything that a node has accepted, except imported UTXOs', () => {
    const requests = acceptedRequests()
    expect(requests.length).toBeGreaterThan(40)
    for (const request of requests) {
      const { unsignedTx } = request.signerSets[0]!
      const { spends, warnings } = explainRequest(request)
      const imported = unsignedTx.type === 'ImportTx' ? unsignedTx.importedInputs.length : 0
      expect(spends.filter(({ proven }) => !proven)).toHaveLength(imported)
      expect(warnings.some(({ code }) => code === 'UNPROVEN_ASSET')).toBe(false)
      expect(warnings.some(({ code }) => code === 'UNPROVEN_UTXO')).toBe(imported > 0)
    }
  })

  it('are written once for all UTXOs they prove', () => {
    const vault = owners(2, 0, 1)
    const draft = drafted({
      spend: Array.from({ length: 30 }, () => [vault, 1_000_000] as const),
      pay: [[vault, 30_000_000 - FEE]],
    })
    const request = createRequest(draft, { parents: [...parentsOf(draft), ...known] })
    expect(request.proofs).toHaveLength(1)
    expect(parseRequest(formatRequest(request))).toEqual(request)
  })

  const token = asset()
  const draft = drafted({
    spend: [
      [owners(2, 0, 1), 1_000_000 + FEE],
      [owners(2, 0, 1), 5_000_000, token.assetID],
    ],
    pay: [
      [owners(2, 0, 1), 1_000_000],
      [owners(1, 3), 5_000_000, token.assetID],
    ],
  })
  const request = createRequest(draft, { parents: [...parentsOf(draft), token.proof] })
  const text = formatRequest(request)

  test.prop([fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 })])(
    'prove nothing if a byte is changed',
    (which, at, flip) => {
      const i = which % request.proofs.length
      const proof = request.proofs[i]!
      const changed = proof.with(at % proof.length, proof[at % proof.length]! ^ flip)
      const proofs = request.proofs.with(i, changed)
      const file = formatRequest({ ...request, proofs })
      expect(() => parseRequest(file)).toThrow(expect.objectContaining({ code: 'REQUEST_PROOF' }))
      expect(() => explainRequest({ ...request, proofs })).toThrow(
        expect.objectContaining({ code: 'REQUEST_PROOF' }),
      )
      // createRequest leaves it out, because it is not the parent of any UTXO.
      const made = createRequest(draft, { parents: proofs })
      expect(made.proofs).toHaveLength(request.proofs.length - 1)
    },
  )

  test.prop([fc.nat(), fc.nat()])('prove nothing if truncated or extended', (which, size) => {
    const i = which % request.proofs.length
    const proof = request.proofs[i]!
    for (const changed of [
      proof.subarray(0, size % proof.length),
      Uint8Array.of(...proof, size & 255),
    ])
      expect(() =>
        parseRequest(formatRequest({ ...request, proofs: request.proofs.with(i, changed) })),
      ).toThrow(AvmError)
  })

  test.prop([fc.nat(), fc.string({ unit: 'binary', maxLength: 6 })], runs(300))(
    'of a changed file, and the rest of it, are read unchanged or rejected with a typed error',
    (at, insert) => {
      const i = at % text.length
      for (const other of [
        text.slice(0, i) + insert + text.slice(i),
        text.slice(0, i) + insert + text.slice(i + insert.length),
        text.slice(0, i),
      ])
        try {
          const { paths: _, ...read } = parseRequest(other)
          const { paths: __, ...expected } = request
          expect(read).toEqual(expected)
        } catch (error) {
          expect(error).toBeInstanceOf(AvmError)
        }
    },
  )

  const anyJSON = fc.json({ maxDepth: 4 })
  test.prop([
    fc.constantFrom('utxos', 'change', 'paths', 'proofs', 'signerSets', 'network', 'id', 'version'),
    anyJSON,
  ])('and other members of any shape are read or rejected with a typed error', (member, json) => {
    const file = JSON.stringify({ ...JSON.parse(text), [member]: JSON.parse(json) })
    try {
      parseRequest(file)
    } catch (error) {
      expect(error).toBeInstanceOf(AvmError)
    }
  })

  test.prop([fc.constantFrom(...JSON.stringify(JSON.parse(text)).matchAll(/"(\w+)":/g))])(
    'are in a file without duplicate members',
    ({ 0: found, 1: name, index }) => {
      const flat = JSON.stringify(JSON.parse(text))
      const twice = `${flat.slice(0, index)}"${name}":null,${flat.slice(index)}`
      expect(found).toBe(`"${name}":`)
      expect(() => parseRequest(twice)).toThrow(
        expect.objectContaining({ code: 'REQUEST_MALFORMED' }),
      )
    },
  )

  it('of several copies are merged by their hash, so that no copy can replace one', () => {
    const [first, ...others] = request.proofs as [Uint8Array, ...Uint8Array[]]
    const forged = first.with(40, first[40]! ^ 1)
    const copies = [
      { ...request, proofs: [first] },
      { ...request, proofs: others },
      { ...request, proofs: [forged, ...others] },
      { ...request, proofs: [] },
    ]
    for (const order of [copies, copies.toReversed()]) {
      const [one, ...rest] = order
      expect(mergeRequests(one!, ...rest).proofs).toEqual(request.proofs)
    }
  })

  it('of other networks are rejected', () => {
    const foreign = encodeTx({
      unsignedTx: { ...decodeTx(parentsOf(draft)[0]!).unsignedTx, networkID: 5 },
      credentials: [],
    })
    const id = txID(foreign)
    const utxos = draft.utxos.map((utxo): UTXO => ({ ...utxo, txID: id }))
    const inputs = draft.unsignedTx.inputs.map((input) => ({ ...input, txID: id }))
    const moved = { ...draft, utxos, unsignedTx: { ...draft.unsignedTx, inputs } }
    expect(() => createRequest(moved, { parents: [foreign] })).toThrow(
      expect.objectContaining({ code: 'REQUEST_PROOF' }),
    )
  })

  it('are not needed to read a file, which keeps its ID', () => {
    const file = JSON.parse(text)
    const read = parseRequest(JSON.stringify({ ...file, proofs: [] }))
    expect(read).toEqual({ ...request, proofs: [] })
    const { proofs: _, ...without } = file
    expect(() => parseRequest(JSON.stringify(without))).toThrow(
      expect.objectContaining({ code: 'REQUEST_MALFORMED' }),
    )
  })

  it('cannot be avoided with a file of version 1, which had none', () => {
    const { proofs: _, chain: __, ...old } = JSON.parse(text)
    for (const file of [old, JSON.parse(text)])
      expect(() => parseRequest(JSON.stringify({ ...file, version: 1 }))).toThrow(
        expect.objectContaining({ code: 'REQUEST_VERSION' }),
      )
  })

  it('survive the round trip as checked hex', () => {
    const file = JSON.parse(text) as { proofs: string[]; version: number }
    expect(file.version).toBe(2)
    expect(file.proofs.map((one) => hex.encode(txID(checkedHex.decode(one))))).toEqual(
      request.proofs.map((bytes) => hex.encode(txID(bytes))).sort(),
    )
  })
})

describe('ownership', () => {
  const anyPeople = fc.subarray([0, 1, 2, 3, 4, 5])

  /** Whether some of these people can spend an output, by trying all of them together. */
  function canSpend(who: readonly number[], owned: { threshold: number; addresses: string[] }) {
    const names = who.map((i) => hex.encode(people[i]!.address))
    return owned.addresses.filter((address) => names.includes(address)).length >= owned.threshold
  }

  test.prop([anyDraft, fc.option(anyPeople, { nil: undefined })])(
    'accounts for every unit of every asset',
    (draft, who) => {
      const ours = who === undefined ? {} : { ours: keysOf(...who) }
      for (const explanation of [
        explainDraft(draft, ours),
        explainRequest(createRequest(draft), ours),
      ]) {
        const { totals, pays, returns, spends } = explanation
        const sum = (
          items: readonly { assetID?: string | undefined; amount?: bigint | undefined }[],
          id?: string,
        ) =>
          items.reduce((all, item) => (item.assetID === id ? all + (item.amount ?? 0n) : all), 0n)
        for (const { assetID, spent, minted, paid, returned, fee, burned } of totals) {
          expect(spent + minted).toBe(paid + returned + fee + burned)
          expect(sum(spends, assetID)).toBe(spent)
          expect(sum(pays, assetID)).toBe(paid)
          expect(sum(returns, assetID)).toBe(returned)
        }
        const listed = new Set(totals.map(({ assetID }) => assetID))
        for (const { assetID, amount } of [...spends, ...pays, ...returns])
          if (amount !== undefined) expect(listed.has(assetID)).toBe(true)
      }
    },
  )

  test.prop([anyDraft, anyPeople], runs(300))(
    'is `ours` only if we can spend alone and others cannot spend without us',
    (draft, who) => {
      const others = [0, 1, 2, 3, 4, 5].filter((i) => !who.includes(i))
      const { pays, returns } = explainDraft(draft, { ours: keysOf(...who) })
      const { unsignedTx } = draft
      expect(pays.length + returns.length).toBeGreaterThanOrEqual(unsignedTx.outputs.length)
      for (const { ownership, owners: of } of [...pays, ...returns]) {
        const owned = {
          threshold: of.threshold,
          addresses: of.addresses.map((text) => hex.encode(parseAddress(text).address)),
        }
        if (ownership === 'ours') {
          expect(canSpend(who, owned)).toBe(true)
          expect(canSpend(others, owned)).toBe(false)
        } else if (ownership === 'payment') {
          expect(canSpend(who, owned) && !canSpend(others, owned)).toBe(false)
        }
      }
    },
  )

  test.prop([anyDraft, anyPeople], runs(300))(
    'never returns more to a group of owners than it contributed',
    (draft, who) => {
      const { returns, spends } = explainDraft(draft, { ours: keysOf(...who) })
      const key = (of: { threshold: number; addresses: readonly string[] }, id?: string) =>
        `${of.threshold}:${of.addresses.map((text) => text.slice(2)).join()}:${id}`
      const base = draft.unsignedTx.outputs.length
      const put = new Map<string, bigint>()
      for (const { owners: of, amount = 0n, assetID } of spends)
        put.set(key(of!, assetID), (put.get(key(of!, assetID)) ?? 0n) + amount)
      for (const {
        ownership,
        owners: of,
        assetID,
        outputIndex,
        amount = 0n,
        exported,
      } of returns) {
        if (ownership !== 'vault' || (outputIndex >= base && !exported)) continue
        const left = (put.get(key(of, assetID)) ?? 0n) - amount
        expect(left).toBeGreaterThanOrEqual(0n)
        put.set(key(of, assetID), left)
      }
    },
  )

  test.prop([anyDraft])('never depends on unproven owners', (draft) => {
    const request = createRequest(draft)
    expect(explainRequest(request).returns).toEqual([])
    const everyone = explainRequest(request, { ours: keysOf(0, 1, 2, 3, 4, 5) })
    expect(everyone.returns.filter(({ ownership }) => ownership === 'vault')).toEqual([])
    expect(encodeUnsignedTx(request.signerSets[0]!.unsignedTx)).toEqual(
      encodeUnsignedTx(draft.unsignedTx),
    )
  })
})
