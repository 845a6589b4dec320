import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseAmount } from '../../src/core/base/encoding/amount.ts'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { decodeTx as decodeCTx } from '../../src/core/c-chain.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { type CreateAssetTx, encodeTx, encodeUnsignedTx } from '../../src/core/chain/x/tx.ts'
import { detect } from '../../src/inspect/detect.ts'
import { crossChain } from '../helpers/cross-chain.ts'
import { vectors } from '../helpers/vectors.ts'
import { ALICE_HEX, ALICE_KEY, cli, EWOQ, LOCAL_AVAX, LOCAL_CHAIN } from './shell.ts'

type Vector = {
  readonly name: string
  readonly bytesHex: string
  readonly hexWithChecksum?: string
  readonly unsignedBytesHex?: string
  readonly stated: { readonly txID?: string; readonly txType?: string; readonly blockID?: string }
  readonly computed?: {
    readonly inputID?: string
    readonly utxoIDString?: string
    readonly blockID?: string
    readonly txIDs?: readonly string[]
  }
  readonly decoded?: { readonly height?: string; readonly output?: { readonly type: string } }
}

const decode = async (...argv: string[]) => cli(['decode', ...argv, '--json'])

describe('decode', () => {
  for (const v of vectors<Vector[]>('signed-txs.json').filter(({ stated }) => stated.txID))
    it(`knows a transaction: ${v.name}`, async () => {
      const { code, json } = await decode(v.bytesHex)
      expect(code).toBe(0)
      expect(json()).toMatchObject({
        kind: 'tx',
        form: 'hexnc',
        txID: v.stated.txID,
        size: v.bytesHex.length / 2,
        tx: { id: v.stated.txID },
      })
    })

  it('prints the hash to sign of an unsigned transaction', async () => {
    const v = vectors<Vector[]>('signed-txs.json')[0]!
    const { code, json } = await decode(v.unsignedBytesHex!)
    expect(code).toBe(0)
    const { createHash } = await import('node:crypto')
    const hash = createHash('sha256').update(Buffer.from(v.unsignedBytesHex!, 'hex')).digest('hex')
    expect(json()).toMatchObject({
      kind: 'unsignedTx',
      hash,
      unsignedTx: { networkID: 10, memo: '0x00010203' },
    })
  })

  for (const [kind, chain] of [
    ['p-tx', 'p'],
    ['c-tx', 'c'],
  ] as const)
    it(`knows transactions of the ${chain.toUpperCase()}-Chain, signed, unsigned and in replies`, async () => {
      const valid = crossChain(kind).filter(({ verdict }) => verdict === 'ok')
      expect(valid.length).toBeGreaterThan(20)
      for (const v of valid) {
        const signed = detect(v.signed)
        expect(signed.kind).toBe(`${chain}Tx`)
        expect(detect(v.unsigned).kind).toBe(`${chain}UnsignedTx`)
        const reply = JSON.stringify({ result: { tx: `0x${v.signed}`, encoding: 'hexnc' } })
        expect(detect(reply)).toMatchObject({
          kind: signed.kind,
          tx: (signed as { tx: object }).tx,
        })
        if (v.jsonText !== undefined)
          expect(detect(v.jsonText)).toEqual({ ...signed, form: 'json' })
        // Replies of a node contain only signed transactions.
        expect(() => detect(JSON.stringify({ tx: v.unsigned }))).toThrow()
      }
      const [v] = valid
      const { code, json } = await decode(v!.signed)
      expect([code, json().kind, json().txID]).toEqual([0, `${chain}Tx`, v!.txID])
      const unsigned = await decode(v!.unsigned)
      expect(unsigned.json()).toMatchObject({ kind: `${chain}UnsignedTx`, hash: v!.hashToSign })
    })

  it('knows UTXOs with a stakeable lock, and reads others as of any chain', async () => {
    const utxos = crossChain('p-tx').flatMap((v) => v.produces ?? [])
    const locked = utxos.filter(({ utxo }) => utxo.slice(140, 148) === '00000016')
    expect(locked.length).toBeGreaterThan(0)
    const { json } = await decode(locked[0]!.utxo)
    expect(json()).toMatchObject({
      kind: 'pUTXO',
      type: 'stakeable.LockOut',
      utxoID: locked[0]!.utxoID,
    })
    for (const { utxo } of utxos)
      expect(detect(utxo).kind).toBe(locked.some((v) => v.utxo === utxo) ? 'pUTXO' : 'utxo')
  })

  it('prefers the chain that the blockchainID names when bytes decode as two', () => {
    // As a BaseTx: no outputs, no inputs, a memo of 24 bytes and no credentials. As an unsigned C-Chain ImportTx: a
    // source chain with leading zeros, no imported inputs and no outputs.
    const { C, X } = {
      C: hex.encode(networks.local.chains.C!),
      X: hex.encode(networks.local.chainID),
    }
    const body = `${'00'.repeat(8)}00000018${'00'.repeat(24)}00000000`
    const head = '000000000000' + '00003039'
    expect(detect(`${head}${C}${body}`).kind).toBe('cUnsignedTx')
    expect(detect(`${head}${X}${body}`).kind).toBe('tx')
  })

  for (const v of vectors<Vector[]>('utxos.json').filter(({ computed }) => computed?.inputID))
    it(`knows a UTXO: ${v.name}`, async () => {
      const { code, json } = await decode(v.bytesHex)
      expect(code).toBe(0)
      expect(json()).toMatchObject({
        kind: 'utxo',
        utxoID: v.computed!.inputID,
        name: v.computed!.utxoIDString,
        type: v.decoded!.output!.type,
      })
    })

  for (const v of vectors<Vector[]>('blocks.json').filter(({ hexWithChecksum }) => hexWithChecksum))
    it(`knows a block with the node's checksum: ${v.name}`, async () => {
      const { code, json } = await decode(v.hexWithChecksum!)
      expect(code).toBe(0)
      expect(json()).toMatchObject({
        kind: 'block',
        form: 'hex',
        blockID: v.computed!.blockID,
        txIDs: v.computed!.txIDs,
        block: { height: v.decoded!.height },
      })
    })

  it('writes amounts and other u64 as decimal texts', async () => {
    const v = vectors<Vector[]>('utxos.json')[0]!
    const { json } = await decode(v.bytesHex, '--network', 'fuji')
    expect(json()).toEqual({
      kind: 'utxo',
      form: 'hexnc',
      name: '2EAQ5JDvH6p9rEfNnTyQNKBcSj1AKLmTNvKu9YeR48o1yVXMRg:0',
      utxoID: '17VYpBDztAd8xrc6EnyTpXkQFNuZmNYWq483DKbJAre3SdZAV',
      type: 'secp256k1fx.TransferOutput',
      utxo: {
        txID: '2EAQ5JDvH6p9rEfNnTyQNKBcSj1AKLmTNvKu9YeR48o1yVXMRg',
        outputIndex: 0,
        assetID: expect.stringMatching(/^[1-9A-Za-z]+$/),
        output: {
          addresses: [expect.stringMatching(/^X-fuji1/)],
          amount: '1',
          locktime: '0',
          threshold: 1,
        },
      },
    })
  })

  it('knows IDs, and those that every network has by name', async () => {
    const { json } = await decode(LOCAL_AVAX)
    expect(json()).toEqual({
      kind: 'id',
      id: LOCAL_AVAX,
      hex: 'dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db',
      knownAs: ['AVAX on local'],
    })
    expect((await decode(LOCAL_CHAIN)).json()).toMatchObject({ knownAs: ['X-Chain of local'] })
    const bytes = 'ed5f38341e436e5d46e2bb00b45d62ae97d1b050c64bc634ae10626739e35c4b'
    expect((await decode(bytes, '--as', 'id')).json()).toMatchObject({
      id: '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM',
      knownAs: ['X-Chain of mainnet'],
    })
  })

  it('shows nothing of what may be a private key, unless it is called an ID', async () => {
    const key = '56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027'
    const phrase = `${'abandon '.repeat(11)}abandon`
    for (const input of [key, `0x${key}\n`, phrase]) {
      const ended = await cli(['decode', '-', '--json'], { input })
      expect([ended.code, ended.error().code, ended.out]).toEqual([1, 'NOT_RECOGNIZED', ''])
      expect(ended.err).not.toMatch(/56289e|ewoq|abandon/)
    }
    const asked = await cli(['decode', '-', '--as', 'id', '--json'], { input: `0x${key}` })
    expect(asked.json()).toMatchObject({ kind: 'id', hex: key })
    const short = await cli(['decode', '-', '--as', 'id'], { input: '0001' })
    expect([short.code, short.error().code]).toEqual([1, 'NOT_RECOGNIZED'])
  })

  it('knows addresses, node IDs, names of UTXOs and public keys', async () => {
    expect((await decode(EWOQ)).json()).toEqual({
      kind: 'address',
      address: EWOQ,
      chain: 'X',
      hrp: 'local',
      hex: '3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c',
    })
    expect((await decode('NodeID-Q4MzFZZDPHRPAHFeDs3NiyyaZDvxHKivf')).json()).toMatchObject({
      kind: 'nodeID',
      hex: ALICE_HEX,
    })
    const name = '2EAQ5JDvH6p9rEfNnTyQNKBcSj1AKLmTNvKu9YeR48o1yVXMRg:0'
    expect((await decode(name)).json()).toMatchObject({
      kind: 'utxoName',
      utxoID: '17VYpBDztAd8xrc6EnyTpXkQFNuZmNYWq483DKbJAre3SdZAV',
    })
    const publicKey = '0373935347884478e4945cd0fd948ecf088b94dfc92074f0fb03da6f4dbc94357d'
    expect((await decode(publicKey)).json()).toEqual({
      kind: 'publicKey',
      publicKey,
      address: 'X-avax1lnk637g0edwnqc2tn8tel39652fswa3xmgyghf',
    })
    expect((await decode('Q4MzFZZDPHRPAHFeDs3NiyyaZDvxHKivf')).json()).toMatchObject({
      kind: 'shortID',
      hex: ALICE_HEX,
    })
  })

  it('shows whose a private key is, from standard input, and never the key', async () => {
    for (const json of [[], ['--json']]) {
      const { code, out } = await cli(['decode', '-', ...json], { input: `${ALICE_KEY}\n` })
      expect(code).toBe(0)
      expect(out).toContain('X-avax1lnk637g0edwnqc2tn8tel39652fswa3xmgyghf')
      expect(out).not.toMatch(/24jUJ9|8c2bae69/)
    }
  })

  it("reads an answer of the node as it comes, and the node's own JSON", async () => {
    const v = vectors<Vector[]>('blocks.json')[0]!
    const answer = { jsonrpc: '2.0', id: 1, result: { block: v.hexWithChecksum, encoding: 'hex' } }
    const { json } = await cli(['decode', '-', '--json'], { input: JSON.stringify(answer) })
    expect(json()).toMatchObject({ kind: 'block', blockID: v.computed!.blockID })
    type Rendering = { readonly jsonText: string; readonly bytesHex: string }
    const [rendering] = vectors<Rendering[]>('json-renderings.json')
    const input = `{"jsonrpc":"2.0","result":{"tx":${rendering!.jsonText},"encoding":"json"},"id":1}`
    const read = (await cli(['decode', '-', '--json'], { input })).json<{ txID: string }>()
    const fromBytes = (await decode(rendering!.bytesHex)).json<{ txID: string }>()
    expect(read).toMatchObject({ kind: 'tx', form: 'json', txID: fromBytes.txID })
    expect(rendering!.jsonText).toContain(read.txID)
  })

  it('explains a transaction of a known network to people', async () => {
    const tx =
      '0x00000000000000003039d891ad56056d9c01f18f43f58b5c784ad07a4a49cf3d1f11623804b5cba2c6bf00000002dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db00000007000000003b9aca0000000000000000000000000100000001fceda8f90fcb5d30614b99d79fc4baa293077626dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db000000070429d068dcf3f3c0000000000000000000000001000000013cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c00000001dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db00000001dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db000000050429d069189e00000000000100000000000000000000000100000009000000014c68e95b05f3963d19325c7179e23ef92711e765de88a19ba3069b8de5b469aa34b98d0cdae3fd725d71611db839cc5ae0450da7ee8ebf646bb5313dd132d0ad01f2e3b07d'
    const { code, out } = await cli(['decode', '-'], { input: tx })
    expect(code).toBe(0)
    expect(out).toMatch(/^kind {5}transaction of the X-Chain, BaseTx$/m)
    expect(out).toMatch(/^txID {5}2HFo8koJ/m)
    expect(out).toMatch(/^fee +0\.001 +AVAX$/m)
    const explained = await cli(['explain', tx, '--json'])
    expect(explained.json()).toMatchObject({
      type: 'BaseTx',
      fee: '1000000',
      pays: [{ amount: '1000000000' }, { amount: '299999998999000000' }],
    })
  })

  it('explains transactions of the P- and C-Chain, signed or not', async () => {
    const first = (kind: 'p-tx' | 'c-tx') =>
      crossChain(kind).find(
        ({ verdict, type, network }) =>
          verdict === 'ok' && type === 'export' && network === 'local',
      )!
    for (const [chain, v] of [
      ['P', first('p-tx')],
      ['C', first('c-tx')],
    ] as const)
      for (const text of [v.signed, v.unsigned]) {
        const { code, out } = await cli(['explain', text])
        expect([code, out.split('\n')[0]]).toEqual([
          0,
          expect.stringMatching(`^export to the .-Chain on local .network 12345., ${chain}-Chain$`),
        ])
        const explained = await cli(['explain', text, '--json'])
        expect(explained.json()).toMatchObject({
          network: { networkID: 12345 },
          chain,
          type: 'ExportTx',
        })
        const fee = /^fee +(\S+) +AVAX$/m.exec(out)![1]!
        expect(parseAmount(fee)).toBe(BigInt(chain === 'P' ? v.fees[0]!.fee : v.burned!))
      }
  })

  it('does not say that the signatures of a complete import are missing', async () => {
    const v = crossChain('c-tx').find(
      ({ verdict, type, network }) => verdict === 'ok' && type === 'import' && network === 'local',
    )!
    const { unsignedTx } = decodeCTx(hex.decode(v.signed))
    expect(unsignedTx).toMatchObject({ importedInputs: [{ input: { signatureIndices: [0] } }] })
    const { code, out } = await cli(['decode', v.signed])
    expect(code).toBe(0)
    expect(out).toContain('0 of 1 signatures made, 1 not verified: the UTXOs are not known')
  })

  const bad: readonly [string, string][] = [
    ['', 'NOT_RECOGNIZED'],
    ['{}', 'NOT_RECOGNIZED'],
    ['{', 'ENC_BAD_JSON'],
    ['0x00000000', 'CODEC_SHORT_BUFFER'],
    ['0xzz', 'ENC_BAD_HEX'],
    ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96v', 'ENC_BAD_CHECKSUM'],
    ['2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbf', 'ENC_BAD_CHECKSUM'],
    ['NodeID-111', 'ENC_MISSING_CHECKSUM'],
    ['not base58 at all', 'NOT_RECOGNIZED'],
    ['nonsense', 'NOT_RECOGNIZED'],
  ]
  for (const [text, code] of bad)
    it(`exits with 1 and reports ${code} for ${JSON.stringify(text)}`, async () => {
      const ended = await cli(['decode', '-'], { input: text })
      expect([ended.code, ended.out, ended.error().code]).toEqual([1, '', code])
      expect(ended.error().hint).toBeTruthy()
    })

  it('distinguishes a wrong checksum from bytes that are not a value', async () => {
    const { hexWithChecksum } = vectors<Vector[]>('blocks.json')[0]!
    const spoiled = hexWithChecksum!.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    expect((await decode(spoiled)).error().code).toBe('ENC_BAD_CHECKSUM')
  })

  it('reads bytes only as the kind that --as names', async () => {
    const { bytesHex } = vectors<Vector[]>('utxos.json')[0]!
    const ended = await decode(bytesHex, '--as', 'block')
    expect(ended.code).toBe(1)
    expect(ended.error().code).toMatch(/^CODEC_/)
  })

  it('refuses to explain a value that is not a transaction', async () => {
    const ended = await cli(['explain', EWOQ])
    expect([ended.code, ended.error().code]).toEqual([1, 'NOT_RECOGNIZED'])
  })

  it('does not quote a digit of a damaged key', async () => {
    const digits = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318'
    const damaged = [
      digits.slice(1),
      `0x${digits}a`,
      digits.replace('9', 'g'),
      digits.replaceAll(/(.{8})/g, '$1 '),
    ]
    for (const input of damaged) {
      const ended = await cli(['decode', '-'], { input })
      expect([ended.code, ended.error().code]).toEqual([1, 'NOT_RECOGNIZED'])
    }
  })

  it('escapes names and symbols of assets of a network that is not built in', async () => {
    const unsignedTx: CreateAssetTx = {
      type: 'CreateAssetTx',
      networkID: 1337,
      blockchainID: new Uint8Array(32).fill(3),
      outputs: [],
      inputs: [],
      memo: new Uint8Array(),
      name: 'a\u202eXAVA\u202c\u200b\u009b31m\u2028  b',
      symbol: 'A\u2066V',
      denomination: 0,
      initialStates: [],
    }
    for (const bytes of [encodeTx({ unsignedTx, credentials: [] }), encodeUnsignedTx(unsignedTx)]) {
      const { code, out } = await cli(['decode', '-'], { input: checkedHex.encode(bytes) })
      expect(code).toBe(0)
      expect(out).not.toMatch(/[^\n -~]/)
      // The text is still JSON with the same values.
      const json = JSON.parse(out.slice(out.indexOf('{')))
      const { name, symbol } = unsignedTx
      expect(json.unsignedTx ?? json).toMatchObject({ name, symbol })
    }
  })

  it('does not take a long text with dots and slashes for the name of a file', async () => {
    const profile = readFileSync('networks/flare.json', 'utf8')
    for (const text of [profile, `./${'a'.repeat(300)}`, `${'a/'.repeat(3000)}.`, 'a\0.']) {
      const ended = await decode(text)
      expect([ended.code, ended.error().code]).toEqual([1, 'NOT_RECOGNIZED'])
    }
  })

  it('escapes control characters in texts of others', async () => {
    const ended = await cli(['decode', '-'], { input: '{"\u001b[2J":' })
    expect(ended.err).not.toContain('\u001b')
  })
})
