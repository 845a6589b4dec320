import { statSync } from 'node:fs'
import type { NetworkContext } from '../chain/index.ts'
import type { KeyChain } from '../crypto/index.ts'
import { createNodeClient, type NodeClient } from '../rpc/index.ts'
import { type Explanation, formatExplanation, type SigningRequest } from '../sign/index.ts'
import { escaped } from '../sign/text.ts'
import { checkedChain } from './chain.ts'
import { type Config, readConfig } from './config.ts'
import { CliError, UsageError } from './errors.ts'
import { readText } from './files.ts'
import { type HDChoice, keyChainOf, type RequestKeys, requestKeysOf } from './key-text.ts'
import { type NamedNetwork, parseNetwork } from './networks.ts'
import { jsonLine } from './plain.ts'
import { type Paint, paintExplanation, paintFor } from './print.ts'
import { type Progress, progressOn } from './progress.ts'
import { ask, discardTyped, isInteractive } from './prompt.ts'
import type { Surroundings } from './surroundings.ts'
import { checkedURL } from './url.ts'
import type { Values } from './values.ts'

/** One run of one command: what was given, and how to reach everything else. */
export class Invocation {
  readonly values: Values
  readonly io: Surroundings
  readonly paint: Paint
  readonly progress: Progress
  private readonly endings: (() => void | Promise<void>)[] = []
  private settings: Promise<Config> | undefined
  private node: Promise<NodeClient> | undefined
  private secrets: Promise<readonly string[] | undefined> | undefined

  constructor(values: Values, io: Surroundings) {
    this.values = values
    this.io = io
    this.paint = paintFor(io.stdout, io.env)
    this.progress = progressOn(io.stderr)
  }

  /** Registers work for the end of the command, whether it succeeds or fails. */
  atEnd(work: () => void | Promise<void>): void {
    this.endings.push(work)
  }

  /** Does what was registered for the end. */
  async close(): Promise<void> {
    this.progress.end()
    for (const work of this.endings.splice(0)) await work()
  }

  /** Unix seconds. */
  now(): bigint {
    return BigInt(Math.floor((this.io.now ?? Date.now)() / 1000))
  }

  /** The settings file, read when first needed. */
  config(): Promise<Config> {
    this.settings ??= readConfig(this.values.text('config'), this.io)
    return this.settings
  }

  /** The servers that the user named, if any: nodes unless told. */
  async findURLs(
    variable = 'AVMKIT_URL',
    setting: 'url' | 'metricsUrl' | 'dataUrl' = 'url',
  ): Promise<readonly string[]> {
    const given = this.values.list('url')
    if (given.length > 0) return given.map(checkedURL)
    const url = this.io.env[variable] || (await this.config())[setting]
    return url === undefined ? [] : [checkedURL(url)]
  }

  /** A client of the node that the user named. */
  client(): Promise<NodeClient> {
    this.node ??= this.connect()
    return this.node
  }

  private async connect(): Promise<NodeClient> {
    const url = await this.findURLs()
    if (url.length === 0)
      throw new UsageError('NO_URL', 'expected the address of a node', {
        hint: 'pass --url http://127.0.0.1:9650, set AVMKIT_URL, or put "url" into the settings file',
      })
    return createNodeClient({ url, chain: await this.chain(), ...this.transport() })
  }

  /** The node that the user named, for a chain that the command needs. */
  async forChain(chain: string): Promise<NodeClient> {
    return (await this.client()).forChain(chain)
  }

  /** Alias or ID of the chain that the user named; the X-Chain by default. */
  async chain(): Promise<string> {
    const named = this.values.text('chain') ?? (this.io.env.AVMKIT_CHAIN || undefined)
    return checkedChain(named ?? (await this.config()).chain ?? 'X')
  }

