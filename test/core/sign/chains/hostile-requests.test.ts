import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../../../src/core/base/bytes/compare.ts'
import type * as cChain from '../../../../src/core/c-chain.ts'
import type { OutputOwners } from '../../../../src/core/chain/owners.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import {
  createRequest,
  explainRequest,
  finishRequest,
  formatRequest,
  mergeRequests,
  parseRequest,
  type SigningRequest,
  signRequest,
} from '../../../../src/index.ts'
import { owners, paying } from '../fixtures.ts'
import { schemaFaults } from '../schema.ts'
import { codeOf, NOW as now } from '../verdicts.ts'
import {
  changedFile,
  type FileChange,
  falseStatements,
  falseStatementsOnUTXOs,
  schemaViolations,
} from './changed-files.ts'
import {
  AVAX,
  accountOf,
  alice,
  bob,
  carol,
  context,
  exportFromC,
  exportOfVault,
  fees,
  importToP,
} from './fixtures.ts'
import { requestOf, samples } from './samples.ts'

const imported = importToP()
const exported = exportOfVault()

/** The file of a request of each kind, without signatures. */
const files = samples.map(
  ([kind, , sample]) =>
    [
      kind,
      formatRequest(requestOf(sample)),
      [...falseStatements, ...(sample.draft.utxos.length > 0 ? falseStatementsOnUTXOs : [])],
    ] as const,
)

describe('a request file of any chain', () => {
  for (const [kind, text, lies] of files) {
    it(`of the ${kind} is rejected after every change`, () => {
      expect(codeOf(() => parseRequest(text))).toBe('no error')
      for (const [what, change, code] of [...schemaViolations, ...lies])
        expect(
          codeOf(() => parseRequest(changedFile(text, change))),
          what,
        ).toBe(code)
    })

    it(`of the ${kind} is rejected if it is not one JSON object without repeated members`, () => {
      const repeated = text.replace('"version"', '"v\\u0065rsion":1,"version"')
      const deep = '['.repeat(200_000)
      const deepPaths = text.replace('"paths": []', `"paths": ${'['.repeat(9999)}`)
      expect(deepPaths).not.toBe(text)
      for (const bad of ['', 'null', '[]', '1', '"x"', deep, deepPaths, `${text},`, repeated])
        expect(codeOf(() => parseRequest(bad))).toBe('REQUEST_MALFORMED')
    })

    it(`of the ${kind} agrees with the schema, unless a change violates it`, () => {
      const faults = (change: FileChange[1]) => schemaFaults(JSON.parse(changedFile(text, change)))
      for (const [what, change] of schemaViolations) expect(faults(change), what).not.toEqual([])
      for (const [what, change] of lies) expect(faults(change), what).toEqual([])
    })
  }

  it('has few signatures and paths, which signers check', () => {
    const text = formatRequest(signRequest(createRequest(exportFromC()), alice))
    const many = changedFile(text, (f) => {
      f.signerSets[0]!.signatures = Array(2_001).fill(f.signerSets[0]!.signatures[0]!)
      f.txID = undefined
    })
    expect(codeOf(() => parseRequest(many))).toBe('REQUEST_SIGNER_SETS')
    const paths = Array.from({ length: 300 }, (_, i) => ({
      address: new Uint8Array(20).fill(i % 256, i >> 8),
      path: `m/44'/9000'/0'/0/${i}`,
    }))
    const request = createRequest(exportFromC(), { paths })
    expect(parseRequest(formatRequest(request)).paths).toHaveLength(256)
    const file = formatRequest({ ...request, paths })
    expect(codeOf(() => parseRequest(file))).toBe('REQUEST_MALFORMED')
  })

  /** A transfer on the P-Chain that spends these outputs, each of an AVAX. */
  function transferOf(...spent: readonly OutputOwners[]): pChain.Draft {
    const [utxo] = imported.draft.utxos as [pChain.UTXO]
    const utxos = spent.map((of, outputIndex) => ({
      ...utxo,
      outputIndex,
      output: paying(AVAX, of),
    }))
    return pChain.buildTransfer({
      context,
      funds: { utxos, owners: spent.flatMap(({ addresses }) => addresses), now },
      fees,
      outputs: [{ to: alice.addresses[0]!, amount: BigInt(spent.length) * AVAX - 100_000n }],
      changeTo: alice.addresses[0]!,
    })
  }

  it('is rejected if its UTXOs are not in the order of the inputs', () => {
    const draft = transferOf(owners(1, 0), owners(1, 1))
    const text = formatRequest(createRequest(draft))
    expect(codeOf(() => parseRequest(text))).toBe('no error')
    const reordered = changedFile(text, ({ utxos }) => utxos.reverse())
    expect(codeOf(() => parseRequest(reordered))).toBe('UTXO_MISMATCH')
  })

  it('is rejected with more than 64 signer sets', () => {
    const addresses = Array.from({ length: 12 }, (_, i) => new Uint8Array(20).fill(i))
    const draft = transferOf({ locktime: 0n, threshold: 2, addresses })
    const request = createRequest(draft)
    const pairs = addresses.flatMap((a, i) => addresses.slice(i + 1).map((b) => [a, b]))
    const signerSets = pairs.flatMap((signers) => createRequest(draft, { signers }).signerSets)
    const withSignerSets = (from: number, to: number) =>
      formatRequest({ ...request, signerSets: signerSets.slice(from, to) })
    const most = withSignerSets(0, 64)
    expect(codeOf(() => parseRequest(most))).toBe('no error')
    const [another] = JSON.parse(withSignerSets(64, 65)).signerSets
    const text = changedFile(most, (file) => file.signerSets.push(another))
    expect(codeOf(() => parseRequest(text))).toBe('REQUEST_SIGNER_SETS')
    expect(schemaFaults(JSON.parse(text))).toEqual(['$.signerSets maxItems'])
  })
})

