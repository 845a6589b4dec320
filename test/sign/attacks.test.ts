import { describe, expect, it } from 'vitest'
import {
  encodeTx,
  type FxOperation,
  genesisTx,
  localGenesis,
  networks,
  type OperationTx,
  type Output,
  type OutputOwners,
  txID,
} from '../../src/chain/index.ts'
import { hex } from '../../src/encoding/hex.ts'
import {
  createRequest,
  explainDraft,
  explainRequest,
  explainTx,
  formatExplanation,
  formatRequest,
  parseRequest,
  signDraft,
  signRequest,
} from '../../src/sign/index.ts'
import { escaped, escapedJSON } from '../../src/sign/text.ts'
import {
  cases,
  files,
  given,
  input,
  nft,
  operating,
  plain,
  requestOf,
  rest,
  thief,
  vault,
} from './attack-cases.ts'
import { keysOf, owners, parentsOf, paying, people } from './fixtures.ts'
import { asset, drafted, FEE, outputsOf, type Put, type Scene } from './scenes.ts'
import { codeOf, judge, NOW } from './verdicts.ts'

const { local } = networks

describe('attacks by signing requests', () => {
  for (const [name, request, reader, verdict] of cases)
    it(`${name}: ${verdict.warns?.join(', ') || 'no warning'}`, () => {
      judge(() => formatRequest(request()), reader, verdict)
    })

  it('reports destroyed AVAX first', () => {
    const [, request] = cases.at(-1)!
    const [warning] = explainRequest(request(), { ours: keysOf(0) }).warnings
    expect(warning?.message).toMatch(/^destroys 0\.008 AVAX .*and 1 more/)
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
    expect(warnings[0]!.message).toMatch(/2026-11-13.*\(and 4 more\)/)
  })

  it('does not hide a mint right among many NFTs', () => {
    const many = Array.from({ length: 60 }, (_, i) => given(i + 1, owners(1, 3)))
    const right: [Output, FxOperation] = [
      { type: 'nftfx.MintOutput', groupID: 70, ...vault },
      {
        type: 'nftfx.MintOperation',
        mintInput: input,
        groupID: 70,
        payload: new Uint8Array(),
        outputs: [thief],
      },
    ]
    const request = operating([...many, right], 1)
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
    const { assetID, proof } = asset({
      initialStates: [
        { fxIndex: 0, outputs: [{ type: 'secp256k1fx.MintOutput', ...vault }] },
        { fxIndex: 1, outputs: [nft(1, vault), nft(2, vault)] },
      ],
    })
    const id = (outputIndex: number) => ({ txID: assetID, outputIndex })
    const outputs: Output[] = [
      { type: 'secp256k1fx.MintOutput', ...vault },
      nft(1, vault),
      nft(2, vault),
    ]
    const operations: FxOperation[] = [
      {
        type: 'secp256k1fx.MintOperation',
        mintInput: input,
        mintOutput: { type: 'secp256k1fx.MintOutput', ...thief },
        transferOutput: paying(1n, vault),
      },
      { type: 'nftfx.TransferOperation', input, output: nft(1, thief) },
      { type: 'nftfx.TransferOperation', input, output: nft(2, thief) },
    ]
    const request = requestOf(
      {
        spend: [[vault, 1_000_000 + FEE]],
        pay: [[vault, 1_000_000]],
        operated: outputs.map((output, i) => ({ ...id(i), assetID, output })),
        as: (tx): OperationTx => ({
          ...tx,
          type: 'OperationTx',
          operations: operations.map((operation, i) => ({ assetID, inputIDs: [id(i)], operation })),
        }),
      },
      [proof],
    )
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
    expect(request.variants).toHaveLength(20)
    const sets = formatExplanation(explainRequest(request)).split('\n')
    expect(sets.filter((line) => line.startsWith('set '))).toHaveLength(20)
  })

  it('lists the signer sets of nearly all of many owners without trying all subsets', () => {
    const addresses = Array.from({ length: 64 }, (_, i) => new Uint8Array(20).fill(i + 1))
    const group: OutputOwners = { locktime: 0n, threshold: 63, addresses }
    const draft = drafted({ spend: [[group, 1_000_000 + FEE]], pay: [[group, 1_000_000]] })
    const request = createRequest(draft, { parents: parentsOf(draft), signers: 'all' })
    expect(request.variants).toHaveLength(64)
    const lines = formatExplanation(explainRequest(request)).split('\n')
    const sets = lines.filter((line) => line.startsWith('set '))
    expect(sets).toHaveLength(21)
    expect(sets[20]).toMatch(/44 more signer sets$/)
  })

  it('shows the ID of an unknown destination chain', () => {
    const scene: Scene = {
      spend: [[vault, 6_000_000 + FEE]],
      pay: [[vault, 1_000_000]],
      as: (tx) => ({
        ...tx,
        type: 'ExportTx',
        destinationChain: new Uint8Array(32).fill(9),
        exportedOutputs: outputsOf([[thief, 5_000_000]]),
      }),
    }
    expect(formatExplanation(explainDraft(drafted(scene)))).toMatch(/^pay .* on chain \w{48,}$/m)
  })
})

