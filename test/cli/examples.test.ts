import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Command } from '../../src/cli/command.ts'
import { run } from '../../src/cli/run.ts'
import { commands } from '../../src/cli/table.ts'
import { createDevNode, type DevNode, type DevNodeSnapshot } from '../../src/devnode/index.ts'
import { todaysOf } from '../helpers/todays-cases.ts'
import { BOB, BOB_WORDS, cheapKeyFile, EWOQ, EWOQ_KEY, LOCAL_AVAX } from './shell.ts'

// Runs the example of every command against a development node over HTTP. Only names of networks and files differ.

let node: DevNode
let url: string
let place: string
/** Where journals are. */
let state: string
/** Every example finds the node as the setup left it. */
let ready: DevNodeSnapshot
/** The content of the encrypted key file. */
let keyFile: string
/** An asset that EWOQ can mint in every way, with an NFT and a property that it owns. */
let assetID: string
let checksum: string

type Ended = { readonly code: number; readonly out: string; readonly err: string }

async function avmkit(
  argv: readonly string[],
  { input = '', until }: { readonly input?: string; readonly until?: RegExp } = {},
): Promise<Ended> {
  const interrupt = new AbortController()
  const written = { out: '', err: '' }
  const sink = (name: 'out' | 'err') => ({
    write: (text: string) => {
      written[name] += text
      // As a service manager stops commands that run until then, which is no failure.
      if (until?.test(written.out + written.err)) interrupt.abort('SIGTERM')
    },
  })
  const stdin = new PassThrough()
  stdin.end(input)
  const code = await run(argv, {
    stdout: sink('out'),
    stderr: sink('err'),
    stdin,
    env: {
      AVMKIT_URL: url,
      AVMKIT_METRICS_URL: url,
      AVMKIT_DATA_URL: url,
      XDG_STATE_HOME: state,
      XDG_CONFIG_HOME: state,
      AVMKIT_PASSWORD_FILE: join(place, 'password'),
      AVMKIT_NEW_PASSWORD_FILE: join(place, 'password'),
      AVMKIT_KEY: EWOQ_KEY,
    },
    signal: interrupt.signal,
  })
  return { code, ...written }
}

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'avmkit-examples-'))
  state = place
  node = await createDevNode()
  url = (await node.listen()).url
  const file = (name: string, text: string) => {
    writeFileSync(join(place, name), text, { mode: 0o600 })
    return join(place, name)
  }
  for (const name of ['my.key', 'old.key']) file(name, `${EWOQ_KEY}\n`)
  file('words.txt', BOB_WORDS)
  file('password', 'a long password\n')
  const vaults = [{ name: 'Treasury', threshold: 2, members: [EWOQ, BOB] }]
  const policy = { format: 'avmkit-policy', version: 1, name: 'Cold', networkID: 12345 }
  file('policy.json', JSON.stringify({ ...policy, vaults }))
  const recipients = [{ name: 'Bob', to: BOB }]
  file(
    'recipients.json',
    JSON.stringify({ policy: 'Cold', networkID: 12345, edition: 1, recipients }),
  )
  const savings = [{ name: 'Savings', threshold: 1, members: [EWOQ, BOB] }]
  const other = file('other.json', JSON.stringify({ ...policy, vaults: savings }))
  const exported = ['policy', 'export-vault', 'Savings', '--policy', other, '--json', '--out']
  const vault = await avmkit([...exported, join(place, 'vault.json')])
  checksum = (JSON.parse(vault.out) as { checksum: string }).checksum
  file('withdrawals.csv', `key,address,amount\nw1,${BOB},1\nw2,${BOB},0.5\n`)
  const minters = ['--minter', EWOQ, '--property-minter', EWOQ, '--nft-minter', `0=${EWOQ}`]
  const more = ['--nft-minter', `1=${EWOQ}`, '--nft-minter', `2=${EWOQ}`]
  const created = await avmkit([
    'asset',
    'create',
    'Gold',
    'AU',
    ...minters,
    ...more,
    '--yes',
    '--json',
  ])
  assetID = (JSON.parse(created.out) as { assetID: string }).assetID
  const mint = ['nft', 'mint', assetID, EWOQ, '--payload', 'https://example.com', '--yes']
  expect((await avmkit(mint)).code).toBe(0)
  expect((await avmkit(['property', 'mint', assetID, EWOQ, '--yes'])).code).toBe(0)
  const rent = [
    'send',
    BOB,
    '1',
    '--idempotency-key',
    'rent 05',
    '--yes',
    '--key-file',
    join(place, 'my.key'),
  ]
  expect((await avmkit(rent)).code).toBe(0)
  const create = ['request', 'create', BOB, '1', '--from', EWOQ, '--out']
  for (const name of ['payout.json', 'from-alice.json', 'from-bob.json']) {
    const path = join(place, name)
    // Copies of one request.
    if (name !== 'from-bob.json') expect((await avmkit([...create, path])).code).toBe(0)
    else writeFileSync(path, readFileSync(join(place, 'from-alice.json')))
  }
  const sign = ['request', 'sign', join(place, 'payout.json'), '--yes', '--out']
  expect((await avmkit([...sign, join(place, 'payout.json')])).code).toBe(0)
  keyFile = await cheapKeyFile(`${EWOQ_KEY}\n`, 'a long password')
  file('my.key.json', keyFile)
  node.exportFrom('P', { address: EWOQ, amount: 5_000_000_000n })
  ready = node.snapshot()
}, 120_000)

