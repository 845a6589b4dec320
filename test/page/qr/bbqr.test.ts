import { deflateRawSync } from 'node:zlib'
import { test } from '@fast-check/vitest'
import { joinQRs, splitQRs } from 'bbqr'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatRequest } from '../../../src/core/sign/request/request-file.ts'
import { FrameCollector, splitFrames } from '../../../src/inspect/bbqr.ts'
import { loadText } from '../../../src/page/read.ts'
import { coins, owners, proven, transfer } from '../../core/sign/fixtures.ts'

const bytesOf = (size: number) => Uint8Array.from({ length: size }, (_, i) => (i * 37) & 0xff)

async function collect(frames: readonly string[]): Promise<Uint8Array> {
  const collector = new FrameCollector()
  const complete = frames.map((frame) => collector.add(frame))
  expect(complete.at(-1)).toBe(true)
  return (await collector.join()).bytes
}

describe('splitFrames', () => {
  for (const size of [1, 4, 5, 640, 645, 646, 1300, 20_000])
    it(`writes ${size} bytes as the reference library reads them`, () => {
      const frames = splitFrames(bytesOf(size), 'J')
      const { fileType, encoding, raw } = joinQRs(frames)
      expect([fileType, encoding]).toEqual(['J', '2'])
      expect(new Uint8Array(raw)).toEqual(bytesOf(size))
      // All frames fit into the same version of QR code, and the characters are those of its compact mode.
      for (const frame of frames) expect(frame).toMatch(/^B\$2J[0-9A-Z]{4}[0-9A-Z]{0,1038}$/)
    })

  it('refuses a file that does not fit into the largest series', () => {
    expect(splitFrames(new Uint8Array(1295 * 645), 'B')).toHaveLength(1295)
    expect(() => splitFrames(new Uint8Array(1295 * 645 + 1), 'B')).toThrow(
      expect.objectContaining({ code: 'TOO_LARGE_FOR_QR' }),
    )
  })

  test.prop([fc.uint8Array({ maxLength: 2000 }), fc.integer({ min: 100, max: 4296 })])(
    'is read back in any order',
    async (bytes, characters) => {
      const frames = splitFrames(bytes, 'B', characters)
      expect(await collect(frames.toReversed())).toEqual(bytes)
    },
  )
})

describe('FrameCollector', () => {
  for (const encoding of ['H', '2', 'Z'] as const)
    it(`reads what the reference library writes with encoding ${encoding}`, async () => {
      const text = new TextEncoder().encode(
        JSON.stringify(Array.from({ length: 300 }, (_, i) => (i * 7919) ** 3)),
      )
      const { parts } = splitQRs(text, 'J', { encoding, maxVersion: 8, minSplit: 2 })
      expect(parts.length).toBeGreaterThan(1)
      expect(await collect(parts)).toEqual(text)
    })

  it('takes repeated frames, and starts over with another series', async () => {
    const [first, second] = [bytesOf(2000), bytesOf(3000)].map((bytes) => splitFrames(bytes, 'J'))
    const collector = new FrameCollector()
    for (const frame of [first![0]!, first![0]!, first![1]!])
      expect(collector.add(frame)).toBe(false)
    expect(collector.progress).toEqual({ read: 2, count: 4 })
    expect(second!.map((frame) => collector.add(frame)).at(-1)).toBe(true)
    expect((await collector.join()).bytes).toEqual(bytesOf(3000))
  })

  const damaged: [string, string][] = [
    ['nothing', ''],
    ['half a header', 'B$2J0'],
    ['an unknown encoding', 'B$XJ0100AA'],
    ['a place behind the end', 'B$2J0202AAAA'],
    ['no frames at all', 'B$2J0000AAAA'],
    ['small letters', 'B$2J0100aaaa'],
    ['letters that base32 has not', 'B$2J0100A189'],
    ['half a byte of hex', 'B$HJ0100ABC'],
    ['markup', 'B$2J0100<img>'],
  ]
  for (const [what, frame] of damaged)
    it(`refuses a frame with ${what}`, () => {
      expect(() => new FrameCollector().add(frame)).toThrow(
        expect.objectContaining({ code: 'QR_FRAME' }),
      )
    })

  it('refuses frames that contradict each other', () => {
    const [one] = splitFrames(bytesOf(2000), 'J')
    const collector = new FrameCollector()
    collector.add(one!)
    const other = `${one!.slice(0, -1)}${one!.endsWith('A') ? 'B' : 'A'}`
    expect(() => collector.add(other)).toThrow(expect.objectContaining({ code: 'QR_FRAME' }))
  })

  it('refuses frames of different sizes and compressed data that is damaged or too large', async () => {
    const join = (...frames: string[]) => {
      const collector = new FrameCollector()
      for (const frame of frames) collector.add(frame)
      return collector.join()
    }
    const refused = expect.objectContaining({ code: 'QR_FRAME' })
    await expect(join('B$HB0300AA', 'B$HB0301AABB', 'B$HB0302AA')).rejects.toEqual(refused)
    await expect(join('B$ZB0100AAAAAAAA')).rejects.toEqual(refused)
    const huge = splitFrames(deflateRawSync(new Uint8Array(17 * 1024 * 1024)), 'B')
    const compressed = huge.map((frame) => frame.replace('B$2', 'B$Z'))
    await expect(join(...compressed)).rejects.toEqual(refused)
  })

  it('never combines frames of two requests', async () => {
    const files = [owners(1, 0), owners(1, 1)].map((owner) =>
      formatRequest(proven(transfer(coins(owner)))),
    )
    const [one, other] = files.map((text) => splitFrames(new TextEncoder().encode(text), 'J', 400))
    expect(one!.length).toBe(other!.length)
    for (let cut = 1; cut < one!.length; cut++) {
      const collector = new FrameCollector()
      for (const frame of [...one!.slice(0, cut), ...other!.slice(cut)]) collector.add(frame)
      const { bytes } = await collector.join().catch(() => ({ bytes: new Uint8Array() }))
      const text = new TextDecoder().decode(bytes)
      if (!files.includes(text)) expect(loadText(text).error).toBeDefined()
    }
  })
})