describe('attacks by texts', () => {
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
    expect(shown('AVAX  to X')).toContain('AVAX\\u{20}\\u{20}to\\u{20}X ')
    expect(shown('A", 9')).toContain('A\\u{22}\\u{2c}\\u{20}9 ')
    expect(shown('\u0410VAX')).toContain('\\u{410}VAX ')
    expect(shown('avax')).toMatch(/avax of \w{40,} /)
    expect(shown('S'.repeat(5000)).length).toBeLessThan(600)
  })

  it('can escape escaped text again without ambiguity', () => {
    for (const text of hostile)
      expect(escaped(escaped(text))).toBe(escaped(text).replaceAll('\\', '\\\\'))
  })
})

describe('attacks by request files', () => {
  const read = (file: string) => codeOf(() => parseRequest(file, { network: local }))
  for (const [what, file, code] of files)
    it(`${what} is rejected: ${code}`, () => {
      expect(read(file)).toBe(code)
    })

  it('rejects a UTXO that two credentials spend', () => {
    const { assetID, proof } = asset({ initialStates: [{ fxIndex: 1, outputs: [nft(0, vault)] }] })
    const id = { txID: assetID, outputIndex: 0 }
    const operation = given(0, thief)[1]
    const twice = requestOf(
      {
        spend: [[vault, 1_000_000 + FEE]],
        pay: [[vault, 1_000_000]],
        operated: [0, 1].map(() => ({ ...id, assetID, output: nft(0, vault) })),
        as: (tx): OperationTx => ({
          ...tx,
          type: 'OperationTx',
          operations: [0, 1].map(() => ({ assetID, inputIDs: [id], operation })),
        }),
      },
      [proof],
    )
    expect(codeOf(() => parseRequest(formatRequest(twice), { network: local }))).toMatch(
      /^(DOUBLE_SPEND|OPERATIONS_NOT_SORTED_UNIQUE)$/,
    )
    const spent = requestOf(plain)
    const { unsignedTx } = spent.variants[0]!
    const inputs = [...unsignedTx.inputs, ...unsignedTx.inputs]
    const variants = [{ unsignedTx: { ...unsignedTx, inputs }, signatures: [] }]
    const utxos = [...spent.utxos, ...spent.utxos]
    const file = formatRequest({ ...spent, utxos, variants })
    expect(codeOf(() => parseRequest(file, { network: local }))).toBe('INPUTS_NOT_SORTED_UNIQUE')
  })

  it('takes linear time in the number of entries', () => {
    // A quadratic check of 50,000 entries of change against 1,000 outputs would not end in time.
    const outputs = Array.from({ length: 1000 }, (_, i): Put => [vault, 1000 + i])
    const total = outputs.reduce((sum, [, amount]) => sum + amount, 0)
    const scene: Scene = { spend: [[vault, total + FEE]], pay: outputs }
    const file = JSON.parse(formatRequest(requestOf(scene)))
    const assetID = file.network.assetID
    file.change = Array.from({ length: 50_000 }, () => ({ assetID, amount: '1000000' }))
    expect(read(JSON.stringify(file))).toBe('REQUEST_MALFORMED')
  })
})

describe('attacks by drafts', () => {
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
    expect(codeOf(() => createRequest({ ...drafted(plain) }, { parents: [bytes] }))).toBe(
      'no error',
    )
    const forged = { ...request, proofs: [...request.proofs, bytes] }
    expect(codeOf(() => signRequest(forged, keysOf(0)))).toBe('REQUEST_PROOF')
  })
})