  /** What all clients share. */
  transport(): { fetch?: NonNullable<Surroundings['fetch']>; timeoutMs?: number } {
    const seconds = this.values.integer('timeout', 1, 86_400)
    return {
      ...(this.io.fetch === undefined ? {} : { fetch: this.io.fetch }),
      ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }),
    }
  }

  /** What every call of a client should get. */
  callOptions(): { readonly signal?: AbortSignal } {
    return this.io.signal === undefined ? {} : { signal: this.io.signal }
  }

  /** What the node says of its network; where the user names a network too, it must be that one. */
  async context(): Promise<NetworkContext> {
    const client = await this.client()
    const context = await client.context(this.callOptions())
    const expected = await this.namedNetwork()
    if (expected !== undefined && expected.networkID !== context.networkID)
      throw new CliError(
        'NETWORK_MISMATCH',
        `expected a node of ${expected.name}, found one of ${context.name}`,
        { hint: 'check --url and --network; nothing was sent' },
      )
    return context
  }

  /** The network that the user named, if any. */
  async namedNetwork(): Promise<NamedNetwork | undefined> {
    const text =
      this.values.text('network') ?? (this.io.env.AVMKIT_NETWORK || (await this.config()).network)
    return text === undefined ? undefined : parseNetwork(text)
  }

  /** The network that texts are written for where nothing else tells. */
  async network(): Promise<NamedNetwork> {
    return (await this.namedNetwork()) ?? parseNetwork('mainnet')
  }

  /** Which keys of a mnemonic are meant. */
  hdChoice(): HDChoice {
    return {
      account: this.values.integer('account', 0, 2 ** 31 - 1) ?? 0,
      count: this.values.integer('count', 1, 10_000) ?? 1,
    }
  }

  /** Whether keys were named in any way that needs no question. */
  async hasKeys(): Promise<boolean> {
    return (await this.keyTexts()) !== undefined
  }

  /** The user's keys: from files, the environment, the settings, or a question that hides the answer. */
  async keys(): Promise<KeyChain> {
    const texts = (await this.keyTexts()) ?? [await this.askForKey()]
    return keyChainOf(texts, this.hdChoice())
  }

  /** The user's keys for a signing request. */
  async keysFor(request: SigningRequest): Promise<RequestKeys> {
    const texts = (await this.keyTexts()) ?? [await this.askForKey()]
    return requestKeysOf(texts, this.hdChoice(), request)
  }

  /** Read once: standard input has nothing to say a second time. */
  private keyTexts(): Promise<readonly string[] | undefined> {
    this.secrets ??= this.readKeyTexts()
    return this.secrets
  }

  private async readKeyTexts(): Promise<readonly string[] | undefined> {
    const files = this.values.list('key-file')
    if (files.length > 0) return Promise.all(files.map((file) => this.readKeyFile(file)))
    const name = this.values.text('key-env')
    const { env } = this.io
    const text = name === undefined ? env.AVMKIT_KEY || env.AVMKIT_MNEMONIC : env[name]
    if (text) return [text]
    if (name !== undefined)
      throw new UsageError('NO_KEYS', 'the environment variable behind --key-env is empty')
    const { keyFile } = await this.config()
    return keyFile === undefined ? undefined : [await this.readKeyFile(keyFile)]
  }

  private async readKeyFile(path: string): Promise<string> {
    const text = await readText(path, this.io)
    if (path !== '-' && process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
      this.warn('KEY_FILE_OPEN', `others can read ${path}: run chmod 600 on it`)
    return text
  }

  private async askForKey(): Promise<string> {
    if (isInteractive(this.io)) return ask(this.io, 'private key or mnemonic (hidden): ', true)
    throw new UsageError('NO_KEYS', 'expected a private key, and nobody is there to be asked', {
      hint: 'pass --key-file FILE or set AVMKIT_KEY',
    })
  }

  /** Counts the seconds on a terminal while something is waited for. */
  async during<T>(what: string, work: () => Promise<T>): Promise<T> {
    let seconds = 0
    const timer = setInterval(() => this.progress.show(++seconds, undefined, what), 1000)
    try {
      return await work()
    } finally {
      clearInterval(timer)
      this.progress.end()
    }
  }

  /** Refuses early to begin what could not be confirmed later. */
  requireConfirmable(): void {
    if (this.values.has('yes') || isInteractive(this.io)) return
    throw new UsageError('CONFIRMATION_NEEDED', 'nobody is there to confirm, nothing was done', {
      hint: 'pass --yes to go ahead without being asked',
    })
  }

  /**
   * Shows what is going to happen and continues only if the user agrees. With `--yes` nobody is asked, and all
   * warnings are printed.
   */
  async confirm(explanation: Explanation, question: string): Promise<void> {
    if (this.values.has('yes'))
      for (const { code, message } of explanation.warnings) this.warn(code, message)
    await this.confirmText(formatExplanation(explanation), question)
  }

  /** Shows a text and continues only if the user agrees, or has agreed with `--yes`. */
  async confirmText(text: string, question: string): Promise<void> {
    if (this.values.has('yes')) return
    this.requireConfirmable()
    const { stderr, env } = this.io
    stderr.write(`${paintExplanation(text, paintFor(stderr, env))}\n`)
    // What was typed before the text was shown is not an answer to it.
    await discardTyped(this.io)
    const answer = await ask(this.io, `${question} [y/N] `)
    if (!/^\s*y(es)?\s*$/i.test(answer))
      throw new CliError('NOT_CONFIRMED', 'not confirmed, nothing was signed or sent')
  }

  /** Says something beside the result. */
  warn(code: string, message: string): void {
    const { stderr, env } = this.io
    stderr.write(
      this.values.has('json')
        ? `${jsonLine({ warning: { code, message } })}\n`
        : `${paintFor(stderr, env).yellow(`warning ${code}`)}: ${escaped(message)}\n`,
    )
  }
}