afterAll(async () => {
  await node.close()
  rmSync(place, { recursive: true, force: true })
})

/** Words of a command line as a shell reads them, without redirections. */
function words(line: string): string[] {
  return (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'|'$/g, ''))
}

/** The command line of an example, for the network and the files of this test. */
function argvOf(command: Command, line: string): string[] {
  const isMinting = /^(asset mint|nft|property|request (mint|nft|property))/.test(command.name)
  const local = line
    .replaceAll(/X-fuji1[a-z0-9]+/g, EWOQ)
    .replaceAll(/P-fuji1[a-z0-9]+/g, EWOQ.replace('X-', 'P-'))
    .replaceAll(LOCAL_AVAX, isMinting ? assetID : LOCAL_AVAX)
    .replaceAll('--network fuji', command.name === 'address' ? '--network fuji' : '--network local')
    .replaceAll('43114', '43112')
    .replaceAll('CHECKSUM', checksum)
    .replaceAll('http://127.0.0.1:9650', url)
    .replace(/ [<>].*$/, '')
  const argv = words(local).map((word) =>
    /^[\w-]+\.(key|txt|json|csv|html|key\.json)$/.test(word) || word === 'requests'
      ? join(place, word)
      : word,
  )
  const needsYes =
    'yes' in command.options &&
    line.startsWith(command.name) &&
    !argv.includes('--yes') &&
    !argv.includes('--plan')
  return needsYes ? [...argv, '--yes'] : argv
}

/** Output that ends commands which run until Ctrl-C. */
const ENDLESS: { readonly [name: string]: RegExp } = {
  devnode: /Ctrl-C|"url"/,
  watch: /watching/,
}

/** Files that an example writes must not exist. */
const FRESH = /^keys (new|import|export)|^request|^page|^policy/

/** What an example needs besides the setup. Returns what must be undone. */
const PREPARE: { readonly [name: string]: () => Promise<() => unknown> } = {
  // It writes the file with the default cost.
  'keys change-password': async () => () => writeFileSync(join(place, 'my.key.json'), keyFile),
  'request scan': async () => {
    const [request, frames] = [join(place, 'payout.json'), join(place, 'frames.txt')]
    const exporting = ['request', 'export', request, '--format', 'bbqr', '--out', frames]
    expect((await avmkit(exporting)).code).toBe(0)
    return () => rmSync(frames)
  },
  'accounts remove': async () => {
    expect((await avmkit(['accounts', 'add', 'savings', EWOQ])).code).toBe(0)
    return () => {}
  },
  'devnode revert': async () => {
    expect((await avmkit(['devnode', 'snapshot'])).code).toBe(0)
    return () => {}
  },
  // The node forgets the payment, which stays pending.
  'journal cancel': async () => {
    state = mkdtempSync(join(place, 'state-'))
    const remove = node.injectFault({ kind: 'vanished', on: 'avm.issueTx' })
    await pend('rent 05')
    remove()
    return () => {}
  },
  // A node that waits for the command, with a transaction for the block.
  'devnode mine': async () => {
    const manual = await createDevNode({ blocks: 'manual' })
    const auto = url
    url = (await manual.listen()).url
    await pend('block')
    return () => {
      url = auto
      return manual.close()
    }
  },
}

/** Makes a payment that stays pending. */
async function pend(key: string): Promise<void> {
  const { code, err } = await avmkit([
    'send',
    BOB,
    '1',
    '--idempotency-key',
    key,
    '--wait',
    '1',
    '--yes',
  ])
  expect([code, err]).toEqual([1, expect.stringContaining('error TX_PENDING')])
}

