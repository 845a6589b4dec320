import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import type { OutputOwners } from '../../../src/core/chain/owners.ts'
import { genesisTx, localGenesis } from '../../../src/core/chain/x/genesis.ts'
import { txID } from '../../../src/core/chain/x/ids.ts'
import { encodeTx } from '../../../src/core/chain/x/tx.ts'
import { explainDraft } from '../../../src/core/sign/explain/explain.ts'
import { formatExplanation } from '../../../src/core/sign/explain/explain-text.ts'
import { collectProofs } from '../../../src/core/sign/proofs/collect.ts'
import { explainRequest } from '../../../src/core/sign/request/explain-request.ts'
import { createRequest } from '../../../src/core/sign/request/request.ts'
import { signRequest } from '../../../src/core/sign/request/request-sign.ts'
import { signDraft } from '../../../src/core/sign/sign.ts'
import { created, keysOf, owners, parentsOf, paying, people, transfer } from './fixtures.ts'
import { exporting } from './misleading/cross-chain.ts'
import { misleadingCases } from './misleading/index.ts'
import { destroying } from './misleading/locks-and-burns.ts'
import { givingNFT, minting, mintingNFT } from './misleading/operations.ts'
import {
  asset,
  changeTo,
  drafted,
  FEE,
  nobody,
  operating,
  type Put,
  payingToken,
  plain,
  requestOf,
  rest,
  thief,
  vault,
} from './scenes.ts'
import { codeOf, judge, NOW } from './verdicts.ts'

const { local } = networks

describe('the explanation of a misleading request', () => {
  for (const [topic, cases] of Object.entries(misleadingCases))
    describe(topic, () => {
      for (const [name, text, reader, verdict] of cases)
        it(`${name}: ${verdict.read ?? (verdict.warns?.join(', ') || 'no warning')}`, () => {
          judge(text, reader, verdict)
        })
    })

  it('reports everything that is destroyed, AVAX first', () => {
    const request = requestOf(...destroying())
    const [warning] = explainRequest(request, { ours: keysOf(0) }).warnings
    expect(warning?.message).toMatch(
      /^destroys 0\.008 AVAX in .* \(and 1 more: 0\.008 AVAX, \d+ units of \w+ in total\)$/,
    )
  })

  it('compares the signatures that change needs for each asset', () => {
    const token = asset()
    const alone = owners(1, 0)
    const scene = (avaxTo: OutputOwners, tokenTo: OutputOwners) =>
      requestOf(
        {
          spend: [
            [vault, 5000, token.assetID],
            [alone, 2000 + FEE],
          ],
          pay: [
            [tokenTo, 5000, token.assetID],
            [avaxTo, 2000],
          ],
        },
        [token.proof],
      )
    const codes = (request: ReturnType<typeof scene>) =>
      explainRequest(request, { ours: keysOf(0) }).warnings.map(({ code }) => code)
    expect(codes(scene(alone, vault))).toEqual([])
    expect(codes(scene(alone, alone))).toEqual(['WEAKER_CHANGE'])
  })

  it('reports the latest lock first', () => {
    const draft = drafted({
      spend: [[vault, 10_000_000 + FEE]],
      pay: [1n, 2n, 3n, 2n, 1n].map((years, i): Put => {
        return [{ ...owners(1, 3), locktime: NOW + years * 31_536_000n }, 2_000_000 + i - 2]
      }),
    })
    const { warnings } = explainDraft(draft, { now: NOW })
    expect(warnings).toMatchObject([{ code: 'LOCKED_OUTPUT' }])
    expect(warnings[0]!.message).toMatch(/2026-11-13.*\(and 4 more: 10 AVAX in total\)/)
  })

  it('does not hide a mint right among many NFTs', () => {
    const many = Array.from({ length: 60 }, (_, i) => givingNFT(i + 1, owners(1, 3)))
    const request = requestOf(...operating(...many, mintingNFT(70, thief)))
    const explanation = explainRequest(request, { ours: keysOf(0) })
    const text = formatExplanation(explanation)
    expect(text).toMatch(/^do +mint an NFT of .*, group 70$/m)
    expect(text).toMatch(/^do +40 more operations$/m)
    expect(text).toMatch(/^burn +a right to mint NFTs of /m)
    expect(text).not.toMatch(/^burn +nothing/m)
    const moved = explanation.warnings.find(({ code }) => code === 'TRANSFERRED_RIGHT')
    expect(moved?.message).toMatch(/^gives to others: 61 NFTs \(output \d+ is the first\)$/)
  })

  it('lists mint rights before NFTs, with the number of each', () => {
    const pairs = [minting(thief), givingNFT(1, thief), givingNFT(2, thief)]
    const request = requestOf(...operating(...pairs))
    const { warnings } = explainRequest(request, { ours: keysOf(0) })
    expect(warnings.map(({ message }) => message)).toEqual([
      'gives to others: a right to mint (output 1), 2 NFTs (output 3 is the first)',
    ])
  })

  it('abbreviates owners and signer sets, with the number of omitted ones', () => {
    const crowd = Array.from({ length: 500 }, (_, i) => {
      const address = new Uint8Array(20)
      new DataView(address.buffer).setUint16(0, i)
      return address
    })
    const many: OutputOwners = { locktime: 0n, threshold: 2, addresses: crowd }
    const shown = formatExplanation(
      explainDraft(drafted({ ...plain, pay: [[many, rest(100_000_000)]] }), {}),
    )
    expect(shown).toMatch(/^pay .* 2 of 500: (X-local1\w+, ){19}X-local1\w+ and 480 more$/m)
    const group = { locktime: 0n, threshold: 3, addresses: people.map(({ address }) => address) }
    const draft = drafted({ spend: [[group, 1_000_000 + FEE]], pay: [[group, 1_000_000]] })
    const request = createRequest(draft, { parents: parentsOf(draft), signers: 'all' })
    expect(request.signerSets).toHaveLength(20)
    const sets = formatExplanation(explainRequest(request)).split('\n')
    expect(sets.filter((line) => line.startsWith('set '))).toHaveLength(20)
  })

  it('lists the signer sets of nearly all of many owners without trying all subsets', () => {
    const addresses = Array.from({ length: 64 }, (_, i) => new Uint8Array(20).fill(i + 1))
    const group: OutputOwners = { locktime: 0n, threshold: 63, addresses }
    const draft = drafted({ spend: [[group, 1_000_000 + FEE]], pay: [[group, 1_000_000]] })
    const request = createRequest(draft, { parents: parentsOf(draft), signers: 'all' })
    expect(request.signerSets).toHaveLength(64)
    const lines = formatExplanation(explainRequest(request)).split('\n')
    const sets = lines.filter((line) => line.startsWith('set '))
    expect(sets).toHaveLength(21)
    expect(sets[20]).toMatch(/44 more signer sets$/)
  })

  it('shows the ID of an unknown destination chain', () => {
    const scene = exporting(thief, new Uint8Array(32).fill(9))
    expect(formatExplanation(explainDraft(drafted(scene)))).toMatch(/^pay .* on chain \w{48,}$/m)
  })
})

