import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../../../src/core/base/bytes/compare.ts'
import { formatAddress } from '../../../../src/core/base/encoding/address.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import * as cChain from '../../../../src/core/c-chain.ts'
import { burnedBy } from '../../../../src/core/chain/c/verify.ts'
import { networks } from '../../../../src/core/chain/networks.ts'
import { utxoID } from '../../../../src/core/chain/x/ids.ts'
import type { UTXO } from '../../../../src/core/chain/x/utxo.ts'
import { encodeUTXO } from '../../../../src/core/chain/x/utxo.ts'
import { KeyChain } from '../../../../src/core/crypto/keychain.ts'
import { recoverPublicKey } from '../../../../src/core/crypto/secp256k1.ts'
import { requireSigned } from '../../../../src/core/sign/job.ts'
import { signDraft } from '../../../../src/core/sign/sign.ts'
import { verifyHeliconTx } from '../../../../src/devnode/c-chain/helicon-rules.ts'
import { verifyCTx } from '../../../../src/devnode/c-chain/rules.ts'
import { Signers } from '../../../../src/devnode/ledger/signers.ts'
import { ewoq, others } from '../../../devnode/txs.ts'
import { codeOf } from '../../../helpers/vectors.ts'

const context = networks.local
const NOW = 1_800_000_000n
const keys = new KeyChain([ewoq.privateKey])
const account = cChain.evmAddressOf(keys.publicKeys[0]!)
const text = (chain: string) => formatAddress({ chain, hrp: 'local', address: ewoq.address })

let made = 0
function utxo(amount: bigint, details: Partial<Details> = {}): UTXO {
  const txID = new Uint8Array(32)
  new DataView(txID.buffer).setUint32(0, (++made * 2654435761) >>> 0)
  return {
    txID,
    outputIndex: made % 5,
    assetID: details.assetID ?? context.assetID,
    output: {
      type: 'secp256k1fx.TransferOutput',
      amount,
      locktime: details.locktime ?? 0n,
      threshold: details.threshold ?? 1,
      addresses: details.addresses ?? [ewoq.address],
    },
  }
}
type Details = {
  readonly assetID: Uint8Array
  readonly locktime: bigint
  readonly threshold: number
  readonly addresses: readonly Uint8Array[]
}

/** Signs a draft and lets the rules of the development node judge it, before and after Helicon. */
function accepted(draft: cChain.Draft, baseFee: bigint): void {
  const { signedTx, bytes } = requireSigned(signDraft(draft, keys, { price: baseFee }))
  expect(bytes.length).toBe(draft.signedSize)
  const known = new Map(
    draft.utxos.map((each) => [hex.encode(utxoID(each.txID, each.outputIndex)), encodeUTXO(each)]),
  )
  const unsigned = cChain.encodeUnsignedTx(signedTx.unsignedTx)
  for (const verify of [verifyCTx, verifyHeliconTx])
    verify(
      signedTx,
      {
        atomic: (_, key) => known.get(hex.encode(key)),
        account: () => ({ nonce: 0n, balance: 0n }),
        baseFee,
      },
      context,
      {
        now: NOW,
        signerOf: new Signers().of(unsigned),
        keyOf: (signature) => recoverPublicKey(cChain.hashToSign(unsigned), signature),
      },
    )
}

