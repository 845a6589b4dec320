import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../../../src/core/base/bytes/compare.ts'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { CodecError, VerifyError } from '../../../../src/core/base/errors.ts'
import * as cChain from '../../../../src/core/c-chain.ts'
import { networks } from '../../../../src/core/chain/networks.ts'
import { inputsOf } from '../../../../src/core/chain/p/tx.ts'
import type { Json } from '../../../../src/core/codec/json.ts'
import { parseJSON, stringifyJSON } from '../../../../src/core/codec/json-text.ts'
import * as pChain from '../../../../src/core/p-chain.ts'
import {
  anyCTx,
  anyCUnsignedTx,
  anyPTransferableOutput,
  anyPTx,
  anyPUnsignedTx,
  anyPUTXO,
} from '../../../helpers/chain-arbitraries.ts'
import { crossChain } from '../../../helpers/cross-chain.ts'
import { codeOf } from '../../../helpers/vectors.ts'

type Format<T> = {
  readonly name: string
  readonly any: fc.Arbitrary<T>
  readonly encode: (value: T) => Uint8Array
  readonly decode: (bytes: Uint8Array) => T
}

const formats = [
  { name: 'P transaction', any: anyPTx, encode: pChain.encodeTx, decode: pChain.decodeTx },
  {
    name: 'unsigned P transaction',
    any: anyPUnsignedTx,
    encode: pChain.encodeUnsignedTx,
    decode: pChain.decodeUnsignedTx,
  },
  { name: 'P UTXO', any: anyPUTXO, encode: pChain.encodeUTXO, decode: pChain.decodeUTXO },
  { name: 'C transaction', any: anyCTx, encode: cChain.encodeTx, decode: cChain.decodeTx },
  {
    name: 'unsigned C transaction',
    any: anyCUnsignedTx,
    encode: cChain.encodeUnsignedTx,
    decode: cChain.decodeUnsignedTx,
  },
] as unknown as readonly Format<unknown>[]

/** Decodes bytes that may be damaged: either it is refused, or it encodes to the same bytes. */
function refusedOrSame({ decode, encode }: Format<unknown>, bytes: Uint8Array): void {
  let value: unknown
  try {
    value = decode(bytes)
  } catch (error) {
    expect(error).toBeInstanceOf(CodecError)
    return
  }
  expect(hex.encode(encode(value))).toBe(hex.encode(bytes))
}

for (const format of formats)
  describe(format.name, () => {
    const { any, encode, decode } = format

    test.prop([any])('decodes to what was encoded', (value) => {
      expect(decode(encode(value))).toEqual(value)
    })

    test.prop([any, fc.nat()])('is refused when cut', (value, n) => {
      const bytes = encode(value)
      expect(() => decode(bytes.subarray(0, n % bytes.length))).toThrow(CodecError)
    })

    test.prop([any, fc.uint8Array({ minLength: 1, maxLength: 8 })])(
      'is refused with bytes behind it',
      (value, tail) => {
        const bytes = Uint8Array.from([...encode(value), ...tail])
        expect(codeOf(() => decode(bytes))).toBe('CODEC_TRAILING_BYTES')
      },
    )

    test.prop([any, fc.nat(), fc.nat(255), fc.constantFrom(1, 4)])(
      'is refused or encodes back to the same bytes when damaged',
      (value, at, byte, width) => {
        const bytes = encode(value)
        for (let i = 0; i < width; i++) bytes[(at + i) % bytes.length] = byte
        refusedOrSame(format, bytes)
      },
    )

    test.prop([fc.uint8Array({ maxLength: 200 })])('refuses noise or reads it exactly', (noise) => {
      refusedOrSame(format, Uint8Array.from([0, 0, ...noise]))
    })
  })

describe('gasOf', () => {
  it('takes weights as the numbers of the node’s JSON', () => {
    const [v] = crossChain('p-tx')
    const { unsignedTx } = pChain.decodeTx(hex.decode(v!.signed))
    const weights = { bandwidth: 1, dbRead: 1000, dbWrite: 1000, compute: 4 }
    expect(String(pChain.gasOf(unsignedTx, weights))).toBe(v!.gas)
  })
})

describe('huge counts', () => {
  it('are refused without a huge allocation', () => {
    const v = crossChain('p-tx').find(({ type, verdict }) => type === 'import' && verdict === 'ok')!
    // The number of outputs stands behind version, type, network and chain.
    for (const count of ['7fffffff', '80000000', 'ffffffff', '00ffffff']) {
      const damaged = `${v.signed.slice(0, 84)}${count}${v.signed.slice(92)}`
      expect(codeOf(() => pChain.decodeTx(hex.decode(damaged)))).toMatch(/^CODEC_/)
    }
    expect(codeOf(() => pChain.decodeTx(new Uint8Array(262_145)))).toBe('CODEC_TOO_BIG')
    expect(codeOf(() => cChain.decodeTx(new Uint8Array(262_145)))).toBe('CODEC_TOO_BIG')
  })
})

