import { describe, expect, it } from 'vitest'
import * as cChain from '../../src/c-chain/index.ts'
import { networks } from '../../src/chain/index.ts'
import { KeyChain } from '../../src/crypto/index.ts'
import { checkedHex } from '../../src/encoding/checked-hex.ts'
import { hex } from '../../src/encoding/hex.ts'
import * as pChain from '../../src/p-chain/index.ts'

const context = networks.local
const AVAX = 1_000_000_000n
const [alice, bob, carol] = [1, 2, 3].map((n) => new KeyChain([new Uint8Array(32).fill(n)])) as [
  KeyChain,
  KeyChain,
  KeyChain,
]
const owners = [alice, bob, carol].flatMap(({ addresses }) => addresses)
const account = (keys: KeyChain) => cChain.evmAddressBytes(keys.publicKeys[0]!)
const fees = { weights: pChain.DEFAULT_GAS_WEIGHTS, price: 1n }
const now = 1_700_000_000n
const vault = { to: owners, threshold: 2 }

/** A signed BaseTx of the P-Chain that leaves 2-of-3 owners an amount. */
function fundedVault(): { readonly bytes: Uint8Array; readonly utxos: pChain.UTXO[] } {
  const utxo: pChain.UTXO = {
    txID: new Uint8Array(32).fill(7),
    outputIndex: 0,
    assetID: context.assetID,
    output: {
      type: 'secp256k1fx.TransferOutput',
      amount: 10n * AVAX,
      locktime: 0n,
      threshold: 1,
      addresses: alice.addresses,
    },
  }
  const draft = pChain.buildTransfer({
    context,
    utxos: [utxo],
    owners: alice.addresses,
    now,
    fees,
    outputs: [{ ...vault, amount: 5n * AVAX }],
  })
  const { bytes, signedTx } = pChain.requireSigned(pChain.signDraft(draft, alice))
  const made = pChain.createdUTXOs(signedTx).filter(({ output }) => 'threshold' in output)
  return {
    bytes,
    utxos: made.filter((one) => (one.output as { threshold: number }).threshold === 2),
  }
}

function exportOfVault(): { readonly draft: pChain.Draft; readonly parent: Uint8Array } {
  const { bytes, utxos } = fundedVault()
  const draft = pChain.buildExport({
    context,
    utxos,
    owners,
    now,
    fees,
    destinationChain: 'X',
    outputs: [{ ...vault, amount: AVAX }],
    changeTo: vault,
  })
  return { draft, parent: bytes }
}

const exportFromC = (to: Uint8Array = alice.addresses[0]!) =>
  cChain.buildExport({
    context,
    account: { address: account(alice), nonce: 3n },
    baseFee: 25_000_000_000n,
    destinationChain: 'P',
    outputs: [{ to, amount: AVAX }],
  })

/** What Alice exported from C to P, and its import. */
function importToP(): { readonly draft: pChain.Draft; readonly parent: Uint8Array } {
  const { bytes, signedTx } = cChain.requireSigned(cChain.signDraft(exportFromC(), alice))
  const utxos = cChain.exportedUTXOs(signedTx) as pChain.UTXO[]
  const draft = pChain.buildImport({
    context,
    fees,
    utxos,
    owners: alice.addresses,
    now,
    sourceChain: 'C',
    to: alice.addresses[0]!,
  })
  return { draft, parent: bytes }
}

const codeOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    return (error as { code: string }).code
  }
  return 'none'
}

