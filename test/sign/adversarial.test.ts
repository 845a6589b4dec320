import { describe, expect, it } from 'vitest'
import { networks } from '../../src/chain/index.ts'
import { hex } from '../../src/encoding/hex.ts'
import { formatID } from '../../src/encoding/ids.ts'
import {
  collectProofs,
  createRequest,
  explainDraft,
  explainRequest,
  formatExplanation,
  type SigningRequest,
  signDraft,
  signRequest,
} from '../../src/sign/index.ts'
import {
  cases,
  exporting,
  nobody,
  plain,
  requestOf,
  token,
  tokens,
  toOwners,
  toWide,
  vault,
} from './adversarial-cases.ts'
import { created, keysOf, owners, parentsOf, paying } from './fixtures.ts'
import { asset, drafted, FEE, type Put, type Scene } from './scenes.ts'
import { codeOf, judge, NOW } from './verdicts.ts'

const { local } = networks

describe('misleading requests', () => {
  for (const [name, text, reader, verdict] of cases)
    it(`${name}: ${verdict.read ?? verdict.warns?.join(', ') ?? ''}`, () => {
      judge(text, reader, verdict)
    })

  it('are covered by at least forty cases', () => {
    expect(cases.length).toBeGreaterThanOrEqual(40)
  })
})