/** Runs the example of a command on the node as the setup left it. */
async function runExample(command: Command, json: boolean): Promise<Ended> {
  const { name, example } = command
  node.restore(ready)
  state = name.startsWith('journal') ? place : mkdtempSync(join(place, 'state-'))
  const [first, second] = example.split(' | avmkit ')
  let argv = argvOf(command, first!)
  if (FRESH.test(name)) {
    const at = argv.indexOf('--out')
    if (at > 0) argv[at + 1] = join(mkdtempSync(join(place, 'out-')), 'out')
  }
  if (name === 'devnode') argv = [...argv, '--port', '0']
  const undo = await PREPARE[name]?.()
  try {
    const input = /<|^explain -/.test(example)
      ? readFileSync(join(place, 'payout.json'), 'utf8')
      : ''
    const until = ENDLESS[name]
    const around = { input, ...(until === undefined ? {} : { until }) }
    const mode = json ? ['--json'] : []
    // The JSON of a command that a pipeline begins with is not what the next one reads.
    const isWhole = second === undefined || (json && first!.startsWith(name))
    if (isWhole) return await avmkit([...argv, ...mode], around)
    const ended = await avmkit(argv, around)
    if (ended.code !== 0) return ended
    return await avmkit([...words(second), ...mode], { input: ended.out })
  } finally {
    await undo?.()
  }
}

/** The command line with the shortest time limits. */
function withShortWaits(argv: readonly string[], { options }: Command): string[] {
  const flags = ['timeout', 'wait'].filter((name) => name in options).map((name) => `--${name}`)
  const isLimit = (word = '') => flags.includes(word)
  const others = argv.filter((word, i) => !isLimit(word) && !isLimit(argv[i - 1]))
  return [...others, ...flags.flatMap((flag) => [flag, '1'])]
}

/** The documents of JSON lines; throws if the text is anything else. */
function jsonLines(text: string): unknown[] {
  if (text !== '' && !text.endsWith('\n')) throw new Error(`the last line is not complete: ${text}`)
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown)
}

describe('the example of', () => {
  // Custody needs a database; its own tests have one.
  const local = commands.filter(({ name }) => !name.startsWith('custody '))
  const table = local.map((command) => [command.name, command] as const)

  it.each(table)('%s works', async (_, command) => {
    const { code, err } = await runExample(command, false)
    expect([code, err.replaceAll(/^(note: |warning |\{"note").*\n/gm, '')]).toEqual([0, ''])
  })

  it.each(todaysOf(table))('%s prints one JSON document with --json', async (name, command) => {
    const { code, out, err } = await runExample(command, true)
    expect([code, out, err]).toEqual([0, out, expect.not.stringContaining('"error"')])
    // One line per transaction, of which there is none.
    expect(jsonLines(out)).toHaveLength(name === 'watch' ? 0 : 1)
    for (const line of jsonLines(err))
      expect(Object.keys(line as object)).toEqual([expect.stringMatching(/^(note|warning)$/)])
  })

  it('every command that calls a server prints one JSON error if none answers', async () => {
    // Examples of explain, request, journal and receive may work without a server; node servers prints which ones do not answer.
    const asking = local.filter(
      ({ name, options }) =>
        'url' in options && !/^(explain|request|journal|receive) ?|^node servers$/.test(name),
    )
    const { out: input } = await avmkit(['request', 'finish', join(place, 'payout.json')])
    const real = url
    url = 'http://127.0.0.1:1'
    state = mkdtempSync(join(place, 'state-'))
    const unanswered = async (command: Command) => {
      const lines = command.example.split(' | avmkit ')
      const line = lines.find((part) => part.startsWith(command.name))!
      const argv = [...withShortWaits(argvOf(command, line), command), '--json']
      return { argv, ...(await avmkit(argv, { input })) }
    }
    // At the same time, because every one waits before it gives up.
    const ends = await Promise.all(asking.map(unanswered)).finally(() => {
      url = real
    })
    expect(ends.length).toBeGreaterThan(40)
    for (const { argv, code, out, err } of ends) {
      expect([argv, code, out]).toEqual([argv, 1, ''])
      expect([argv, jsonLines(err).at(-1)]).toMatchObject([
        argv,
        { error: { code: expect.stringMatching(/^HTTP_UNREACHABLE$|_TIMEOUT$/) } },
      ])
    }
  })

  it('every command contains its name', () => {
    for (const { name, example } of commands)
      expect(example.includes(name.split(' ')[0]!)).toBe(true)
  })
})

describe('every command', () => {
  it.each(commands.map(({ name }) => name))(
    '%s prints one JSON error for wrong usage',
    async (name) => {
      const { code, out, err } = await avmkit([...name.split(' '), '--json', '--no-such-option'])
      expect([code, out, jsonLines(err)]).toEqual([
        2,
        '',
        [{ error: expect.objectContaining({ code: 'UNKNOWN_OPTION' }) }],
      ])
    },
  )
})
