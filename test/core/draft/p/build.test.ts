import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../../../src/core/base/bytes/compare.ts'
import { formatAddress } from '../../../../src/core/base/encoding/address.ts'
import { AssetSums } from '../../../../src/core/chain/amounts.ts'
import { networks, P_CHAIN_ID } from '../../../../src/core/chain/networks.ts'
import { unlockedInput, unlockedOutput } from '../../../../src/core/chain/p/transferables.ts'
import { inputsOf, outputsOf } from '../../../../src/core/chain/p/tx.ts'
import { UTXOSet } from '../../../../src/core/coins/utxo-set.ts'
import { KeyChain } from '../../../../src/core/crypto/keychain.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import { requireSigned } from '../../../../src/core/sign/job.ts'
import { signDraft } from '../../../../src/core/sign/sign.ts'
import { Signers } from '../../../../src/devnode/ledger/signers.ts'
import { verifyPTx } from '../../../../src/devnode/p-chain/rules.ts'
import { ewoq, others } from '../../../devnode/txs.ts'
import { codeOf } from '../../../helpers/vectors.ts'

const context = networks.local
const AVAX = context.assetID
const TOKEN = new Uint8Array(32).fill(7)
const NOW = 1_800_000_000n
const keys = new KeyChain([ewoq.privateKey])
const weights = pChain.DEFAULT_GAS_WEIGHTS
const text = (chain: string, address = ewoq.address) =>
  formatAddress({ chain, hrp: 'local', address })

let made = 0
function utxo(amount: bigint, details: Partial<Details> = {}): pChain.UTXO {
  const { assetID = AVAX, lock = 0n, locktime = 0n, addresses = [ewoq.address] } = details
  const output = {
    type: 'secp256k1fx.TransferOutput',
    amount,
    locktime,
    threshold: details.threshold ?? 1,
    addresses,
  } as const
  const txID = new Uint8Array(32)
  new DataView(txID.buffer).setUint32(0, (++made * 2654435761) >>> 0)
  return {
    txID,
    outputIndex: made % 5,
    assetID,
    output: lock === 0n ? output : { type: 'stakeable.LockOut', locktime: lock, output },
  }
}
type Details = {
  readonly assetID: Uint8Array
  readonly lock: bigint
  readonly locktime: bigint
  readonly threshold: number
  readonly addresses: readonly Uint8Array[]
}

const common = { context, fees: { weights, price: 1n } }
const fundsOf = (...utxos: readonly pChain.UTXO[]) => ({ utxos, owners: keys.addresses, now: NOW })

/** Signs a draft and lets the rules of the development node judge it. */
function accepted(draft: pChain.Draft, price: bigint): void {
  const { signedTx, bytes } = requireSigned(signDraft(draft, keys, { price }))
  expect(bytes.length).toBe(draft.signedSize)
  const key = (txID: Uint8Array, index: number) => `${txID.join()}:${index}`
  const known = new Map(draft.utxos.map((each) => [key(each.txID, each.outputIndex), each]))
  const spent = inputsOf(draft.unsignedTx).map(
    (input) => known.get(key(input.txID, input.outputIndex))!,
  )
  let next = 0
  const local = draft.unsignedTx.inputs.length
  const order: pChain.UTXO[] = [...spent.slice(local), ...spent.slice(0, local)]
  const give = () => pChain.encodeUTXO(order[next++]!)
  verifyPTx(
    signedTx,
    { subnetOf: () => P_CHAIN_ID, utxo: give, atomic: give, weights, price },
    context,
    { now: NOW, signerOf: new Signers().of(pChain.encodeUnsignedTx(signedTx.unsignedTx)) },
  )
}

function burnedBy(tx: pChain.UnsignedTx): AssetSums {
  const sums = new AssetSums()
  for (const { assetID, input } of inputsOf(tx)) sums.add(assetID, unlockedInput(input).amount)
  for (const { assetID, output } of outputsOf(tx)) sums.add(assetID, -unlockedOutput(output).amount)
  return sums
}