describe('collectProofs with misleading node replies', () => {
  const token = asset()
  const draft = drafted(payingToken(token.assetID))
  const [parent] = parentsOf(draft)
  const honest = async (id: Uint8Array) =>
    hex.encode(id) === hex.encode(token.assetID) ? token.proof : parent

  it('proves everything with honest answers of any form', async () => {
    const parents = await collectProofs(draft, honest)
    expect(explainRequest(createRequest(draft, { parents }), { ours: keysOf(0) }).warnings).toEqual(
      [],
    )
    const decoded = await collectProofs(draft, async (id) =>
      hex.encode(id) === hex.encode(token.assetID)
        ? { unsignedTx: token.tx, credentials: [] }
        : parent,
    )
    expect(decoded).toEqual(parents)
  })

  const lies: [string, (id: Uint8Array) => Promise<Uint8Array | undefined>, string[]][] = [
    ['nothing', async () => undefined, ['UNPROVEN_UTXO', 'UNPROVEN_ASSET']],
    ['always the same transaction', async () => parent, ['UNPROVEN_ASSET']],
    [
      'an asset with other decimals',
      async (id) =>
        hex.encode(id) === hex.encode(token.assetID) ? asset({ denomination: 0 }).proof : parent,
      ['UNPROVEN_ASSET'],
    ],
    [
      'bytes that are no transaction',
      async () => new Uint8Array(100),
      ['UNPROVEN_UTXO', 'UNPROVEN_ASSET'],
    ],
  ]
  for (const [what, lie, expected] of lies)
    it(`proves nothing if the node answers with ${what}`, async () => {
      const request = createRequest(draft, { parents: await collectProofs(draft, lie) })
      const { warnings } = explainRequest(request, { ours: keysOf(0) })
      expect(
        warnings.map(({ code }) => code).filter((code) => code.startsWith('UNPROVEN')),
      ).toEqual(expected)
    })

  it('limits parallel requests, and requests nothing twice', async () => {
    const outputs = Array.from({ length: 40 }, () => ({
      assetID: local.assetID,
      output: paying(1_000_000_000n, vault),
    }))
    const parentsByID = new Map(
      outputs.map((output, i) => {
        const { parent: bytes, utxos } = created([
          { ...output, output: { ...output.output, amount: BigInt(1_000_000_000 + i) } },
        ])
        return [hex.encode(utxos[0]!.txID), { bytes, utxo: utxos[0]! }]
      }),
    )
    const utxos = [...parentsByID.values()].map(({ utxo }) => utxo)
    let running = 0
    let most = 0
    const asked: string[] = []
    const crowd = transfer(utxos)
    const proofs = await collectProofs(crowd, async (id) => {
      asked.push(hex.encode(id))
      most = Math.max(most, ++running)
      await Promise.resolve()
      running--
      return parentsByID.get(hex.encode(id))?.bytes
    })
    expect(proofs).toHaveLength(40)
    expect(new Set(asked).size).toBe(asked.length)
    expect(most).toBeLessThanOrEqual(8)
  })
})

