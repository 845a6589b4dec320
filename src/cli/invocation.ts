import type { NetworkContext } from '../core/chain/networks.ts'
import { escaped } from '../core/sign/text.ts'
import type { NamedNetwork } from '../inspect/networks.ts'
import type { CallOptions, NodeClient, TransportOptions } from '../node/index.ts'
import type { ChainView } from '../node/view/view.ts'
import type { NamedAccount } from './connections/accounts.ts'
import type { Config } from './connections/config.ts'
import { CliError, UsageError } from './errors.ts'
import { type Surroundings, settingsPath } from './surroundings.ts'
import { type Paint, paintFor } from './terminal/paint.ts'
import { jsonLine } from './terminal/plain.ts'
import { type Progress, progressOn } from './terminal/progress.ts'
import type { Values } from './values.ts'

/** What an invocation needs to know of its command. */
export type CommandDetails = {
  readonly name: string
  /** Whether the public node of a named network can be used. */
  readonly publicNode?: true
  /** Its options by name. */
  readonly options: { readonly [name: string]: unknown }
}

type URLSetting = 'url' | ServiceSetting
type ServiceSetting = 'metricsUrl' | 'dataUrl'

/**
 * One run of one command: its arguments, and access to everything else. Modules that only some commands need are
 * imported when they are used.
 */
export class Invocation {
  readonly values: Values
  readonly io: Surroundings
  readonly command: CommandDetails
  readonly paint: Paint
  private readonly endings: (() => void | Promise<void>)[] = []
  private progressLine: Progress | undefined
  private settings: Promise<Config> | undefined
  private named: Promise<NamedAccount | undefined> | undefined
  private nodeClient: Promise<NodeClient> | undefined
  private foundNetwork: Promise<NamedNetwork> | undefined
  private urls: Promise<readonly string[]> | undefined
  private readonly otherChains = new Map<string, NodeClient>()
  private readonly views = new Map<NodeClient, ChainView>()

  constructor(values: Values, io: Surroundings, command: CommandDetails) {
    this.values = values
    this.command = command
    this.io = io
    this.paint = paintFor(io.stdout, io.env)
  }

  /** The progress line on standard error. */
  get progress(): Progress {
    this.progressLine ??= progressOn(this.io.stderr)
    return this.progressLine
  }

  /** Registers work for the end of the command, whether it succeeds or fails. */
  atEnd(work: () => void | Promise<void>): void {
    this.endings.push(work)
  }

  /** Runs the registered work, the last first: what was opened later may need what was opened before. */
  async close(): Promise<void> {
    this.progressLine?.end()
    for (const work of this.endings.splice(0).reverse()) await work()
  }

  /** Unix seconds. */
  now(): bigint {
    return BigInt(Math.floor((this.io.now ?? Date.now)() / 1000))
  }

  /** The config file, read at the first call. */
  config(): Promise<Config> {
    this.settings ??= this.readSettings()
    return this.settings
  }

  /**
   * The account that `--account` names; undefined if it is a number or missing.
   *
   * @throws UsageError `ACCOUNT_UNKNOWN`
   */
  account(): Promise<NamedAccount | undefined> {
    this.named ??= this.findAccount()
    return this.named
  }

  private async findAccount(): Promise<NamedAccount | undefined> {
    const name = this.values.text('account')
    if (name === undefined || /^[0-9]+$/.test(name)) return undefined
    const { findAccount, readAccounts } = await import('./connections/accounts.ts')
    return findAccount(name, await readAccounts(this.io))
  }

  private async readSettings(): Promise<Config> {
    const path = this.values.text('config') ?? settingsPath(this.io.env)
    return path === undefined
      ? {}
      : (await import('./connections/config.ts')).readConfig(path, this.io)
  }

