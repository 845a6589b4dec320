import { describe, expect, it } from 'vitest'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { formatID } from '../../../../src/core/base/encoding/ids.ts'
import * as cChain from '../../../../src/core/c-chain.ts'
import { type NetworkContext, networks } from '../../../../src/core/chain/networks.ts'
import { unlockedInput } from '../../../../src/core/chain/p/transferables.ts'
import { publicKeyOf } from '../../../../src/core/crypto/secp256k1.ts'
import type { Draft } from '../../../../src/core/draft/draft.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import {
  createRequest,
  explainDraft,
  explainRequest,
  formatExplanation,
} from '../../../../src/index.ts'
import { ewoq } from '../../../devnode/txs.ts'
import { contextOf, crossChain } from '../../../helpers/cross-chain.ts'
import { owners, paying } from '../fixtures.ts'
import { exportOfVault } from './fixtures.ts'

const account = cChain.evmAddressBytes(publicKeyOf(ewoq.privateKey))

describe('explainDraft', () => {
  it('accounts for every unit of every valid vector', () => {
    for (const v of crossChain('c-tx').filter((each) => each.burned !== undefined)) {
      const { unsignedTx } = cChain.decodeTx(hex.decode(v.signed))
      const { fee, pays, returns, spends } = explainDraft(draftOf('C', unsignedTx, contextOf(v)), {
        ours: [],
      })
      expect([v.name, String(fee)]).toEqual([v.name, v.burned])
      const sum = (list: readonly { readonly amount?: bigint | undefined }[]) =>
        list.reduce((total, { amount = 0n }) => total + amount, 0n)
      expect(sum(spends) - sum(pays) - sum(returns)).toBe(fee)
    }
    for (const v of crossChain('p-tx').filter((each) => each.keys !== undefined)) {
      const { unsignedTx } = pChain.decodeTx(hex.decode(v.signed))
      const context = contextOf(v)
      const told = explainDraft(draftOf('P', unsignedTx, context), { ours: [] })
      expect(told.fee).toBeGreaterThanOrEqual(0n)
      expect(told.pays).toHaveLength(
        unsignedTx.outputs.length +
          (unsignedTx.type === 'ExportTx' ? unsignedTx.exportedOutputs.length : 0),
      )
      expect(formatExplanation(told)).toMatch(new RegExp(`^.* on ${v.network} .*, P-Chain\n`))
    }
  })

  it('shows the total and the largest amounts of many outputs, and each code of warnings once', () => {
    const draft = cChain.buildExport({
      context,
      account: { address: account, nonce: 0n },
      baseFee: 1n,
      maxGas: 1_000_000n,
      destinationChain: 'P',
      outputs: Array.from({ length: 100 }, (_, i) => ({
        to: new Uint8Array(20).fill(i + 1),
        amount: i === 70 ? 5_000_000_000_000n : BigInt(i + 1),
      })),
    })
    const told = explainDraft(draft, { ours: [ewoq.address], accounts: [account] })
    expect(told.pays).toHaveLength(100)
    expect(told.warnings.map(({ code }) => code)).toEqual(['DEAD_ADDRESS', 'NOT_OURS'])
    expect(told.warnings[1]!.message).toMatch(
      /^output \d+ gives .* to others \(and 99 more: 5000\.000004979 AVAX in total\)$/,
    )
    const lines = formatExplanation(told).split('\n')
    // 1 + 2 + … + 100 without 71; the sum of the 80 smallest of these 99.
    expect(lines[1]).toMatch(
      /^total +5000\.000004979 +AVAX +paid to 100 recipients in 100 outputs$/,
    )
    const pays = lines.filter((line) => line.startsWith('pay'))
    expect(pays).toHaveLength(21)
    expect(pays[0]).toMatch(/^pay +5000 +AVAX +to P-local1\w+ on the P-Chain$/)
    expect(pays[20]).toMatch(/^pay +0\.00000325 +AVAX +in 80 more payments on the P-Chain$/)
  })

  it('distinguishes returned outputs from payments, and warns about both', () => {
    const exportTo = (to: Uint8Array) =>
      cChain.buildExport({
        context,
        account: { address: account, nonce: 0n },
        baseFee: 25_000_000_000n,
        destinationChain: 'P',
        outputs: [{ to, amount: 1_500_000_000n }],
      })
    const ours = { ours: [ewoq.address], accounts: [account] }
    const own = explainDraft(exportTo(ewoq.address), ours)
    expect(own).toMatchObject({
      chain: 'C',
      type: 'ExportTx',
      destinationChain: { alias: 'P' },
      spends: [{ utxo: '', nonce: 0n, amount: 1_500_280_750n, proven: true }],
      pays: [],
      returns: [{ amount: 1_500_000_000n, ownership: 'ours', change: false, exported: true }],
      warnings: [],
    })
    const text = formatExplanation(own)
    expect(text.split('\n').slice(0, 6)).toEqual([
      'export to the P-Chain on local (network 12345), C-Chain',
      'total   0           AVAX  paid to others',
      'total   1.5         AVAX  returned',
      `spend   1.50028075  AVAX  account ${cChain.formatEVMAddress(account)}, nonce 0`,
      `return  1.5         AVAX  to ${ewoq.text.replace('X-', 'P-')} on the P-Chain`,
      'fee     0.00028075  AVAX',
    ])
    // An account owns no UTXOs: funds exported to its 20 bytes would be lost.
    const lost = explainDraft(exportTo(account), ours)
    expect(lost.warnings).toMatchObject([{ code: 'NOT_OURS', path: 'output 0' }])
  })

  it('warns of what cannot be imported, what anyone can take and what is burned', () => {
    const token = new Uint8Array(32).fill(1)
    const output = {
      type: 'secp256k1fx.TransferOutput',
      amount: 5n,
      locktime: 9n,
      threshold: 0,
      addresses: [],
    } as const
    const input = { type: 'secp256k1fx.TransferInput', amount: 7n, signatureIndices: [0] } as const
    const unsignedTx: pChain.ExportTx = {
      type: 'ExportTx',
      networkID: context.networkID,
      blockchainID: new Uint8Array(32),
      outputs: [],
      inputs: [
        { txID: token, outputIndex: 0, assetID: token, input },
        {
          txID: token,
          outputIndex: 1,
          assetID: context.assetID,
          input: { ...input, amount: 200_000_000n },
        },
      ],
      memo: new Uint8Array(0),
      destinationChain: context.chains.C!,
      exportedOutputs: [{ assetID: token, output }],
    }
    const { warnings } = explainDraft(draftOf('P', unsignedTx), { ours: [] })
    expect(warnings.map(({ code }) => code)).toEqual([
      'BURN',
      'HIGH_FEE',
      'OPEN_OUTPUT',
      'STUCK_EXPORT',
      'LOCKED_OUTPUT',
      'UNKNOWN_UTXO',
      'FEE_ABOVE_KNOWN',
    ])
  })

  it('shows the locks of every output and quotes their sum, however the amounts are divided', () => {
    const { lines, warnings } = explained(
      transferTx(
        [1000n * AVAX],
        [
          { amount: 1n, locktime: 253_370_764_800n },
          { amount: 999n * AVAX, locktime: 4_102_444_800n },
        ],
      ),
    )
    expect(lines.filter((line) => /^(return|total.*returned)/.test(line))).toEqual([
      expect.stringMatching(/^total +999\.000000001 +AVAX +returned$/),
      expect.stringMatching(
        /^return +0\.000000001 +AVAX +to P-local1\w+, locked until 9999-01-01T00:00:00Z$/,
      ),
      expect.stringMatching(
        /^return +999 +AVAX +to P-local1\w+, locked until 2100-01-01T00:00:00Z$/,
      ),
    ])
    // The builder of a draft knows its locks; a request refuses them.
    expect(warnings).toMatchObject([
      { code: 'HIGH_FEE', danger: true },
      { code: 'LOCKED_RETURN', danger: false },
      { code: 'FEE_ABOVE_KNOWN' },
    ])
    expect(warnings[1]!.message).toBe(
      'output 0 is returned locked until 9999-01-01T00:00:00Z (and 1 more: 999.000000001 AVAX in total)',
    )
    const staked = explained(
      transferTx([AVAX], [{ amount: AVAX, stakeableLocktime: 4_102_444_800n }]),
    )
    expect(staked.lines.find((line) => line.startsWith('return'))).toMatch(
      /, only for staking until 2100-01-01T00:00:00Z$/,
    )
    expect(staked.explanation.returns[0]!.owners).toMatchObject({
      locktime: 0n,
      stakeableLocktime: 4_102_444_800n,
    })
  })

  it('warns of a stakeable lock that an input does not state, until its time', () => {
    const locktime = 1_900_000_000n
    const plain = transferTx([AVAX], [{ amount: AVAX - 1000n }])
    const output = {
      type: 'stakeable.LockOut',
      locktime,
      output: paying(AVAX, owners(1, 0)),
    } as const
    const codes = (unsignedTx: pChain.UnsignedTx, now: bigint) => {
      const utxos = unsignedTx.inputs.map(({ input: _, ...id }) => ({ ...id, output }))
      const draft = { ...draftOf('P', unsignedTx), utxos }
      const options = { ours: owners(1, 0).addresses, now }
      return explainDraft(draft, options).warnings.map(({ code }) => code)
    }
    expect(codes(plain, locktime - 1n)).toEqual(['LOCKED_UTXO'])
    expect(codes(plain, locktime)).toEqual([])
    // An input that states the lock keeps it.
    const stating = {
      ...transferTx([AVAX], [{ amount: AVAX, stakeableLocktime: locktime }]),
      inputs: plain.inputs.map(({ input, ...id }) => ({
        ...id,
        input: { type: 'stakeable.LockIn', locktime, input: unlockedInput(input) } as const,
      })),
    }
    expect(codes(stating, locktime - 1n)).not.toContain('LOCKED_UTXO')
  })

  it('shows the owners of an exported output with the prefix of its chain', () => {
    const text = formatExplanation(explainDraft(exportOfVault().draft))
    expect(text).toMatch(
      /^return +1 +AVAX +to 2 of 3: (X-local1\w+, ){2}X-local1\w+ on the X-Chain$/m,
    )
    expect(text).toMatch(
      /^return +3\.\d+ +AVAX +to 2 of 3: (P-local1\w+, ){2}P-local1\w+ \(change\)$/m,
    )
  })

  it('does not hide locked outputs among many others', () => {
    const { lines } = explained(
      transferTx(
        [AVAX],
        [
          ...Array.from({ length: 21 }, () => ({ amount: 1000n })),
          ...Array.from({ length: 39 }, () => ({ amount: 10n, locktime: 4_102_444_800n })),
        ],
      ),
    )
    expect(lines.filter((line) => line.includes(' more returned outputs'))).toEqual([
      expect.stringMatching(/^return +0\.000001 +AVAX +in 1 more returned outputs$/),
      expect.stringMatching(
        /^return +0\.00000019 +AVAX +in 19 more returned outputs, locked, the last until 2100-01-01T00:00:00Z$/,
      ),
    ])
  })

  it('shows every asset that is burned', () => {
    const [junk, token] = [formatID(tokenID(1)), formatID(tokenID(2))]
    const { lines, warnings, explanation } = explained(
      transferTx([AVAX], [{ amount: AVAX }], [1n, 5000n]),
    )
    expect(explanation.burned).toMatchObject([{ amount: 1n }, { amount: 5000n }])
    expect(lines.filter((line) => /^(fee|burn|DANGER)/.test(line))).toEqual([
      expect.stringMatching(/^fee +0 +AVAX$/),
      expect.stringMatching(new RegExp(`^burn +1 +units of ${junk} +destroyed$`)),
      expect.stringMatching(new RegExp(`^burn +5000 +units of ${token} +destroyed$`)),
      `DANGER  BURN  destroys 1 units of ${junk} in addition to the fee (and 1 more: 1 units of ${junk}, 5000 units of ${token} in total)`,
    ])
    expect(warnings).toMatchObject([{ code: 'BURN', danger: true }])
  })

  it('explains a transaction that creates more than it spends', () => {
    const { lines, warnings, explanation } = explained(transferTx([5n], [{ amount: 10n }]))
    expect(explanation.fee).toBe(0n)
    expect(warnings).toMatchObject([{ code: 'INSUFFICIENT_FUNDS', danger: false }])
    expect(lines.at(-2)).toBe(
      'WARNING INSUFFICIENT_FUNDS  creates 0.000000005 AVAX more than it spends',
    )
  })

  it('shows in which asset an account is debited', () => {
    const token = tokenID(1)
    const unsignedTx: cChain.ExportTx = {
      type: 'ExportTx',
      networkID: context.networkID,
      blockchainID: context.chains.C!,
      destinationChain: context.chainID,
      inputs: [{ address: account, amount: 5_000_000_000_000n, assetID: token, nonce: 0n }],
      exportedOutputs: [{ assetID: token, output: paying(5_000_000_000_000n, owners(1, 0)) }],
    }
    const explanation = explainDraft(draftOf('C', unsignedTx), { ours: [] })
    expect(explanation.spends).toMatchObject([{ assetID: formatID(token), nonce: 0n }])
    expect(formatExplanation(explanation)).toMatch(
      new RegExp(
        `^spend +5000000000000 +units of ${formatID(token)} +account 0x\\w{40}, nonce 0$`,
        'm',
      ),
    )
  })
})

