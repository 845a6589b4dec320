import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { formatID } from '../../../../src/core/base/encoding/ids.ts'
import { sha256 } from '../../../../src/core/base/hash/sha256.ts'
import * as cChain from '../../../../src/core/c-chain.ts'
import { networks, P_CHAIN_ID } from '../../../../src/core/chain/networks.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import type { Signer } from '../../../../src/core/sign/signer.ts'
import { keyChainSigner } from '../../../../src/core/sign/signers.ts'
import {
  addSignature,
  collectProofs,
  createRequest,
  explainRequest,
  finishRequest,
  formatExplanation,
  formatRequest,
  mergeRequests,
  parseRequest,
  requestID,
  requireSigned,
  type SigningRequest,
  signDraft,
  signDraftWith,
  signRequest,
  signRequestWith,
} from '../../../../src/index.ts'
import { keysOf, owners, paying } from '../fixtures.ts'
import { schemaFaults } from '../schema.ts'
import { codeOf, NOW as now } from '../verdicts.ts'
import {
  AVAX,
  accountOf,
  alice,
  BASE_FEE,
  bob,
  carol,
  context,
  exportFromC,
  exportOfVault,
  fees,
  importOfToken,
  importToP,
  vault,
} from './fixtures.ts'

const rejection = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error) => error.code,
  )

describe('signRequestWith', () => {
  const path = "m/44'/9000'/0'/0/0"

  it('asks each signer once for its addresses in every signer set, with paths', async () => {
    const { draft, parent } = exportOfVault()
    const paths = [{ address: alice.addresses[0]!, path }]
    const request = createRequest(draft, { parents: [parent], signers: 'all', paths })
    const asked: unknown[] = []
    const device: Signer = {
      addresses: alice.addresses,
      sign: () => undefined,
      signAll: ({ hash, signers, changePaths, unsignedBytes }) => {
        asked.push([signers, changePaths, unsignedBytes, hash])
        return signers.map(({ address }) => alice.sign(address, hash))
      },
    }
    const both = await signRequestWith(request, [device, keyChainSigner(bob)], { now })
    // Alice is a signer of two of the three signer sets.
    expect(asked).toHaveLength(2)
    const bytes = pChain.encodeUnsignedTx(request.signerSets[0]!.unsignedTx)
    expect(asked[0]).toEqual([paths, [path], bytes, sha256(bytes)])
    expect(finishRequest(both).complete).toBe(true)
    const alone = signRequest(signRequest(request, alice, { now }), bob, { now })
    expect(formatRequest(both)).toBe(formatRequest(alone))
    // What is signed already is not asked for again.
    expect(await signRequestWith(both, [device], { now })).toEqual(both)
    expect(asked).toHaveLength(2)
  })

  it('refuses wrong answers, failures, dangers and signers of others', async () => {
    const { draft, parent } = importToP()
    const request = createRequest(draft, { parents: [parent] })
    const refusal = (signer: Signer, one = request) =>
      rejection(signRequestWith(one, [signer], { now }))
    const { addresses } = alice
    const sign = () => undefined
    const wrong = ({ hash }: { hash: Uint8Array }) => bob.sign(bob.addresses[0]!, hash)
    const broken = () => {
      throw new Error('unplugged')
    }
    expect(await refusal({ addresses, sign: wrong })).toBe('WRONG_SIGNER')
    expect(await refusal({ addresses, sign: broken })).toBe('SIGNER_FAILED')
    expect(await refusal({ addresses, sign, signAll: () => [] })).toBe('SIGNER_FAILED')
    expect(await refusal({ addresses, sign: () => new Uint8Array(65) })).toMatch(/^SIG_/)
    expect(await refusal(keyChainSigner(bob))).toBe('UNUSED_KEY')
    expect(await refusal({ sign })).toBe('KEY_NOT_A_SIGNER')
    const unproven = createRequest(draft)
    expect(await refusal(keyChainSigner(alice), unproven)).toBe('UNPROVEN_UTXO')
    const declined = await signRequestWith(request, [{ addresses, sign }], { now })
    expect(declined).toEqual(request)
  })

  it('finds the accounts of a C-Chain export by public keys', async () => {
    const request = createRequest(exportFromC())
    const signers = [keyChainSigner(alice)]
    const { publicKeys } = alice
    expect(await rejection(signRequestWith(request, signers))).toBe('KEY_NOT_A_SIGNER')
    expect(
      await rejection(
        signRequestWith(request, [keyChainSigner(bob)], { publicKeys: bob.publicKeys }),
      ),
    ).toBe('UNUSED_KEY')
    const signed = await signRequestWith(request, signers, { publicKeys })
    expect(signed).toEqual(signRequest(request, alice))
  })
})

