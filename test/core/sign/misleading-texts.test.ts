import { describe, expect, it } from 'vitest'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import type { OutputOwners } from '../../../src/core/chain/owners.ts'
import { explainDraft, explainTx } from '../../../src/core/sign/explain/explain.ts'
import { formatExplanation } from '../../../src/core/sign/explain/explain-text.ts'
import { explainRequest } from '../../../src/core/sign/request/explain-request.ts'
import { formatRequest, parseRequest } from '../../../src/core/sign/request/request-file.ts'
import { escaped, escapedJSON } from '../../../src/core/sign/text.ts'
import { keysOf, owners } from './fixtures.ts'
import { lookAlikeCases } from './misleading/look-alikes.ts'
import {
  asset,
  drafted,
  FEE,
  nobody,
  type Put,
  payingToken,
  plain,
  requestOf,
  type Scene,
  thief,
  vault,
} from './scenes.ts'
import { NOW } from './verdicts.ts'

const { local } = networks

describe('the explanation of a look-alike', () => {
  for (const { name, make, assets, isImitation } of lookAlikeCases)
    it(`${name}: ${isImitation ? 'LOOK_ALIKE' : 'no warning'}`, () => {
      const { request, assetID } = make()
      const read = parseRequest(formatRequest(request))
      const explanation = explainRequest(read, { ours: keysOf(0), now: NOW, assets })
      const found = explanation.warnings.filter(({ code }) => code === 'LOOK_ALIKE')
      expect(found).toHaveLength(isImitation ? 1 : 0)
      expect(found.filter(({ danger }) => danger)).toEqual([])
      if (assetID === undefined) return
      expect(found.every(({ message }) => message.includes(assetID))).toBe(true)
      // Its ID comes first, and its symbol in quotes.
      expect(formatExplanation(explanation)).toMatch(
        new RegExp(`^(pay|return) +[\\d.]+ +${assetID} "\\S+" +to `, 'm'),
      )
      const vouched = { ...assets, [assetID]: { symbol: 'REAL', denomination: 6 } }
      const codes = explainRequest(read, { assets: vouched }).warnings.map(({ code }) => code)
      expect(codes).not.toContain('LOOK_ALIKE')
    })
})

describe('the explanation of misleading texts', () => {
  const token = asset()
  const tokens = payingToken(token.assetID)
  const ours = { ours: keysOf(0) }
  const text = (scene: Scene, proofs: readonly Uint8Array[] = []) =>
    formatExplanation(explainRequest(requestOf(scene, proofs), ours))

  it('shows amounts of unproven assets in base units, and of proven ones with decimals', () => {
    expect(text(tokens)).toMatch(/^pay +5000000000 +units of \w+ +to X-local1/m)
    const proven = text(tokens, [token.proof])
    const id = formatID(token.assetID)
    // Anyone can create an asset with this symbol: the ID comes first.
    expect(proven).toMatch(new RegExp(`^pay +50000000 +${id} "TOK" +to X-local1`, 'm'))
    expect(proven).toContain(`asset   ${id} "TOK", 2 decimals`)
  })

  it('accepts assets that the caller vouches for', () => {
    const assets = { [formatID(token.assetID)]: { symbol: 'TOK', denomination: 2 } }
    const explanation = explainRequest(requestOf(tokens), { ...ours, assets })
    expect(explanation.warnings).toEqual([])
    expect(formatExplanation(explanation)).toMatch(/^pay +50000000 +TOK /m)
    expect(formatExplanation(explanation)).toContain(
      `TOK is ${formatID(token.assetID)}, 2 decimals`,
    )
    // Not for the native asset, which is always known.
    const native = { [formatID(local.assetID)]: { symbol: 'X', denomination: 0 } }
    expect(explainRequest(requestOf(plain), { ...ours, assets: native }).assets).toEqual({
      [formatID(local.assetID)]: { symbol: 'AVAX', denomination: 9, known: true },
    })
  })

  const lookalikes = ['AVAX', 'avax', 'AVAX ', 'AVAX\u00a0', '\u0391VAX', 'AV\u0410X', 'A\u200bVAX']
  for (const symbol of lookalikes)
    it(`does not show ${JSON.stringify(symbol)} as the native asset`, () => {
      const fake = asset({ symbol, denomination: 9 })
      const shown = text(payingToken(fake.assetID), [fake.proof])
      const [pay] = shown.split('\n').filter((line) => line.startsWith('pay'))
      expect(pay).not.toMatch(/ AVAX +to /)
      expect(pay).toMatch(/^pay +[\d.]+ +\w{40,} "[^"]+" +to X-local1/)
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

  it('does not hide locked and unowned outputs among many others', () => {
    const locked = { ...owners(1, 0), locktime: NOW + 5n }
    const puts = (count: number, of: OutputOwners, amount: number) =>
      Array.from({ length: count }, (_, i): Put => [of, amount + i])
    const pay = [...puts(21, owners(1, 0), 1000), ...puts(39, locked, 100)]
    pay.push(...puts(30, owners(1, 3), 1000), ...puts(22, nobody, 10))
    const sum = pay.reduce((total, [, amount]) => total + amount, FEE)
    const explanation = explainRequest(requestOf({ spend: [[owners(1, 0), sum]], pay }), ours)
    const lines = formatExplanation(explanation).split('\n')
    const omitted = lines.filter((line) => line.includes(' more '))
    expect(omitted.map((line) => line.replace(/ +/g, ' ')).sort()).toEqual([
      'pay 0.000021 AVAX in 2 more payments to anyone',
      'pay 0.010045 AVAX in 10 more payments',
      'return 0.001 AVAX in 1 more returned outputs',
      'return 0.002071 AVAX in 19 more returned outputs, locked, the last until 2023-11-14T22:13:25Z',
    ])
    expect(explanation.warnings.map(({ code, message }) => [code, message])).toEqual([
      ['OPEN_OUTPUT', expect.stringMatching(/ \(and 21 more: 0\.000451 AVAX in total\)$/)],
      ['LOCKED_RETURN', expect.stringMatching(/ \(and 38 more: 0\.004641 AVAX in total\)$/)],
    ])
  })

  it('shows each warning code once, with the number and sum of others', () => {
    const locked = { ...owners(1, 3), locktime: NOW + 5n }
    const pay = Array.from({ length: 60 }, (_, i): Put => [locked, i + 1])
    const { warnings } = explainRequest(requestOf({ spend: [[vault, 1830 + FEE]], pay }), {
      ...ours,
      now: NOW,
    })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]!.message).toMatch(/\(and 59 more: 0\.00183 AVAX in total\)$/)
  })
})