describe('buildExport', () => {
  const build = (more: object = {}) =>
    cChain.buildExport({
      context,
      account: { address: account, nonce: 3n },
      baseFee: 25_000_000_000n,
      destinationChain: 'X',
      outputs: [{ to: text('X'), amount: 1_000_000_000n }],
      ...more,
    })

  it('debits the amount and the exact fee', () => {
    const draft = build()
    expect(draft.fee).toBe(280_750n)
    expect((draft.unsignedTx as cChain.ExportTx).inputs).toMatchObject([
      { amount: 1_000_280_750n, nonce: 3n },
    ])
    accepted(draft, 25_000_000_000n)
    expect(build({ baseFee: 1n }).fee).toBe(1n)
    // A base fee that is no whole nAVAX is not rounded up before it is multiplied.
    expect(build({ baseFee: 1_500_000_000n }).fee).toBe(16_845n)
  })

  it('refuses what the balance does not cover, and exports all of it', () => {
    const balance = 2_000_000_000_123_456_789n
    expect(
      codeOf(() =>
        build({
          account: { address: account, nonce: 0n, balance },
          outputs: [{ to: text('X'), amount: 2_000_000_000n }],
        }),
      ),
    ).toBe('BUILDER_INSUFFICIENT_FUNDS')
    const options = { context, baseFee: 25_000_000_000n, destinationChain: 'P', to: text('P') }
    const draft = cChain.buildExportAll({
      ...options,
      account: { address: account, nonce: 0n, balance },
    })
    const { inputs, exportedOutputs } = draft.unsignedTx as cChain.ExportTx
    expect(inputs[0]!.amount).toBe(2_000_000_000n)
    expect(exportedOutputs[0]!.output.amount).toBe(2_000_000_000n - draft.fee)
    accepted(draft, 25_000_000_000n)
    const unset = { threshold: undefined, maxFee: undefined, maxGas: undefined, maxSize: undefined }
    expect(
      cChain.buildExportAll({
        ...options,
        ...unset,
        account: { address: account, nonce: 0n, balance },
      }),
    ).toEqual(draft)
    expect(
      codeOf(() =>
        cChain.buildExportAll({
          ...options,
          account: { address: account, nonce: 0n, balance: 9n },
        }),
      ),
    ).toBe('BUILDER_INSUFFICIENT_FUNDS')
  })

  it('refuses bad arguments with a code', () => {
    const code = (more: object) => codeOf(() => build(more))
    expect(code({ destinationChain: 'C' })).toBe('SAME_CHAIN')
    expect(code({ destinationChain: new Uint8Array(32).fill(9) })).toMatch(/WRONG_CHAIN/)
    expect(code({ outputs: [] })).toBe('NO_EXPORT_OUTPUTS')
    expect(code({ outputs: [{ to: account, amount: 1n }] })).toBe('ENC_MISSING_PREFIX')
    expect(code({ outputs: [{ to: text('C'), amount: 1n }] })).toBe('ENC_WRONG_CHAIN')
    expect(() =>
      cChain.buildExportAll({
        context,
        baseFee: 25_000_000_000n,
        account: { address: account, nonce: 3n, balance: 10n ** 18n },
        destinationChain: 'X',
        to: text('C'),
      }),
    ).toThrow(expect.objectContaining({ code: 'ENC_WRONG_CHAIN', path: 'to' }))
    expect(code({ outputs: [{ to: text('X'), amount: 0n }] })).toBe('OUTPUT_ZERO_AMOUNT')
    expect(code({ outputs: [{ to: text('X'), amount: 2n ** 64n - 1n }] })).toBe('AMOUNT_OVERFLOW')
    expect(
      code({ outputs: [{ to: text('X'), amount: 1n, assetID: new Uint8Array(32).fill(1) }] }),
    ).toBe('NON_AVAX')
    expect(code({ account: { address: account, nonce: -1n } })).toBe('ENC_INVALID')
    expect(code({ account: { address: account, nonce: 2n ** 64n } })).toBe('ENC_INVALID')
    expect(code({ account: { address: text('C'), nonce: 0n } })).toBe('ENC_MISSING_0X')
    expect(code({ baseFee: -1n })).toBe('ENC_INVALID')
    expect(code({ baseFee: 2n ** 80n })).toMatch(/OVERFLOW|FEE_ABOVE_MAX/)
    expect(code({ maxFee: 280_749n })).toBe('FEE_ABOVE_MAX')
    expect(code({ context: { ...context, chains: {} } })).toBe('UNKNOWN_CHAIN')
    const many = Array.from({ length: 1200 }, () => ({ to: text('X'), amount: 1n }))
    expect(code({ outputs: many })).toBe('TX_TOO_LARGE')
  })

  it('takes exactly the largest size and gas', () => {
    const { signedSize, unsignedTx } = build()
    const gas = cChain.gasOf(unsignedTx)
    expect(build({ maxSize: signedSize, maxGas: gas })).toEqual(build())
    expect(codeOf(() => build({ maxSize: signedSize - 1 }))).toBe('TX_TOO_LARGE')
    expect(codeOf(() => build({ maxGas: gas - 1n }))).toBe('TX_TOO_LARGE')
  })

  it('says which account is missing its key', () => {
    const stranger = new KeyChain([others[0]!.privateKey])
    expect(codeOf(() => signDraft(build(), stranger))).toBe('UNUSED_KEY')
    const result = signDraft(build(), stranger, { accept: ['UNUSED_KEY'] })
    expect(result).toMatchObject({
      complete: false,
      missing: [{ credential: 0, slot: 0, address: cChain.parseEVMAddress(account) }],
    })
  })
})

