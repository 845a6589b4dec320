import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorIndex, errorPages } from '../../scripts/error-pages.js'
import { errorTexts } from '../../src/cli/error-texts/index.ts'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { parsePrivateKey } from '../../src/core/base/encoding/ids.ts'
import { AvmError } from '../../src/core/base/errors.ts'
import { evmAddressOf, parseEVMAddress } from '../../src/core/c-chain.ts'
import { publicKeyOf } from '../../src/core/crypto/secp256k1.ts'
import { vectors } from '../helpers/vectors.ts'
import { BOB, cli, devNode, EWOQ, EWOQ_KEY, folder } from './shell.ts'

const env = { AVMKIT_KEY: EWOQ_KEY }

describe('input', () => {
  const [vector] = vectors<{ bytesHex: string; stated: { txID: string } }[]>('signed-txs.json')
  const text = vector!.bytesHex

  it('is an argument, a file of text or bytes, or piped without a dash', async () => {
    const inside = folder()
    const bare = join(inside, 'tx.hex')
    const binary = join(inside, 'tx.bin')
    writeFileSync(bare, `${text}\n`)
    writeFileSync(binary, hex.decode(text))
    const shown = (await cli(['decode', text, '--json'])).json()
    expect(shown).toMatchObject({ kind: 'tx' })
    for (const argv of [
      ['decode', bare],
      ['decode', binary],
    ])
      expect((await cli([...argv, '--json'])).json()).toEqual(shown)
    expect((await cli(['decode', '--json'], { input: text })).json()).toEqual(shown)
    const typed = await cli(['decode'], { typed: '' })
    expect([typed.code, typed.error().code]).toEqual([2, 'MISSING_ARGUMENT'])
  })

  it('of issue and request commands is a file or a pipe', async () => {
    const node = await devNode()
    const inside = folder()
    const [request, signed, tx] = ['r.json', 's.json', 'pay.tx'].map((name) =>
      join(inside, name),
    ) as [string, string, string]
    await cli(['request', 'create', BOB, '1', '--from', EWOQ, '--out', request], { node })
    const status = await cli(['request', 'status', '--json'], {
      input: readFileSync(request, 'utf8'),
    })
    expect(status.json()).toMatchObject({ complete: false })
    await cli(['request', 'sign', request, '--yes', '--out', signed], { env })
    expect((await cli(['request', 'finish', signed, '--out', tx])).code).toBe(0)
    expect((await cli(['issue', tx, '--yes'], { node })).code).toBe(0)
  })
})

describe('wrong usage', () => {
  it('is reported before a missing confirmation', async () => {
    const node = await devNode()
    const lines: readonly [readonly string[], string, boolean?][] = [
      [['send', BOB.slice(0, -1), '1'], 'ENC_BAD_CHECKSUM'],
      [['send', BOB, '1x'], 'ENC_BAD_AMOUNT'],
      [['sweep', '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC'], 'BAD_VALUE'],
      [['send', BOB, '1', '--wait', 'x'], 'BAD_VALUE'],
      [['consolidate', '--to', 'nobody'], 'ENC_MISSING_PREFIX'],
      [['send', BOB, '1'], 'NO_KEYS', false],
      [['issue', 'nonsense'], 'NOT_RECOGNIZED'],
      [['move', '1', '--from', 'X', '--to', 'X'], 'BAD_VALUE'],
      [['send', BOB, '1'], 'CONFIRMATION_NEEDED'],
    ]
    for (const [argv, code, hasKey = true] of lines) {
      const ended = await cli(argv, { node, env: hasKey ? env : {} })
      expect([argv, ended.error().code]).toEqual([argv, code])
    }
    const nowhere = await cli(['send', BOB, '1'], { env: { ...env, XDG_STATE_HOME: folder() } })
    expect(nowhere.error().code).toBe('NO_URL')
  })
})

describe('--plan of one transaction', () => {
  it('explains it and sends nothing, also as --dry-run', async () => {
    const node = await devNode()
    const before = node.stateDigest()
    const plan = await cli(['send', BOB, '1', '--plan'], { node, env })
    expect([plan.code, plan.out]).toEqual([0, expect.stringContaining(BOB)])
    expect((await cli(['send', BOB, '1', '--dry-run'], { node, env })).out).toBe(plan.out)
    expect(node.stateDigest()).toEqual(before)
    const rent = ['send', BOB, '1', '--idempotency-key', 'rent']
    const planned = async () => (await cli([...rent, '--plan', '--json'], { node, env })).json()
    expect(await planned()).toMatchObject({ repeated: false })
    expect((await cli([...rent, '--yes'], { node, env })).code).toBe(0)
    expect(await planned()).toMatchObject({ repeated: true })
  })
})