describe('explainRequest', () => {
  it('merges warnings of many unproven assets', () => {
    const unsignedTx = transferTx([AVAX], [{ amount: 1n }], Array<bigint>(30).fill(1n))
    const utxos = unsignedTx.inputs.map(({ input, ...id }) => ({
      ...id,
      output: paying(unlockedInput(input).amount, owners(1, 0)),
    }))
    const request = createRequest({ ...draftOf('P', unsignedTx), utxos })
    const { warnings } = explainRequest(request, { maxFee: 0n })
    expect(warnings.map(({ code }) => code)).toEqual([
      'BURN',
      'HIGH_FEE',
      'UNPROVEN_UTXO',
      'UNPROVEN_ASSET',
      'FEE_ABOVE_KNOWN',
    ])
    expect(warnings[3]!.message).toMatch(/ \(and 29 more\)$/)
    expect(warnings[0]!.message).toMatch(
      /^destroys 1 units of .* \(and 29 more: (1 units of \w+, ){4}1 units of \w+ and 25 more assets in total\)$/,
    )
  })

  it('abbreviates long lists of owners', () => {
    const addresses = Array.from({ length: 25 }, (_, i) => new Uint8Array(20).fill(i))
    const tx = transferTx([AVAX], [])
    const output = paying(AVAX, { locktime: 0n, threshold: 2, addresses })
    const { lines } = explained({ ...tx, outputs: [{ assetID: context.assetID, output }] })
    expect(lines.find((line) => line.startsWith('pay'))).toMatch(
      /^pay +1 +AVAX +to 2 of 25: (P-local1\w+, ){19}P-local1\w+ and 5 more$/,
    )
  })
})

