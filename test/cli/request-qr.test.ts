import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { FrameCollector } from '../../src/inspect/bbqr.ts'
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
    // Another request: nothing is written.
    const other = await requested('2')
    const wrong = path('wrong.json')
    const refused = await cli(['request', 'scan', answer, '--into', other.file, '--out', wrong])
    expect(refused.error().code).toBe('KEYSTONE_REQUEST_ID')
    expect(() => readFileSync(wrong)).toThrow()
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
