import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { parsePrivateKey } from '../../src/core/base/encoding/ids.ts'
import {
  buildExport,
  buildImport,
  evmAddressBytes,
  evmAddressOf,
  parseEVMAddress,
} from '../../src/core/c-chain.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { accountFromMnemonic } from '../../src/core/crypto/hd/index.ts'
import { addressOf, publicKeyOf } from '../../src/core/crypto/secp256k1.ts'
import { createRequest, formatRequest } from '../../src/index.ts'
import { BOB_WORDS, cli, devNode, EWOQ_KEY, folder, LOCAL_AVAX, secretFile } from './shell.ts'

const key = publicKeyOf(parsePrivateKey(EWOQ_KEY))
const account = evmAddressOf(key)
const on = (chain: string) => formatAddress({ chain, hrp: 'local', address: addressOf(key) })

/** The two legs of every transfer between chains. */
const TRANSFERS = [
  ['X', 'P'],
  ['P', 'X'],
  ['X', 'C'],
  ['C', 'X'],
  ['C', 'P'],
  ['P', 'C'],
] as const

const chainOption = (chain: string) => (chain === 'X' ? [] : ['--chain', chain])

describe('requests for the legs of transfers between chains', () => {
  it('are drafted without keys, signed offline, finished and issued, in all directions', async () => {
    const node = await devNode()
    node.pChain.fund({ address: addressOf(key), amount: 50_000_000_000n })
    node.cChain.fund(parseEVMAddress(account), 50_000_000_000n)
    const inside = folder()
    const secret = secretFile(EWOQ_KEY, 'ewoq.key', inside)
    const complete = async (file: string, accept: readonly string[] = []) => {
      const status = await cli(['request', 'status', file])
      expect([status.code, status.out.includes('missing')]).toEqual([0, true])
      const input = readFileSync(file, 'utf8')
      const decoded = await cli(['decode', '-', '--json'], { input })
      expect(decoded.json()).toMatchObject({ kind: 'request', id: JSON.parse(input).id })
      const explained = await cli(['explain', '-', '--key-file', secret], { input })
      expect([explained.code, explained.out]).toEqual([
        0,
        expect.stringMatching(/^digest +\w{5}-/m),
      ])
      const options = accept.flatMap((code) => ['--accept', code])
      const signed = `${file}.signed`
      const argv = ['request', 'sign', file, '--yes', '--key-file', secret, '--out', signed]
      const { code, err } = await cli([...argv, ...options])
      expect([file, code, err.replace(/^warning .*\n/gm, '')]).toEqual([file, 0, ''])
      const merged = await cli(['request', 'merge', file, signed, '--out', `${file}.merged`])
      expect(merged.out).toContain('complete')
      const finished = await cli(['request', 'finish', `${file}.merged`])
      const issued = await cli(['issue', '-', '--yes', '--json'], { node, input: finished.out })
      expect([file, issued.code, issued.err]).toEqual([file, 0, expect.any(String)])
      const { txID } = JSON.parse(readFileSync(`${file}.merged`, 'utf8'))
      expect(issued.json()).toEqual({ txID, status: 'accepted' })
    }
    for (const [from, to] of TRANSFERS) {
      const file = join(inside, `export-${from}-${to}.json`)
      const payer = from === 'C' ? account : on(from)
      const argv = ['request', 'create', on(to), '1.5', '--destination-chain', to]
      const made = await cli([...argv, ...chainOption(from), '--from', payer, '--out', file], {
        node,
      })
      expect([from, to, made.code, made.err]).toEqual([from, to, 0, ''])
      // No transaction proves funds that the faucet of the development node created.
      await complete(file, from === 'P' ? ['UNPROVEN_UTXO'] : [])
      const out = join(inside, `${from}-${to}`)
      const target = to === 'C' ? ['--to', account] : []
      const drafted = await cli(
        [
          'request',
          'import',
          '--source-chain',
          from,
          ...chainOption(to),
          '--from',
          on(to),
          ...target,
          '--out',
          out,
          '--json',
        ],
        { node },
      )
      expect([from, to, drafted.code, drafted.err]).toEqual([from, to, 0, ''])
      const { requests } = drafted.json<{ requests: { file: string }[] }>()
      expect(requests).toHaveLength(1)
      // The export proves what is imported: nothing has to be accepted.
      await complete(requests[0]!.file)
    }
  })

  it('find the addresses of an xpub on their chain, and name the paths of its keys', async () => {
    const node = await devNode()
    const { watch } = accountFromMnemonic(BOB_WORDS)
    const xpub = watch.extendedPublicKey
    const third = watch.address({ change: 0, index: 2 })
    const bob = evmAddressBytes(watch.publicKey({ change: 0, index: 0 }))
    // Nothing on the X-Chain, and a UTXO locked for staking, which is not spent.
    node.pChain.fund({ address: third, amount: 5_000_000_000n })
    node.pChain.fund({
      address: watch.address({ change: 0, index: 4 }),
      amount: 7_000_000_000n,
      stakeableLocktime: node.now() + 1000n,
    })
    node.cChain.fund(bob, 5_000_000_000n)
    const inside = folder()
    const words = secretFile(BOB_WORDS, 'bob.words', inside)
    const complete = async (file: string, paths: readonly string[], accept: string[] = []) => {
      const read = JSON.parse(readFileSync(file, 'utf8')) as { paths: { path: string }[] }
      expect(read.paths.map(({ path }) => path).sort()).toEqual(paths)
      const done = `${file}.signed`
      const argv = ['request', 'sign', file, '--yes', '--key-file', words, '--out', done]
      const signed = await cli([...argv, ...accept.flatMap((code) => ['--accept', code])])
      expect([signed.code, signed.out]).toEqual([0, expect.stringContaining('complete')])
      const finished = await cli(['request', 'finish', done])
      const issued = await cli(['issue', '-', '--yes', '--json'], { node, input: finished.out })
      expect(issued.json()).toMatchObject({ status: 'accepted' })
    }
    const create = async (from: string, to: string, receiver: string) => {
      const file = join(inside, `${from}-${to}.json`)
      const argv = ['request', 'create', receiver, '1', '--chain', from, '--from', xpub]
      const made = await cli([...argv, '--destination-chain', to, '--out', file], { node })
      expect(made.code).toBe(0)
      expect(made.err).toMatch(/^(note: checked \d+ addresses, 2 used.*\n)?$/)
      return file
    }
    const toC = formatAddress({ chain: 'C', hrp: 'local', address: third })
    const key = (position: string) => `m/44'/9000'/0'/${position}`
    // The key that signs and receives, and the first address for change after those that were found.
    await complete(await create('P', 'C', toC), [key('0/2'), key('1/0')], ['UNPROVEN_UTXO'])
    const out = join(inside, 'imports')
    const source = ['--chain', 'C', '--source-chain', 'P', '--from', xpub, '--to', account]
    const drafted = await cli(['request', 'import', ...source, '--out', out, '--json'], { node })
    const { requests } = drafted.json<{ requests: { file: string }[] }>()
    await complete(requests[0]!.file, [key('0/2')])
    // An export of the C-Chain debits the account of the first key.
    await complete(await create('C', 'X', on('X')), [key('0/0')])
    expect(node.cChain.account(bob).nonce).toBe(1n)
  })

  it('of an export of the C-Chain are signed by the key of its account, whichever paths they name', async () => {
    const { watch } = accountFromMnemonic(BOB_WORDS)
    const first = { change: 0, index: 0 }
    const words = secretFile(BOB_WORDS)
    const file = join(folder(), 'export.json')
    const account = {
      address: evmAddressOf(watch.publicKey(first)),
      nonce: 3n,
      balance: 10n ** 19n,
    }
    for (const [position, isFindable] of [
      [{ change: 1, index: 5 }, true],
      [{ change: 5, index: 5 }, false],
      [{ change: 0, index: 2_000_000_000 }, false],
    ] as const) {
      const to = formatAddress({ chain: 'X', hrp: 'local', address: watch.address(position) })
      const draft = buildExport({
        context: networks.local,
        account,
        baseFee: 25_000_000_000n,
        destinationChain: 'X',
        outputs: [{ to, amount: 1_000_000_000n }],
      })
      const request = createRequest(draft, { paths: watch.paths([first, position]) })
      writeFileSync(file, formatRequest(request))
      const argv = ['request', 'sign', file, '--key-file', words, '--yes', '--json']
      const { code, err, json } = await cli(argv)
      expect([code, json()]).toEqual([0, expect.objectContaining({ txID: expect.any(String) })])
      expect(err.includes('NOT_OURS')).toBe(!isFindable)
    }
  })

  it('that credit an account with the bytes of an own address are refused, with advice', async () => {
    const address = addressOf(key)
    const utxo = {
      txID: new Uint8Array(32).fill(9),
      outputIndex: 0,
      assetID: networks.local.assetID,
      output: {
        type: 'secp256k1fx.TransferOutput',
        amount: 1_000_000_000n,
        locktime: 0n,
        threshold: 1,
        addresses: [address],
      },
    } as const
    const draft = buildImport({
      context: networks.local,
      sourceChain: 'X',
      funds: { utxos: [utxo], owners: [address], now: 1_700_000_000n },
      baseFee: 25_000_000_000n,
      to: address,
    })
    const file = join(folder(), 'import.json')
    writeFileSync(file, formatRequest(createRequest(draft)))
    const secret = secretFile(EWOQ_KEY)
    const unproven = ['--accept', 'UNPROVEN_UTXO']
    const argv = ['request', 'sign', file, '--yes', '--key-file', secret, '--json', ...unproven]
    const refused = await cli(argv)
    expect([refused.code, refused.error()]).toEqual([
      1,
      expect.objectContaining({
        code: 'WRONG_ACCOUNT',
        hint: expect.stringContaining('which avmkit keys show prints; pass --accept WRONG_ACCOUNT'),
      }),
    ])
    // The command that the hint names prints the account.
    const shown = await cli(['keys', 'show', '--key-file', secret])
    expect(shown.out).toContain(account)
    expect((await cli([...argv, '--accept', 'WRONG_ACCOUNT'])).code).toBe(0)
  })

  it('refuse addresses of other chains, and options that a chain does not have', async () => {
    const node = await devNode()
    const code = async (...argv: string[]) => {
      const ended = await cli(['request', ...argv], { node })
      return [ended.code, ended.error().code]
    }
    const out = ['--out', join(folder(), 'out')]
    const create = (chain: string, from: string, to: string) =>
      code('create', to, '1', '--chain', chain, '--from', from, '--destination-chain', 'X')
    const isEncoding = [2, expect.stringMatching(/^ENC_/)]
    expect(await create('P', on('X'), on('X'))).toEqual(isEncoding)
    expect(await create('P', on('P'), on('P'))).toEqual(isEncoding)
    // An account owns no UTXOs, and an address has no account.
    expect(await create('C', account, account)).toEqual(isEncoding)
    expect(await create('C', on('C'), on('X'))).toEqual(isEncoding)
    const missing = [2, 'MISSING_OPTION']
    expect(await code('create', on('X'), '1', '--chain', 'C', '--destination-chain', 'X')).toEqual(
      missing,
    )
    const source = ['--chain', 'C', '--source-chain', 'X', '--from', on('C')]
    expect(await code('import', ...source, ...out)).toEqual(missing)
    const bad = [2, 'BAD_VALUE']
    const token = ['--asset', '2tZCg9miWNiVsK6nAFjPxv9fzPZfNFRVyrg6e8i1FHzAksko8b']
    const memo = ['--memo', 'invoice 17']
    const payers = { P: on('P'), C: account }
    for (const [chain, payer] of Object.entries(payers)) {
      const target = ['--chain', chain, '--destination-chain', 'X', '--from', payer]
      expect(await code('create', on('X'), 'all', ...target, ...token)).toEqual(bad)
      expect(await code('create', on('X'), '1', ...target, ...memo)).toEqual(bad)
    }
    expect(await code('create', on('P'), '1', '--chain', 'P', '--from', on('P'), ...memo)).toEqual(
      bad,
    )
    const toAccount = ['import', ...source, '--to', account, ...out]
    const ownChange = ['--change-to', on('C')]
    for (const options of [token, memo, ownChange])
      expect(await code(...toAccount, ...options)).toEqual(bad)
    const toP = ['import', '--chain', 'P', '--source-chain', 'X', '--from', on('P'), ...out]
    expect(await code(...toP, ...memo)).toEqual(bad)
  })

  it('lock everything that an account or address exports, if asked to', async () => {
    const node = await devNode()
    const file = join(folder(), 'export.json')
    const until = ['--locked-until', '2040-01-01', '--out', file]
    for (const [chain, payer] of [
      ['P', on('P')],
      ['C', account],
    ] as const) {
      const target = ['--chain', chain, '--destination-chain', 'X', '--from', payer]
      const argv = ['request', 'create', on('X'), 'all', '--asset', 'AVAX', ...target, ...until]
      expect((await cli(argv, { node })).code).toBe(0)
      const { signerSets } = JSON.parse(readFileSync(file, 'utf8'))
      const decoded = await cli(['decode', signerSets[0].unsignedTx, '--json'])
      const { unsignedTx } = decoded.json<{ unsignedTx: { exportedOutputs: unknown[] } }>()
      expect(unsignedTx.exportedOutputs).toMatchObject([{ output: { locktime: '2208988800' } }])
    }
  })

  it('import only the assets that are named, with a fee from the chain if AVAX is not', async () => {
    const node = await devNode()
    const env = { AVMKIT_KEY: EWOQ_KEY }
    const inside = folder()
    const made = await cli(['asset', 'create', 'Gold', 'AU', `${on('X')}=500`, '--yes', '--json'], {
      node,
      env,
    })
    const { assetID: gold } = made.json<{ assetID: string }>()
    for (const asset of [gold, 'AVAX']) {
      const argv = ['export', `${on('P')}=5`, '--destination-chain', 'P', '--asset', asset]
      expect((await cli([...argv, '--yes'], { node, env })).code).toBe(0)
    }
    const imported = async (...assets: string[]) => {
      const out = join(inside, assets.length === 0 ? 'all' : assets.join())
      const argv = ['request', 'import', '--chain', 'P', '--source-chain', 'X', '--from', on('P')]
      const options = assets.flatMap((asset) => ['--asset', asset])
      const drafted = await cli([...argv, '--out', out, ...options, '--json'], { node })
      const { requests } = drafted.json<{ requests: { file: string }[] }>()
      expect(requests).toHaveLength(1)
      const { signerSets } = JSON.parse(readFileSync(requests[0]!.file, 'utf8'))
      const decoded = await cli(['decode', signerSets[0].unsignedTx, '--json'])
      const { unsignedTx } = decoded.json<{
        unsignedTx: { inputs: unknown[]; importedInputs: { assetID: string }[] }
      }>()
      const names = unsignedTx.importedInputs.map(({ assetID }) => assetID)
      return { names: names.sort(), local: unsignedTx.inputs.length }
    }
    expect(await imported(gold)).toEqual({ names: [gold], local: 1 })
    expect(await imported('AVAX')).toEqual({ names: [LOCAL_AVAX], local: 0 })
    const both = { names: [gold, LOCAL_AVAX].sort(), local: 0 }
    expect(await imported(gold, 'AVAX')).toEqual(both)
  })
})
