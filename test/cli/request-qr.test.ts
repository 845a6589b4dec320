import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { evmAddressOf, parseEVMAddress } from '../../src/core/c-chain.ts'
import { FrameCollector } from '../../src/inspect/bbqr.ts'
import {
  decodeUR,
  encodeSignature,
  type KeystoneSignature,
} from '../../src/signers/keystone/avax.ts'
import { type CBOR, encodeCBOR } from '../../src/signers/keystone/cbor.ts'
import { encodeUR, joinUR } from '../../src/signers/keystone/ur.ts'
import { vectors } from '../helpers/vectors.ts'
import { EmulatedKeystone } from '../signers/keystone/emulated-keystone.ts'
import { cli, devNode, folder } from './shell.ts'

const device = new EmulatedKeystone()

/** A request of the device's account, made from its xpub, and the files of a folder. */
async function requested(amount = '1') {
  const node = await devNode()
  const place = folder()
  const { watch } = device.account
  node.fund(watch.address({ change: 0, index: 0 }), 3_000_000_000n)
  const file = join(place, 'request.json')
  const to = formatAddress({
    chain: 'X',
    hrp: 'local',
    address: watch.address({ change: 0, index: 9 }),
  })
  const made = await cli(
    ['request', 'create', `${to}=${amount}`, '--from', watch.extendedPublicKey, '--out', file],
    {
      node,
    },
  )
  expect(made.code).toBe(0)
  return { node, file, path: (name: string) => join(place, name) }
}

const keystone = ['--format', 'keystone', '--fingerprint', '73c5da0a']

describe('request scan', () => {
  it('reads a request from BBQr, and the signatures of a Keystone device into it', async () => {
    const { node, file, path } = await requested()
    const frames = path('frames.txt')
    await cli(['request', 'export', file, '--format', 'bbqr', '--out', frames], { node })
    const copy = path('copy.json')
    const read = await cli(['request', 'scan', frames, '--out', copy], { node })
    expect([read.code, read.err]).toEqual([0, ''])
    expect(readFileSync(copy, 'utf8')).toBe(readFileSync(file, 'utf8'))
    const { out } = await cli(['request', 'export', copy, ...keystone], { node })
    const answer = path('answer.txt')
    writeFileSync(answer, device.answer(out.trim().split('\n')).join('\n'))
    const alone = await cli(['request', 'scan', answer], { node })
    expect(alone.error().code).toBe('MISSING_OPTION')
    const signed = path('signed.json')
    const argv = ['request', 'scan', answer, '--into', copy, '--out', signed]
    const imported = await cli(argv, { node })
    expect([imported.code, imported.err]).toEqual([0, ''])
    const finished = await cli(['request', 'finish', signed], { node })
    expect((await cli(['issue', finished.out.trim(), '--yes'], { node })).code).toBe(0)
    // The same answer as npm writes it, and without an ID.
    const { signatures, id } = decodeUR(readFileSync(answer, 'utf8')) as KeystoneSignature
    const tagged = new Map<number, CBOR>([
      [1, { tag: 37, value: id! }],
      [2, signatures],
    ])
    for (const ur of [
      { type: 'avax-signature', bytes: encodeCBOR(tagged) },
      encodeSignature({ signatures }),
    ]) {
      const [again, target] = [path('again.txt'), path('again.json')]
      writeFileSync(again, encodeUR(ur, 40).toReversed().join('\n'))
      const scanned = await cli(['request', 'scan', again, '--into', copy, '--out', target])
      expect([scanned.code, scanned.err]).toEqual([0, ''])
      expect(readFileSync(target, 'utf8')).toBe(readFileSync(signed, 'utf8'))
      rmSync(target)
    }
    // Another request: nothing is written.
    const other = await requested('2')
    const wrong = path('wrong.json')
    const refused = await cli(['request', 'scan', answer, '--into', other.file, '--out', wrong])
    expect(refused.error().code).toBe('KEYSTONE_REQUEST_ID')
    expect(() => readFileSync(wrong)).toThrow()
  })
})

describe('decode', () => {
  it('reads what a Keystone device shows and is shown', async () => {
    const { node, file } = await requested()
    const { out } = await cli(['request', 'export', file, ...keystone], { node })
    const frames = out.trim().split('\n')
    expect(frames.length).toBeGreaterThan(1)
    const { json } = await cli(['decode', frames.join('\n'), '--json'])
    const request = JSON.parse(readFileSync(file, 'utf8'))
    const [{ unsignedTx }] = request.signerSets
    const plain = await cli(['decode', unsignedTx, '--json'])
    expect(json()).toEqual({ ...(plain.json() as object), form: 'ur' })
    const answer = await cli(['decode', device.answer(frames).join('\n')])
    expect(answer.error()).toMatchObject({ code: 'NOT_RECOGNIZED' })
    expect(answer.error().hint).toContain('request scan --into')
    const txID = '918cf421e834d4d7031175ac9605ba292ee04a17beb4fb81f8557969b4651b86'
    const bytes = hex.decode(`a3015820${txID}020103d90130a1018a182cf5192328f500f501f403f4`)
    const [utxo] = encodeUR({ type: 'avax-utxo', bytes })
    expect((await cli(['decode', utxo!, '--json'])).json()).toMatchObject({
      kind: 'utxoName',
      txID: formatID(hex.decode(txID)),
      outputIndex: 1,
      path: "m/44'/9000'/0'/1/3",
    })
    expect((await cli(['decode', utxo!.slice(0, -2)])).error().code).toBe('KEYSTONE_UR')
  })

  const recorded = vectors<{ tx: string; requests: { name: string; cbor: string }[] }>(
    'keystone.json',
  )
  it.each(recorded.requests)('reads requests of every layout: $name', async ({ cbor }) => {
    const texts = encodeUR({ type: 'avax-sign-request', bytes: hex.decode(cbor) })
    const plain = (await cli(['decode', recorded.tx, '--json'])).json() as object
    const { code, json } = await cli(['decode', texts.join('\n'), '--json'])
    expect(code).toBe(0)
    expect(json()).toEqual({ ...plain, form: 'ur' })
  })
})

