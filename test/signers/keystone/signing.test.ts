import { describe, expect, it, onTestFinished } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { sha256 } from '../../../src/core/base/hash/sha256.ts'
import { encodeUnsignedTx } from '../../../src/core/chain/x/tx.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { finishRequest, requestStatus } from '../../../src/core/sign/request/request.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import { createNodeClient } from '../../../src/node/index.ts'
import { decodeSignRequest, encodeSignature } from '../../../src/signers/keystone/avax.ts'
import {
  addKeystoneSignatures,
  keystoneFrames,
  keystoneSigner,
  URCollector,
} from '../../../src/signers/keystone/index.ts'
import { keystoneID } from '../../../src/signers/keystone/signing.ts'
import { encodeUR } from '../../../src/signers/keystone/ur.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { codeOf } from '../../helpers/vectors.ts'
import { EmulatedKeystone, FINGERPRINT } from './emulated-keystone.ts'

const AVAX = 1_000_000_000n
const stranger = new KeyChain([new Uint8Array(32).fill(99)]).addresses[0]!
const other = new KeyChain([new Uint8Array(32).fill(98)])
const places = [
  { change: 0, index: 0 },
  { change: 0, index: 1 },
  { change: 1, index: 2 },
] as const

async function surroundings() {
  const node = await createDevNode()
  onTestFinished(() => node.close())
  const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
  const device = new EmulatedKeystone()
  const paths = places.map((place) => device.pathOf(place))
  for (const { address } of paths) node.fund(address, 3n * AVAX)
  return { node, client, device, paths }
}

/** A request that spends from all three addresses. */
async function requested(amount: bigint = 8n * AVAX) {
  const all = await surroundings()
  const addresses = all.paths.map(({ address }) => address)
  const wallet = createWallet({ client: all.client, addresses })
  const { draft } = await wallet.prepare.transfer({ to: stranger, amount })
  const request = await wallet.request(draft, { paths: all.paths })
  return { ...all, wallet, draft, request }
}

function read(frames: readonly string[]) {
  const collector = new URCollector()
  for (const frame of frames) {
    const ur = collector.add(frame)
    if (ur !== undefined) return decodeSignRequest(ur)
  }
  throw new Error('incomplete')
}

it('the ID of a request is a UUID of version 8, from what is signed', () => {
  const ids = ['a', 'b', 'c', 'd'].map((name) =>
    hex.encode(keystoneID(new TextEncoder().encode(name))),
  )
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{12}8[0-9a-f]{3}[89ab][0-9a-f]{15}$/)
  expect(new Set(ids).size).toBe(4)
})

describe('keystoneSigner', () => {
  it('pays from several addresses after one exchange', async () => {
    const { client, device, paths } = await surroundings()
    const signer = keystoneSigner({
      fingerprint: FINGERPRINT,
      paths,
      exchange: async (frames) => device.answer(frames),
    })
    const wallet = createWallet({ client, signers: [signer] })
    const { txID } = await wallet.transfer({ to: stranger, amount: 8n * AVAX })
    expect(await client.avm.getTxStatus({ txID })).toBe('Accepted')
    expect(device.shown).toHaveLength(1)
  })

  it('verifies answers', async () => {
    const { client, device, paths, draft } = await requested()
    const paying = (exchange: (frames: readonly string[]) => string | readonly string[]) => {
      const signer = keystoneSigner({ fingerprint: FINGERPRINT, paths, exchange })
      return createWallet({ client, signers: [signer] })
        .transfer({ to: stranger, amount: 8n * AVAX })
        .then(
          () => undefined,
          (error: { code: string }) => error.code,
        )
    }
    expect(await paying(() => 'ur:bytes/aeae')).toBe('KEYSTONE_UR')
    expect(await paying(() => [])).toBe('KEYSTONE_UR')
    expect(await paying(() => 7 as never)).toBe('ENC_INVALID')
    // The answer to another request.
    const unsignedBytes = encodeUnsignedTx(draft.unsignedTx)
    const old = {
      id: new Uint8Array(16),
      signatures: [other.sign(other.addresses[0]!, new Uint8Array(32).fill(1))],
    }
    expect(await paying(() => encodeUR(encodeSignature(old)))).toBe('KEYSTONE_REQUEST_ID')
    expect(
      await paying(() => encodeUR(encodeSignature({ signatures: [new Uint8Array(65)] }))),
    ).toBe('KEYSTONE_SIGNATURE')
    // Signatures of other keys leave those of the device missing.
    const { signatures } = old
    expect(await paying(() => encodeUR(encodeSignature({ signatures })))).toBe('INCOMPLETE')
    expect(unsignedBytes.length).toBeGreaterThan(0)
    expect(device.shown).toEqual([])
  })
})