describe('assets other than AVAX', () => {
  const { draft, creation, parent: exported, token } = importOfToken()

  it('are proven by their CreateAssetTx, which collectProofs asks the X-Chain for', async () => {
    const asked: string[] = []
    const known = [creation, exported]
    const parents = await collectProofs(draft, async (txID, chain) => {
      asked.push(chain)
      return known.find((bytes) => hex.encode(sha256(bytes)) === hex.encode(txID))
    })
    expect([asked, parents.length]).toEqual([['X', 'X'], 2])
    const request = parseRequest(formatRequest(createRequest(draft, { parents })))
    const told = explainRequest(request, { ours: alice.addresses, now })
    expect(told.warnings).toEqual([])
    expect(told.assets[formatID(token)]).toEqual({ symbol: 'TOK', denomination: 2, known: false })
    expect(formatExplanation(told)).toMatch(
      new RegExp(`^return +5 +${formatID(token)} "TOK" +to P-local1`, 'm'),
    )
    expect(finishRequest(signRequest(request, alice, { now })).complete).toBe(true)
  })

  it('are unproven without it, and another transaction is refused in its place', () => {
    const request = createRequest(draft, { parents: [exported] })
    expect(codeOf(() => signRequest(request, alice, { now }))).toBe('UNPROVEN_ASSET')
    expect(formatExplanation(explainRequest(request, { ours: [], now }))).toMatch(
      / 500 +units of \w{40,} /,
    )
    const swap = (proofs: Uint8Array[]) => {
      const file = JSON.parse(formatRequest(request))
      return JSON.stringify({ ...file, proofs: proofs.map((bytes) => checkedHex.encode(bytes)) })
    }
    const other = importToP().parent
    expect(codeOf(() => parseRequest(swap([exported, other])))).toBe('REQUEST_PROOF')
    expect(codeOf(() => parseRequest(swap([creation, creation])))).toBe('REQUEST_PROOF')
  })

  it('with an ID that is the hash of no CreateAssetTx are not proven by that transaction', () => {
    // The export itself as an asset.
    const [first] = draft.utxos as [pChain.UTXO]
    const assetID = sha256(exported)
    const lie = {
      ...draft,
      utxos: [{ ...first, assetID }],
      unsignedTx: {
        ...draft.unsignedTx,
        outputs: [],
        importedInputs: [{ ...(draft.unsignedTx as pChain.ImportTx).importedInputs[0]!, assetID }],
      } as pChain.ImportTx,
    }
    expect(codeOf(() => createRequest(lie, { parents: [exported] }))).toBe('REQUEST_PROOF')
  })
})

