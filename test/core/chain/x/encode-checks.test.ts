import { describe, expect, it } from 'vitest'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { CodecError } from '../../../../src/core/base/errors.ts'
import { decodeTx, encodeTx, type SignedTx, signedTx } from '../../../../src/core/chain/x/tx.ts'
import { decodeUTXO, encodeUTXO, type UTXO } from '../../../../src/core/chain/x/utxo.ts'
import { Writer } from '../../../../src/core/codec/writer.ts'
import { codeOf, vectors } from '../../../helpers/vectors.ts'

// avalanchego, vms/avm/txs/base_tx_test.go: one output, one input, a memo of four bytes.
const base = vectors<{ name: string; bytesHex: string }[]>('signed-txs.json').find(
  ({ name }) => name === 'avalanchego BaseTx without credentials',
)!
const bytes = hex.decode(base.bytesHex)

function failure(run: () => unknown): CodecError {
  try {
    run()
  } catch (error) {
    if (error instanceof CodecError) return error
    throw error
  }
  throw new Error('expected a CodecError')
}

/** A copy of the transaction with one field, deep inside, replaced. */
function withField(path: string, value: unknown): SignedTx {
  const tx = decodeTx(bytes) as unknown as Record<string, unknown>
  const keys = path.replaceAll('[', '.').replaceAll(']', '').split('.')
  let at = tx
  for (const key of keys.slice(0, -1)) at = at[key] as Record<string, unknown>
  at[keys.at(-1)!] = value
  return tx as unknown as SignedTx
}

describe('encodeTx', () => {
  const cases: readonly [string, readonly unknown[]][] = [
    ['unsignedTx.networkID', [-1, 2 ** 32, 1.5, Number.NaN, '10', 10n, undefined, null]],
    [
      'unsignedTx.blockchainID',
      [new Uint8Array(31), new Uint8Array(33), Array(32).fill(0), 'x', null],
    ],
    ['unsignedTx.outputs[0].output.amount', [-1n, 2n ** 64n, 5, '5', undefined]],
    ['unsignedTx.outputs[0].output.threshold', [-1, 2 ** 32, 0.1, true]],
    [
      'unsignedTx.outputs[0].output.addresses[0]',
      [new Uint8Array(19), new Uint8Array(21), undefined],
    ],
    ['unsignedTx.outputs[0].output.addresses', [undefined, new Uint8Array(20), 'none', {}]],
    ['unsignedTx.outputs[0].output', [undefined, null, {}, { type: 'secp256k1fx.MintOutput' }]],
    ['unsignedTx.inputs[0].txID', [new Uint8Array(0), new Uint16Array(32), undefined]],
    ['unsignedTx.inputs[0].input.signatureIndices[0]', [-1, 2 ** 32, '0', undefined]],
    ['unsignedTx.memo', [undefined, 'hello', [1, 2], null]],
    ['credentials', [undefined, null, {}]],
    ['unsignedTx', [undefined, null, {}, { type: 'StandardBlock' }, { type: 'constructor' }]],
  ]
  for (const [path, values] of cases)
    it(`rejects an invalid ${path} and reports its path`, () => {
      for (const value of values) {
        const error = failure(() => encodeTx(withField(path, value)))
        expect(error.code).toBe('CODEC_BAD_VALUE')
        expect(error.path).toBe(path)
      }
    })

  it('rejects a signature that does not have 65 bytes', () => {
    const credential = { type: 'secp256k1fx.Credential', signatures: [new Uint8Array(64)] }
    const error = failure(() => encodeTx(withField('credentials', [credential])))
    expect(error).toMatchObject({ code: 'CODEC_BAD_VALUE', path: 'credentials[0].signatures[0]' })
  })

  it('grows its buffer at any field', () => {
    const asset = vectors<{ name: string; bytesHex: string }[]>('signed-txs.json').find(
      ({ name }) => /CreateAssetTx/.test(name),
    )!
    const tx = decodeTx(hex.decode(asset.bytesHex))
    const withMemo = (size: number): SignedTx => ({
      ...tx,
      unsignedTx: { ...tx.unsignedTx, memo: new Uint8Array(size).fill(7) },
    })
    const { length } = encodeTx(withMemo(0))
    // The shared writer of encodeTx may have grown already.
    encodeTx(withMemo(200_000))
    // A new writer begins with 64 KiB; each field in turn crosses its end.
    for (let size = 65_536 - length; size <= 65_536; size++) {
      const writer = new Writer()
      writer.u16(0)
      writer.struct(withMemo(size), signedTx)
      expect(Buffer.compare(writer.finish(), encodeTx(withMemo(size)))).toBe(0)
    }
  })

  it('works after a rejected value', () => {
    failure(() => encodeTx(withField('unsignedTx.networkID', -1)))
    expect(encodeTx(decodeTx(bytes))).toEqual(bytes)
  })

  it('encodes a value whose getter encodes another one', () => {
    const tx = decodeTx(bytes)
    const nosy = {
      unsignedTx: tx.unsignedTx,
      get credentials() {
        encodeTx(tx)
        return tx.credentials
      },
    }
    expect(encodeTx(nosy)).toEqual(bytes)
  })
})