describe('keystoneFrames and addKeystoneSignatures', () => {
  it('carry a request to the device and its signatures back', async () => {
    const { client, device, paths, request, draft } = await requested()
    const frames = keystoneFrames(request, { fingerprint: FINGERPRINT })
    expect(frames.length).toBeGreaterThan(2)
    const content = read(frames)
    expect(content.unsignedBytes).toEqual(encodeUnsignedTx(draft.unsignedTx))
    expect(content.paths.toSorted()).toEqual(paths.map(({ path }) => path).toSorted())
    expect(content.utxos).toHaveLength(3)
    const signed = addKeystoneSignatures(request, device.answer(frames))
    await client.issueTx(finishRequest(signed).bytes)
    expect(codeOf(() => keystoneFrames(signed, { fingerprint: FINGERPRINT }))).toBe('KEYSTONE_PATH')
    // The same answer again changes nothing; its frames may be lines of one text.
    expect(addKeystoneSignatures(signed, device.answer(frames).join('\n'))).toEqual(signed)
    // Neither does another signature of the same key, nor one of a key that is no signer.
    const keys = device.account.keyChain([places[0]])
    const hash = sha256(content.unsignedBytes)
    const again = [
      keys.sign(paths[0]!.address, hash, new Uint8Array(32).fill(1)),
      other.sign(other.addresses[0]!, hash),
    ]
    const second = encodeUR(encodeSignature({ id: content.id, signatures: again }))
    expect(addKeystoneSignatures(signed, second)).toEqual(signed)
    expect(addKeystoneSignatures(request, second).signerSets[0]!.signatures).toEqual([
      { address: paths[0]!.address, signature: again[0] },
    ])
    // Of two signatures of one key the first is taken.
    const twice = [again[0]!, keys.sign(paths[0]!.address, hash)]
    const both = encodeUR(encodeSignature({ id: content.id, signatures: twice }))
    expect(addKeystoneSignatures(request, both)).toEqual(addKeystoneSignatures(request, second))
  })

  it('ask for some addresses only', async () => {
    const { device, paths, request } = await requested()
    const [first] = paths
    const frames = keystoneFrames(request, {
      fingerprint: FINGERPRINT,
      addresses: [first!.address],
    })
    expect(read(frames).paths).toEqual([first!.path])
    const signed = addKeystoneSignatures(request, device.answer(frames))
    expect(requestStatus(signed)[0]!.missing).toHaveLength(2)
    const [status] = requestStatus(
      addKeystoneSignatures(
        signed,
        device.answer(keystoneFrames(signed, { fingerprint: FINGERPRINT })),
      ),
    )
    expect(status!.missing).toEqual([])
  })

  it('find the signer set that an answer is for', async () => {
    const { node, client, device, paths } = await surroundings()
    const owner = paths[0]!
    const vault = [owner.address, other.addresses[0]!, stranger]
    const rich = new KeyChain([new Uint8Array(32).fill(50)])
    node.fund(rich.addresses[0]!, 9n * AVAX)
    await createWallet({ client, keys: rich }).transfer({
      to: vault,
      threshold: 2,
      amount: 7n * AVAX,
    })
    const wallet = createWallet({ client, addresses: vault })
    const changeTo = { to: vault, threshold: 2 }
    const to = rich.addresses[0]!
    const { draft } = await wallet.prepare.transfer({ to, amount: 5n * AVAX, changeTo })
    const request = await wallet.request(draft, { paths: [owner], signers: 'all' })
    expect(request.signerSets).toHaveLength(3)
    const frames = keystoneFrames(request, { fingerprint: FINGERPRINT })
    const answer = device.answer(frames)
    const signed = addKeystoneSignatures(request, answer)
    expect(signed.signerSets.filter(({ signatures }) => signatures.length === 1)).toHaveLength(1)
    // Without the ID the keys decide.
    const collector = new URCollector()
    const ur = answer.map((part) => collector.add(part)).find((found) => found !== undefined)!
    const bare = {
      type: ur.type,
      bytes: hex.decode(hex.encode(ur.bytes).replace(/^a20150.{32}/, 'a1')),
    }
    expect(addKeystoneSignatures(request, encodeUR(bare))).toEqual(signed)
  })

  it('refuse answers of other requests and keys', async () => {
    const { request, device } = await requested()
    const second = await requested(7n * AVAX)
    const answer = device.answer(keystoneFrames(second.request, { fingerprint: FINGERPRINT }))
    expect(codeOf(() => addKeystoneSignatures(request, answer))).toBe('KEYSTONE_REQUEST_ID')
    const strange = encodeUR(
      encodeSignature({
        signatures: [other.sign(other.addresses[0]!, new Uint8Array(32).fill(1))],
      }),
    )
    expect(codeOf(() => addKeystoneSignatures(request, strange))).toBe('KEYSTONE_SIGNATURE')
    const none = encodeUR(encodeSignature({ signatures: [] }))
    expect(codeOf(() => addKeystoneSignatures(request, none))).toBe('KEYSTONE_SIGNATURE')
    const many = encodeUR(
      encodeSignature({ signatures: Array.from({ length: 300 }, () => new Uint8Array(65)) }),
    )
    expect(codeOf(() => addKeystoneSignatures(request, many))).toBe('KEYSTONE_SIGNATURE')
  })

  it('refuse what the device cannot show, and paths that it does not use', async () => {
    const { client, paths, request } = await requested()
    const second = request.paths.map((item) => ({ ...item, path: "m/44'/9000'/1'/0/0" }))
    expect(
      codeOf(() => keystoneFrames({ ...request, paths: second }, { fingerprint: FINGERPRINT })),
    ).toBe('KEYSTONE_PATH')
    expect(
      codeOf(() => keystoneFrames({ ...request, paths: [] }, { fingerprint: FINGERPRINT })),
    ).toBe('KEYSTONE_PATH')
    const addresses = paths.map(({ address }) => address)
    const wallet = createWallet({ client, addresses })
    const { draft } = await wallet.prepare.createAsset({
      name: 'Gold',
      symbol: 'AU',
      holders: [{ to: stranger, amount: 5n }],
    } as never)
    const created = await wallet.request(draft, { paths })
    expect(codeOf(() => keystoneFrames(created, { fingerprint: FINGERPRINT }))).toBe(
      'KEYSTONE_UNSUPPORTED',
    )
  })
})