describe('gas', () => {
  test.prop([anyPUnsignedTx])(
    'counts the bytes of the fully signed P transaction',
    (unsignedTx) => {
      const credentials = inputsOf(unsignedTx).map(({ input }) => ({
        type: 'secp256k1fx.Credential' as const,
        signatures: (input.type === 'stakeable.LockIn' ? input.input : input).signatureIndices.map(
          () => new Uint8Array(65),
        ),
      }))
      const { bandwidth } = pChain.complexityOf(unsignedTx)
      expect(bandwidth).toBe(BigInt(pChain.encodeTx({ unsignedTx, credentials }).length))
    },
  )

  test.prop([anyPUnsignedTx, fc.bigInt({ min: 0n, max: 2n ** 70n })])(
    'times the price is the fee of a P transaction, or an error above 2^64 − 1',
    (tx, price) => {
      const weights = pChain.DEFAULT_GAS_WEIGHTS
      const fee = pChain.gasOf(tx, weights) * price
      if (fee < 2n ** 64n) expect(pChain.feeOf(tx, { weights, price })).toBe(fee)
      else expect(codeOf(() => pChain.feeOf(tx, { weights, price }))).toBe('AMOUNT_OVERFLOW')
    },
  )

  test.prop([anyCUnsignedTx])('counts unsigned bytes and signatures of a C transaction', (tx) => {
    const signatures =
      tx.type === 'ExportTx'
        ? tx.inputs.length
        : tx.importedInputs.reduce((sum, { input }) => sum + input.signatureIndices.length, 0)
    const size = cChain.encodeUnsignedTx(tx).length
    expect(cChain.gasOf(tx)).toBe(BigInt(10_000 + size + 1000 * signatures))
  })

  test.prop([fc.bigInt({ min: 1n, max: 2n ** 63n }), fc.bigInt({ min: 0n, max: 2n ** 100n })])(
    'of C transactions is rounded up to a whole nAVAX, and no further',
    (gas, baseFee) => {
      const fee = codeOf(() => cChain.feeOfGas(gas, baseFee))
        ? undefined
        : cChain.feeOfGas(gas, baseFee)
      if (fee === undefined) expect(gas * baseFee).toBeGreaterThan((2n ** 64n - 1n) * 10n ** 9n)
      else {
        expect(fee * 10n ** 9n).toBeGreaterThanOrEqual(gas * baseFee)
        expect((fee - 1n) * 10n ** 9n).toBeLessThan(gas * baseFee === 0n ? 1n : gas * baseFee)
      }
    },
  )

  test.prop([fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 10n ** 6n })])(
    'price never falls when the excess grows, and ends at 2^64 − 1',
    (excess, more) => {
      const config = pChain.DEFAULT_PRICE_CONFIG
      const price = pChain.gasPrice(excess, config)
      expect(pChain.gasPrice(excess + more, config)).toBeGreaterThanOrEqual(price)
      expect(price).toBeLessThan(2n ** 64n)
    },
  )
})

describe('verifyTx', () => {
  test.prop([anyPTx])('passes or throws a VerifyError for any P transaction', (tx) => {
    try {
      pChain.verifyTx(tx, networks.local)
    } catch (error) {
      expect(error).toBeInstanceOf(VerifyError)
    }
  })

  test.prop([anyCTx, fc.boolean()])(
    'passes or throws a VerifyError for any C transaction',
    (tx, helicon) => {
      try {
        cChain.verifyTx(tx, networks.local, { helicon })
      } catch (error) {
        expect(error).toBeInstanceOf(VerifyError)
      }
    },
  )

  it('refuses every valid transaction of another network', () => {
    for (const kind of ['p-tx', 'c-tx'])
      for (const v of crossChain(kind).filter(({ verdict }) => verdict === 'ok')) {
        const other = v.network === 'local' ? networks.fuji : networks.local
        const bytes = hex.decode(v.signed)
        const code = codeOf(() =>
          kind === 'p-tx'
            ? pChain.verifyTx(pChain.decodeTx(bytes), other)
            : cChain.verifyTx(cChain.decodeTx(bytes), other),
        )
        expect(code).toBe('WRONG_NETWORK_ID')
      }
  })
})

describe('compareOutputs', () => {
  test.prop([fc.array(anyPTransferableOutput, { maxLength: 6 })])(
    'sorts plain outputs before locked ones of the same asset',
    (outputs) => {
      const sorted = outputs.map((each) => ({ ...each, assetID: new Uint8Array(32) }))
      sorted.sort(pChain.compareOutputs)
      const locked = sorted.map(({ output }) => output.type === 'stakeable.LockOut')
      expect(locked).toEqual([...locked].sort())
      expect(compareBytes(Uint8Array.of(7), Uint8Array.of(22))).toBeLessThan(0)
    },
  )
})

describe('txToJSON', () => {
  test.prop([anyPTx])('prints every P transaction without type names', (tx) => {
    expect(stringifyJSON(pChain.txToJSON(tx, networks.fuji))).not.toContain('"type"')
  })

  test.prop([anyPTx])('prints every P transaction so that it can be read back', (tx) => {
    const text = stringifyJSON(pChain.txToJSON(tx, networks.fuji))
    expect(pChain.txFromJSON(parseJSON(text), networks.fuji)).toEqual(tx)
  })

  test.prop([anyPTx, fc.nat(), fc.jsonValue()])('never misreads damaged JSON', (tx, n, value) => {
    const json = parseJSON(stringifyJSON(pChain.txToJSON(tx, networks.fuji)))
    const unsignedTx = (json as { unsignedTx: { [key: string]: Json } }).unsignedTx
    const names = Object.keys(unsignedTx)
    unsignedTx[names[n % names.length]!] = value as Json
    try {
      expect(pChain.txFromJSON(json, networks.fuji)).toEqual(tx)
    } catch (error) {
      expect(error).toBeInstanceOf(CodecError)
    }
  })

  test.prop([fc.jsonValue()])('refuses JSON that is no transaction', (value) => {
    expect(() => pChain.txFromJSON(value as Json, networks.fuji)).toThrow(CodecError)
  })

  test.prop([anyCTx])('prints every C transaction with accounts as 0x addresses', (tx) => {
    const json = stringifyJSON(cChain.txToJSON(tx, networks.fuji))
    const accounts =
      tx.unsignedTx.type === 'ImportTx' ? tx.unsignedTx.outputs : tx.unsignedTx.inputs
    for (const { address } of accounts) expect(json).toContain(cChain.formatEVMAddress(address))
  })
})
