import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareBytes, equalBytes } from '../../src/core/base/bytes/compare.ts'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { accountFromMnemonic } from '../../src/core/crypto/hd/index.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import { explainRequest } from '../../src/core/sign/request/explain-request.ts'
import { createRequest, finishRequest } from '../../src/core/sign/request/request.ts'
import { parseRequest } from '../../src/core/sign/request/request-file.ts'
import { signRequest } from '../../src/core/sign/request/request-sign.ts'
import type { DevNode } from '../../src/devnode/index.ts'
import { requestKeysOf } from '../../src/inspect/key-text.ts'
import { requestOwnersOf } from '../../src/inspect/request-keys.ts'
import { Mover } from '../core/sign/chains/mover.ts'
import { coins, keysOf, parentsOf, transfer } from '../core/sign/fixtures.ts'
import { onTerminal } from './child.ts'
import {
  BOB,
  BOB_SECOND,
  BOB_WORDS,
  cli,
  devNode,
  EWOQ,
  EWOQ_KEY,
  folder,
  secretFile,
} from './shell.ts'

const env = { AVMKIT_KEY: EWOQ_KEY }

/** Writes a request for a payment from EWOQ to Bob, and returns its file. */
async function requested(node: DevNode, ...options: string[]): Promise<string> {
  const file = join(folder(), 'payout.json')
  const argv = ['request', 'create', BOB, '1', '--from', EWOQ, '--out', file, ...options]
  expect(await cli(argv, { node })).toMatchObject({ code: 0, err: '' })
  return file
}

/** Removes the proofs from a request file. */
function withoutProofs(file: string): string {
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), proofs: [] }))
  return file
}

describe('request sign --yes', () => {
  it('signs a request with proofs without a warning', async () => {
    const ended = await cli(['request', 'sign', await requested(await devNode()), '--yes'], { env })
    expect([ended.code, ended.err]).toEqual([0, ''])
  })

  it('prints all warnings', async () => {
    const node = await devNode()
    const file = await requested(
      node,
      '--locked-until',
      '2100-01-01',
      '--memo',
      'see https://example.com',
    )
    const ended = await cli(['request', 'sign', file, '--yes'], { env })
    expect(ended.code).toBe(0)
    expect(ended.err).toMatch(/^warning LOCKED_OUTPUT: .*\nwarning SUSPICIOUS_MEMO: .*\n$/)
    const json = await cli(['request', 'sign', file, '--yes', '--json'], { env })
    expect(
      json.err
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).warning.code),
    ).toEqual(['LOCKED_OUTPUT', 'SUSPICIOUS_MEMO'])
  })

  it('refuses each danger until it is accepted by its code', async () => {
    const file = withoutProofs(await requested(await devNode()))
    const sign = ['request', 'sign', file, '--yes']
    const first = await cli(sign, { env })
    expect([first.code, first.error().code, first.out]).toEqual([1, 'UNPROVEN_UTXO', ''])
    expect(first.err).toMatch(/^warning UNPROVEN_UTXO: /)
    const accepted = await cli([...sign, '--accept', 'UNPROVEN_UTXO'], { env })
    expect(accepted.code).toBe(0)
    const unknown = await cli([...sign, '--accept', 'EVERYTHING'], { env })
    expect([unknown.code, unknown.error().code]).toEqual([2, 'BAD_VALUE'])
  })

  it('does not make a question out of a danger: yes at the terminal is not enough', async () => {
    const file = withoutProofs(await requested(await devNode()))
    const ended = await cli(['request', 'sign', file], { env, typed: 'y\n' })
    expect([ended.code, ended.error().code]).toEqual([1, 'UNPROVEN_UTXO'])
    expect(ended.err).toContain('DANGER')
  })
})