describe('a request of the P-Chain by a hostile author', () => {
  const { draft, parent } = imported

  const uses = [
    (request: SigningRequest<'P'>) => signRequest(request, alice, { accept: ['UNUSED_KEY'] }),
    (request: SigningRequest<'P'>) => explainRequest(request),
    (request: SigningRequest<'P'>) => parseRequest(formatRequest(request)),
  ]

  it('is not signed if a signer set does something else than the first, also if it was not parsed', () => {
    const request = createRequest(draft, { parents: [parent] })
    const unsignedTx = request.signerSets[0]!.unsignedTx as pChain.ImportTx
    const outputs = unsignedTx.outputs.map((each) => ({
      ...each,
      output: { ...each.output, addresses: bob.addresses } as pChain.Output,
    }))
    const other = { unsignedTx: { ...unsignedTx, outputs }, signatures: [] }
    const misleading = { ...request, signerSets: [...request.signerSets, other] }
    expect(codeOf(() => signRequest(request, alice))).toBe('no error')
    for (const use of [signRequest, explainRequest, finishRequest] as const)
      expect(codeOf(() => use(misleading, alice as never))).toBe('REQUEST_SIGNER_SETS')
  })
  const tx = draft.unsignedTx as pChain.ImportTx
  const make = (change: Partial<pChain.ImportTx>, parents = [parent]) =>
    createRequest({ ...draft, unsignedTx: { ...tx, ...change } }, { parents })

  it('cannot name another network, chain or source, or an input twice', () => {
    const [input] = tx.importedInputs
    expect(codeOf(() => make({ networkID: 5 }))).toBe('WRONG_NETWORK_ID')
    expect(codeOf(() => make({ blockchainID: context.chainID }))).toBe('WRONG_CHAIN_ID')
    // An export of the C-Chain does not prove an import from X or from P itself.
    for (const sourceChain of [context.chainID, tx.blockchainID])
      for (const use of uses) expect(codeOf(() => use(make({ sourceChain })))).toBe('REQUEST_PROOF')
    expect(codeOf(() => make({ importedInputs: [input!, input!] }))).toBe(
      'INPUTS_NOT_SORTED_UNIQUE',
    )
    // Each input needs a UTXO of its own.
    expect(codeOf(() => make({ inputs: [input!] }))).toBe('UTXO_UNKNOWN')
    const unknown = make({ sourceChain: new Uint8Array(32).fill(9) }, [])
    expect(explainRequest(unknown).warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['UNPROVEN_UTXO', 'UNKNOWN_SOURCE']),
    )
  })

  it('cannot state other owners, amounts or assets of what is proven', () => {
    const [utxo] = draft.utxos as [pChain.UTXO]
    const lies: [object, string][] = [
      [{ output: { ...utxo.output, addresses: bob.addresses } }, 'REQUEST_PROOF'],
      [{ output: { ...utxo.output, locktime: 1n } }, 'REQUEST_PROOF'],
      [{ output: { ...utxo.output, amount: 2n * AVAX } }, 'UTXO_MISMATCH'],
      [{ assetID: new Uint8Array(32).fill(5) }, 'UTXO_MISMATCH'],
      [{ outputIndex: 1 }, 'UTXO_MISMATCH'],
      [{ txID: new Uint8Array(32).fill(6) }, 'UTXO_MISMATCH'],
    ]
    for (const [lie, code] of lies) {
      const falseDraft = { ...draft, utxos: [{ ...utxo, ...lie }] }
      // Only who reads a request needs the codecs of all chains, so the proof of an import is checked there.
      for (const use of uses)
        expect(codeOf(() => use(createRequest(falseDraft, { parents: [parent] })))).toBe(code)
    }
  })

  it('shows change to a stranger as a payment', () => {
    const [first] = tx.outputs
    const output = { ...first!.output, addresses: bob.addresses } as pChain.Output
    const stolen = explainRequest(make({ outputs: [{ ...first!, output }] }), {
      ours: alice.addresses,
      now,
    })
    expect(stolen).toMatchObject({ returns: [], warnings: [{ code: 'NOT_OURS' }] })
    expect(stolen.pays).toHaveLength(1)
    const leg = exported.draft.unsignedTx as pChain.ExportTx
    const outputs = leg.outputs.map((each) => ({
      ...each,
      output: { ...each.output, threshold: 1, addresses: bob.addresses } as pChain.Output,
    }))
    const request = createRequest(
      { ...exported.draft, unsignedTx: { ...leg, outputs } },
      { parents: [exported.parent] },
    )
    // Bob is one of the owners of the vault, but alone he is not the vault.
    const told = explainRequest(request, { ours: alice.addresses, now })
    expect(told.warnings.map(({ code }) => code)).toEqual(['FOREIGN_CHANGE', 'NOT_OURS'])
    expect(told.pays).toHaveLength(1)
  })

  it('cannot exchange proofs or signer sets in a merge', () => {
    const request = createRequest(exported.draft, {
      parents: [exported.parent],
      signers: 'all',
    })
    const fewer = { ...request, signerSets: request.signerSets.slice(1) }
    const merge = (other: SigningRequest<'P'>) => mergeRequests(request, other)
    expect(codeOf(() => merge(fewer))).toBe('REQUEST_CONFLICT')
    expect(codeOf(() => merge(make({})))).toBe('REQUEST_CONFLICT')
    const proofs = [parent, exported.parent, exported.parent]
    expect(merge({ ...request, proofs }).proofs).toEqual([exported.parent])
    const byAlice = signRequest(request, alice, { now })
    const byCarol = signRequest(request, carol, { now })
    const moved = byCarol.signerSets.map((signerSet, i) => ({
      ...signerSet,
      signatures: byAlice.signerSets[(i + 1) % 3]!.signatures,
    }))
    const swapped = { ...byCarol, signerSets: moved }
    expect(codeOf(() => mergeRequests(request, swapped))).toBe('WRONG_SIGNER')
    expect(codeOf(() => finishRequest(swapped))).toBe('WRONG_SIGNER')
    const path = (index: number) => ({
      ...request,
      paths: [{ address: alice.addresses[0]!, path: `m/44'/9000'/0'/0/${index}` }],
    })
    expect(codeOf(() => mergeRequests(path(0), path(1)))).toBe('REQUEST_CONFLICT')
  })

  it('cannot overflow: sums and fees are exact', () => {
    const [first] = tx.outputs
    const output = { ...first!.output, amount: 2n ** 64n - 1n } as pChain.Output
    const two = [first!, first!].map((each) => ({ ...each, output }))
    expect(codeOf(() => make({ outputs: two }))).toBe('INSUFFICIENT_FUNDS')
    const dear = { ...fees, price: 2n ** 64n - 1n }
    expect(codeOf(() => pChain.feeOf(tx, dear))).toBe('AMOUNT_OVERFLOW')
  })
})