describe('the explanation of a fee', () => {
  it('warns if it is above the known one of the network', () => {
    const context = { ...local, txFee: 10n * local.txFee }
    const draft = { ...drafted(plain), context }
    const codes = explainDraft(draft, { ours: keysOf(0) }).warnings.map(({ code }) => code)
    expect(codes).toContain('FEE_ABOVE_KNOWN')
  })
})

describe('signRequest', () => {
  it('refuses a returned output by its locktime at the given time', () => {
    const locked = requestOf(changeTo({ ...vault, locktime: NOW }))
    expect(codeOf(() => signRequest(locked, keysOf(0), { now: NOW - 1n }))).toBe('LOCKED_RETURN')
    expect(codeOf(() => signRequest(locked, keysOf(0)))).toBe('LOCKED_RETURN')
    signRequest(locked, keysOf(0), { now: NOW })
  })
})

describe('signDraft', () => {
  it('refuses to sign outputs without owners and exports to unknown chains', () => {
    const open = drafted(changeTo(nobody))
    expect(codeOf(() => signDraft(open, keysOf(0, 1)))).toBe('OPEN_OUTPUT')
    expect(signDraft(open, keysOf(0, 1), { accept: ['OPEN_OUTPUT'] }).complete).toBe(true)
    const away = drafted(exporting(vault, new Uint8Array(32).fill(9)))
    expect(codeOf(() => signDraft(away, keysOf(0, 1)))).toBe('UNKNOWN_CHAIN')
    // The chain itself is no destination: it imports nothing from itself.
    const home = drafted(exporting(vault, local.chainID))
    expect(codeOf(() => signDraft(home, keysOf(0, 1)))).toBe('UNKNOWN_CHAIN')
  })
})

describe('misleading drafts', () => {
  it('must use the native asset of a public network, whatever their context states', () => {
    const { fuji } = networks
    const token = new Uint8Array(32).fill(3)
    const context = { ...fuji, assetID: token }
    const base = drafted({
      spend: [[owners(1, 0), 2000 + FEE, token]],
      pay: [[thief, 2000, token]],
    })
    const { networkID, chainID: blockchainID } = fuji
    const draft = { ...base, context, unsignedTx: { ...base.unsignedTx, networkID, blockchainID } }
    expect(codeOf(() => signDraft(draft, keysOf(0)))).toBe('WRONG_NETWORK')
    expect(explainDraft(draft).warnings.map(({ code }) => code)).toContain('WRONG_NETWORK')
  })

  it('do not show an output without owners as owned', () => {
    const open = { ...thief, threshold: 0 }
    const draft = drafted({ ...plain, pay: [[open, rest(100_000_000)]] })
    expect(formatExplanation(explainDraft(draft))).toMatch(/^pay .* to anyone$/m)
    expect(codeOf(() => signDraft(draft, keysOf(0, 1)))).toBe('OPEN_OUTPUT')
  })
})

describe('proofs of the genesis', () => {
  const [avax] = localGenesis(local.networkID).assets
  const genesis = genesisTx(avax!)

  it('prove only the UTXOs of the genesis', () => {
    const bytes = encodeTx(genesis)
    expect(hex.encode(txID(bytes))).toBe(hex.encode(local.assetID))
    const request = requestOf(plain)
    expect(codeOf(() => createRequest(drafted(plain), { parents: [bytes] }))).toBe('no error')
    const forged = { ...request, proofs: [...request.proofs, bytes] }
    expect(codeOf(() => signRequest(forged, keysOf(0)))).toBe('REQUEST_PROOF')
  })
})