  /** The URLs from `--url`, the environment or the config file; by default those of nodes. */
  async findURLs(variable = 'AVMKIT_URL', setting: URLSetting = 'url'): Promise<readonly string[]> {
    const { checkedURL } = await import('./connections/connection.ts')
    const given = this.values.list('url')
    if (given.length > 0) return given.map(checkedURL)
    if (setting === 'url') return (await this.configuredNodes(variable)).map(checkedURL)
    const url = await this.configuredURL(variable, setting)
    return url === undefined ? [] : [url]
  }

  /** The URLs of nodes from the environment, separated by commas, or from the config file. */
  private async configuredNodes(variable: string): Promise<readonly string[]> {
    const text = this.io.env[variable]
    if (text) return text.split(',').map((url) => url.trim())
    const { url = [] } = await this.config()
    return typeof url === 'string' ? [url] : url
  }

  /** The URL of an API from the environment or the config file. */
  async configuredURL(variable: string, setting: ServiceSetting): Promise<string | undefined> {
    const { checkedURL } = await import('./connections/connection.ts')
    const url = this.io.env[variable] || (await this.config())[setting]
    return url === undefined ? undefined : checkedURL(url)
  }

  /** A client of the configured node. */
  client(): Promise<NodeClient> {
    this.nodeClient ??= this.connect()
    return this.nodeClient
  }

  /** The same node for another chain that runs the AVM. */
  async forChain(chain: string): Promise<NodeClient> {
    const client = this.otherChains.get(chain) ?? (await this.client()).forChain(chain)
    this.otherChains.set(chain, client)
    return client
  }

  /** What servers agree on, of the chain that the user named. */
  async view(): Promise<ChainView> {
    return this.viewOf(await this.client())
  }

  /** What servers agree on, of the chain of a client. */
  async viewOf(client: NodeClient): Promise<ChainView> {
    const quorum = await this.quorum()
    const { ChainView } = await import('../node/view/view.ts')
    const { systemClock } = await import('../node/index.ts')
    const known = this.views.get(client)
    const view = known ?? new ChainView({ client, clock: systemClock, quorum })
    this.views.set(client, view)
    return view
  }

  /**
   * How many servers must agree; 1 for commands without this option.
   *
   * @throws UsageError `BAD_VALUE` if there are fewer servers
   */
  async quorum(): Promise<number> {
    if (this.command.options.quorum === undefined) return 1
    const { chooseQuorum, MAX_QUORUM } = await import('./connections/quorum.ts')
    const given = {
      option: this.values.integer('quorum', 1, MAX_QUORUM),
      variable: this.io.env.AVMKIT_QUORUM,
      setting: (await this.config()).quorum,
    }
    return chooseQuorum(given, (await this.nodeURLs()).length)
  }

  /**
   * URLs of the configured nodes, or of the public node.
   *
   * @throws UsageError `NO_URL`
   */
  nodeURLs(): Promise<readonly string[]> {
    this.urls ??= this.findNodeURLs()
    return this.urls
  }

  private async findNodeURLs(): Promise<readonly string[]> {
    const configured = await this.findURLs()
    const urls = configured.length === 0 ? await this.publicNode() : configured
    if (urls.length === 0)
      throw new UsageError('NO_URL', 'no node is configured', {
        hint: this.command.publicNode
          ? 'pass --network fuji or mainnet for its public node, or --url, or set AVMKIT_URL'
          : 'pass --url http://127.0.0.1:9650, set AVMKIT_URL, or set "url" in the config file',
      })
    return urls
  }

  private async connect(): Promise<NodeClient> {
    const url = await this.nodeURLs()
    const { createNodeClient } = await import('../node/index.ts')
    const { isProfile, context } = (await this.namedNetwork()) ?? {}
    return createNodeClient({
      url,
      chain: await this.chain(),
      ...this.transport(),
      ...(isProfile && context ? { context: { known: [context] } } : {}),
    })
  }