describe('decodeTx', () => {
  it('reports where the bytes end', () => {
    // Offsets as in the worked example of the wire format: the amount of the input is at 202.
    const error = failure(() => decodeTx(bytes.subarray(0, 205)))
    expect(error).toMatchObject({
      code: 'CODEC_SHORT_BUFFER',
      offset: 202,
      path: 'unsignedTx.inputs[0].input.amount',
    })
  })

  it('reports where a type is not allowed', () => {
    const wrong = Uint8Array.from(bytes)
    wrong[81] = 6
    expect(failure(() => decodeTx(wrong))).toMatchObject({
      code: 'CODEC_WRONG_TYPE',
      offset: 78,
      path: 'unsignedTx.outputs[0].output',
    })
    wrong[81] = 99
    expect(failure(() => decodeTx(wrong))).toMatchObject({ code: 'CODEC_UNKNOWN_TYPE', offset: 78 })
  })

  it('reports the number of trailing bytes', () => {
    const longer = new Uint8Array(bytes.length + 3)
    longer.set(bytes)
    expect(failure(() => decodeTx(longer))).toMatchObject({
      code: 'CODEC_TRAILING_BYTES',
      offset: bytes.length,
      path: '',
    })
  })
})

describe('worst cases', () => {
  it('rejects lists with a length of 2^32-1 without allocating them', () => {
    const claim = Uint8Array.from(bytes)
    claim.fill(0xff, 42, 46)
    expect(failure(() => decodeTx(claim))).toMatchObject({
      code: 'CODEC_LENGTH_OVERFLOW',
      offset: 42,
      path: 'unsignedTx.outputs',
    })
    claim.set([0x7f, 0xff, 0xff, 0xff], 42)
    expect(failure(() => decodeTx(claim))).toMatchObject({ path: expect.stringContaining('[1]') })
  })

  it('rejects a UTXO of 2 MB with 100,000 owners because of its size', () => {
    const utxo: UTXO = {
      txID: new Uint8Array(32),
      outputIndex: 0,
      assetID: new Uint8Array(32),
      output: {
        type: 'secp256k1fx.TransferOutput',
        amount: 1n,
        locktime: 0n,
        threshold: 1,
        addresses: Array.from({ length: 100_000 }, () => new Uint8Array(20)),
      },
    }
    expect(codeOf(() => decodeUTXO(encodeUTXO(utxo)))).toBe('CODEC_TOO_BIG')
  })

  it('decodes the largest UTXO that is allowed', () => {
    const owners = Math.floor((262_144 - 98) / 20)
    const largest = new Uint8Array(98 + 20 * owners)
    largest.set(hex.decode('00000007'), 70)
    new DataView(largest.buffer).setUint32(94, owners)
    expect(decodeUTXO(largest).output.addresses).toHaveLength(owners)
    new DataView(largest.buffer).setUint32(94, owners + 1)
    expect(codeOf(() => decodeUTXO(largest))).toBe('CODEC_SHORT_BUFFER')
  })
})