describe('signing requests of the P-Chain', () => {
  it('refuse to create more than is spent', () => {
    const { draft, parent } = importToP()
    const tx = draft.unsignedTx as pChain.ImportTx
    const [first] = tx.outputs
    const output = { ...first!.output, amount: 2n * AVAX } as pChain.Output
    const greedy = { ...draft, unsignedTx: { ...tx, outputs: [{ ...first!, output }] } }
    expect(codeOf(() => createRequest(greedy, { parents: [parent] }))).toBe('INSUFFICIENT_FUNDS')
  })

  it('go round for every two of three owners of a proven UTXO', () => {
    const { draft, parent } = exportOfVault()
    const request = createRequest(draft, { parents: [parent], signers: 'all' })
    expect(request.signerSets).toHaveLength(3)
    const text = formatRequest(request)
    expect(schemaFaults(JSON.parse(text))).toEqual([])
    const read = () => parseRequest(text) as SigningRequest<'P'>
    expect(formatRequest(read())).toBe(text)
    // Both outputs go to the owners of the spent UTXO.
    const told = explainRequest(read(), { ours: alice.addresses, now })
    expect(told).toMatchObject({ pays: [], warnings: [], spends: [{ proven: true }] })
    const fromAlice = signRequest(read(), alice, { now })
    expect(codeOf(() => finishRequest(fromAlice))).toBe('INCOMPLETE')
    const merged = mergeRequests(fromAlice, signRequest(read(), carol, { now }))
    const { signedTx, txID } = finishRequest(
      parseRequest(formatRequest(merged)) as SigningRequest<'P'>,
    )
    expect(pChain.txID(signedTx)).toEqual(txID)
    expect(signedTx.credentials.map(({ signatures }) => signatures.length)).toEqual([2])
    expect(requestID(merged)).toEqual(requestID(request))
  })

  it('refuse what is unproven, and proofs of something else', () => {
    const { draft, parent } = exportOfVault()
    const unproven = createRequest(draft)
    expect(codeOf(() => signRequest(unproven, alice, { now }))).toBe('UNPROVEN_UTXO')
    signRequest(unproven, alice, {
      now,
      accept: ['UNPROVEN_UTXO', 'FOREIGN_CHANGE', 'SHARED_OUTPUT'],
    })
    const file = JSON.parse(formatRequest(createRequest(draft, { parents: [parent] })))
    const other = importToP().parent
    const lie = JSON.stringify({ ...file, proofs: [checkedHex.encode(other)] })
    expect(codeOf(() => parseRequest(lie))).toBe('REQUEST_PROOF')
  })

  it('refuse a transaction of another network as proof', () => {
    const created = (networkID: number) => {
      const tx: pChain.SignedTx = {
        unsignedTx: {
          type: 'BaseTx',
          networkID,
          blockchainID: P_CHAIN_ID,
          outputs: [{ assetID: context.assetID, output: paying(AVAX, owners(1, 0)) }],
          inputs: [],
          memo: new Uint8Array(0),
        },
        credentials: [],
      }
      const draft = pChain.buildTransfer({
        context,
        funds: { utxos: pChain.createdUTXOs(tx), owners: alice.addresses, now },
        fees,
        outputs: [{ to: bob.addresses[0]!, amount: AVAX / 2n }],
      })
      return createRequest(draft, { parents: [pChain.encodeTx(tx)] })
    }
    expect(codeOf(() => created(context.networkID))).toBe('no error')
    expect(codeOf(() => created(5))).toBe('REQUEST_PROOF')
  })

  it('prove what is imported with the export of the other chain', () => {
    const { draft, parent } = importToP()
    const request = createRequest(draft, { parents: [parent] })
    const signed = signRequest(parseRequest(formatRequest(request)), alice, {
      now,
    })
    expect(finishRequest(signed).complete).toBe(true)
    // An output that the export did not make.
    const [utxo] = draft.utxos as [pChain.UTXO]
    const forged = { ...utxo, output: { ...utxo.output, addresses: bob.addresses } } as pChain.UTXO
    const lie = createRequest({ ...draft, utxos: [forged] }, { parents: [parent] })
    for (const use of [
      () => explainRequest(lie),
      () => signRequest(lie, bob),
      () => parseRequest(formatRequest(lie)),
    ])
      expect(codeOf(use)).toBe('REQUEST_PROOF')
  })

  it('refuse changed bytes with a correct checksum, keys of others, and files of other networks and chains', () => {
    const { draft, parent } = importToP()
    const request = signRequest(createRequest(draft, { parents: [parent] }), alice, {
      now,
    })
    const text = formatRequest(request)
    for (const [value] of text.matchAll(/0x[0-9a-f]+/g)) {
      const bytes = checkedHex.decode(value)
      for (let at = 0; at < bytes.length; at += 7) {
        const forged = checkedHex.encode(bytes.with(at, bytes[at]! ^ 1))
        const changed = text.replace(value, forged)
        expect(
          codeOf(() => parseRequest(changed)),
          forged,
        ).not.toBe('no error')
      }
    }
    expect(codeOf(() => signRequest(request, bob, { now }))).toBe('UNUSED_KEY')
    expect(codeOf(() => parseRequest(text, { network: networks.fuji }))).toBe('REQUEST_NETWORK')
    for (const chain of ['X', 'C'])
      expect(codeOf(() => parseRequest(JSON.stringify({ ...JSON.parse(text), chain })))).not.toBe(
        'no error',
      )
  })
})