describe('a request of the C-Chain by a hostile author', () => {
  const draft = exportFromC()
  const tx = draft.unsignedTx as cChain.ExportTx
  const make = (change: Partial<cChain.ExportTx>) =>
    createRequest({ ...draft, unsignedTx: { ...tx, ...change } })
  const [input] = tx.inputs

  it('cannot name another network, chain or destination, an account twice, or more than is debited', () => {
    expect(codeOf(() => make({ networkID: 1 }))).toBe('WRONG_NETWORK_ID')
    expect(codeOf(() => make({ blockchainID: context.chainID }))).toBe('WRONG_CHAIN_ID')
    expect(codeOf(() => make({ destinationChain: tx.blockchainID }))).toBe('WRONG_CHAIN_ID')
    expect(codeOf(() => make({ inputs: [input!, input!] }))).toBe('EVM_INPUTS_NOT_SORTED_UNIQUE')
    expect(codeOf(() => make({ inputs: [] }))).toBe('NO_EVM_INPUTS')
    expect(codeOf(() => make({ inputs: [{ ...input!, amount: 1n }] }))).toBe('INSUFFICIENT_FUNDS')
    expect(
      codeOf(() => make({ inputs: [{ ...input!, assetID: new Uint8Array(32).fill(1) }] })),
    ).toBe('NON_AVAX')
  })

  it('shows nonce, debited amount and burned amount as they are signed', () => {
    const nonce = 2n ** 64n - 1n
    const high = make({ inputs: [{ ...input!, nonce }] })
    expect(explainRequest(high).spends).toMatchObject([{ nonce }])
    const greedy = make({ inputs: [{ ...input!, amount: 10n * AVAX }] })
    expect(codeOf(() => signRequest(greedy, alice))).toBe('HIGH_FEE')
    // An account of somebody else beside ours.
    const others = { ...input!, address: accountOf(bob) }
    const both = make({
      inputs: [input!, others].sort((a, b) => compareBytes(a.address, b.address)),
      exportedOutputs: tx.exportedOutputs.map((each) => ({
        ...each,
        output: { ...each.output, amount: 2n * each.output.amount },
      })),
    })
    expect(explainRequest(both).spends).toHaveLength(2)
    const signed = signRequest(both, alice)
    expect(codeOf(() => finishRequest(signed))).toBe('INCOMPLETE')
  })
})
