import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../src/bytes/compare.ts'
import * as cChain from '../../src/c-chain/index.ts'

import { checkedHex } from '../../src/encoding/checked-hex.ts'
import { AvmError } from '../../src/errors.ts'
import * as pChain from '../../src/p-chain/index.ts'
import { chainRequestSchema, schemaFaults } from '../sign/schema.ts'
import {
  AVAX,
  account,
  alice,
  bob,
  carol,
  codeOf,
  context,
  exportFromC,
  exportOfVault,
  fees,
  importToP,
  now,
} from './request-cases.ts'

/** A parsed file, which is changed here in every way. */
type File = ReturnType<typeof JSON.parse>

/** A request of each kind as its file, without signatures. */
function files(): {
  readonly [kind: string]: { readonly file: () => File; readonly parse: Parse }
} {
  const imported = importToP()
  const vault = exportOfVault()
  const texts = {
    'P import': pChain.formatRequest(
      pChain.createRequest(imported.draft, { parents: [imported.parent] }),
    ),
    'P export': pChain.formatRequest(
      pChain.createRequest(vault.draft, { parents: [vault.parent], signers: 'all' }),
    ),
    'C export': cChain.formatRequest(cChain.createRequest(exportFromC())),
  }
  return Object.fromEntries(
    Object.entries(texts).map(([kind, text]) => [
      kind,
      {
        file: () => JSON.parse(text),
        parse: kind.startsWith('P') ? pChain.parseRequest : cChain.parseRequest,
      },
    ]),
  )
}

type Parse = (text: string) => unknown

/** The code of the error of a text; fails if it is no typed error. */
function refusalOf(parse: Parse, text: string): string {
  try {
    parse(text)
  } catch (error) {
    expect(error).toBeInstanceOf(AvmError)
    return (error as AvmError).code
  }
  return 'none'
}

const CHANGES: [string, (file: File) => unknown, string | RegExp][] = [
  ['an unknown member', (f) => ({ ...f, fee: '1' }), 'REQUEST_MALFORMED'],
  ['no proofs', ({ proofs: _, ...f }) => f, 'REQUEST_MALFORMED'],
  ['a member that is null', (f) => ({ ...f, paths: null }), 'REQUEST_MALFORMED'],
  ['version 2', (f) => ({ ...f, version: 2 }), 'REQUEST_VERSION'],
  [
    'the format of the X-Chain',
    (f) => ({ ...f, format: 'avmkit-signing-request' }),
    'REQUEST_MALFORMED',
  ],
  ['another ID', (f) => ({ ...f, id: f.network.chainID }), /^REQUEST_/],
  ['a transaction ID without signatures', (f) => ({ ...f, txID: f.id }), /^REQUEST_/],
  [
    'another network ID',
    (f) => ({ ...f, network: { ...f.network, networkID: 5 } }),
    'REQUEST_NETWORK',
  ],
  [
    'a huge network ID',
    (f) => ({ ...f, network: { ...f.network, networkID: 1e308 } }),
    'REQUEST_NETWORK',
  ],
  [
    'a text as network ID',
    (f) => ({ ...f, network: { ...f.network, networkID: '12345' } }),
    'REQUEST_NETWORK',
  ],
  [
    'another X-Chain',
    (f) => ({ ...f, network: { ...f.network, chainID: f.network.assetID } }),
    'REQUEST_NETWORK',
  ],
  [
    'another native asset',
    (f) => ({ ...f, network: { ...f.network, assetID: f.network.chainID } }),
    'REQUEST_NETWORK',
  ],
  [
    'an unknown member of the network',
    (f) => ({ ...f, network: { ...f.network, fee: 1 } }),
    'REQUEST_MALFORMED',
  ],
  ['no variants', (f) => ({ ...f, variants: [] }), 'REQUEST_VARIANTS'],
  [
    'a variant twice',
    (f) => ({ ...f, variants: [...f.variants, f.variants[0]] }),
    'REQUEST_VARIANTS',
  ],
  [
    'too many variants',
    (f) => ({ ...f, variants: Array(65).fill(f.variants[0]) }),
    'REQUEST_VARIANTS',
  ],
  [
    'a variant with another member',
    (f) => ({ ...f, variants: [{ ...f.variants[0], fee: 1 }] }),
    'REQUEST_MALFORMED',
  ],
  ['a UTXO more', (f) => ({ ...f, utxos: [...f.utxos, ANY_UTXO] }), /^UTXO_/],
  ['a proof of nothing', (f) => ({ ...f, proofs: [...f.proofs, ANY_UTXO] }), 'REQUEST_PROOF'],
  ['a number as proof', (f) => ({ ...f, proofs: [7] }), 'REQUEST_MALFORMED'],
  [
    'a path that is none',
    (f) => ({ ...f, paths: [{ address: f.id, path: 'm' }] }),
    'REQUEST_MALFORMED',
  ],
]

const ANY_UTXO = checkedHex.encode(pChain.encodeUTXO(importToP().draft.utxos[0]!))