describe('issue', () => {
  it('refuses dangers, too, until they are accepted', async () => {
    const node = await devNode()
    const request = parseRequest(readFileSync(await requested(node), 'utf8'), { chain: 'X' })
    const { unsignedTx } = request.signerSets[0]!
    // Without its change output, so that the change is burned.
    const outputs = unsignedTx.outputs.filter(({ output }) => output.amount === 1_000_000_000n)
    const accept = ['BURN', 'HIGH_FEE'] as const
    const { chain, context, utxos } = request
    const burning = createRequest({
      ...{ chain, context, utxos },
      unsignedTx: { ...unsignedTx, outputs },
      change: [],
      burned: [],
      fee: 0n,
      signedSize: 0,
    })
    const keys = new KeyChain([EWOQ_KEY])
    const signed = signRequest(burning, keys, { accept: [...accept, 'UNPROVEN_UTXO'] })
    const input = checkedHex.encode(finishRequest(signed).bytes)
    const issue = ['issue', '-', '--yes']
    const first = await cli(issue, { node, input })
    expect([first.code, first.error().code]).toEqual([1, 'BURN'])
    const second = await cli([...issue, '--accept', 'BURN'], { node, input })
    expect([second.code, second.error().code]).toEqual([1, 'HIGH_FEE'])
    const accepted = accept.flatMap((code) => ['--accept', code])
    const ended = await cli([...issue, ...accepted], { node, input })
    expect(ended.code).toBe(0)
    expect(ended.err).toMatch(/^warning BURN: .*\nwarning HIGH_FEE: /)
  })
})

describe('explain --lookup', () => {
  it('gets the proofs that a request lacks from the node', async () => {
    const node = await devNode()
    const file = withoutProofs(await requested(node))
    const input = readFileSync(file, 'utf8')
    const blind = await cli(['explain', '-'], { input })
    expect(blind.out).toContain('UNPROVEN_UTXO')
    const seen = await cli(['explain', '-', '--lookup', '--json'], { node, input })
    expect(seen.json()).toMatchObject({ warnings: [], spends: [{ proven: true }] })
  })
})

describe('request import', () => {
  it('contains the exports of the other chain as proofs, which explain --lookup finds, too', async () => {
    const node = await devNode()
    const mover = new Mover(node, new KeyChain([EWOQ_KEY]))
    await mover.export('P', 'X', 2_000_000_000n)
    const out = join(folder(), 'requests')
    const argv = ['request', 'import', '--source-chain', 'P', '--from', EWOQ, '--out', out]
    expect(await cli(argv, { node })).toMatchObject({ code: 0, err: '' })
    const file = join(out, 'import-1.json')
    const proven = { warnings: [], spends: [{ imported: true, proven: true }] }
    const own = await cli(['explain', '-', '--json'], { input: readFileSync(file, 'utf8') })
    expect(own.json()).toMatchObject(proven)
    const input = readFileSync(withoutProofs(file), 'utf8')
    const seen = await cli(['explain', '-', '--lookup', '--json'], { node, input })
    expect(seen.json()).toMatchObject(proven)
  })
})

describe('a question', () => {
  it('is not answered by input from before the question', async () => {
    const file = await requested(await devNode())
    const argv = ['request', 'sign', file]
    const ahead = await cli(argv, { env, typed: 'n\n', typedAhead: 'y\n' })
    expect([ahead.code, ahead.error().code]).toEqual([1, 'NOT_CONFIRMED'])
    const silent = await cli(argv, { env, typed: '', typedAhead: 'y\ny\ny\n' })
    expect([silent.code, silent.error().code]).toEqual([130, 'INTERRUPTED'])
    const after = await cli(argv, { env, typed: 'y\n', typedAhead: 'n\n' })
    expect(after.code).toBe(0)
  })

  it.each([
    ['lines that are', 'y\ny\n', 'n\n'],
    ['an unfinished line that is', 'y', '\r'],
  ])('is not answered by %s buffered in a real terminal', async (_, before, after) => {
    const file = await requested(await devNode())
    const child = onTerminal(['request', 'sign', file, '--key-file', secretFile(EWOQ_KEY)])
    child.process.stdin.write(before)
    await child.says(/Sign this\? \[y\/N\]/)
    child.process.stdin.write(after)
    const { code, out } = await child.exited
    expect([code, out]).toEqual([1, expect.stringContaining('NOT_CONFIRMED')])
  })

  it('is not asked after Ctrl-C', async () => {
    const argv = ['request', 'sign', await requested(await devNode())]
    const early = await cli(argv, { env, typed: 'y\n', typedAhead: '\u0003' })
    expect([early.code, early.error().code]).toEqual([130, 'INTERRUPTED'])
    expect(early.err).not.toContain('[y/N]')
  })
})