const context = networks.local
const AVAX = 1_000_000_000n
const tokenID = (i: number) => new Uint8Array(32).fill(i)

type Returned = {
  readonly amount: bigint
  readonly locktime?: bigint
  readonly stakeableLocktime?: bigint
}

/** A transfer of the P-Chain that spends UTXOs of AVAX and of tokens, and returns AVAX. */
function transferTx(
  avax: readonly bigint[],
  outputs: readonly Returned[],
  tokens: readonly bigint[] = [],
): pChain.UnsignedTx {
  const input = (amount: bigint, assetID: Uint8Array, outputIndex: number) => ({
    txID: tokenID(9),
    outputIndex,
    assetID,
    input: { type: 'secp256k1fx.TransferInput', amount, signatureIndices: [0] } as const,
  })
  return {
    type: 'BaseTx',
    networkID: context.networkID,
    blockchainID: new Uint8Array(32),
    inputs: [
      ...tokens.map((amount, i) => input(amount, tokenID(i + 1), i)),
      ...avax.map((amount, i) => input(amount, context.assetID, tokens.length + i)),
    ],
    outputs: outputs.map(({ amount, locktime = 0n, stakeableLocktime = 0n }) => {
      const output = paying(amount, { ...owners(1, 0), locktime })
      return {
        assetID: context.assetID,
        output:
          stakeableLocktime === 0n
            ? output
            : { type: 'stakeable.LockOut', locktime: stakeableLocktime, output },
      }
    }),
    memo: new Uint8Array(0),
  }
}

function explained(unsignedTx: pChain.UnsignedTx) {
  const utxos = unsignedTx.inputs.map(({ input, ...id }) => ({
    ...id,
    output: paying(unlockedInput(input).amount, owners(1, 0)),
  }))
  const draft = { ...draftOf('P', unsignedTx), utxos }
  const explanation = explainDraft(draft, { ours: owners(1, 0).addresses })
  const lines = formatExplanation(explanation).split('\n')
  return { explanation, lines, warnings: explanation.warnings }
}

/** A draft without UTXOs, as a reader of a foreign transaction has it. */
function draftOf<A extends 'P' | 'C'>(
  chain: A,
  unsignedTx: Draft<A>['unsignedTx'],
  of: NetworkContext = context,
): Draft<A> {
  const members = { fee: 0n, change: [], burned: [], signedSize: 0 }
  return { chain, unsignedTx, utxos: [], context: of, ...members }
}
