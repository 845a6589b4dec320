import { test } from '@fast-check/vitest'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { encodeGenesis, localGenesis } from '../../src/core/chain/x/genesis.ts'
import { decodeTx, encodeTx, encodeUnsignedTx, signedTx } from '../../src/core/chain/x/tx.ts'
import { loadText } from '../../src/page/read.ts'
import { decodeSpans, type Field, fieldsAt } from '../../src/page/spans.ts'
import { encodeSignature, encodeSignRequest } from '../../src/signers/keystone/avax.ts'
import { encodeUR } from '../../src/signers/keystone/ur.ts'
import { acceptedTxs } from '../core/sign/fixtures.ts'
import { crossChain } from '../helpers/cross-chain.ts'

function leaves(field: Field): Field[] {
  return field.parts.length === 0 ? [field] : field.parts.flatMap(leaves)
}

const { txs } = acceptedTxs()

describe('decodeSpans', () => {
  it('assigns each byte of real transactions to one field, except the lengths of lists', () => {
    for (const bytes of txs) {
      const { root, error } = decodeSpans(signedTx, bytes, { chain: 'X', hrp: 'local' })
      expect(error).toBeUndefined()
      let at = 0
      for (const { start, end } of leaves(root)) {
        // Between two fields there is only the length of a list, or two lengths for a list of lists.
        expect([0, 4, 8]).toContain(start - at)
        expect(end).toBeGreaterThanOrEqual(start)
        at = end
      }
      expect(at).toBe(bytes.length)
    }
  })

  it('returns the value, path and position of each field', () => {
    const { root } = decodeSpans(signedTx, txs[0]!, { chain: 'X', hrp: 'local' })
    const amount = leaves(root).find(({ path }) => path === 'unsignedTx.outputs[0].output.amount')!
    const view = new DataView(txs[0]!.buffer, txs[0]!.byteOffset)
    expect(amount.value).toBe(view.getBigUint64(amount.start).toString())
    expect(amount.end - amount.start).toBe(8)
    expect(fieldsAt(root, amount.start + 3).at(-1)).toBe(amount)
    const owner = leaves(root).find(({ path }) => path.endsWith('output.addresses[0]'))!
    expect(owner).toMatchObject({ name: '[0]', value: expect.stringMatching(/^X-local1/) })
  })

  test.prop([fc.nat(), fc.nat(), fc.nat({ max: 255 })])(
    'fails where decoding fails, with the fields before that',
    (which, at, value) => {
      const bytes = new Uint8Array(txs[which % txs.length]!)
      bytes[at % bytes.length] = value
      const text = checkedHex.encode(bytes.subarray(0, bytes.length - (value % 3)))
      const { found, error, decoded } = loadText(text)
      expect(found === undefined).toBe(error !== undefined)
      if (found?.kind === 'tx') expect(decoded!.error).toBeUndefined()
      if (error?.name === 'CodecError') {
        expect(decoded!.error).toMatchObject({ offset: (error as { offset?: number }).offset })
        expect(decoded!.root.parts.length).toBeGreaterThan(0)
      }
    },
  )

  it('does not loop over a list that claims two billion elements', () => {
    const bytes = hex.decode(`0000000000000000${'00'.repeat(36)}7fffffff00000000`)
    expect(decodeSpans(signedTx, bytes, { chain: 'X', hrp: 'avax' }).error).toMatchObject({
      code: 'CODEC_SHORT_BUFFER',
    })
  })
})

describe('load', () => {
  it('shows every field of P- and C-Chain transactions, with the addresses of their chain', () => {
    for (const [kind, prefix] of [
      ['p-tx', 'P-'],
      ['c-tx', 'C-'],
    ] as const) {
      const vectors = crossChain(kind).filter(({ verdict }) => verdict === 'ok')
      expect(vectors.length).toBeGreaterThan(20)
      for (const { signed } of vectors) {
        const { bytes, decoded } = loadText(signed)
        expect(hex.encode(bytes!)).toBe(signed)
        expect(decoded!.error).toBeUndefined()
        expect(leaves(decoded!.root).at(-1)!.end).toBe(bytes!.length)
        for (const { path, value } of leaves(decoded!.root))
          if (/addresses\[\d+\]$/.test(path)) expect(value!.slice(0, 2)).toBe(prefix)
          else if (path.endsWith('.address')) expect(value).toMatch(/^0x[0-9a-fA-F]{40}$/)
      }
    }
  })

  it('shows how far a truncated transaction of another chain can be decoded', () => {
    for (const kind of ['p-tx', 'c-tx'] as const) {
      const { signed } = crossChain(kind)[0]!
      const { error, decoded } = loadText(signed.slice(0, -20))
      expect(error).toMatchObject({ code: 'CODEC_SHORT_BUFFER' })
      expect(decoded!.error).toMatchObject({ offset: (error as { offset?: number }).offset })
      expect(leaves(decoded!.root).at(-1)!.path).toMatch(/^credentials/)
    }
  })

  it('reads genesis data', () => {
    const { found, decoded } = loadText(hex.encode(encodeGenesis(localGenesis(12345))))
    expect(found?.kind).toBe('genesis')
    expect(decoded?.error).toBeUndefined()
  })

  it('shows no structure for other bytes, and never repeats text that may be a key', () => {
    expect(loadText('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u').decoded).toBeUndefined()
    expect(loadText('11'.repeat(32)).error).toMatchObject({ code: 'NOT_RECOGNIZED' })
  })

  it('refuses texts of more than 16 MB', () => {
    expect(loadText('0'.repeat(16 * 1024 * 1024 + 2)).error).toMatchObject({
      code: 'INPUT_TOO_LARGE',
    })
  })

  it('reads a transaction in every form', () => {
    const { found } = loadText(hex.encode(txs[0]!))
    expect(found).toMatchObject({ kind: 'tx', form: 'hexnc' })
    expect(loadText(checkedHex.encode(txs[0]!)).bytes).toEqual(txs[0])
    expect(found?.kind === 'tx' && encodeTx(found.tx)).toEqual(txs[0])
  })

  it('reads QR codes of and for Keystone devices', () => {
    const unsignedBytes = encodeUnsignedTx(decodeTx(txs[0]!).unsignedTx)
    const id = new Uint8Array(16)
    const path = "m/44'/9000'/0'/0/0"
    const utxo = { txID: new Uint8Array(32).fill(1), outputIndex: 2, path }
    const request = encodeSignRequest({
      id,
      unsignedBytes,
      fingerprint: 1,
      paths: [path],
      utxos: [utxo],
    })
    const { found, bytes } = loadText(encodeUR(request, 150).join('\n'))
    expect(found).toMatchObject({ kind: 'unsignedTx', form: 'ur' })
    expect(bytes).toEqual(unsignedBytes)
    const answer = encodeSignature({ id, signatures: [new Uint8Array(65)] })
    expect(loadText(encodeUR(answer).join('\n')).error).toMatchObject({ code: 'NOT_RECOGNIZED' })
    const text = `a3015820${'01'.repeat(32)}020203d90130a1018a182cf5192328f500f500f400f4`
    const alone = encodeUR({ type: 'avax-utxo', bytes: hex.decode(text) }).join()
    expect(loadText(alone).found).toEqual({ kind: 'utxoName', ...utxo })
  })
})