const FORBIDDEN = [
  'an unknown member',
  'no proofs',
  'version 2',
  'the format of the X-Chain',
  'a text as network ID',
  'no variants',
  'too many variants',
]

describe('a request file of the P- or C-Chain', () => {
  for (const [kind, { file, parse }] of Object.entries(files())) {
    it(`of a ${kind} is refused with a typed error after every change`, () => {
      expect(refusalOf(parse, JSON.stringify(file()))).toBe('none')
      for (const [what, change, code] of CHANGES)
        expect([what, refusalOf(parse, JSON.stringify(change(file())))]).toEqual([
          what,
          typeof code === 'string' ? code : expect.stringMatching(code),
        ])
    })

    it(`of a ${kind} is refused if it is no JSON object that is read in one way`, () => {
      const text = JSON.stringify(file())
      const repeated = text.replace('"version"', '"v\\u0065rsion":1,"version"')
      const deep = '['.repeat(200_000)
      for (const bad of ['', 'null', '[]', '1', '"x"', deep, `${text},`, repeated])
        expect(refusalOf(parse, bad)).toBe('REQUEST_MALFORMED')
      expect(refusalOf(parse, text.replace('"paths":[]', `"paths":${'['.repeat(9999)}`))).toBe(
        'REQUEST_MALFORMED',
      )
    })

    it(`of a ${kind} does not agree with the schema after the changes that the schema forbids`, () => {
      const forbidden = CHANGES.filter(([what]) => FORBIDDEN.includes(what))
      expect(forbidden).toHaveLength(FORBIDDEN.length)
      for (const [what, change] of forbidden)
        expect([what, schemaFaults(change(file()), chainRequestSchema)]).toEqual([
          what,
          expect.arrayContaining([expect.any(String)]),
        ])
    })
  }

  it('without its UTXOs, or with them in another order, is refused', () => {
    const { file, parse } = files()['P import']!
    expect(refusalOf(parse, JSON.stringify({ ...file(), utxos: [], proofs: [] }))).toBe(
      'UTXO_UNKNOWN',
    )
  })
})

describe('a request of the P-Chain by a hostile author', () => {
  const { draft, parent } = importToP()
  const tx = draft.unsignedTx as pChain.ImportTx
  const make = (change: Partial<pChain.ImportTx>, parents = [parent]) =>
    pChain.createRequest({ ...draft, unsignedTx: { ...tx, ...change } }, { parents })

  it('cannot name another network, chain or source, or an input twice', () => {
    const [input] = tx.importedInputs
    const zero = new Uint8Array(32)
    expect(codeOf(() => make({ networkID: 5 }))).toBe('WRONG_NETWORK_ID')
    expect(codeOf(() => make({ blockchainID: context.chainID }))).toBe('WRONG_CHAIN_ID')
    expect(codeOf(() => make({ sourceChain: zero }))).not.toBe('none')
    // An export of the C-Chain does not prove an import from X.
    expect(codeOf(() => make({ sourceChain: context.chainID }))).toBe('REQUEST_PROOF')
    expect(codeOf(() => make({ importedInputs: [input!, input!] }))).toBe(
      'INPUTS_NOT_SORTED_UNIQUE',
    )
    expect(codeOf(() => make({ inputs: [input!] }))).not.toBe('none')
    const unknown = make({ sourceChain: new Uint8Array(32).fill(9) }, [])
    expect(pChain.explainRequest(unknown).warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['UNPROVEN_UTXO', 'UNKNOWN_SOURCE']),
    )
  })

  it('cannot state other owners, amounts or assets of what is proven', () => {
    const [utxo] = draft.utxos as [pChain.UTXO]
    const lies = [
      { output: { ...utxo.output, addresses: bob.addresses } },
      { output: { ...utxo.output, amount: 2n * AVAX } },
      { output: { ...utxo.output, locktime: 1n } },
      { assetID: new Uint8Array(32).fill(5) },
      { outputIndex: 1 },
      { txID: new Uint8Array(32).fill(6) },
    ] as Partial<pChain.UTXO>[]
    for (const lie of lies) {
      const refusal = codeOf(() =>
        pChain.createRequest({ ...draft, utxos: [{ ...utxo, ...lie }] }, { parents: [parent] }),
      )
      expect(refusal).toMatch(/^(REQUEST_PROOF|UTXO_MISMATCH)$/)
    }
  })

  it('shows change to a stranger as a payment', () => {
    const [first] = tx.outputs
    const output = { ...first!.output, addresses: bob.addresses } as pChain.Output
    const stolen = pChain.explainRequest(make({ outputs: [{ ...first!, output }] }), {
      ours: alice.addresses,
      now,
    })
    expect(stolen).toMatchObject({ returns: [], warnings: [{ code: 'NOT_OURS' }] })
    expect(stolen.pays).toHaveLength(1)
    const { draft: vaultDraft, parent: funding } = exportOfVault()
    const half = vaultDraft.unsignedTx as pChain.ExportTx
    const outputs = half.outputs.map((each) => ({
      ...each,
      output: { ...each.output, threshold: 1, addresses: bob.addresses } as pChain.Output,
    }))
    const request = pChain.createRequest(
      { ...vaultDraft, unsignedTx: { ...half, outputs } },
      { parents: [funding] },
    )
    // Bob is one of the owners of the vault, but alone he is not the vault.
    const told = pChain.explainRequest(request, { ours: alice.addresses, now })
    expect(told.warnings.map(({ code }) => code)).toEqual(['NOT_OURS'])
    expect(told.pays).toHaveLength(1)
  })

  it('cannot exchange proofs or variants in a merge', () => {
    const { draft: vaultDraft, parent: funding } = exportOfVault()
    const request = pChain.createRequest(vaultDraft, { parents: [funding], signers: 'all' })
    const fewer = { ...request, variants: request.variants.slice(1) }
    const merge = (other: pChain.SigningRequest) => pChain.mergeRequests(request, other)
    expect(codeOf(() => merge(fewer))).toBe('REQUEST_CONFLICT')
    expect(codeOf(() => merge(make({})))).toBe('REQUEST_CONFLICT')
    expect(merge({ ...request, proofs: [parent, funding, funding] }).proofs).toEqual([funding])
    const byAlice = pChain.signRequest(request, alice, { now })
    const byCarol = pChain.signRequest(request, carol, { now })
    const moved = byCarol.variants.map((variant, i) => ({
      ...variant,
      signatures: byAlice.variants[(i + 1) % 3]!.signatures,
    }))
    const swapped = pChain.mergeRequests(request, { ...byCarol, variants: moved })
    expect(codeOf(() => pChain.finishRequest(swapped))).toMatch(/^(WRONG_SIGNER|SIG_|INCOMPLETE)/)
    const path = (index: number) => ({
      ...request,
      paths: [{ address: alice.addresses[0]!, path: `m/44'/9000'/0'/0/${index}` }],
    })
    expect(codeOf(() => pChain.mergeRequests(path(0), path(1)))).toBe('REQUEST_CONFLICT')
  })

  it('cannot overflow: sums and fees are exact', () => {
    const [first] = tx.outputs
    const output = { ...first!.output, amount: 2n ** 64n - 1n } as pChain.Output
    const two = [first!, first!].map((each) => ({ ...each, output }))
    expect(codeOf(() => make({ outputs: two }))).toBe('INSUFFICIENT_FUNDS')
    const dear = { ...fees, price: 2n ** 64n - 1n }
    expect(codeOf(() => pChain.feeOf(tx, dear))).not.toBe('none')
  })
})