describe('buildTransfer', () => {
  it('pays exactly gas times price and returns the rest', () => {
    const draft = pChain.buildTransfer({
      ...common,
      funds: fundsOf(utxo(10_000_000n)),
      outputs: [{ to: text('P', others[0]!.address), amount: 1_000_000n }],
    })
    expect(draft.fee).toBe(5179n)
    expect(draft.burned).toEqual([])
    expect(draft.change).toEqual([{ assetID: AVAX, amount: 10_000_000n - 1_000_000n - 5179n }])
    accepted(draft, 1n)
  })

  it('makes no change that would cost more than it holds', () => {
    const fee = 5179n - 1080n
    for (const [surplus, change] of [
      [0n, 0n],
      [1080n, 0n],
      [1081n, 1n],
    ] as const) {
      const draft = pChain.buildTransfer({
        ...common,
        funds: fundsOf(utxo(1_000_000n + fee + surplus)),
        outputs: [{ to: text('P'), amount: 1_000_000n }],
      })
      expect(draft.change.reduce((sum, { amount }) => sum + amount, 0n)).toBe(change)
      const burned = draft.burned.reduce((sum, { amount }) => sum + amount, 0n)
      expect(burned).toBe(change === 0n ? surplus : 0n)
      accepted(draft, 1n)
    }
  })

  it('spends pinned UTXOs in any case, and others only for what is missing', () => {
    const small = utxo(2_000_000n)
    const large = utxo(9_000_000n)
    const dust = utxo(1n)
    const token = utxo(5n, { assetID: TOKEN })
    const funds = fundsOf(large, small, dust, token)
    const build = (amount: bigint, ...pinned: readonly pChain.UTXO[]) =>
      pChain.buildTransfer({
        ...common,
        funds: { ...funds, pinned },
        outputs: [{ to: text('P', others[0]!.address), amount }],
      })
    expect(build(1_000_000n).utxos).toEqual([large])
    expect(build(1_000_000n, small).utxos).toEqual([small])
    const both = build(2_000_000n, small)
    expect(new Set(both.utxos)).toEqual(new Set([small, large]))
    expect(both.change).toEqual([{ assetID: AVAX, amount: 9_000_000n - both.fee }])
    const all = build(1_000_000n, dust, token)
    expect(new Set(all.utxos)).toEqual(new Set([dust, token, large]))
    expect(all.change).toContainEqual({ assetID: TOKEN, amount: 5n })
    for (const draft of [both, all]) {
      expect(draft.burned).toEqual([])
      accepted(draft, 1n)
    }
    expect(codeOf(() => build(1n, utxo(1n)))).toBe('UTXO_NOT_FOUND')
    const excluded = { ...funds, excluded: [small], pinned: [small] }
    const outputs = [{ to: text('P'), amount: 1n }]
    expect(codeOf(() => pChain.buildTransfer({ ...common, funds: excluded, outputs }))).toBe(
      'UTXO_NOT_SPENDABLE',
    )
  })

  it('counts UTXOs that a set cannot decode, such as those with a stakeable lock', () => {
    const set = new UTXOSet()
    const locked = [1n, 2n].map((extra) => utxo(9_000_000n, { lock: NOW + extra }))
    set.add([utxo(1_000n), ...locked].map(pChain.encodeUTXO))
    const build = () =>
      pChain.buildTransfer({
        ...common,
        funds: { ...fundsOf(), utxos: set },
        outputs: [{ to: text('P'), amount: 1_000_000n }],
      })
    expect(build).toThrow(
      expect.objectContaining({
        assets: [expect.objectContaining({ available: 1_000n, opaque: 2 })],
      }),
    )
  })

  it('spends nothing of a set that is reserved', () => {
    const set = new UTXOSet()
    const [reserved, free] = [utxo(9_000_000n), utxo(8_000_000n)]
    set.add([reserved, free].map(pChain.encodeUTXO))
    set.reserve([reserved], { now: NOW })
    const build = (amount: bigint) =>
      pChain.buildTransfer({
        ...common,
        funds: { ...fundsOf(), utxos: set },
        outputs: [{ to: text('P'), amount }],
      })
    expect(build(1_000_000n).utxos).toEqual([free])
    expect(() => build(8_000_000n)).toThrow(
      expect.objectContaining({
        assets: [expect.objectContaining({ available: 8_000_000n, reserved: 9_000_000n })],
      }),
    )
  })

  it('leaves stakeable-locked UTXOs alone and spends those whose lock has passed', () => {
    const locked = utxo(9_000_000n, { lock: NOW + 1n })
    const passed = utxo(5_000_000n, { lock: NOW })
    const draft = pChain.buildTransfer({
      ...common,
      funds: fundsOf(locked, passed),
      outputs: [{ to: text('P'), amount: 1_000_000n }],
    })
    expect(draft.utxos).toEqual([passed])
    accepted(draft, 1n)
    expect(() =>
      pChain.buildTransfer({
        ...common,
        funds: fundsOf(locked),
        outputs: [{ to: text('P'), amount: 1_000_000n }],
      }),
    ).toThrow(/0\.009 locked until 1800000001/)
  })

  it('joins locked UTXOs that are named, under the same lock and owners', () => {
    const a = utxo(1_000n, { lock: NOW + 9n })
    const b = utxo(2_000n, { lock: NOW + 9n })
    const other = utxo(4_000n, { lock: NOW + 10n })
    const draft = pChain.buildTransfer({
      ...common,
      funds: { ...fundsOf(a, b, other, utxo(10_000_000n)), locked: [a, b, other] },
      outputs: [],
    })
    const locks = draft.unsignedTx.outputs.flatMap(({ output }) =>
      output.type === 'stakeable.LockOut' ? [[output.locktime, output.output.amount]] : [],
    )
    expect(locks).toEqual([
      [NOW + 9n, 3_000n],
      [NOW + 10n, 4_000n],
    ])
    accepted(draft, 1n)
    const plain = utxo(1n)
    const name = (locked: pChain.UTXO, utxos: readonly pChain.UTXO[]) =>
      codeOf(() =>
        pChain.buildTransfer({
          ...common,
          funds: { ...fundsOf(...utxos), locked: [locked] },
          outputs: [],
        }),
      )
    expect(name(plain, [plain])).toBe('UTXO_NOT_SPENDABLE')
    expect(name(plain, [])).toBe('UTXO_NOT_FOUND')
    const contradiction = { ...fundsOf(a, utxo(10_000_000n)), locked: [a], excluded: [a] }
    expect(
      codeOf(() => pChain.buildTransfer({ ...common, funds: contradiction, outputs: [] })),
    ).toBe('UTXO_NOT_SPENDABLE')
  })

  it('locks an output for staking that is paid with unlocked funds', () => {
    const draft = pChain.buildTransfer({
      ...common,
      funds: fundsOf(utxo(10_000_000n)),
      outputs: [{ to: text('P'), amount: 1_000n, stakeableLocktime: NOW + 5n }],
    })
    expect(draft.unsignedTx.outputs.at(-1)!.output).toMatchObject({ locktime: NOW + 5n })
    accepted(draft, 1n)
    expect(
      codeOf(() =>
        pChain.buildTransfer({
          ...common,
          funds: fundsOf(utxo(10_000_000n)),
          outputs: [{ to: text('P'), amount: 1_000n, stakeableLocktime: NOW }],
        }),
      ),
    ).toBe('INVALID_LOCKTIME')
    const misspelled = { to: text('P'), amount: 1_000n, stakeableLockTime: NOW + 5n }
    expect(
      codeOf(() =>
        pChain.buildTransfer({
          ...common,
          funds: fundsOf(utxo(10_000_000n)),
          outputs: [misspelled],
        }),
      ),
    ).toBe('UNKNOWN_OPTION')
  })

  it('refuses a stakeable lock of exported outputs', () => {
    const output = { to: text('X'), amount: 1_000n, stakeableLocktime: NOW + 5n }
    expect(
      codeOf(() =>
        pChain.buildExport({
          ...common,
          funds: fundsOf(utxo(10_000_000n)),
          destinationChain: 'X',
          outputs: [output],
        }),
      ),
    ).toBe('UNKNOWN_OPTION')
  })

  it('refuses limits and weights that have no effect', () => {
    const outputs = [{ to: text('P'), amount: 1n }]
    const build = (options: object) =>
      codeOf(() =>
        pChain.buildTransfer({ ...common, funds: fundsOf(utxo(10n ** 9n)), outputs, ...options }),
      )
    for (const maxGas of [Number.NaN, 'x', {}, Symbol('x')])
      expect(build({ maxGas })).toBe('ENC_INVALID')
    expect(build({ fees: { weights: { ...weights, compute: -4n }, price: 1n } })).toBe(
      'ENC_INVALID',
    )
    expect(build({ fees: { weights, price: Symbol('x') } })).toBe('ENC_INVALID')
    expect(build({ funds: { ...fundsOf(utxo(10n ** 9n)), excluded: 5 } })).toBe('ENC_INVALID')
  })

  it('refuses bad arguments with a code', () => {
    const build = (options: object) =>
      codeOf(() =>
        pChain.buildTransfer({
          ...common,
          funds: fundsOf(utxo(10_000_000n)),
          outputs: [{ to: text('P'), amount: 1n }],
          ...options,
        }),
      )
    expect(build({ outputs: [{ to: text('X'), amount: 1n }] })).toBe('ENC_WRONG_CHAIN')
    expect(build({ outputs: [{ to: 'P-fuji1', amount: 1n }] })).toMatch(/^ENC_/)
    expect(build({ outputs: [{ to: text('P'), amount: 0n }] })).toBe('OUTPUT_ZERO_AMOUNT')
    expect(build({ outputs: [{ to: text('P'), amount: -1n }] })).toBe('ENC_INVALID')
    expect(build({ outputs: [{ to: text('P'), amount: 2n ** 64n }] })).toBe('AMOUNT_OVERFLOW')
    expect(build({ outputs: [{ to: text('P'), amount: 1n, assetID: TOKEN }] })).toBe(
      'BUILDER_INSUFFICIENT_FUNDS',
    )
    expect(build({ fees: { weights, price: -1n } })).toBe('ENC_INVALID')
    expect(build({ fees: { weights, price: 2n ** 64n } })).toMatch(/AMOUNT|FUNDS|FEE_ABOVE_MAX/)
    expect(build({ maxFee: 4098n })).toBe('FEE_ABOVE_MAX')
    expect(build({ maxGas: 4000n })).toBe('FUNDS_DO_NOT_FIT')
    expect(build({ funds: { ...fundsOf(utxo(10_000_000n)), now: 5 } })).toBe('ENC_INVALID')
    expect(build({ funds: fundsOf() })).toBe('BUILDER_INSUFFICIENT_FUNDS')
    expect(build({ funds: fundsOf(utxo(0n)) })).toBe('BUILDER_INSUFFICIENT_FUNDS')
    const kept = utxo(10_000_000n)
    expect(build({ funds: { ...fundsOf(kept), excluded: [kept] } })).toBe(
      'BUILDER_INSUFFICIENT_FUNDS',
    )
    // The same UTXO twice is spent once.
    const twice = utxo(10_000_000n)
    expect(build({ funds: fundsOf(twice, twice) })).toBeUndefined()
  })
})

