import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { AvmError } from '../../../src/core/base/errors.ts'
import { encodeFrame, encodeHeader } from '../../../src/storage/frames.ts'
import { openFileStore } from '../../../src/wallet/store/file/store.ts'
import { MemoryDisk } from '../../helpers/memory-disk.ts'
import { runs } from '../../helpers/runs.ts'
import { HEADER_SIZE, lock, PATH, sampleFile } from './sample-file.ts'
import { textOf } from './samples.ts'

const FRAME_HEADER_SIZE = 16
const CHECKSUM_SIZE = 8

const file = await sampleFile((store) => store.cancel('c'))

function payloadsOf(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const payloads: Uint8Array[] = []
  for (let at = HEADER_SIZE; at < bytes.length; ) {
    const start = at + FRAME_HEADER_SIZE
    const end = start + view.getUint32(at + 8)
    payloads.push(bytes.slice(start, end))
    at = end + CHECKSUM_SIZE
  }
  return payloads
}

/** A file of these records with valid checksums, as an attacker with write access could create. */
function forged(payloads: readonly Uint8Array[]): Uint8Array {
  const kind = new TextDecoder().decode(file.subarray(0, 8))
  const header = encodeHeader(kind, file.subarray(8, 24))
  const parts = [header.bytes]
  let { end } = header
  for (const payload of payloads) {
    const frame = encodeFrame(end, payload)
    parts.push(frame.bytes)
    end = frame.end
  }
  return new Uint8Array(Buffer.concat(parts))
}

/** Opens a file; returns its content, or throws what is not a typed error. */
async function opened(content: Uint8Array): Promise<string | AvmError> {
  const disk = new MemoryDisk()
  disk.put(PATH, content)
  const store = openFileStore(PATH, { disk: disk.disk(), lock })
  try {
    const text = await textOf(store)
    await store.close()
    return text
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    return error
  }
}

const payloads = payloadsOf(file)

type Change = (payload: Uint8Array) => Uint8Array

const anyChange: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })).map(
    ([at, mask]): Change =>
      (payload) => {
        const changed = payload.slice()
        changed[at % changed.length]! ^= mask
        return changed
      },
  ),
  fc.nat().map(
    (n): Change =>
      (payload) =>
        payload.slice(0, n % payload.length),
  ),
  fc.uint8Array({ minLength: 1, maxLength: 40 }).map(
    (more): Change =>
      (payload) => {
        return new Uint8Array([...payload, ...more])
      },
  ),
  // Counts and lengths above the actual size.
  fc.tuple(fc.nat(), fc.constantFrom(0xffffffff, 0x7fffffff, 0x01000000, 0)).map(
    ([at, value]): Change =>
      (payload) => {
        const changed = payload.slice()
        if (changed.length >= 4)
          new DataView(changed.buffer).setUint32(at % (changed.length - 3), value)
        return changed
      },
  ),
  fc.uint8Array({ maxLength: 200 }).map(
    (random): Change =>
      () =>
        random,
  ),
)

describe('a store file', () => {
  test('is unchanged after encoding its records again', async () => {
    expect(forged(payloads)).toEqual(file)
    expect(typeof (await opened(file))).toBe('string')
  })

  test.prop([fc.nat(), anyChange], runs(500))(
    'with valid checksums and any record is read or rejected with the number of the record',
    async (pick, change) => {
      const at = pick % payloads.length
      const result = await opened(
        forged(payloads.map((payload, i) => (i === at ? change(payload) : payload))),
      )
      if (typeof result === 'string') return
      expect(result).toMatchObject({ code: 'STORE_CORRUPT', record: expect.any(Number) })
      expect(result.message).not.toMatch(/\n/)
    },
  )

  test.prop([fc.array(fc.nat({ max: payloads.length - 1 }), { maxLength: 12 })], runs(200))(
    'with valid checksums and records in any order is read or rejected',
    async (order) => {
      const result = await opened(forged(order.map((i) => payloads[i]!)))
      if (typeof result !== 'string') expect(result.code).toBe('STORE_CORRUPT')
    },
  )

  test.prop([fc.uint8Array({ maxLength: 2000 }), fc.boolean()], runs(200))(
    'of random bytes is rejected',
    async (bytes, hasHeader) => {
      const content = hasHeader
        ? new Uint8Array([...file.subarray(0, HEADER_SIZE), ...bytes])
        : bytes
      const result = await opened(content)
      if (typeof result !== 'string') expect(result.code).toBe('STORE_CORRUPT')
    },
  )
})
