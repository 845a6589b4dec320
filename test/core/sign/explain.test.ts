import { test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { customNetwork, networks } from '../../../src/core/chain/networks.ts'
import type { OutputOwners } from '../../../src/core/chain/owners.ts'
import type { TransferOutput } from '../../../src/core/chain/secp256k1fx.ts'
import type { Credential } from '../../../src/core/chain/x/fx.ts'
import { txID } from '../../../src/core/chain/x/ids.ts'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import { explainDraft, explainTx } from '../../../src/core/sign/explain/explain.ts'
import { formatExplanation } from '../../../src/core/sign/explain/explain-text.ts'
import type { ExplainOptions, Explanation } from '../../../src/core/sign/explain/explanation.ts'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { explainRequest } from '../../../src/core/sign/request/explain-request.ts'
import { signRequest } from '../../../src/core/sign/request/request-sign.ts'
import { signDraft } from '../../../src/core/sign/sign.ts'
import type { WarningCode } from '../../../src/core/sign/warnings.ts'
import { anyDraft } from './arbitraries.ts'
import { acceptedTxs, coins, keysOf, owners, paying, people, proven, transfer } from './fixtures.ts'

const { local } = networks
const avax = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'
const ewoq = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'
const testKey0 = 'X-local1lnk637g0edwnqc2tn8tel39652fswa3xzmew5p'

/** Transactions that a node accepted, in its order, with what they spend. */
const sequence = acceptedTxs()
function accepted(id: string): ReturnType<typeof decodeTx> {
  const bytes = sequence.txs.find((tx) => formatID(txID(tx)) === id)
  return decodeTx(bytes!)
}

function codes({ warnings }: Explanation): WarningCode[] {
  return warnings.map(({ code }) => code)
}

const outputsTo = (...outputs: TransferOutput[]) => ({
  outputs: outputs.map((output) => ({ assetID: local.assetID, output })),
})

describe('explainTx', () => {
  const options = { context: local, utxos: sequence.utxos }

  it('explains an export to the C-Chain as data and text', () => {
    const tx = accepted('zgEPTddoN796ww775XUrqxSsbt2NYrUX6uifBMwEHGZroFwkS')
    const explanation = explainTx(tx, options)
    const ewoqOnC = ewoq.replace('X-', 'C-')
    expect(explanation).toMatchObject({
      type: 'ExportTx',
      title: 'export to the C-Chain',
      network: { name: 'local', networkID: 12345, chainAlias: 'X', assetID: avax },
      destinationChain: {
        alias: 'C',
        chainID: '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC',
      },
      spends: [{ assetID: avax, amount: 299_999_998_996_000_000n, imported: false }],
      pays: [],
      fee: 1_000_000n,
      burned: [],
      memo: { hex: '', text: '' },
      size: 415,
      maxSize: 65_536,
      signatures: { needed: 1, made: 1 },
      warnings: [],
    })
    expect(explanation.returns).toMatchObject([
      { amount: 299_999_996_995_000_000n, ownership: 'vault', exported: false },
      {
        amount: 2_000_000_000n,
        ownership: 'vault',
        exported: true,
        owners: { addresses: [ewoqOnC] },
      },
    ])
    expect(formatExplanation(explanation)).toBe(
      [
        'export to the C-Chain on local (network 12345), X-Chain',
        'total           0      AVAX  paid to others',
        'total   299999998.995  AVAX  returned',
        `spend   299999998.996  AVAX  2MuwaaAe4Wz2d2HWWsz4taPJcscZ7mQeaUmw19o2L9roomaf4A:0 from ${ewoq}`,
        `return  299999996.995  AVAX  to ${ewoq}`,
        `return          2      AVAX  to ${ewoqOnC} on the C-Chain`,
        'fee             0.001  AVAX',
        'burn    nothing',
        'memo    none',
        'size    415 of 65536 bytes',
        'sign    1 of 1 signatures made',
        `digest  ${explanation.digest}`,
        '',
      ].join('\n'),
    )
  })

  it('explains the initial state of an asset', () => {
    const tx = accepted('24UeNCpk9BmserQBdSQdgnVHhZjvB1k4Vi6NUR9gs6faTSkj1o')
    const explanation = explainTx(tx, options)
    expect(explanation).toMatchObject({
      title: 'creation of an asset',
      newAsset: { name: 'Team Rocket', symbol: 'TR', denomination: 2 },
    })
    expect(explanation.returns.map(({ type, amount, assetID }) => [type, amount, assetID])).toEqual(
      [
        ['secp256k1fx.TransferOutput', 299_999_998_998_000_000n, avax],
        ['secp256k1fx.MintOutput', undefined, undefined],
        ['secp256k1fx.TransferOutput', 500n, undefined],
        ['nftfx.MintOutput', undefined, undefined],
        ['nftfx.MintOutput', undefined, undefined],
        ['propertyfx.MintOutput', undefined, undefined],
      ],
    )
    const text = formatExplanation(explanation)
    expect(text).toContain(`return          5      the new asset "TR"  to ${ewoq}\n`)
    expect(text).toContain('asset   "Team Rocket", symbol "TR", 2 decimals\n')
    expect(text).toContain('right to mint an NFT of the new asset')
  })

  it('explains operations and the owners of their outputs', () => {
    const tx = accepted('28YwvuAAbukEDr844gFjg3wAnHjprhA3NbrczJ872UTmEebYto')
    const explanation = explainTx(tx, options)
    const assetID = '24UeNCpk9BmserQBdSQdgnVHhZjvB1k4Vi6NUR9gs6faTSkj1o'
    expect(explanation.operations).toEqual([
      { words: 'mint more', assetID, burnsProperty: false },
      {
        words: 'mint an NFT',
        assetID,
        groupID: 1,
        payload: '68656c6c6f',
        destroys: 'a right to mint NFTs',
        burnsProperty: false,
      },
      { words: 'mint a property', assetID, burnsProperty: false },
    ])
    expect(explanation.pays).toMatchObject([
      { assetID, amount: 1000n, owners: { threshold: 1, addresses: [testKey0] } },
    ])
    expect(explanation.spends).toHaveLength(4)
    const assets = { [assetID]: { symbol: 'TR', denomination: 2 } }
    expect(formatExplanation(explainTx(tx, { ...options, assets }))).toContain(
      `pay            10      TR    to ${testKey0}\n`,
    )
    expect(formatExplanation(explanation)).toContain(
      `pay          1000      units of ${assetID}  to ${testKey0}\n`,
    )
  })

  it('does not count signatures in a credential of the wrong type', () => {
    const draft = transfer(coins(owners(1, 0)))
    const { signedTx } = requireSigned(signDraft(draft, keysOf(0)))
    const credentials = signedTx.credentials.map((credential) => ({
      ...(credential as Credential),
      type: 'nftfx.Credential' as const,
    }))
    const { utxos } = draft
    const explanation = explainTx({ ...signedTx, credentials }, { context: local, utxos })
    expect(explanation.signatures).toEqual({ needed: 1, made: 0, invalid: 1, unverified: 0 })
    expect(codes(explanation)).toEqual(['INVALID_SIGNATURE'])
  })

  it('states what is unknown', () => {
    const tx = accepted('zgEPTddoN796ww775XUrqxSsbt2NYrUX6uifBMwEHGZroFwkS')
    const explanation = explainTx(tx, { context: local })
    expect(codes(explanation)).toEqual(['UNKNOWN_UTXO'])
    expect(explanation.spends[0]!.owners).toBeUndefined()
    expect(explanation.returns).toEqual([])
    expect(formatExplanation(explanation)).toContain('from an unknown owner')
    expect(formatExplanation(explanation)).toMatch(/^WARNING UNKNOWN_UTXO {2}/m)
  })

  it('uses our addresses if they are given', () => {
    const tx = accepted('zgEPTddoN796ww775XUrqxSsbt2NYrUX6uifBMwEHGZroFwkS')
    const ours = [people[0]!.address]
    expect(explainTx(tx, { ...options, ours }).returns).toEqual([])
    expect(explainTx(tx, { ...options, ours }).pays).toHaveLength(2)
  })

  it('shows the source chain of an import', () => {
    const tx = accepted('2dwDrDVFyUoSQd8khhysSakgKgym8sqY98PXusermQmhb3eoAo')
    const explanation = explainTx(tx, options)
    expect(explanation.title).toBe('import from the P-Chain')
    expect(explanation.spends).toMatchObject([{ imported: true, amount: 5_000_000_000n }])
    const nameless = { ...local, chains: {} }
    const unknown = explainTx(tx, { ...options, context: nameless })
    expect(unknown.title).toBe('import from an unknown chain')
    expect(codes(unknown)).toEqual(['UNKNOWN_SOURCE'])
  })
})

describe('explainDraft', () => {
  const utxos = coins(owners(1, 0))
  const mine: ExplainOptions = { ours: keysOf(0) }
  const all = 10_000_000_000n - 1_000_000n

  test.prop([anyDraft])('accounts for every unit', (draft) => {
    const { spends, pays, returns, fee, burned } = explainDraft(draft)
    const sum = (
      items: readonly {
        assetID?: string | undefined
        amount?: bigint | undefined
        outputIndex?: number | undefined
      }[],
    ) =>
      items.reduce((total, item) => total + (item.assetID === avax ? (item.amount ?? 0n) : 0n), 0n)
    expect(burned).toEqual([])
    expect(sum(spends)).toBe(sum(pays) + sum(returns) + fee)
  })

  test.prop([anyDraft])('returns complete lines for every draft', (draft) => {
    const text = formatExplanation(explainDraft(draft))
    expect(text.endsWith('\n')).toBe(true)
    for (const line of text.split('\n').slice(1, -1))
      expect(line).toMatch(
        /^(total|spend|do|pay|return|fee|burn|asset|memo|size|sign|digest) *|^(WARNING|DANGER ) [A-Z_]+ /,
      )
    expect(text).not.toContain('undefined')
  })

  it('has no warnings for an ordinary transfer', () => {
    const explanation = explainDraft(transfer(utxos), mine)
    expect(explanation.warnings).toEqual([])
    expect(explanation.pays).toMatchObject([{ amount: 1_000_000_000n, change: false }])
    expect(explanation.returns).toMatchObject([{ amount: 8_999_000_000n, change: true }])
    expect(explanation.signatures).toEqual({ needed: 1, made: 0, invalid: 0, unverified: 0 })
  })

  it('warns of dangers with the codes that signing uses', () => {
    const burning = transfer(utxos, outputsTo(paying(1n, owners(1, 0))))
    const explanation = explainDraft({ ...burning, change: [] }, mine)
    expect(codes(explanation)).toEqual(['BURN', 'HIGH_FEE'])
    expect(explanation.burned).toEqual([{ assetID: avax, amount: all - 1n }])
    expect(formatExplanation(explanation)).toMatch(/^burn +9\.998999999 {2}AVAX {2}destroyed$/m)
    const network = { network: networks.fuji }
    const foreign = explainDraft(transfer(utxos), { ...mine, ...network })
    expect(codes(foreign)).toContain('WRONG_NETWORK')
    expect(formatExplanation(foreign)).toMatch(/^transfer on local \(network 12345\)/)
    const chain = { blockchainID: new Uint8Array(32).fill(1) }
    expect(codes(explainDraft(transfer(utxos, chain), mine))).toEqual(['WRONG_CHAIN'])
  })

  it('warns of change that is not ours, but not of a payment of the same amount', () => {
    const foreign = transfer(utxos)
    expect(codes(explainDraft(foreign, { ours: keysOf(4) }))).toEqual(['FOREIGN_CHANGE'])
    const half = all / 2n
    const even = transfer(utxos, outputsTo(paying(half, owners(1, 0)), paying(half, owners(1, 5))))
    const change = [{ assetID: local.assetID, amount: half }]
    expect(codes(explainDraft({ ...even, change }, mine))).toEqual([])
  })

  it('treats change to exactly the owners of all spent UTXOs as returned', () => {
    const shared = coins(owners(2, 0, 4, 5), owners(2, 0, 4, 5))
    const amount = 2n * all
    const back = (spent: typeof shared, ...of: Parameters<typeof owners>) => {
      const draft = transfer(spent, outputsTo(paying(amount, owners(...of))))
      const change = [{ assetID: local.assetID, amount }]
      const { returns, warnings } = explainDraft({ ...draft, change }, { ours: keysOf(4) })
      return [
        returns.length,
        ...warnings.map(({ code }) => code).filter((c) => !/FEE|BURN/.test(c)),
      ]
    }
    expect(back(shared, 2, 0, 4, 5)).toEqual([1])
    expect(back(shared, 2, 0, 3, 4)).toEqual([0, 'FOREIGN_CHANGE', 'SHARED_OUTPUT'])
    expect(back(shared, 3, 0, 4, 5)).toEqual([0, 'FOREIGN_CHANGE', 'SHARED_OUTPUT'])
    // An additional UTXO was added: its owners receive more than they contributed.
    const mixed = coins(owners(2, 0, 4, 5), owners(2, 3, 4))
    expect(back(mixed, 2, 3, 4)).toEqual([0, 'FOREIGN_CHANGE', 'SHARED_OUTPUT'])
    expect(back(coins(owners(1, 3), owners(1, 3)), 1, 3)).toEqual([0, 'FOREIGN_CHANGE'])
  })

  it('warns of change that needs fewer signatures than the spent UTXOs', () => {
    const shared = coins(owners(2, 0, 4, 5))
    const back = (...of: Parameters<typeof owners>) => {
      const outputs = outputsTo(paying(1n, owners(1, 3)), paying(all - 1n, owners(...of)))
      const change = [{ assetID: local.assetID, amount: all - 1n }]
      return codes(explainDraft({ ...transfer(shared, outputs), change }, { ours: keysOf(0, 4) }))
    }
    expect(back(2, 0, 4, 5)).toEqual([])
    expect(back(1, 0)).toEqual(['WEAKER_CHANGE'])
    expect(back(1, 0, 4)).toEqual(['WEAKER_CHANGE'])
  })

  const single = (output: TransferOutput) => ({ ...transfer(utxos, outputsTo(output)), change: [] })
  const memo = (text: string) => transfer(utxos, { memo: new TextEncoder().encode(text) })
  const words =
    'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
  const cases: readonly (readonly [string, Parameters<typeof explainDraft>[0], WarningCode])[] = [
    [
      'an output that we own together with others',
      single(paying(all, owners(1, 0, 4))),
      'SHARED_OUTPUT',
    ],
    [
      'an output that anyone can take',
      single(paying(all, { locktime: 0n, threshold: 0, addresses: [] })),
      'OPEN_OUTPUT',
    ],
    [
      'a locked output',
      single(paying(all, { ...owners(1, 5), locktime: 2_000_000_000n })),
      'LOCKED_OUTPUT',
    ],
    ['a key in the memo', memo('PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94h'), 'SUSPICIOUS_MEMO'],
    ['a mnemonic in the memo', memo(words), 'SUSPICIOUS_MEMO'],
    ['hidden letters in the memo', memo('pay \u202e001 back'), 'SUSPICIOUS_MEMO'],
    ['a byte order mark in the memo', memo('\ufeffpaid'), 'SUSPICIOUS_MEMO'],
    ['a link in the memo', memo('claim at https://example.com'), 'SUSPICIOUS_MEMO'],
  ]
  for (const [what, draft, code] of cases)
    it(`warns of ${what}`, () => {
      expect(codes(explainDraft(draft, mine))).toEqual([code])
    })

  it('does not warn of harmless memos, past locktimes and 2-of-2 change', () => {
    for (const text of ['', 'invoice 17, thanks', 'Grüße\nan alle', 'to be or not to be'])
      expect(codes(explainDraft(memo(text), mine))).toEqual([])
    const binary = transfer(utxos, { memo: new Uint8Array([0xff, 0, 1]) })
    expect(explainDraft(binary, mine)).toMatchObject({ warnings: [], memo: { hex: 'ff0001' } })
    expect(explainDraft(binary, mine).memo).not.toHaveProperty('text')
    const past = single(paying(all, { ...owners(1, 5), locktime: 2_000_000_000n }))
    expect(codes(explainDraft(past, { ...mine, now: 2_000_000_000n }))).toEqual([])
    const both = single(paying(all, owners(2, 0, 1)))
    expect(codes(explainDraft(both, { ours: keysOf(0, 1) }))).toEqual([])
    expect(explainDraft(both, { ours: keysOf(0, 1) }).returns).toHaveLength(1)
    // With one key of two we cannot spend it.
    expect(explainDraft(both, mine)).toMatchObject({
      returns: [],
      pays: [{ ownership: 'payment' }],
    })
  })

  it('warns of a token exported to the C-Chain and of excessive size', () => {
    const assetID = new Uint8Array(32).fill(0xee)
    const tokens: UTXO[] = [
      ...utxos,
      { ...utxos[0]!, assetID, txID: new Uint8Array(32).fill(0x99) },
    ]
    const base = transfer(tokens, outputsTo(paying(all, owners(1, 0))))
    const unsignedTx = {
      ...base.unsignedTx,
      type: 'ExportTx',
      destinationChain: local.chains.C!,
      exportedOutputs: [{ assetID, output: paying(10_000_000_000n, owners(1, 0)) }],
    } as const
    expect(codes(explainDraft({ ...base, unsignedTx, change: [] }, mine))).toEqual(['STUCK_EXPORT'])
    // Exported outputs are not change, whatever their amount.
    const change = [{ assetID, amount: 10_000_000_000n }]
    const { returns } = explainDraft({ ...base, unsignedTx, change }, mine)
    expect(returns.map((output) => output.change)).toEqual([false, false])
    const many = transfer(coins(...Array.from({ length: 407 }, () => owners(1, 0))))
    expect(codes(explainDraft(many, mine))).toContain('TX_TOO_LARGE')
  })

  it('does not warn of the largest size', () => {
    const all = coins(...Array.from({ length: 405 }, () => owners(1, 0)))
    const { signedSize: size } = transfer(all)
    const ofSize = (bytes: number) => transfer(all, { memo: new Uint8Array(bytes - size) })
    const warned = (bytes: number) => codes(explainDraft(ofSize(bytes), mine))
    expect(warned(65_536)).not.toContain('TX_TOO_LARGE')
    expect(warned(65_537)).toContain('TX_TOO_LARGE')
  })

  it('warns of UTXOs that are still locked, if the time is known', () => {
    const locked = coins({ ...owners(1, 0), locktime: 2_000_000_000n })
    const draft = transfer(locked)
    expect(codes(explainDraft(draft, { ...mine, now: 1_999_999_999n }))).toEqual(['LOCKED_UTXO'])
    expect(codes(explainDraft(draft, { ...mine, now: 2_000_000_000n }))).toEqual([])
    expect(codes(explainDraft(draft, mine))).toEqual([])
  })

  it('escapes texts of the transaction', () => {
    const text = formatExplanation(explainDraft(memo('a"b\\\u001b[2J\u202e\u200bc'), mine))
    expect(text).toContain('memo    "a\\"b\\\\\\u{1b}[2J\\u{202e}\\u{200b}c", 0x')
  })

  it('combines equal spends in one line and shows several owners', () => {
    const draft = transfer(coins(owners(2, 0, 1, 2), owners(2, 0, 1, 2), owners(1, 3)))
    const lines = formatExplanation(explainDraft(draft)).split('\n')
    const spends = lines.filter((line) => line.startsWith('spend'))
    expect(spends).toHaveLength(2)
    expect(spends[0]).toMatch(/ 20 .* 2 UTXOs from 2 of 3: X-local1\w+, X-local1\w+, X-local1\w+$/)
  })

  it('shows a locktime as a date, or as seconds if it has no date', () => {
    const at = (locktime: bigint) =>
      formatExplanation(explainDraft(single(paying(all, { ...owners(1, 5), locktime })), mine))
    expect(at(2_000_000_000n)).toContain('locked until 2033-05-18T03:33:20Z')
    expect(at(0xffffffffffffffffn)).toContain('locked until second 18446744073709551615')
  })

  it('uses the prefix of the network', () => {
    const { chainID, assetID } = local
    const context = customNetwork({ networkID: 1337, chainID, assetID })
    const [pay] = explainDraft(transfer(utxos, {}, context), mine).pays
    expect(pay!.owners.addresses[0]).toMatch(/^X-custom1/)
  })
})

describe('explainRequest', () => {
  it('shows twenty signer sets, and how many more there are', () => {
    const shown = (...all: OutputOwners[]) => {
      const draft = transfer(coins(...all))
      const text = formatExplanation(explainRequest(proven(draft, { signers: 'all' })))
      return text.match(/^set .*$/gm)!
    }
    // 3 of 6 are 20 sets, and 2 of 6 beside 1 of 2 more than 20.
    expect(shown(owners(3, 0, 1, 2, 3, 4, 5)).filter((row) => /: /.test(row))).toHaveLength(20)
    expect(shown(owners(3, 0, 1, 2, 3, 4, 5))).toHaveLength(20)
    const many = shown(owners(2, 0, 1, 2, 3, 4, 5), owners(1, 0, 1))
    expect(many).toHaveLength(21)
    expect(many.at(-1)).toMatch(/^set +\d+ more signer sets$/)
  })

  it('shows who has signed in every signer set', () => {
    const paid = paying(1_000_000_000n, owners(1, 5))
    const outputs = outputsTo(paid, paying(8_999_000_000n, owners(1, 0)))
    const draft = transfer(coins(owners(2, 0, 1, 2)), outputs)
    const accept = ['FOREIGN_CHANGE'] as const
    const request = signRequest(proven(draft, { signers: 'all' }), keysOf(1), { accept })
    const explanation = explainRequest(request, { ours: keysOf(0) })
    expect(explanation.signatures).toEqual({ needed: 2, made: 1, invalid: 0, unverified: 0 })
    const sets = explanation.signerSets!
    expect(sets.map(({ signers, missing }) => [signers.length, missing.length]).sort()).toEqual([
      [2, 1],
      [2, 1],
      [2, 2],
    ])
    expect(formatExplanation(explanation).match(/^set {4}.*: missing X-local1/gm)).toHaveLength(3)
    // The change of 2-of-3 owners goes to one of them.
    expect(explanation.warnings).toMatchObject([{ code: 'WEAKER_CHANGE', danger: true }])
    const whole = explainRequest(signRequest(request, keysOf(0), { accept: ['WEAKER_CHANGE'] }))
    expect(formatExplanation(whole)).toMatch(/^set .*: complete$/m)
  })

  it('warns of stated change that is not ours', () => {
    const paid = paying(1_000_000_000n, owners(1, 5))
    const outputs = outputsTo(paid, paying(8_999_000_000n, owners(1, 0)))
    const request = proven(transfer(coins(owners(1, 1)), outputs))
    expect(codes(explainRequest(request, { ours: keysOf(1) }))).toEqual(['FOREIGN_CHANGE'])
  })
})
