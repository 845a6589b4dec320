import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Command } from '../../src/cli/command.ts'
import { run } from '../../src/cli/run.ts'
import { commands } from '../../src/cli/table.ts'
import { createDevNode, type DevNode, type DevNodeSnapshot } from '../../src/devnode/index.ts'
import { BOB, BOB_WORDS, EWOQ, EWOQ_KEY, LOCAL_AVAX } from './shell.ts'

// Runs the example of every command against a development node over HTTP. Only names of networks and files differ.

let node: DevNode
let url: string
let place: string
/** Where journals are. */
let state: string
/** Every example finds the node as the setup left it. */
let ready: DevNodeSnapshot
/** An asset that EWOQ can mint in every way, with an NFT and a property that it owns. */
let assetID: string

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
      if (until?.test(written.out + written.err)) interrupt.abort('SIGINT')
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
  const rent = ['send', BOB, '1', '--key', 'rent 05', '--yes', '--key-file', join(place, 'my.key')]
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
  const keys = ['keys', 'import', join(place, 'my.key'), '--out', join(place, 'my.key.json')]
  expect((await avmkit(keys)).code).toBe(0)
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
const ENDLESS: { readonly [name: string]: RegExp } = { devnode: /Ctrl-C/, watch: /watching/ }

/** Examples that cannot succeed here, and the error that shows that they were understood. */
const FAILING: { readonly [name: string]: string } = {
  // Nothing is pending where every transaction is accepted at once.
  'journal cancel': 'not canceled',
  'devnode mine': 'RPC_ERROR',
  'data list': 'HTTP_STATUS',
}

/** Files that an example writes must not exist. */
const FRESH = /^keys (new|import|export)|^request/

describe('the example of', () => {
  // Custody needs a database; its own tests have one.
  const local = commands.filter(({ name }) => !name.startsWith('custody '))
  it.each(local.map((command) => [command.name, command] as const))(
    '%s works',
    async (name, command) => {
      node.restore(ready)
      state = name.startsWith('journal') ? place : mkdtempSync(join(place, 'state-'))
      const [first, second] = command.example.split(' | avmkit ')
      let argv = argvOf(command, first!)
      if (FRESH.test(name)) {
        const folder = join(place, name.replaceAll(' ', '-'))
        mkdirSync(folder, { recursive: true })
        const at = argv.indexOf('--out')
        if (at > 0) argv[at + 1] = join(folder, 'out')
      }
      if (name === 'devnode') argv = [...argv, '--port', '0']
      if (name === 'devnode revert') expect((await avmkit(['devnode', 'snapshot'])).code).toBe(0)
      const input =
        existsSync(join(place, 'payout.json')) && /<|^explain -/.test(command.example)
          ? readFileSync(join(place, 'payout.json'), 'utf8')
          : ''
      const until = ENDLESS[name]
      let ended = await avmkit(argv, { input, ...(until === undefined ? {} : { until }) })
      if (second !== undefined && ended.code === 0)
        ended = await avmkit(words(second), { input: ended.out })
      const failing = FAILING[name]
      if (failing !== undefined) expect(ended.out + ended.err).toContain(failing)
      else
        expect([ended.code, ended.err.replaceAll(/^(note: |warning |\{"note").*\n/gm, '')]).toEqual(
          [0, ''],
        )
    },
  )

  it('every command is different and has its own options', () => {
    expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length)
    for (const { name, example } of commands)
      expect(example.includes(name.split(' ')[0]!)).toBe(true)
  })
})
