import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { compareBytes } from '../../../../src/core/base/bytes/compare.ts'
import { CodecError, VerifyError } from '../../../../src/core/base/errors.ts'
import { networks } from '../../../../src/core/chain/networks.ts'
import { decodeBlock, encodeBlock } from '../../../../src/core/chain/x/block.ts'
import { output } from '../../../../src/core/chain/x/fx.ts'
import { buildGenesis, decodeGenesis, encodeGenesis } from '../../../../src/core/chain/x/genesis.ts'
import { blockToJSON, txToJSON } from '../../../../src/core/chain/x/json.ts'
import { blockFromJSON, txFromJSON } from '../../../../src/core/chain/x/json-in.ts'
import {
  compareInputs,
  compareOperations,
  compareOutputs,
  compareStateOutputs,
} from '../../../../src/core/chain/x/order.ts'
import { unsignedSize } from '../../../../src/core/chain/x/size.ts'
import {
  operation,
  transferableInput,
  transferableOutput,
} from '../../../../src/core/chain/x/transferables.ts'
import {
  decodeTx,
  decodeUnsignedTx,
  encodeTx,
  encodeUnsignedTx,
} from '../../../../src/core/chain/x/tx.ts'
import { decodeUTXO, encodeUTXO } from '../../../../src/core/chain/x/utxo.ts'
import { verifyTx } from '../../../../src/core/chain/x/verify/verify.ts'
import { encodeBare } from '../../../../src/core/codec/codec.ts'
import type { Codec } from '../../../../src/core/codec/io.ts'
import { parseJSON, stringifyJSON } from '../../../../src/core/codec/json-text.ts'
import {
  anyAddress,
  anyBlock,
  anyOperation,
  anyOutput,
  anyTransferableInput,
  anyTransferableOutput,
  anyTx,
  anyUnsignedTx,
  anyUTXO,
  u64,
} from '../../../helpers/arbitraries.ts'
import { codeOf } from '../../../helpers/vectors.ts'

type Format<T> = {
  readonly name: string
  readonly any: fc.Arbitrary<T>
  readonly encode: (value: T) => Uint8Array
  readonly decode: (bytes: Uint8Array) => T
}

const anyGenesis = fc
  .array(
    fc.record({
      alias: fc.string({ minLength: 1, maxLength: 5 }),
      name: fc.string({ maxLength: 10 }),
      symbol: fc.string({ maxLength: 4 }),
      denomination: fc.nat(32),
      holders: fc.array(fc.record({ amount: u64, address: anyAddress }), { maxLength: 3 }),
      minters: fc.array(fc.array(anyAddress, { maxLength: 3 }), { maxLength: 2 }),
    }),
    { maxLength: 3 },
  )
  .map((definitions) => buildGenesis(7, definitions))

const formats = [
  { name: 'a signed transaction', any: anyTx, encode: encodeTx, decode: decodeTx },
  {
    name: 'an unsigned transaction',
    any: anyUnsignedTx,
    encode: encodeUnsignedTx,
    decode: decodeUnsignedTx,
  },
  { name: 'a UTXO', any: anyUTXO, encode: encodeUTXO, decode: decodeUTXO },
  { name: 'a block', any: anyBlock, encode: encodeBlock, decode: decodeBlock },
  { name: 'genesis data', any: anyGenesis, encode: encodeGenesis, decode: decodeGenesis },
] as unknown as Format<object>[]

for (const { name, any, encode, decode } of formats)
  describe(name, () => {
    test.prop([any])('decodes to the encoded value', (value) => {
      const bytes = encode(value)
      expect(decode(bytes)).toEqual(value)
      expect(encode(decode(bytes))).toEqual(bytes)
    })

    test.prop([any, fc.nat()])('is rejected if truncated anywhere', (value, at) => {
      const bytes = encode(value)
      expect(() => decode(bytes.subarray(0, at % bytes.length))).toThrow(CodecError)
    })

    test.prop([any, fc.uint8Array({ minLength: 1, maxLength: 8 })])(
      'is rejected with trailing bytes',
      (value, rest) => {
        const longer = Uint8Array.from([...encode(value), ...rest])
        expect(codeOf(() => decode(longer))).toBe('CODEC_TRAILING_BYTES')
      },
    )

    test.prop([any, fc.nat(), fc.integer({ min: 1, max: 255 })])(
      'with a changed byte is rejected or encodes back to the same bytes',
      (value, at, change) => {
        const bytes = encode(value)
        bytes[at % bytes.length]! ^= change
        let decoded: object | undefined
        try {
          decoded = decode(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError)
        }
        if (decoded !== undefined) expect(encode(decoded)).toEqual(bytes)
      },
    )

    test.prop([any])('shares no memory with the decoded bytes', (value) => {
      const bytes = Buffer.from(encode(value))
      const decoded = decode(bytes)
      bytes.fill(0xee)
      expect(decoded).toEqual(value)
    })
  })