describe('signing requests of the C-Chain', () => {
  it('name the account of an export, which its key signs', () => {
    const request = createRequest(exportFromC())
    const told = explainRequest(request, { ours: alice.addresses })
    expect(told).toMatchObject({
      spends: [{ owners: { addresses: [cChain.formatEVMAddress(accountOf(alice))] }, nonce: 3n }],
      signerSets: [{ missing: [cChain.formatEVMAddress(accountOf(alice))] }],
      warnings: [],
    })
    const text = formatRequest(signRequest(request, alice))
    expect(schemaFaults(JSON.parse(text))).toEqual([])
    const { txID } = finishRequest(parseRequest(text))
    expect(txID).toEqual(requireSigned(signDraft(exportFromC(), alice)).txID)
    expect(codeOf(() => signRequest(request, bob))).toBe('UNUSED_KEY')
    const forged = {
      address: accountOf(alice),
      signature: bob.sign(bob.addresses[0]!, new Uint8Array(32)),
    }
    expect(codeOf(() => addSignature(request, forged))).toBe('WRONG_SIGNER')
  })

  it('refuse an export to X as proof of an import, sign it unproven if accepted, and credit an account of ours', () => {
    const { draft: fromP, parent: funding } = exportOfVault()
    const request = createRequest(fromP, { parents: [funding] })
    const both = signRequest(signRequest(request, alice, { now }), bob, {
      now,
      accept: ['KEY_NOT_A_SIGNER'],
    })
    const all = signRequest(both, carol, { now, accept: ['KEY_NOT_A_SIGNER'] })
    // To X, so that C must not import it.
    const { signedTx, bytes } = finishRequest(all)
    const utxos = pChain.exportedUTXOs(signedTx) as cChain.Draft['utxos']
    const draft = cChain.buildImport({
      context,
      sourceChain: 'P',
      funds: { utxos, owners: vault.to, now },
      baseFee: BASE_FEE,
      to: accountOf(alice),
    })
    const misproven = createRequest(draft, { parents: [bytes] })
    for (const use of [
      () => explainRequest(misproven),
      () => signRequest(misproven, alice),
      () => parseRequest(formatRequest(misproven)),
    ])
      expect(codeOf(use)).toBe('REQUEST_PROOF')
    const unproven = createRequest(draft, { signers: 'all' })
    const accept = ['UNPROVEN_UTXO'] as const
    const signed = mergeRequests(
      signRequest(unproven, alice, { accept }),
      signRequest(unproven, carol, { accept }),
    )
    expect(explainRequest(unproven, { accounts: [accountOf(alice)] }).returns).toHaveLength(1)
    expect(finishRequest(signed).complete).toBe(true)
  })
})

describe('signDraft', () => {
  const { draft } = exportOfVault()
  const burning: pChain.Draft = {
    ...draft,
    unsignedTx: { ...draft.unsignedTx, outputs: [] } as pChain.ExportTx,
  }
  const open: pChain.Draft = {
    ...draft,
    unsignedTx: {
      ...(draft.unsignedTx as pChain.ExportTx),
      exportedOutputs: [
        {
          assetID: context.assetID,
          output: paying(AVAX, { locktime: 0n, threshold: 0, addresses: [] }),
        },
      ],
    },
  }

  it('refuses dangers unless they are accepted', async () => {
    expect(codeOf(() => signDraft(burning, alice))).toBe('HIGH_FEE')
    expect(codeOf(() => signDraft(open, alice))).toBe('OPEN_OUTPUT')
    const signer = keyChainSigner(alice)
    await expect(signDraftWith(open, [signer])).rejects.toMatchObject({
      code: 'OPEN_OUTPUT',
    })
    expect(signDraft(burning, alice, { maxFee: 5n * AVAX }).complete).toBe(false)
    expect(signDraft(open, alice, { accept: ['OPEN_OUTPUT'] }).complete).toBe(false)
    const fromC = exportFromC()
    const wrong = { ...fromC, context: { ...context, networkID: 1 } }
    expect(codeOf(() => signDraft(wrong, alice))).toBe('WRONG_NETWORK')
  })

  it('signs what it has checked, also if getters change', () => {
    for (let count = 0; count < 6; count++) {
      let reads = 0
      const changing = Object.defineProperty({ ...draft }, 'unsignedTx', {
        get: () => (reads++ < count ? draft : burning).unsignedTx,
      })
      const code = codeOf(() => {
        const { signedTx } = requireSigned(signDraft(changing, keysOf(0, 1)))
        expect(signedTx.unsignedTx).toStrictEqual(draft.unsignedTx)
      })
      expect(['HIGH_FEE', 'no error']).toContain(code)
    }
  })
})