describe('misleading node replies', () => {
  const draft = drafted(tokens)
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
    const proofs = await collectProofs({ ...draft, utxos: [...utxos, ...utxos] }, async (id) => {
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

describe('misleading texts', () => {
  const ours = { ours: keysOf(0) }
  const text = (scene: Scene, proofs: readonly Uint8Array[] = []) =>
    formatExplanation(explainRequest(requestOf(scene, proofs), ours))

  it('shows amounts of unproven assets in base units, and of proven ones with decimals', () => {
    expect(text(tokens)).toMatch(/^pay +5000000000 +units of \w+ +to X-local1/m)
    expect(text(tokens, [token.proof])).toMatch(/^pay +50000000 +TOK +to X-local1/m)
    expect(text(tokens, [token.proof])).toContain(`TOK is ${formatID(token.assetID)}, 2 decimals`)
  })

  it('accepts assets that the caller vouches for', () => {
    const assets = { [formatID(token.assetID)]: { symbol: 'TOK', denomination: 2 } }
    const explanation = explainRequest(requestOf(tokens), { ...ours, assets })
    expect(explanation.warnings).toEqual([])
    expect(formatExplanation(explanation)).toMatch(/^pay +50000000 +TOK /m)
    // Not for the native asset, which is always known.
    const native = { [formatID(local.assetID)]: { symbol: 'X', denomination: 0 } }
    expect(explainRequest(requestOf(plain), { ...ours, assets: native }).assets).toEqual({
      [formatID(local.assetID)]: { symbol: 'AVAX', denomination: 9 },
    })
  })

  const lookalikes = ['AVAX', 'avax', 'AVAX ', 'AVAX\u00a0', '\u0391VAX', 'AV\u0410X', 'A\u200bVAX']
  for (const symbol of lookalikes)
    it(`does not show ${JSON.stringify(symbol)} as the native asset`, () => {
      const fake = asset({ symbol, denomination: 9 })
      const swap = (puts: readonly Put[]) =>
        puts.map(([of, n, id]): Put => (id === undefined ? [of, n] : [of, n, fake.assetID]))
      const shown = text({ spend: swap(tokens.spend), pay: swap(tokens.pay) }, [fake.proof])
      const [pay] = shown.split('\n').filter((line) => line.startsWith('pay'))
      expect(pay).not.toMatch(/ AVAX +to /)
      expect(pay).toMatch(/\\u\{|of \w{40,} /)
    })

  it('counts payments, shows totals first and the sum of omitted lines', () => {
    const many = Array.from({ length: 702 }, (_, i): Put => [owners(1, 2 + (i % 4)), i + 1])
    const sum = (702 * 703) / 2
    const scene = { spend: [[vault, sum + FEE]] as Put[], pay: many }
    const explanation = explainRequest(requestOf(scene), ours)
    const lines = formatExplanation(explanation).split('\n')
    expect(explanation.totals).toMatchObject([
      { paid: BigInt(sum) * 1000n, payments: 702, recipients: 4, returned: 0n },
    ])
    expect(lines[1]).toBe('total   0.246753  AVAX  paid to 4 recipients in 702 outputs')
    const pays = lines.filter((line) => line.startsWith('pay'))
    expect(pays).toHaveLength(21)
    // The twenty largest are shown, 702 to 683.
    expect(pays[0]).toMatch(/ 0\.000702 /)
    const left = sum - (20 * (702 + 683)) / 2
    expect(pays[20]).toBe(`pay     ${(left / 1e6).toString()}  AVAX  in 682 more payments`)
  })

  it('shows each warning code once, with the number of others', () => {
    const locked = { ...owners(1, 3), locktime: NOW + 5n }
    const pay = Array.from({ length: 60 }, (_, i): Put => [locked, i + 1])
    const { warnings } = explainRequest(requestOf({ spend: [[vault, 1830 + FEE]], pay }), {
      ...ours,
      now: NOW,
    })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]!.message).toMatch(/\(and 59 more\)$/)
  })
})

describe('fees', () => {
  it('warns of a fee above the known one of the network', () => {
    const context = { ...local, txFee: 10n * local.txFee }
    const draft = { ...drafted(plain), context }
    const codes = explainDraft(draft, { ours: keysOf(0) }).warnings.map(({ code }) => code)
    expect(codes).toContain('FEE_ABOVE_KNOWN')
  })
})

describe('signRequest', () => {
  it('refuses a returned output by its locktime at the given time', () => {
    const locked = requestOf(toOwners({ ...vault, locktime: NOW }))
    expect(codeOf(() => signRequest(locked, keysOf(0), { now: NOW - 1n }))).toBe('LOCKED_RETURN')
    expect(codeOf(() => signRequest(locked, keysOf(0)))).toBe('LOCKED_RETURN')
    signRequest(locked, keysOf(0), { now: NOW })
  })
})

describe('digest', () => {
  const request = requestOf(plain)
  const digest = (of: SigningRequest, who: number) =>
    explainRequest(of, { ours: keysOf(who), now: BigInt(who) }).digest

  it('is the same for all signers and after signatures', () => {
    expect(digest(request, 0)).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}$/)
    expect(digest(request, 1)).toBe(digest(request, 0))
    expect(digest(signRequest(request, keysOf(0)), 1)).toBe(digest(request, 0))
    const sets = createRequest(drafted(plain), {
      parents: parentsOf(drafted(plain)),
      signers: 'all',
    })
    expect(digest(sets, 1)).toBe(digest(request, 0))
  })

  it('does not depend on known assets that do not occur', () => {
    const facts = { symbol: 'TOK', denomination: 2 }
    const assets = { [formatID(token.assetID)]: facts }
    expect(explainRequest(request, { assets }).digest).toBe(digest(request, 0))
    const unproven = requestOf(tokens)
    expect(explainRequest(unproven, { assets }).digest).not.toBe(digest(unproven, 0))
  })

  it('differs for other outputs, other evidence and other assets', () => {
    const digests = [
      request,
      requestOf(toWide),
      { ...request, proofs: [] },
      requestOf(tokens),
      requestOf(tokens, [token.proof]),
    ].map((one) => digest(one, 0))
    expect(new Set(digests).size).toBe(digests.length)
  })
})

describe('signDraft', () => {
  it('refuses to sign outputs without owners and exports to unknown chains', () => {
    const open = drafted(toOwners(nobody))
    expect(codeOf(() => signDraft(open, keysOf(0, 1)))).toBe('OPEN_OUTPUT')
    expect(signDraft(open, keysOf(0, 1), { accept: ['OPEN_OUTPUT'] }).complete).toBe(true)
    const away = drafted(exporting(vault, new Uint8Array(32).fill(9)))
    expect(codeOf(() => signDraft(away, keysOf(0, 1)))).toBe('UNKNOWN_CHAIN')
  })
})
