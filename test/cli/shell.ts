import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { onTestFinished } from 'vitest'
import { run } from '../../src/cli/run.ts'
import type { Surroundings } from '../../src/cli/surroundings.ts'
import { encryptKeyFile } from '../../src/core/crypto/keyfile/index.ts'
import { createDevNode, type DevNode, type DevNodeOptions } from '../../src/devnode/index.ts'

/** The key of the local network's funds, published with the node, and its address. */
export const EWOQ_KEY = 'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN'
export const EWOQ = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'

/** Keys of the node's own tests, also in `test-vectors/addresses.json`. */
export const ALICE_KEY = 'PrivateKey-24jUJ9vZexUM6expyMcT48LBx27k1m7xpraoV62oSQAHdziao5'
export const ALICE_HEX = 'fceda8f90fcb5d30614b99d79fc4baa293077626'

/** The first account of a mnemonic of avalanchejs' tests: its first two addresses are those of Bob. */
export const BOB_WORDS =
  'immune year obscure laptop wage diamond join glue ecology envelope box fade mixed cradle athlete absorb stick rival punch dinosaur skin blind benefit pretty'
export const BOB = 'X-local15qwuklmrfcmfw78yvka9pjsukjeevl4a42y3r8'
export const BOB_SECOND = 'X-local13wqaxm6zgjq5qwzuyyxyl9yrz3edcgwgsykutr'

/** IDs of the local network, as its nodes report them. */
export const LOCAL_CHAIN = '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed'
export const LOCAL_AVAX = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'

/** The environment of a run. */
export type Around = {
  readonly node?: DevNode
  readonly env?: Surroundings['env']
  /** Content of standard input. */
  readonly input?: string
  /** Lines typed at a terminal, each after the next question is asked. If set, all streams are terminals. */
  readonly typed?: string
  /** Text typed before the first question. */
  readonly typedAhead?: string
  readonly fetch?: Surroundings['fetch']
  readonly signal?: AbortSignal
  readonly now?: () => number
  /** Called when something is written to standard error. */
  readonly onError?: (text: string) => void
  /** Called when something is written to standard output. */
  readonly onOutput?: () => void
}

/** Exit code and output of a run. */
export type Ended = {
  readonly code: number
  readonly out: string
  readonly err: string
  /** Parses standard output, which must be one JSON value in one line. */
  readonly json: <T = { readonly [name: string]: unknown }>() => T
  /** Parses the error, which must be the last line of standard error. */
  readonly error: () => { readonly code: string; readonly message: string; readonly hint?: string }
}

/** The folder of default journals of each node. Nodes start from the same genesis, so their chain IDs are equal. */
const stateFolders = new WeakMap<DevNode, string>()

export function stateFolder(node: DevNode): string {
  const path = stateFolders.get(node) ?? folder()
  stateFolders.set(node, path)
  return path
}

/** Runs a command line in this process. If a node is given, `AVMKIT_URL` names it. */
export async function cli(argv: readonly string[], around: Around = {}): Promise<Ended> {
  const isTTY = around.typed !== undefined
  const written = { out: '', err: '' }
  const stdin = new PassThrough()
  const lines = (around.typed ?? '').split(/(?<=\n)/)
  const sink = (name: 'out' | 'err') => ({
    isTTY,
    columns: 80,
    write: (text: string) => {
      written[name] += text
      if (name === 'err') around.onError?.(text)
      else around.onOutput?.()
      if (!isTTY || !/(\[y\/N\]|\(hidden\):) $/.test(stripVTControlCharacters(text))) return
      const line = lines.shift()
      // A terminal never answers before the question is written.
      setImmediate(() => (line ? stdin.write(line) : stdin.end()))
    },
  })
  if (!isTTY) stdin.end(around.input ?? '')
  if (around.typedAhead !== undefined) stdin.write(around.typedAhead)
  const code = await run(argv, {
    stdout: sink('out'),
    stderr: sink('err'),
    stdin: Object.assign(stdin, { isTTY }),
    env: {
      ...(around.node
        ? { AVMKIT_URL: 'http://node', XDG_STATE_HOME: stateFolder(around.node) }
        : {}),
      ...around.env,
    },
    fetch: around.fetch ?? around.node?.fetch,
    signal: around.signal,
    now: around.now,
  })
  const { out, err } = written
  return {
    code,
    out,
    err,
    json: <T>() => {
      if (!/^[^\n]+\n$/.test(out)) throw new Error(`expected one line, found ${out}${err}`)
      return JSON.parse(out) as T
    },
    error: () => {
      const last = stripVTControlCharacters(err).trimEnd().split('\n').at(-1)!
      if (last.startsWith('{'))
        return (JSON.parse(last) as { error: { code: string; message: string } }).error
      const match = /^error ([A-Z0-9_]+): (.*?)(?: \(hint: (.*)\))?$/.exec(last)
      if (match === null) throw new Error(`expected an error, found ${err}`)
      return { code: match[1]!, message: match[2]!, hint: match[3]! }
    },
  }
}

/** Starts a node that is closed at the end of the test. */
export async function devNode(options?: DevNodeOptions): Promise<DevNode> {
  const node = await createDevNode(options)
  onTestFinished(() => node.close())
  return node
}

/** Creates a folder that is removed at the end of the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'avmkit-cli-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Creates a file that only its owner can read. */
export function secretFile(text: string, name = 'my.key', inside: string = folder()): string {
  const path = join(inside, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

/** An encrypted key file that opens in milliseconds; with the default cost it takes seconds. */
export function cheapKeyFile(key: string, password: string): Promise<string> {
  return encryptKeyFile(key, password, { cost: { n: 1024, r: 8, p: 1 } })
}