describe('the fee of a request for the C-Chain', () => {
  it('has the margin of its creator, and explain --lookup tells whether it suffices', async () => {
    const node = await devNode()
    const account = evmAddressOf(publicKeyOf(parsePrivateKey(EWOQ_KEY)))
    node.cChain.fund(parseEVMAddress(account), 50_000_000_000n)
    node.cChain.setBaseFee(25_000_000_000n)
    const file = join(folder(), 'export.json')
    const create = [
      'request',
      'create',
      EWOQ,
      '1',
      '--destination-chain',
      'X',
      '--chain',
      'C',
      '--from',
      account,
    ]
    const made = await cli([...create, '--fee-margin', '1.5', '--out', file], { node })
    expect([made.code, made.err]).toEqual([0, ''])
    const explain = () => cli(['explain', file, '--lookup', '--json'], { node })
    type Fee = { fee: string; currentFee: { required: string; suffices: boolean } }
    const { fee, currentFee } = (await explain()).json<Fee>()
    expect(Number(fee) / Number(currentFee.required)).toBeCloseTo(1.5, 3)
    expect(currentFee.suffices).toBe(true)
    node.cChain.setBaseFee(37_500_000_000n)
    expect((await explain()).json<Fee>().currentFee.suffices).toBe(true)
    node.cChain.setBaseFee(38_000_000_000n)
    expect((await explain()).json<Fee>().currentFee.suffices).toBe(false)
    const text = await cli(['explain', file, '--lookup'], { node })
    expect(text.out).toContain('no longer suffices: the C-Chain asks')
    for (const margin of ['0.9', '101', 'x', '-1'])
      expect((await cli([...create, `--fee-margin=${margin}`], { node })).error().code).toBe(
        'BAD_VALUE',
      )
    const onX = ['request', 'create', BOB, '1', '--from', EWOQ, '--fee-margin', '2']
    expect((await cli(onX, { node })).error().code).toBe('BAD_VALUE')
  })

  it('has it for imports as well', async () => {
    const node = await devNode()
    node.cChain.setBaseFee(25_000_000_000n)
    const onC = EWOQ.replace('X-', 'C-')
    const env = { AVMKIT_KEY: EWOQ_KEY }
    const exporting = ['export', onC, '1', '--destination-chain', 'C', '--yes']
    expect((await cli(exporting, { node, env })).code).toBe(0)
    const account = evmAddressOf(publicKeyOf(parsePrivateKey(EWOQ_KEY)))
    const source = ['--chain', 'C', '--source-chain', 'X', '--from', onC, '--to', account]
    const feeWith = async (margin: string) => {
      const out = ['--out', join(folder(), 'requests'), '--json']
      const argv = ['request', 'import', ...source, '--fee-margin', margin, ...out]
      const { requests } = (await cli(argv, { node })).json<{ requests: { file: string }[] }>()
      const explained = await cli(['explain', requests[0]!.file, '--lookup', '--json'], { node })
      const { fee, currentFee } = explained.json<{
        fee: string
        currentFee: { required: string; suffices: boolean }
      }>()
      expect(currentFee.suffices).toBe(true)
      return Number(fee) / Number(currentFee.required)
    }
    expect(await feeWith('1')).toBeCloseTo(1, 3)
    expect(await feeWith('2.5')).toBeCloseTo(2.5, 3)
  })
})

describe('error', () => {
  it('explains every code in sentences of its own', async () => {
    const { out, json, code } = await cli(['error', 'key_conflict', '--json'])
    expect([code, out.length > 0]).toEqual([0, true])
    expect(json()).toMatchObject({
      docs: 'errors/KEY_CONFLICT.html',
      errors: [{ class: 'StoreError' }],
    })
    const texts = Object.values(errorTexts).flatMap((codes) => Object.values(codes))
    expect(texts.length).toBeGreaterThan(300)
    for (const { meaning, cause, fix } of texts)
      for (const sentence of [meaning, cause, fix]) expect(sentence).toMatch(/^[A-Z0-9`].*\.$/)
    const unknown = await cli(['error', 'KEY_CONFLIT'])
    expect([unknown.code, unknown.error().hint]).toEqual([2, 'did you mean KEY_CONFLICT?'])
  })

  it('has a page per code, named by the error', async () => {
    const pages = errorPages(errorTexts)
    for (const codes of Object.values(errorTexts))
      for (const [code, { fix }] of Object.entries(codes)) {
        expect(new AvmError(code, 'x').docs).toBe(`errors/${code}.html`)
        expect(pages.get(code)).toContain(fix)
      }
    const links = [...errorIndex(errorTexts).matchAll(/\]\((\w+)\.html\)/g)]
    expect(links.map(([, code]) => code)).toEqual([...pages.keys()])
  })
})

describe('accounts and passwords', () => {
  it('hint at the option for a payment if AVMKIT_KEY is no key', async () => {
    const node = await devNode()
    const ended = await cli(['send', BOB, '1', '--yes'], { node, env: { AVMKIT_KEY: 'rent-05' } })
    expect([ended.code, ended.error()]).toMatchObject([
      2,
      { code: 'NO_KEYS', hint: expect.stringContaining('--idempotency-key') },
    ])
    expect(ended.err).not.toContain('rent-05')
  })
})