describe('any bytes', () => {
  test.prop([fc.uint8Array({ maxLength: 300 })])(
    'decode to a value or throw a CodecError',
    (bytes) => {
      const versioned = Uint8Array.from([0, 0, ...bytes])
      for (const { decode, encode } of formats)
        for (const input of [bytes, versioned])
          try {
            expect(encode(decode(input))).toEqual(input)
          } catch (error) {
            expect(error).toBeInstanceOf(CodecError)
          }
    },
  )
})

describe('JSON', () => {
  // Initial states whose mint rights and properties are not in order cannot be told apart by members.
  const tellable = (tx: Parameters<typeof txToJSON>[0]) =>
    tx.unsignedTx.type !== 'CreateAssetTx' ||
    tx.unsignedTx.initialStates.every(({ outputs }) => {
      const sorted = [...outputs].sort(compareStateOutputs)
      return outputs.every((item, i) => item.type === sorted[i]!.type)
    })

  test.prop([anyTx.filter(tellable)])('of a transaction converts back, through text', (tx) => {
    const text = stringifyJSON(txToJSON(tx, networks.fuji))
    expect(txFromJSON(parseJSON(text), networks.fuji)).toEqual(tx)
  })

  test.prop([anyBlock.filter(({ txs }) => txs.every(tellable))])(
    'of a block converts back',
    (block) => {
      const text = stringifyJSON(blockToJSON(block, networks.local))
      expect(blockFromJSON(parseJSON(text), networks.local)).toEqual(block)
    },
  )

  test.prop([anyTx, u64])('with a changed amount is rejected', (tx, amount) => {
    const [first] = tx.unsignedTx.outputs
    fc.pre(first !== undefined && first.output.amount !== amount)
    const text = stringifyJSON(txToJSON(tx, networks.fuji)).replace(
      /"amount":\d+/,
      `"amount":${amount}`,
    )
    expect(codeOf(() => txFromJSON(parseJSON(text), networks.fuji))).toMatch(/^CODEC_JSON_/)
  })
})

describe('orderings', () => {
  type Order<T> = {
    name: string
    any: fc.Arbitrary<T>
    compare: (a: T, b: T) => number
    codec: Codec<T>
  }
  const orders = [
    {
      name: 'outputs',
      any: anyTransferableOutput,
      compare: compareOutputs,
      codec: transferableOutput,
    },
    { name: 'operations', any: anyOperation, compare: compareOperations, codec: operation },
    { name: 'outputs of a state', any: anyOutput, compare: compareStateOutputs, codec: output },
  ] as unknown as Order<object>[]

  for (const { name, any, compare, codec } of orders)
    test.prop([any, any])(`of ${name} equals the order of their encodings`, (a, b) => {
      const expected = Math.sign(compareBytes(encodeBare(codec, a), encodeBare(codec, b)))
      expect(Math.sign(compare(a, b))).toBe(expected)
      expect(Math.sign(compare(b, a))).toBe(-expected + 0)
      expect(compare(a, a)).toBe(0)
    })

  test.prop([anyTransferableInput, anyTransferableInput])(
    'of inputs equals the order of their first 36 bytes',
    (a, b) => {
      const key = (input: typeof a) => encodeBare(transferableInput, input).slice(0, 36)
      expect(Math.sign(compareInputs(a, b))).toBe(Math.sign(compareBytes(key(a), key(b))))
    },
  )
})

describe('unsignedSize', () => {
  test.prop([anyUnsignedTx])('equals the length of the encoding', (tx) => {
    expect(unsignedSize(tx)).toBe(encodeUnsignedTx(tx).length)
  })
})

describe('verifyTx', () => {
  test.prop([anyTx])('returns or throws a VerifyError, for any transaction', (tx) => {
    try {
      verifyTx(tx, networks.local)
    } catch (error) {
      expect(error).toBeInstanceOf(VerifyError)
    }
  })
})