describe('buildExport', () => {
  it('exports to owners on the other chain and refuses its own', () => {
    const options = { ...common, funds: fundsOf(utxo(10_000_000n)) }
    const draft = pChain.buildExport({
      ...options,
      destinationChain: 'C',
      outputs: [{ to: text('C'), amount: 1_000_000n }],
    })
    expect(draft.fee).toBe(5215n)
    accepted(draft, 1n)
    const build = (more: object) =>
      codeOf(() => pChain.buildExport({ ...options, destinationChain: 'X', outputs: [], ...more }))
    expect(build({ destinationChain: 'P' })).toBe('SAME_CHAIN')
    expect(build({ destinationChain: 'Q' })).toBe('UNKNOWN_CHAIN')
    expect(build({})).toBe('NO_EXPORT_OUTPUTS')
    expect(build({ outputs: [{ to: `0x${'11'.repeat(20)}`, amount: 1n }] })).toBe(
      'ENC_MISSING_PREFIX',
    )
    expect(build({ outputs: [{ to: text('P'), amount: 1n }] })).toBe('ENC_WRONG_CHAIN')
    const stuck = {
      destinationChain: 'C',
      outputs: [{ to: text('C'), amount: 1n, assetID: TOKEN }],
    }
    expect(build(stuck)).toBe('STUCK_EXPORT')
    expect(build({ ...stuck, allowStuck: 'no' as unknown as boolean })).toBe('ENC_INVALID')
    expect(
      build({
        ...stuck,
        funds: fundsOf(utxo(5n, { assetID: TOKEN }), utxo(10_000_000n)),
        allowStuck: true,
      }),
    ).toBeUndefined()
  })

  it('exports everything but dust and locked funds', () => {
    const draft = pChain.buildExportAll({
      ...common,
      fees: { weights, price: 2n },
      funds: fundsOf(
        utxo(1_000_000n),
        utxo(2_000_000n),
        utxo(5_922n),
        utxo(7n, { assetID: TOKEN }),
        utxo(9n, { lock: NOW + 1n }),
      ),
      destinationChain: 'X',
      to: text('X'),
    })
    expect(draft.utxos).toHaveLength(2)
    const { exportedOutputs } = draft.unsignedTx as pChain.ExportTx
    expect(unlockedOutput(exportedOutputs[0]!.output).amount).toBe(3_000_000n - draft.fee)
    accepted(draft, 2n)
    expect(
      codeOf(() =>
        pChain.buildExportAll({
          ...common,
          funds: fundsOf(utxo(100n)),
          destinationChain: 'X',
          to: text('X'),
        }),
      ),
    ).toBe('BUILDER_INSUFFICIENT_FUNDS')
  })

  it('exports the largest UTXOs if one transaction cannot spend all', () => {
    const dust = Array.from({ length: 400 }, () => utxo(3_100n))
    const large = [utxo(1_000_000_000n), utxo(2_000_000_000n)]
    const draft = pChain.buildExportAll({
      ...common,
      funds: fundsOf(...dust, ...large),
      destinationChain: 'X',
      to: text('X'),
    })
    expect(pChain.gasOf(draft.unsignedTx, weights)).toBeLessThanOrEqual(1_000_000n)
    expect(draft.utxos).toEqual(expect.arrayContaining(large))
    accepted(draft, 1n)
  })
})