describe('the display of hostile texts', () => {
  const hostile = [
    '\u001b[2J',
    '\u009b2J',
    '\u0007',
    '\r',
    '\n',
    '\u2028',
    '\u202e',
    '\u2066',
    '\u200b',
    '\u3164',
    '\ufe0f',
    '\u{e0041}',
    'a\u0300\u0301\u0302',
    // Signs that have a name and no shape.
    '\ufffc',
    '\u{1d159}',
    '\u{13441}',
    '\u{16fe4}',
    '\u{1107f}',
    // Letters from right to left, which take the numbers beside them along.
    '\u05d0',
    '\u0627',
    '\u{10900}',
    '\u{1e900}',
    '\ufdfd',
  ]
  /** Whatever is displayed as nothing, moves the cursor or reorders, except the end of a line. */
  const unseen =
    /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}\u{13441}\u{16fe4}\u{1107f}]|(?<=\p{M}\p{M})\p{M}|\p{Script=Hebrew}|\p{Script=Arabic}|\p{Script=Phoenician}|\p{Script=Adlam}/u

  it('escapes every field of a new asset and the memo', () => {
    for (const text of hostile) {
      const draft = drafted({
        ...plain,
        as: (tx) => ({
          ...tx,
          memo: new TextEncoder().encode(`memo${text}end`),
          type: 'CreateAssetTx',
          name: `name${text}end`,
          symbol: `s${text}`,
          denomination: 0,
          initialStates: [],
        }),
      })
      const explanation = explainTx(
        { unsignedTx: draft.unsignedTx, credentials: [] },
        { context: local },
      )
      const shown = formatExplanation(explanation)
      expect(shown, JSON.stringify(text)).not.toMatch(unseen)
      expect(shown.match(/^asset /gm)).toHaveLength(1)
      expect(
        escapedJSON(JSON.stringify(explanation, (_, v) => (typeof v === 'bigint' ? `${v}` : v))),
      ).not.toMatch(unseen)
    }
  })

  it('leaves no run of spaces, in text or in JSON, and changes no value', () => {
    const memo = `paid${' '.repeat(60)}pay 1 AVAX \u05d0 `
    expect(escaped(memo)).not.toMatch(/ {2}| $/)
    const json = escapedJSON(JSON.stringify({ memo }))
    expect(json).not.toMatch(/ {2}/)
    expect(JSON.parse(json)).toEqual({ memo })
  })

  it('does not call a memo in Hebrew suspicious', () => {
    const memo = new TextEncoder().encode('\u05e9\u05dc\u05d5\u05dd')
    const draft = drafted({ ...plain, as: (tx) => ({ ...tx, memo }) })
    expect(explainDraft(draft, { ours: keysOf(0) }).warnings).toEqual([])
  })

  it('shows a symbol as one word, and escapes other alphabets', () => {
    const shown = (symbol: string) => {
      const token = asset({ symbol })
      const scene: Scene = {
        spend: [
          [vault, FEE],
          [vault, 5, token.assetID],
        ],
        pay: [[thief, 5, token.assetID]],
      }
      const text = formatExplanation(explainRequest(requestOf(scene, [token.proof])))
      return text.split('\n').find((line) => line.startsWith('pay'))!
    }
    expect(shown('AVAX  to X')).toContain('AVAX\\u{20}\\u{20}to\\u{20}X" ')
    expect(shown('A", 9')).toContain('A\\u{22}\\u{2c}\\u{20}9" ')
    expect(shown('\u0410VAX')).toContain('"\\u{410}VAX" ')
    expect(shown('avax')).toMatch(/ \w{40,} "avax" /)
    expect(shown('S'.repeat(5000)).length).toBeLessThan(600)
  })

  it('can escape escaped text again without ambiguity', () => {
    for (const text of hostile)
      expect(escaped(escaped(text))).toBe(escaped(text).replaceAll('\\', '\\\\'))
  })
})