describe('buildImport', () => {
  const options = {
    context,
    baseFee: 25_000_000_000n,
    sourceChain: 'X',
    to: account,
  }
  const fundsOf = (...utxos: readonly UTXO[]) => ({ utxos, owners: keys.addresses, now: NOW })

  it('credits the account with what is left after the fee', () => {
    const draft = cChain.buildImport({ ...options, funds: fundsOf(utxo(1_000_000_000n)) })
    expect(draft.fee).toBe(280_750n)
    expect((draft.unsignedTx as cChain.ImportTx).outputs).toEqual([
      {
        address: cChain.parseEVMAddress(account),
        amount: 1_000_000_000n - 280_750n,
        assetID: context.assetID,
      },
    ])
    accepted(draft, 25_000_000_000n)
  })

  it('is not signed with UTXOs of another type', () => {
    const draft = cChain.buildImport({ ...options, funds: fundsOf(utxo(1_000_000_000n)) })
    const output = { ...draft.utxos[0]!.output, type: 'secp256k1fx.MintOutput' } as const
    const utxos = [{ ...draft.utxos[0]!, output }]
    expect(codeOf(() => signDraft({ ...draft, utxos }, keys))).toBe('SIGNER_UNKNOWN_OUTPUT')
  })

  it('refuses what cannot be imported', () => {
    const code = (utxos: readonly UTXO[], more: object = {}) =>
      codeOf(() => cChain.buildImport({ ...options, funds: fundsOf(...utxos), ...more }))
    expect(code([])).toBe('BUILDER_INSUFFICIENT_FUNDS')
    expect(code([utxo(280_750n)])).toBe('BUILDER_INSUFFICIENT_FUNDS')
    expect(code([utxo(280_751n)])).toBeUndefined()
    expect(code([utxo(10n ** 9n, { locktime: NOW + 1n })])).toBe('UTXO_NOT_SPENDABLE')
    expect(code([utxo(10n ** 9n, { addresses: [others[0]!.address] })])).toBe('UTXO_NOT_SPENDABLE')
    expect(code([utxo(10n ** 9n, { assetID: new Uint8Array(32).fill(1) })])).toBe(
      'UTXO_NOT_SPENDABLE',
    )
    expect(code([utxo(10n ** 9n)], { to: text('C') })).toBe('ENC_MISSING_0X')
    expect(code([utxo(10n ** 9n)], { to: account.replace('0x8d', '0x8D') })).toBe(
      'ENC_BAD_CHECKSUM',
    )
    expect(code([utxo(10n ** 9n)], { sourceChain: 'C' })).toBe('SAME_CHAIN')
    expect(code(Array.from({ length: 83 }, () => utxo(10n ** 9n)))).toBe('TX_TOO_LARGE')
  })

  it('leaves UTXOs alone that are excluded, or not among the only ones', () => {
    const [wanted, locked, other] = [
      utxo(10n ** 9n),
      utxo(10n ** 9n, { locktime: NOW + 1n }),
      utxo(10n ** 9n),
    ]
    for (const limit of [{ excluded: [locked, other] }, { only: [wanted] }]) {
      const funds = { ...fundsOf(wanted, locked, other), ...limit }
      expect(cChain.buildImport({ ...options, funds }).utxos).toEqual([wanted])
      const plan = cChain.planImport({ ...options, funds })
      expect([plan.transactions, plan.leftBehind]).toEqual([1, []])
    }
  })

  it('plans chunks that nodes before Helicon take, and leaves the rest behind', () => {
    const funds = fundsOf(
      ...Array.from({ length: 170 }, () => utxo(10n ** 9n)),
      utxo(27_200n),
      utxo(5n, { assetID: new Uint8Array(32).fill(1) }),
      utxo(10n ** 9n, { locktime: NOW + 1n }),
    )
    const plan = cChain.planImport({ ...options, funds })
    const drafts = [...plan.drafts()]
    expect(plan.transactions).toBe(3)
    expect(drafts.map(({ utxos: spent }) => spent.length)).toEqual([82, 82, 6])
    expect(plan.leftBehind.map(({ reason }) => reason).sort()).toEqual([
      'dust',
      'locked',
      'otherAsset',
    ])
    accepted(drafts[2]!, 25_000_000_000n)
    const later = cChain.planImport({ ...options, funds, maxGas: 1_000_000n, maxSize: 262_144 })
    expect([...later.drafts()]).toHaveLength(1)
  })

  it('plans chunks within maxFee, and leaves a UTXO behind that alone costs more', () => {
    const many = Array.from({ length: 82 }, () => utxo(10n ** 9n))
    const high = { ...options, baseFee: 2_000_000_000_000n }
    const plan = cChain.planImport({ ...high, funds: fundsOf(...many) })
    const drafts = [...plan.drafts()]
    expect(drafts.map(({ utxos: spent }) => spent.length)).toEqual([36, 36, 10])
    expect(drafts.every(({ fee }) => fee <= 100_000_000n)).toBe(true)
    expect(plan.leftBehind).toEqual([])
    const low = { ...options, funds: fundsOf(...many), maxFee: 280_749n }
    expect(codeOf(() => cChain.planImport(low))).toBe('FEE_ABOVE_MAX')
    expect(cChain.planImport({ ...low, maxFee: 280_750n }).transactions).toBe(82)

    const three = new KeyChain([ewoq, ...others].slice(0, 3).map(({ privateKey }) => privateKey))
    const addresses = [...three.addresses].sort(compareBytes)
    const dear = utxo(10n ** 10n, { threshold: 3, addresses })
    const funds = { ...fundsOf(dear, many[0]!), owners: three.addresses }
    const mixed = cChain.planImport({ ...options, funds, maxFee: 280_750n })
    expect([...mixed.drafts()].map(({ utxos: spent }) => spent)).toEqual([[many[0]]])
    expect(mixed.leftBehind).toEqual([
      { reason: 'fee', assetID: context.assetID, amount: 10n ** 10n, count: 1 },
    ])
  })

  test.prop([
    fc.array(fc.bigInt({ min: 1n, max: 10n ** 12n }), { minLength: 1, maxLength: 20 }),
    fc.bigInt({ min: 0n, max: 10n ** 12n }),
  ])('burns exactly the fee, and is accepted', (amounts, baseFee) => {
    const funds = fundsOf(...amounts.map((amount) => utxo(amount)))
    const build = () => cChain.buildImport({ ...options, baseFee, funds, maxFee: 2n ** 64n - 1n })
    const sum = amounts.reduce((total, amount) => total + amount, 0n)
    const gas = BigInt(10_142 + 1088 * amounts.length)
    const fee = cChain.feeOfGas(gas, baseFee)
    if (sum <= fee) {
      expect(codeOf(build)).toBe('BUILDER_INSUFFICIENT_FUNDS')
      return
    }
    const draft = build()
    expect(cChain.gasOf(draft.unsignedTx)).toBe(gas)
    expect(draft.fee).toBe(fee)
    expect(burnedBy(draft.unsignedTx)).toBe(fee)
    accepted(draft, baseFee)
  })
})