describe('paths', () => {
  /** The extended public key of Bob's mnemonic. */
  async function xpub(): Promise<string> {
    const shown = await cli(['keys', 'from-mnemonic', '--json'], {
      env: { AVMKIT_MNEMONIC: BOB_WORDS },
    })
    return shown.json<{ extendedPublicKey: string }>().extendedPublicKey
  }

  it('are filled in from an xpub and used by a mnemonic', async () => {
    const node = await devNode()
    node.fund(BOB_SECOND, 2_000_000_000n)
    const inside = folder()
    const file = join(inside, 'payout.json')
    const create = ['request', 'create', EWOQ, '1', '--out', file, '--from']
    const words = secretFile(BOB_WORDS)
    // Without paths the first key is tried, which owns nothing here.
    expect((await cli([...create, BOB_SECOND], { node })).code).toBe(0)
    const blind = await cli(['request', 'sign', file, '--yes', '--key-file', words])
    expect([blind.code, blind.error().code]).toEqual([1, 'UNUSED_KEY'])
    const created = await cli([...create, await xpub()], { node })
    expect(created.code).toBe(0)
    // Its own change is not a payment to someone else.
    expect(created.out).toMatch(/^return .* \(change\)$/m)
    expect(created.out).not.toMatch(/FOREIGN_CHANGE|DANGER/)
    const { paths } = JSON.parse(readFileSync(file, 'utf8'))
    expect(paths).toContainEqual({ address: BOB_SECOND, path: "m/44'/9000'/0'/0/1" })
    // The change goes to the first unused address for it.
    expect(paths.map((one: { path: string }) => one.path)).toContain("m/44'/9000'/0'/1/0")
    const signed = await cli(['request', 'sign', file, '--yes', '--key-file', words, '--out', file])
    expect([signed.code, signed.err]).toEqual([0, ''])
    expect(signed.out).toContain('complete')
  })

  it('of change make it ours, but only if the mnemonic really has them', async () => {
    const node = await devNode()
    node.fund(BOB_SECOND, 2_000_000_000n)
    const file = join(folder(), 'payout.json')
    const create = ['request', 'create', EWOQ, '1', '--from', await xpub(), '--change-to', BOB]
    const argv = [...create, '--out', file]
    expect((await cli(argv, { node })).code).toBe(0)
    const sign = ['request', 'sign', file, '--yes', '--key-file', secretFile(BOB_WORDS)]
    expect((await cli(sign)).code).toBe(0)
    // The file claims a path for an address that is not there.
    const away = [...create.slice(0, -1), EWOQ, '--out', file]
    expect((await cli(away, { node })).code).toBe(0)
    const request = JSON.parse(readFileSync(file, 'utf8'))
    request.paths.push({ address: EWOQ, path: "m/44'/9000'/0'/1/0" })
    writeFileSync(file, JSON.stringify(request))
    const refused = await cli(sign)
    expect([refused.code, refused.error().code]).toEqual([1, 'FOREIGN_CHANGE'])
    expect(refused.error().message).toContain('0.999 AVAX: stated as change but not returned')
  })

  it('of change that no search would find do not make it ours', async () => {
    const node = await devNode()
    node.fund(BOB_SECOND, 2_000_000_000n)
    const file = join(folder(), 'payout.json')
    const words = secretFile(BOB_WORDS)
    const create = ['request', 'create', EWOQ, '1', '--out', file, '--from', await xpub()]
    for (const [account, change, index, code] of [
      [0, 1, 9_999, 0],
      [0, 1, 10_000, 1],
      [0, 2, 0, 1],
      [0, 123_456_789, 7, 1],
      [7, 1, 0, 1],
    ] as const) {
      const watch = accountFromMnemonic(BOB_WORDS, { account }).watch
      const position = { change, index }
      const address = watch.address(position)
      const to = formatAddress({ chain: 'X', hrp: 'local', address })
      expect((await cli([...create, '--change-to', to], { node })).code).toBe(0)
      const request = JSON.parse(readFileSync(file, 'utf8'))
      const path = watch.path(position)
      request.paths = request.paths.filter((one: { path: string }) => one.path !== path)
      request.paths.push({ address: to, path })
      writeFileSync(file, JSON.stringify(request))
      const ended = await cli(['request', 'sign', file, '--yes', '--key-file', words])
      expect([ended.code, code === 0 ? ended.err : ended.error().code]).toEqual(
        code === 0 ? [0, ''] : [1, 'FOREIGN_CHANGE'],
      )
    }
  })

  it('of change to a remote address do not make it ours if its key signs, too', async () => {
    const { watch } = accountFromMnemonic(BOB_WORDS)
    const words = secretFile(BOB_WORDS)
    const file = join(folder(), 'payout.json')
    for (const position of [
      { change: 123_456_789, index: 7 },
      { change: 0, index: 123_456_789 },
    ]) {
      const node = await devNode()
      const remote = formatAddress({ chain: 'X', hrp: 'local', address: watch.address(position) })
      node.fund(BOB, 2_000_000_000n)
      // Whoever knows the extended public key can pay to the remote address.
      node.fund(remote, 500_000_000n)
      const from = ['--from', BOB, '--from', remote, '--change-to', remote]
      const create = ['request', 'create', EWOQ, '2.2', ...from, '--out', file]
      expect((await cli(create, { node })).code).toBe(0)
      const request = JSON.parse(readFileSync(file, 'utf8'))
      expect(request.utxos).toHaveLength(2)
      request.paths = watch.paths([{ change: 0, index: 0 }, position]).map(({ address, path }) => ({
        address: formatAddress({ chain: 'X', hrp: 'local', address }),
        path,
      }))
      writeFileSync(file, JSON.stringify(request))
      const ended = await cli(['request', 'sign', file, '--yes', '--key-file', words])
      expect([ended.code, ended.error().code]).toEqual([1, 'FOREIGN_CHANGE'])
    }
  })

  it('of an owner who is not in a signer set are used, too, so that the change is recognized', () => {
    const me = accountFromMnemonic(BOB_WORDS, { account: 3 }).watch
    const position = { change: 0, index: 0 }
    const path = me.path(position)
    const vault = [me.address(position), ...keysOf(0, 1).addresses].sort(compareBytes)
    const mine = vault.findIndex((owner) => equalBytes(owner, me.address(position)))
    const draft = transfer(coins({ locktime: 0n, threshold: 2, addresses: vault }))
    const signatureIndices = [0, 1, 2].filter((index) => index !== mine)
    const inputs = draft.unsignedTx.inputs.map((each) => ({
      ...each,
      input: { ...each.input, signatureIndices },
    }))
    const byOthers = { ...draft, unsignedTx: { ...draft.unsignedTx, inputs } }
    const request = createRequest(byOthers, {
      parents: parentsOf(draft),
      paths: [{ address: me.address(position), path }],
    })
    const choice = { account: 0, count: undefined }
    const { keys, ours } = requestKeysOf([BOB_WORDS], choice, requestOwnersOf(request))
    expect(ours).toEqual([me.address(position)])
    expect(() => signRequest(request, keys, { ours })).toThrow(
      expect.objectContaining({ code: 'KEY_NOT_A_SIGNER' }),
    )
    expect(explainRequest(request, { ours }).warnings).toEqual([])
  })

  it('of more accounts than can be derived in seconds are refused', () => {
    const choice = { account: 0, count: undefined }
    const path = (account: number) => `m/44'/9000'/${account}'/0/0`
    const paths = Array.from({ length: 101 }, (_, account) => {
      const address = new Uint8Array(20).fill(account)
      return { address, path: path(account) }
    })
    const spending = (count: number) => ({
      paths,
      payers: paths.slice(0, count).map(({ address }) => address),
      areAccounts: false,
    })
    // Others' addresses that are not spent are not derived.
    expect(requestKeysOf([BOB_WORDS], choice, spending(2)).ours).toHaveLength(1)
    expect(() => requestKeysOf([BOB_WORDS], choice, spending(101))).toThrow(
      expect.objectContaining({ code: 'REQUEST_MALFORMED', path: 'paths' }),
    )
  })

  it('of recipients only do not keep the usual keys from signing', async () => {
    const node = await devNode()
    node.fund(BOB, 2_000_000_000n)
    const file = join(folder(), 'payout.json')
    const create = ['request', 'create', EWOQ, '1', '--from', BOB, '--change-to', BOB_SECOND]
    expect((await cli([...create, '--out', file], { node })).code).toBe(0)
    const request = JSON.parse(readFileSync(file, 'utf8'))
    request.paths = [{ address: BOB_SECOND, path: "m/44'/9000'/0'/0/1" }]
    writeFileSync(file, JSON.stringify(request))
    const sign = ['request', 'sign', file, '--yes', '--key-file', secretFile(BOB_WORDS)]
    expect(await cli(sign)).toMatchObject({ code: 0, err: '' })
  })

  it('require a complete extended public key', async () => {
    const node = await devNode()
    const argv = ['request', 'create', BOB, '1', '--from', EWOQ, '--from', 'xpub123']
    const ended = await cli(argv, { node })
    expect([ended.code, ended.error().code]).toEqual([1, 'XPUB_INVALID'])
  })
})