  /** The public node of the named network, for commands that only read. Prints that it is used. */
  private async publicNode(): Promise<readonly string[]> {
    const url = this.command.publicNode && (await this.namedNetwork())?.publicURL
    if (url === undefined) return []
    this.note(`using the public node ${url}`)
    return [url]
  }

  /** Alias or ID of the chain; the X-Chain by default. */
  async chain(): Promise<string> {
    const { checkedChain } = await import('./connections/connection.ts')
    const named = this.values.text('chain') ?? (this.io.env.AVMKIT_CHAIN || undefined)
    return checkedChain(named ?? (await this.config()).chain ?? 'X')
  }

  /** Transport options that all clients share. */
  transport(): Pick<TransportOptions, 'fetch' | 'timeoutMs'> {
    const seconds = this.values.integer('timeout', 1, 86_400)
    return {
      fetch: this.io.fetch,
      timeoutMs: seconds === undefined ? undefined : seconds * 1000,
    }
  }

  /** Options for every call of a client. */
  callOptions(): Pick<CallOptions, 'signal'> {
    return { signal: this.io.signal }
  }

  /** The details of the network seen from the chain that the user named. */
  async context(): Promise<NetworkContext> {
    return this.contextOf(await this.client())
  }

  /** The details of the network seen from the X-Chain, whichever chain the user named. */
  async xContext(): Promise<NetworkContext> {
    return this.contextOf(await this.forChain('X'))
  }

  /**
   * The network details that a client reports.
   *
   * @throws CliError `NETWORK_MISMATCH` if the user named another network
   */
  async contextOf(client: NodeClient): Promise<NetworkContext> {
    const context = await (await this.viewOf(client)).context(this.callOptions(), false)
    const expected = await this.namedNetwork()
    if (expected !== undefined && expected.networkID !== context.networkID)
      throw new CliError(
        'NETWORK_MISMATCH',
        `the node belongs to ${context.name}, not to ${expected.name}`,
        { hint: 'check --url and --network; nothing was sent' },
      )
    return context
  }

  /** The network that the user named, if any. */
  async namedNetwork(): Promise<NamedNetwork | undefined> {
    const text =
      this.values.text('network') ??
      (await this.account())?.network ??
      (this.io.env.AVMKIT_NETWORK || (await this.config()).network)
    if (text === undefined) return undefined
    // A file is read only once: it may be a pipe.
    this.foundNetwork ??= (await import('./connections/parse-network.ts')).findNetwork(
      text,
      this.io,
    )
    return this.foundNetwork
  }

  /** The network for addresses of commands without a node; Mainnet by default. */
  async network(): Promise<NamedNetwork> {
    return (
      (await this.namedNetwork()) ??
      (await import('./connections/parse-network.ts')).parseNetwork('mainnet')
    )
  }

  /** Shows the elapsed seconds on a terminal while work is in progress. */
  async during<T>(what: string, work: () => Promise<T>): Promise<T> {
    let seconds = 0
    const timer = setInterval(() => this.progress.elapsed(++seconds, what), 1000)
    try {
      return await work()
    } finally {
      clearInterval(timer)
      this.progress.end()
    }
  }

  /** Prints a result to standard output. */
  print({ json, text }: { readonly json: unknown; readonly text: string }): void {
    this.io.stdout.write(`${this.values.has('json') ? jsonLine(json) : text}\n`)
  }

  /** Prints additional information to standard error. */
  note(message: string): void {
    this.tell({ note: message }, (paint) => paint.dim(`note: ${escaped(message)}`))
  }

  /** Prints a warning to standard error. */
  warn(code: string, message: string): void {
    const title = `warning ${code}`
    this.tell(
      { warning: { code, message } },
      (paint) => `${paint.yellow(title)}: ${escaped(message)}`,
    )
  }

  private tell(json: object, text: (paint: Paint) => string): void {
    const { stderr, env } = this.io
    stderr.write(`${this.values.has('json') ? jsonLine(json) : text(paintFor(stderr, env))}\n`)
  }
}