describe('a request of the C-Chain by a hostile author', () => {
  const draft = exportFromC()
  const tx = draft.unsignedTx as cChain.ExportTx
  const make = (change: Partial<cChain.ExportTx>) =>
    cChain.createRequest({ ...draft, unsignedTx: { ...tx, ...change } })
  const [input] = tx.inputs

  it('cannot name another network, chain or destination, an account twice, or more than is debited', () => {
    expect(codeOf(() => make({ networkID: 1 }))).toBe('WRONG_NETWORK_ID')
    expect(codeOf(() => make({ blockchainID: context.chainID }))).toBe('WRONG_CHAIN_ID')
    expect(codeOf(() => make({ destinationChain: tx.blockchainID }))).not.toBe('none')
    expect(codeOf(() => make({ inputs: [input!, input!] }))).toBe('EVM_INPUTS_NOT_SORTED_UNIQUE')
    expect(codeOf(() => make({ inputs: [] }))).not.toBe('none')
    expect(codeOf(() => make({ inputs: [{ ...input!, amount: 1n }] }))).toBe('INSUFFICIENT_FUNDS')
    expect(
      codeOf(() => make({ inputs: [{ ...input!, assetID: new Uint8Array(32).fill(1) }] })),
    ).toBe('NON_AVAX')
  })

  it('shows nonce, debited amount and burned amount as they are signed', () => {
    const nonce = 2n ** 64n - 1n
    const high = make({ inputs: [{ ...input!, nonce }] })
    expect(cChain.explainRequest(high).accounts).toMatchObject([{ nonce }])
    const greedy = make({ inputs: [{ ...input!, amount: 10n * AVAX }] })
    expect(codeOf(() => cChain.signRequest(greedy, alice))).toBe('HIGH_FEE')
    // An account of somebody else beside ours.
    const others = { ...input!, address: account(bob) }
    const both = make({
      inputs: [input!, others].sort((a, b) => compareBytes(a.address, b.address)),
      exportedOutputs: tx.exportedOutputs.map((each) => ({
        ...each,
        output: { ...each.output, amount: 2n * each.output.amount },
      })),
    })
    expect(cChain.explainRequest(both).accounts).toHaveLength(2)
    const signed = cChain.signRequest(both, alice)
    expect(codeOf(() => cChain.finishRequest(signed))).toBe('INCOMPLETE')
  })
})