describe('signing requests of the P-Chain', () => {
  it('go round for every two of three owners of a proven UTXO', () => {
    const { draft, parent } = exportOfVault()
    const request = pChain.createRequest(draft, { parents: [parent], signers: 'all' })
    expect(request.variants).toHaveLength(3)
    const text = pChain.formatRequest(request)
    const read = () => pChain.parseRequest(text)
    expect(pChain.formatRequest(read())).toBe(text)
    // Both outputs go to the owners of the spent UTXO.
    const told = pChain.explainRequest(read(), { ours: alice.addresses, now })
    expect(told).toMatchObject({ pays: [], warnings: [], proven: [true] })
    const fromAlice = pChain.signRequest(read(), alice, { now })
    expect(codeOf(() => pChain.finishRequest(fromAlice))).toBe('INCOMPLETE')
    const merged = pChain.mergeRequests(fromAlice, pChain.signRequest(read(), carol, { now }))
    const { signedTx, txID } = pChain.finishRequest(
      pChain.parseRequest(pChain.formatRequest(merged)),
    )
    expect(pChain.txID(signedTx)).toEqual(txID)
    expect(signedTx.credentials.map(({ signatures }) => signatures.length)).toEqual([2])
    expect(pChain.requestID(merged)).toEqual(pChain.requestID(request))
  })

  it('refuse what is unproven, and proofs of something else', () => {
    const { draft, parent } = exportOfVault()
    const unproven = pChain.createRequest(draft)
    expect(codeOf(() => pChain.signRequest(unproven, alice, { now }))).toBe('UNPROVEN_UTXO')
    pChain.signRequest(unproven, alice, { now, accept: ['UNPROVEN_UTXO', 'SHARED_OUTPUT'] })
    const file = JSON.parse(
      pChain.formatRequest(pChain.createRequest(draft, { parents: [parent] })),
    )
    const other = importToP().parent
    const lie = `${JSON.stringify({ ...file, proofs: [checkedHex.encode(other)] })}`
    expect(codeOf(() => pChain.parseRequest(lie))).toBe('REQUEST_PROOF')
  })

  it('prove what is imported with the export of the other chain', () => {
    const { draft, parent } = importToP()
    const request = pChain.createRequest(draft, { parents: [parent] })
    const signed = pChain.signRequest(pChain.parseRequest(pChain.formatRequest(request)), alice, {
      now,
    })
    expect(pChain.finishRequest(signed).complete).toBe(true)
    // An output that the export did not make.
    const [utxo] = draft.utxos as [pChain.UTXO]
    const forged = { ...utxo, output: { ...utxo.output, addresses: bob.addresses } } as pChain.UTXO
    expect(
      codeOf(() => pChain.createRequest({ ...draft, utxos: [forged] }, { parents: [parent] })),
    ).toBe('REQUEST_PROOF')
  })

  it('refuse every change of a file, keys of others and unused keys', () => {
    const { draft, parent } = importToP()
    const request = pChain.signRequest(pChain.createRequest(draft, { parents: [parent] }), alice, {
      now,
    })
    const text = pChain.formatRequest(request)
    for (const at of [...text.matchAll(/[0-9a-f]{40}/g)].map(({ index }) => index!)) {
      const changed = `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`
      expect(codeOf(() => pChain.parseRequest(changed))).not.toBe('none')
    }
    expect(codeOf(() => pChain.signRequest(request, bob, { now }))).toBe('UNUSED_KEY')
    expect(codeOf(() => pChain.parseRequest(text, { network: networks.fuji }))).toBe(
      'REQUEST_NETWORK',
    )
    expect(codeOf(() => cChain.parseRequest(text))).toBe('REQUEST_MALFORMED')
  })

  it('warn of owners who are shared, of locks and of what anyone can spend', () => {
    const { draft, parent } = importToP()
    const to = (output: object) => {
      const tx = draft.unsignedTx as pChain.ImportTx
      const [first] = tx.outputs
      const changed = {
        ...first!,
        output: { ...first!.output, ...output },
      } as pChain.TransferableOutput
      return pChain.createRequest(
        { ...draft, unsignedTx: { ...tx, outputs: [changed] } },
        { parents: [parent] },
      )
    }
    const refusal = (output: object) => codeOf(() => pChain.signRequest(to(output), alice, { now }))
    const two = [alice, bob]
      .flatMap(({ addresses }) => addresses)
      .sort((a, b) => (hex.encode(a) < hex.encode(b) ? -1 : 1))
    expect(refusal({ addresses: two, threshold: 2 })).toBe('SHARED_OUTPUT')
    expect(refusal({ locktime: now + 1n })).toBe('LOCKED_RETURN')
    expect(refusal({ addresses: [], threshold: 0 })).toBe('OPEN_OUTPUT')
    expect(refusal({ amount: 1n })).toBe('HIGH_FEE')
    const locked = {
      type: 'stakeable.LockOut',
      locktime: now + 9n,
      output: (draft.unsignedTx as pChain.ImportTx).outputs[0]!.output,
    }
    expect(refusal(locked)).toBe('LOCKED_RETURN')
    expect(refusal({})).toBe('none')
  })
})

describe('signing requests of the C-Chain', () => {
  it('name the account of an export, which its key signs', () => {
    const request = cChain.createRequest(exportFromC())
    const told = cChain.explainRequest(request, { ours: alice.addresses })
    expect(told).toMatchObject({
      accounts: [{ address: cChain.formatEVMAddress(account(alice)), nonce: 3n }],
      signerSets: [{ missing: [cChain.formatEVMAddress(account(alice))] }],
      warnings: [],
    })
    const text = cChain.formatRequest(cChain.signRequest(request, alice))
    const { txID } = cChain.finishRequest(cChain.parseRequest(text))
    expect(txID).toEqual(cChain.requireSigned(cChain.signDraft(exportFromC(), alice)).txID)
    expect(codeOf(() => cChain.signRequest(request, bob))).toBe('UNUSED_KEY')
    const forged = {
      address: account(alice),
      signature: bob.sign(bob.addresses[0]!, new Uint8Array(32)),
    }
    expect(codeOf(() => cChain.addSignature(request, forged))).toBe('WRONG_SIGNER')
  })

  it('do not take the account for an owner of what is exported', () => {
    const request = cChain.createRequest(exportFromC(account(alice)))
    const told = cChain.explainRequest(request, {
      ours: alice.addresses,
      accounts: [account(alice)],
    })
    expect([told.returns.length, told.warnings.map(({ code }) => code)]).toEqual([0, ['NOT_OURS']])
  })

  it('refuse an export to X as proof of an import, sign it unproven if accepted, and credit an account of ours', () => {
    const { draft: fromP, parent: funding } = exportOfVault()
    const request = pChain.createRequest(fromP, { parents: [funding] })
    const both = pChain.signRequest(pChain.signRequest(request, alice, { now }), bob, {
      now,
      accept: ['KEY_NOT_A_SIGNER'],
    })
    const all = pChain.signRequest(both, carol, { now, accept: ['KEY_NOT_A_SIGNER'] })
    // To X, so that C must not import it.
    const { signedTx, bytes } = pChain.finishRequest(all)
    const utxos = pChain.exportedUTXOs(signedTx) as cChain.Draft['utxos']
    const draft = cChain.buildImport({
      context,
      sourceChain: 'P',
      utxos,
      owners,
      now,
      baseFee: 25_000_000_000n,
      to: account(alice),
    })
    expect(codeOf(() => cChain.createRequest(draft, { parents: [bytes] }))).toBe('REQUEST_PROOF')
    const unproven = cChain.createRequest(draft, { signers: 'all' })
    const accept = ['UNPROVEN_UTXO'] as const
    const signed = cChain.mergeRequests(
      cChain.signRequest(unproven, alice, { accept }),
      cChain.signRequest(unproven, carol, { accept }),
    )
    expect(cChain.explainRequest(unproven, { accounts: [account(alice)] }).returns).toHaveLength(1)
    expect(cChain.finishRequest(signed).complete).toBe(true)
  })
})
