import { equalBytes } from '../../core/base/bytes/compare.ts'
import type { AvmError } from '../../core/base/errors.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { Clock } from '../clock.ts'
import { QuorumError } from '../errors.ts'
import type { CallOptions, ServerRequest } from '../http.ts'
import { type Answer, type Answers, LateWait, LIST_PATIENCE_MS, Panel } from './panel.ts'
import { ServerLog } from './server-log.ts'

/** A client of the P- or C-Chain, or of one server of it. */
type OtherClient<S> = {
  readonly servers: () => readonly S[]
  readonly lastRequests: () => readonly ServerRequest[]
  readonly isAccepted: (txID: Uint8Array, call?: CallOptions) => Promise<boolean>
}

/** A UTXO that servers disagree about: host and port of those that list it, and of those that do not. */
export type OtherDispute<U> = {
  readonly utxo: U
  readonly listedBy: readonly string[]
  readonly missingFrom: readonly string[]
}

/** UTXOs that servers agree on, and those about which they do not. */
export type OtherUTXOs<U> = {
  readonly utxos: readonly U[]
  readonly disputed: readonly OtherDispute<U>[]
}

/** Pages of UTXOs. */
type Pages<U> = AsyncIterable<{ readonly utxos: readonly U[] }>

/**
 * What is known of the P- or C-Chain, whose blocks are not read. As for the X-Chain, what a hash or signature cannot
 * prove is believed if as many servers say so as the quorum requires.
 */
export class OtherView<S extends OtherClient<S>> {
  readonly client: S
  readonly quorum: number
  private readonly panel: Panel<S>
  private readonly late = new LateWait()

  constructor(client: S, quorum: number, clock: Clock) {
    const servers = client.servers()
    this.client = client
    this.quorum = quorum
    this.panel = new Panel(servers, quorum, new ServerLog(servers.length, clock), clock)
  }

  /** Whether as many servers as the quorum report a transaction as accepted. */
  async isAccepted(txID: Uint8Array, call: CallOptions): Promise<boolean> {
    const { quorum } = this
    if (quorum === 1) return this.client.isAccepted(txID, call)
    const count = (given: readonly Answer<boolean>[]) => given.filter(({ value }) => value).length
    const result = await this.panel.ask<boolean>(
      {
        method: 'isAccepted',
        ask: (server, limits) => server.isAccepted(txID, limits),
        isEnough: (given, left) => count(given) >= quorum || count(given) + left < quorum,
        isEnoughLate: () => true,
        lateMs: this.late.ms,
      },
      call,
    )
    this.late.note(result)
    return count(result.answers) >= quorum
  }

  /** The answers of all servers in time; with a quorum of 1, that of any of them. */
  async askAll<T>(
    method: string,
    ask: (server: S, call: CallOptions) => Promise<T>,
    call: CallOptions,
  ): Promise<T[]> {
    return this.quorum === 1 ? [await ask(this.client, call)] : this.panel.askAll(method, ask, call)
  }

  /** The answers of all servers in time, also with a quorum of 1; maybe none. */
  askEvery<T>(
    method: string,
    ask: (server: S, call: CallOptions) => Promise<T>,
    call: CallOptions,
  ): Promise<Answers<T>> {
    return this.panel.askEvery(method, ask, call)
  }

  /** Why too few servers have answered; with a quorum of 1, why the first has not. */
  tooFew(method: string, answers: number, [cause]: readonly AvmError[]): AvmError {
    if (this.quorum === 1 && cause !== undefined) return cause
    return new QuorumError(method, answers, this.panel, cause)
  }

  /** What any server returns, for answers that a hash proves; undefined if none does. */
  async find<T>(
    method: string,
    ask: (server: S, call: CallOptions) => Promise<T | undefined>,
    call: CallOptions,
  ): Promise<T | undefined> {
    const isFound = ({ value }: Answer<T | undefined>) => value !== undefined
    const { answers } = await this.panel.ask(
      {
        method,
        first: 1,
        ask,
        isEnough: (given) => given.some(isFound),
        isEnoughLate: () => true,
      },
      call,
    )
    return answers.find(isFound)?.value
  }

  /**
   * The UTXOs that as many servers list as the quorum requires, with the same content.
   *
   * @param encode - the content of a UTXO
   * @throws QuorumError if too few servers answer
   */
  async utxos<U extends UTXOID>(
    pagesOf: (server: S, call: CallOptions) => Pages<U>,
    encode: (utxo: U) => Uint8Array,
    call: CallOptions,
  ): Promise<OtherUTXOs<U>> {
    const { quorum } = this
    if (quorum === 1) return { utxos: await collect(pagesOf(this.client, call)), disputed: [] }
    const { answers, errors } = await this.panel.ask<readonly U[]>(
      {
        method: 'getUTXOs',
        isLong: true,
        patienceMs: LIST_PATIENCE_MS,
        isEnoughLate: () => true,
        ask: (server, limits) => collect(pagesOf(server, limits)),
        isEnough: (given, left) =>
          left === 0 ||
          (given.length >= quorum && vote(given, quorum, encode).disputed.length === 0),
      },
      call,
    )
    if (answers.length < quorum)
      throw new QuorumError('getUTXOs', answers.length, this.panel, errors[0])
    const names = this.client.lastRequests().map(({ server }) => server)
    const { utxos, disputed } = vote(answers, quorum, encode)
    return {
      utxos,
      disputed: disputed.map(({ utxo, servers }) => ({
        utxo,
        listedBy: servers.map((server) => names[server]!),
        missingFrom: answers.flatMap(({ server }) =>
          servers.includes(server) ? [] : [names[server]!],
        ),
      })),
    }
  }
}

type Variant<U> = {
  readonly utxo: U
  readonly content: Uint8Array
  /** Servers that list it with this content. */
  readonly servers: number[]
}

/** A UTXO exists if `quorum` servers list it with the same content, and does not if as many do not. */
function vote<U extends UTXOID>(
  lists: readonly Answer<readonly U[]>[],
  quorum: number,
  encode: (utxo: U) => Uint8Array,
): { readonly utxos: readonly U[]; readonly disputed: readonly Variant<U>[] } {
  const variants = new Map<string, Variant<U>[]>()
  for (const { server, value } of lists)
    for (const utxo of value) {
      const content = encode(utxo)
      const known = variants.get(utxoKey(utxo)) ?? []
      const same = known.find((one) => equalBytes(one.content, content))
      if (same === undefined) known.push({ utxo, content, servers: [server] })
      else if (!same.servers.includes(server)) same.servers.push(server)
      variants.set(utxoKey(utxo), known)
    }
  const all = [...variants.values()].flat()
  return {
    utxos: all.filter(({ servers }) => servers.length >= quorum).map(({ utxo }) => utxo),
    disputed: all.filter(
      ({ servers }) => servers.length < quorum && lists.length - servers.length < quorum,
    ),
  }
}

async function collect<U>(pages: Pages<U>): Promise<U[]> {
  const found: U[] = []
  for await (const { utxos } of pages) found.push(...utxos)
  return found
}