describe('an export of the C-Chain', () => {
  it('is signed by the account of a Keystone device, and has no UTXOs', async () => {
    const node = await devNode()
    const place = folder()
    const { watch } = device.evm
    const account = evmAddressOf(watch.publicKey({ change: 0, index: 0 }))
    node.cChain.fund(parseEVMAddress(account), 3_000_000_000n)
    const address = device.account.watch.address({ change: 0, index: 0 })
    const to = formatAddress({ chain: 'X', hrp: 'local', address })
    const [file, answer, signed] = ['c.json', 'c.txt', 'c-signed.json'].map((x) => join(place, x))
    const argv = ['request', 'create', to, '1.5', '--chain', 'C', '--destination-chain', 'X']
    const from = (...more: string[]) => cli([...argv, ...more, '--out', file!], { node })
    const wrong = await from('--from', account, '--coin-type', '60')
    expect(wrong.error().code).toBe('BAD_VALUE')
    const made = await from('--from', watch.extendedPublicKey, '--coin-type', '60')
    expect([made.code, made.err]).toEqual([0, ''])
    const { out } = await cli(['request', 'export', file!, ...keystone], { node })
    const frames = out.trim().split('\n')
    expect(decodeUR(frames)).toMatchObject({ paths: ["m/44'/60'/0'/0/0"], utxos: [] })
    const cbor = joinUR(frames).bytes
    // A map of three members: ID, transaction and paths.
    expect(cbor[0]).toBe(0xa3)
    writeFileSync(answer!, device.answer(frames).join('\n'))
    const scanned = await cli(['request', 'scan', answer!, '--into', file!, '--out', signed!])
    expect([scanned.code, scanned.err]).toEqual([0, ''])
    const finished = await cli(['request', 'finish', signed!], { node })
    const issued = await cli(['issue', '-', '--yes'], { node, input: finished.out })
    expect([issued.code, issued.err]).toEqual([0, ''])
  })

  it('alone has a type of coin', async () => {
    const node = await devNode()
    const to = formatAddress({ chain: 'X', hrp: 'local', address: new Uint8Array(20) })
    const xpub = device.account.watch.extendedPublicKey
    for (const chain of [[], ['--chain', 'P', '--destination-chain', 'X']]) {
      const argv = ['request', 'create', to, '1', ...chain, '--from', xpub, '--coin-type', '60']
      expect((await cli(argv, { node })).error().code).toBe('BAD_VALUE')
    }
  })
})

describe('request export and request merge', () => {
  it('carry a request to a Keystone device and its signatures back', async () => {
    const { node, file, path } = await requested()
    const exported = await cli(['request', 'export', file, ...keystone], { node })
    expect([exported.code, exported.err]).toEqual([0, ''])
    const frames = exported.out.trim().split('\n')
    expect(frames.every((frame) => frame.startsWith('UR:AVAX-SIGN-REQUEST/'))).toBe(true)
    writeFileSync(path('answer.txt'), `${device.answer(frames).join('\n')}\n`)
    const signed = path('signed.json')
    const merged = await cli(['request', 'merge', file, path('answer.txt'), '--out', signed], {
      node,
    })
    expect([merged.code, merged.err]).toEqual([0, ''])
    expect(merged.out).toContain('complete')
    const finished = await cli(['request', 'finish', signed], { node })
    const issued = await cli(['issue', finished.out.trim(), '--yes'], { node })
    expect([issued.code, issued.err]).toEqual([0, ''])
  })

  it('carry a copy as BBQr', async () => {
    const { node, file, path } = await requested()
    const out = path('frames.txt')
    const exported = await cli(['request', 'export', file, '--format', 'bbqr', '--out', out], {
      node,
    })
    expect([exported.code, exported.err]).toEqual([0, ''])
    const lines = readFileSync(out, 'utf8').trim().split('\n')
    const collector = new FrameCollector()
    for (const line of lines) collector.add(line)
    expect(new TextDecoder().decode((await collector.join()).bytes)).toBe(
      readFileSync(file, 'utf8'),
    )
    const merged = await cli(['request', 'merge', file, out], { node })
    expect([merged.code, merged.err]).toEqual([0, ''])
    writeFileSync(out, 'B$2J0500AAAAAAAA')
    expect((await cli(['request', 'merge', file, out], { node })).code).toBe(2)
  })

  it('refuse other answers, formats and fingerprints', async () => {
    const { node, file, path } = await requested()
    const other = await requested('2')
    const { out } = await cli(['request', 'export', other.file, ...keystone], { node: other.node })
    const answer = device.answer(out.trim().split('\n'))
    writeFileSync(path('answer.txt'), answer.join('\n').slice(0, -4))
    expect((await cli(['request', 'merge', file, path('answer.txt')], { node })).err).toContain(
      'KEYSTONE_UR',
    )
    writeFileSync(path('answer.txt'), answer.join('\n'))
    expect((await cli(['request', 'merge', file, path('answer.txt')], { node })).err).toContain(
      'KEYSTONE_REQUEST_ID',
    )
    for (const wrong of [
      [],
      ['--format', 'png'],
      ['--format', 'keystone'],
      ['--format', 'keystone', '--fingerprint', 'xyz'],
    ])
      expect((await cli(['request', 'export', file, ...wrong], { node })).code).toBe(2)
  })
})