describe('amounts of a token above 2^64 - 1', () => {
  const huge = () => utxo(2n ** 64n - 2n, { assetID: TOKEN })

  it('are refused before anything is signed', () => {
    const funds = fundsOf(huge(), huge(), utxo(1_000_000_000n))
    const outputs = [{ to: text('P'), amount: 2n ** 64n - 1n, assetID: TOKEN }]
    expect(codeOf(() => pChain.buildTransfer({ ...common, funds, outputs }))).toBe(
      'AMOUNT_OVERFLOW',
    )
    expect(
      codeOf(() => pChain.buildImport({ ...common, funds, sourceChain: 'X', to: text('P') })),
    ).toBe('AMOUNT_OVERFLOW')
  })

  it('do not prevent the import of the rest', () => {
    const { txID } = utxo(1n)
    const spam = [0, 1, 2].map((outputIndex) => ({ ...huge(), txID, outputIndex }))
    const beside = { ...utxo(100_000n), txID, outputIndex: 9 }
    const own = utxo(1_000_000_000n)
    const utxos = [own, beside, ...spam]
    const options = { ...common, funds: fundsOf(...utxos), sourceChain: 'X', to: text('P') }
    const plan = pChain.planImport(options)
    const drafts = [...plan.drafts()]
    expect(drafts.flatMap((draft) => draft.utxos)).toEqual(expect.arrayContaining([own, beside]))
    expect(plan.leftBehind.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(2)
    const named = pChain.planImport({ ...options, assets: [TOKEN] })
    for (const draft of [...drafts, ...named.drafts()]) accepted(draft, 1n)
  })
})

describe('buildImport', () => {
  it('takes the fee from what it imports', () => {
    const draft = pChain.buildImport({
      ...common,
      funds: fundsOf(utxo(1_000_000n)),
      sourceChain: 'X',
      to: text('P'),
    })
    expect(draft.fee).toBe(4135n)
    expect(draft.unsignedTx.outputs[0]!.output).toMatchObject({ amount: 1_000_000n - 4135n })
    accepted(draft, 1n)
  })

  it('lets local UTXOs pay for tokens and dust', () => {
    const options = { ...common, sourceChain: 'X', to: text('P') }
    const funds = fundsOf(utxo(5n, { assetID: TOKEN }), utxo(100n))
    expect(codeOf(() => pChain.buildImport({ ...options, funds }))).toBe(
      'BUILDER_INSUFFICIENT_FUNDS',
    )
    const draft = pChain.buildImport({
      ...options,
      funds: { ...funds, local: [utxo(1_000_000n)] },
    })
    expect(draft.unsignedTx.inputs).toHaveLength(1)
    expect(burnedBy(draft.unsignedTx).list()).toEqual([{ assetID: AVAX, amount: draft.fee }])
    accepted(draft, 1n)
  })

  it('does not let excluded local UTXOs pay', () => {
    const [excluded, other] = [utxo(2_000_000n), utxo(1_000_000n)]
    const build = (...local: readonly pChain.UTXO[]) =>
      pChain.buildImport({
        ...{ ...common, sourceChain: 'X', to: text('P') },
        funds: { ...fundsOf(utxo(100n)), excluded: [excluded], local },
      })
    expect(codeOf(() => build(excluded))).toBe('BUILDER_INSUFFICIENT_FUNDS')
    expect(build(excluded, other).utxos[0]).toEqual(other)
  })

  it('leaves exported UTXOs alone that are excluded, or not among the only ones', () => {
    const [wanted, locked, other] = [
      utxo(1_000_000n),
      utxo(1_000_000n, { locktime: NOW + 1n }),
      utxo(1_000_000n),
    ]
    const options = { ...common, sourceChain: 'X', to: text('P') }
    for (const limit of [{ excluded: [locked, other] }, { only: [wanted] }]) {
      const funds = { ...fundsOf(wanted, locked, other), ...limit }
      expect(pChain.buildImport({ ...options, funds }).utxos).toEqual([wanted])
      const plan = pChain.planImport({ ...options, funds })
      expect([plan.transactions, plan.leftBehind]).toEqual([1, []])
    }
    const funds = { ...fundsOf(wanted, utxo(1n, { locktime: NOW + 1n })), excluded: [other] }
    expect(codeOf(() => pChain.buildImport({ ...options, funds }))).toBe('UTXO_NOT_SPENDABLE')
  })

  it('lets local UTXOs pay whatever `only` allows to import', () => {
    const [wanted, local] = [utxo(100n), utxo(1_000_000n)]
    const funds = { ...fundsOf(wanted, utxo(200n)), only: [wanted], local: [local] }
    const draft = pChain.buildImport({ ...common, sourceChain: 'X', to: text('P'), funds })
    expect(draft.utxos).toEqual([local, wanted])
  })

  it('refuses local UTXOs that are not a list, and names a recipient of another chain', () => {
    const options = { ...common, sourceChain: 'X', to: text('P') }
    const set = new UTXOSet()
    for (const build of [pChain.buildImport, pChain.planImport]) {
      const funds = { ...fundsOf(utxo(1n)), local: set as never }
      expect(() => build({ ...options, funds })).toThrow(
        expect.objectContaining({ code: 'ENC_INVALID', path: 'funds.local' }),
      )
      expect(() => build({ ...options, funds: fundsOf(utxo(1n)), to: text('X') })).toThrow(
        expect.objectContaining({ code: 'ENC_WRONG_CHAIN', path: 'to' }),
      )
    }
  })

  it('refuses UTXOs that cannot be spent, and names the reason', () => {
    const build = (details: Partial<Details>) =>
      codeOf(() =>
        pChain.buildImport({
          ...common,
          funds: fundsOf(utxo(1_000_000n, details)),
          sourceChain: 'X',
          to: text('P'),
        }),
      )
    expect(build({ locktime: NOW + 1n })).toBe('UTXO_NOT_SPENDABLE')
    expect(build({ addresses: [others[0]!.address] })).toBe('UTXO_NOT_SPENDABLE')
    expect(build({ threshold: 0, addresses: [] })).toBeUndefined()
    expect(
      codeOf(() =>
        pChain.buildImport({ ...common, funds: fundsOf(), sourceChain: 'X', to: text('P') }),
      ),
    ).toBe('BUILDER_INSUFFICIENT_FUNDS')
  })

  it('plans chunks that the chain can hold, and leaves dust behind', () => {
    const funds = fundsOf(
      ...Array.from({ length: 700 }, (_, i) => utxo(1_000_000n + BigInt(i))),
      utxo(2961n),
      utxo(50n, { locktime: NOW + 1n }),
    )
    const plan = pChain.planImport({ ...common, funds, sourceChain: 'C', to: text('P') })
    const drafts = [...plan.drafts()]
    expect(plan.transactions).toBe(3)
    expect(drafts.map(({ utxos: spent }) => spent.length)).toEqual([337, 337, 26])
    for (const { unsignedTx } of drafts)
      expect(pChain.gasOf(unsignedTx, weights)).toBeLessThanOrEqual(1_000_000n)
    expect(plan.leftBehind.map(({ reason }) => reason).sort()).toEqual(['dust', 'locked'])
    accepted(drafts[2]!, 1n)
    const unpaid = pChain.planImport({
      ...common,
      funds: fundsOf(utxo(5n, { assetID: TOKEN })),
      sourceChain: 'C',
      to: text('P'),
    })
    expect([...unpaid.drafts()]).toEqual([])
    expect(unpaid).toMatchObject({ transactions: 0, leftBehind: [{ reason: 'fee', count: 1 }] })
  })
})

describe('planImport', () => {
  const details = { sourceChain: 'X', to: text('P') } as const
  const plan = (
    price: bigint,
    utxos: readonly pChain.UTXO[],
    more: Partial<pChain.ImportPlanOptions> = {},
  ) =>
    pChain.planImport({
      ...common,
      ...details,
      fees: { weights, price },
      funds: fundsOf(...utxos),
      ...more,
    })
  const token = (txID?: Uint8Array, outputIndex = 0) => {
    const made = utxo(1n, { assetID: TOKEN })
    return txID === undefined ? made : { ...made, txID, outputIndex }
  }
  const reasons = ({ leftBehind }: ReturnType<typeof plan>) => [
    ...new Set(leftBehind.map(({ reason }) => reason)),
  ]

  for (const [amount, price] of [
    [900_000n, 1n],
    [40_000_000n, 50n],
    [500_000_000_000n, 150n],
  ] as const)
    it(`imports ${amount} nAVAX at price ${price} at the same cost with and without tokens of strangers`, () => {
      const own = utxo(amount)
      const clean = plan(price, [own])
      const spammed = plan(price, [own, ...Array.from({ length: 300 }, () => token())])
      const drafts = [...spammed.drafts()]
      expect(drafts).toEqual([...clean.drafts()])
      expect(drafts).toHaveLength(1)
      expect(spammed.leftBehind).toEqual([
        { reason: 'fee', assetID: TOKEN, amount: 300n, count: 300 },
      ])
      accepted(drafts[0]!, price)
    })

  it('imports tokens that were exported together with AVAX, as far as that AVAX pays for them', () => {
    const rich = utxo(1_000_000_000n)
    const poor = utxo(2961n + 2n * 4041n + 1n)
    const beside = [10, 11, 12].map((index) => token(poor.txID, index))
    const made = plan(1n, [rich, poor, ...beside])
    const [draft, ...more] = made.drafts()
    expect(more).toEqual([])
    // The AVAX beside them pays for two of the three.
    expect(draft!.utxos).toHaveLength(4)
    expect(made.leftBehind).toMatchObject([{ reason: 'fee', count: 1 }])
    const [alone] = plan(1n, [rich]).drafts()
    expect(draft!.fee).toBeLessThanOrEqual(alone!.fee + 2961n + 2n * 4041n)
    accepted(draft!, 1n)
  })

  test.prop([
    fc.array(fc.bigInt({ min: 1n, max: 30_000n }), { minLength: 1, maxLength: 5 }),
    fc.array(fc.bigInt({ min: 1n, max: 30_000n }), { maxLength: 3 }),
    fc.nat({ max: 6 }),
    fc.bigInt({ min: 0n, max: 3n }),
  ])('never imports less AVAX because of what a stranger exported', (own, gifts, spam, price) => {
    const ours = own.map((amount) => utxo(amount))
    const { txID } = utxo(1n)
    const theirs = [
      ...gifts.map((amount, i) => ({ ...utxo(amount), txID, outputIndex: i })),
      ...Array.from({ length: spam }, (_, i) => token(txID, 10 + i)),
    ]
    const arrives = (utxos: readonly pChain.UTXO[]) => {
      const drafts = [...plan(price, utxos).drafts()]
      for (const draft of drafts) accepted(draft, price)
      const sums = new AssetSums()
      for (const { unsignedTx } of drafts)
        for (const { assetID, output } of unsignedTx.outputs)
          sums.add(assetID, unlockedOutput(output).amount)
      return sums.get(AVAX)
    }
    expect(arrives([...ours, ...theirs])).toBeGreaterThanOrEqual(arrives(ours))
  })

  it('imports assets that are named from any AVAX, or from local UTXOs, and no others', () => {
    const other = utxo(1n, { assetID: new Uint8Array(32).fill(8) })
    const tokens = [token(), token()]
    const own = utxo(1_000_000n)
    const made = plan(1n, [own, ...tokens, other], { assets: [TOKEN] })
    expect([...made.drafts()].map(({ utxos }) => utxos.length)).toEqual([3])
    expect(made.leftBehind).toEqual([
      { reason: 'otherAsset', assetID: other.assetID, amount: 1n, count: 1 },
    ])
    accepted([...made.drafts()][0]!, 1n)
    const funds = { ...fundsOf(...tokens), local: [own] }
    const paid = pChain.planImport({ ...common, ...details, funds, assets: [TOKEN] })
    expect([...paid.drafts()].map(({ utxos }) => utxos.length)).toEqual([3])
    accepted([...paid.drafts()][0]!, 1n)
    const unnamed = pChain.planImport({ ...common, ...details, funds })
    expect([[...unnamed.drafts()], reasons(unnamed)]).toEqual([[], ['fee']])
    const unpaid = plan(1n, tokens, { assets: [TOKEN] })
    expect([[...unpaid.drafts()], reasons(unpaid)]).toEqual([[], ['fee']])
    expect(codeOf(() => plan(1n, tokens, { assets: 'all' as never }))).toBe('ENC_INVALID')
  })

  it('splits imports whose fee would exceed maxFee', () => {
    const many = Array.from({ length: 337 }, () => utxo(1_000_000_000n))
    const made = plan(150n, many)
    expect([...made.drafts()].map(({ utxos }) => utxos.length)).toEqual([224, 113])
    expect([...made.drafts()].every(({ fee }) => fee <= 100_000_000n)).toBe(true)
    expect(made.leftBehind).toEqual([])
    const maxFee = 4135n
    expect(plan(1n, many.slice(0, 3), { maxFee }).transactions).toBe(3)
    expect(codeOf(() => plan(1n, many, { maxFee: maxFee - 1n }))).toBe('FEE_ABOVE_MAX')
  })

  it('leaves a UTXO behind whose signatures alone cost more than maxFee', () => {
    const three = new KeyChain([ewoq, ...others].slice(0, 3).map(({ privateKey }) => privateKey))
    const addresses = [...three.addresses].sort(compareBytes)
    const funds = {
      utxos: [utxo(9_000_000n, { threshold: 3, addresses }), utxo(1_000_000n)],
      owners: three.addresses,
      now: NOW,
    }
    const made = pChain.planImport({ ...common, ...details, funds, maxFee: 4135n })
    expect([...made.drafts()].map(({ utxos }) => utxos)).toEqual([[funds.utxos[1]]])
    expect(made.leftBehind).toEqual([
      { reason: 'fee', assetID: AVAX, amount: 9_000_000n, count: 1 },
    ])
  })
})

describe('signDraft', () => {
  const draft = pChain.buildExport({
    ...common,
    funds: fundsOf(utxo(10_000_000n)),
    destinationChain: 'X',
    outputs: [{ to: text('X'), amount: 1_000_000n }],
  })

  it('says whose signature is missing', () => {
    const stranger = new KeyChain([others[0]!.privateKey])
    expect(codeOf(() => signDraft(draft, stranger))).toBe('UNUSED_KEY')
    const result = signDraft(draft, stranger, { accept: ['UNUSED_KEY'] })
    expect(result).toMatchObject({
      complete: false,
      missing: [{ credential: 0, slot: 0, address: ewoq.address }],
    })
    expect(codeOf(() => requireSigned(result))).toBe('INCOMPLETE')
  })

  it('refuses UTXOs that are not those of the inputs', () => {
    const [spent] = draft.utxos
    const sign = (utxos: readonly pChain.UTXO[]) =>
      codeOf(() => signDraft({ ...draft, utxos }, keys))
    expect(sign([])).toBe('UTXO_UNKNOWN')
    expect(sign([spent!, spent!])).toBe('UTXO_MISMATCH')
    expect(sign([utxo(10_000_000n)])).toBe('UTXO_MISMATCH')
    expect(sign([{ ...spent!, assetID: TOKEN }])).toBe('UTXO_MISMATCH')
    expect(sign([{ ...spent!, output: { ...spent!.output, amount: 1n } as pChain.Output }])).toBe(
      'UTXO_MISMATCH',
    )
    expect(sign([{ ...spent!, output: { ...spent!.output, threshold: 2 } as pChain.Output }])).toBe(
      'TOO_FEW_SIGNERS',
    )
  })
})

describe('every draft', () => {
  test.prop([
    fc.array(fc.bigInt({ min: 1n, max: 50_000_000n }), { minLength: 1, maxLength: 30 }),
    fc.bigInt({ min: 1n, max: 100_000_000n }),
    fc.bigInt({ min: 1n, max: 50n }),
    fc.constantFrom('transfer', 'export', 'import'),
  ])(
    'is accepted, and burns its fee and what it says beside it',
    (amounts, amount, price, kind) => {
      const funds = fundsOf(...amounts.map((each) => utxo(each)))
      const options = { ...common, fees: { weights, price }, funds }
      let draft: pChain.Draft
      try {
        draft =
          kind === 'transfer'
            ? pChain.buildTransfer({ ...options, outputs: [{ to: text('P'), amount }] })
            : kind === 'export'
              ? pChain.buildExport({
                  ...options,
                  destinationChain: 'X',
                  outputs: [{ to: text('X'), amount }],
                })
              : pChain.buildImport({ ...options, sourceChain: 'X', to: text('P') })
      } catch (error) {
        expect((error as { code?: string }).code).toBe('BUILDER_INSUFFICIENT_FUNDS')
        // Nothing that would have sufficed is refused: all coins and one output do not cover it either.
        const sum = amounts.reduce((total, each) => total + each, 0n)
        const least = kind === 'import' ? 0n : amount
        expect(sum).toBeLessThan(least + 94n * price + 3_000n * price * BigInt(amounts.length + 1))
        return
      }
      expect(draft.fee).toBe(pChain.feeOf(draft.unsignedTx, { weights, price }))
      const burned = draft.burned.reduce((sum, each) => sum + each.amount, draft.fee)
      expect(burnedBy(draft.unsignedTx).list()).toEqual([{ assetID: AVAX, amount: burned }])
      expect(burned - draft.fee).toBeLessThanOrEqual(1080n * price)
      accepted(draft, price)
    },
  )
})
