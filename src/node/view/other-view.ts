import { equalBytes } from '../../core/base/bytes/compare.ts'
import type { AvmError } from '../../core/base/errors.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import type { Clock } from '../clock.ts'
import { QuorumError } from '../errors.ts'
import type { CallOptions, ServerRequest } from '../http.ts'
import type { Answer, Answers } from './inquiry.ts'
import { LIST_PATIENCE_MS, lateLists, Panel } from './panel.ts'
import { ServerLog } from './server-log.ts'
import { type Disputed, forEachCount } from './votes.ts'

/** A client of the P- or C-Chain, or of one server of it. */
type OtherClient<S> = {
  readonly servers: () => readonly S[]
  readonly lastRequests: () => readonly ServerRequest[]
  readonly isAccepted: (txID: Uint8Array, call?: CallOptions) => Promise<boolean>
}

/** UTXOs that servers agree on, and those about which they do not. */
export type OtherUTXOs<U> = {
  readonly utxos: readonly U[]
  readonly disputed: readonly Disputed<U>[]
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
  private readonly late = lateLists()

  constructor(client: S, quorum: number, clock: Clock) {
    const servers = client.servers()
    this.client = client
    this.quorum = quorum
    this.panel = new Panel(servers, quorum, new ServerLog(servers.length, clock), clock)
  }

  /** Whether as many servers as the quorum report a transaction as accepted. */
  isAccepted(txID: Uint8Array, call: CallOptions): Promise<boolean> {
    if (this.quorum === 1) return this.client.isAccepted(txID, call)
    const ask = (server: S, limits: CallOptions) => server.isAccepted(txID, limits)
    return this.panel.isConfirmed('isAccepted', ask, call)
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
  find<T>(
    method: string,
    ask: (server: S, call: CallOptions) => Promise<T | undefined>,
    call: CallOptions,
  ): Promise<T | undefined> {
    return this.panel.find(method, ask, call)
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
    const names = this.client.lastRequests().map(({ server }) => server)
    const vote = forEachCount((given: readonly Answer<readonly U[]>[]) => {
      const lists = given.map(({ server, value }) => ({ server: names[server]!, utxos: value }))
      return votedUTXOs(lists, quorum, encode)
    })
    const { answers, errors, isLate, longestMs } = await this.panel.ask<readonly U[]>(
      {
        method: 'getUTXOs',
        lateMs: this.late.ms,
        isLong: true,
        patienceMs: LIST_PATIENCE_MS,
        isEnoughLate: () => true,
        ask: (server, limits) => collect(pagesOf(server, limits)),
        isEnough: (given, left) =>
          left === 0 || (given.length >= quorum && vote(given).disputed.length === 0),
      },
      call,
    )
    if (answers.length < quorum)
      throw new QuorumError('getUTXOs', answers.length, this.panel, errors[0])
    const voted = vote(answers)
    this.late.note({ isLate: isLate && voted.disputed.length > 0, longestMs })
    return voted
  }
}

/** The UTXOs that one server lists. */
type Listed<U> = { readonly server: string; readonly utxos: readonly U[] }

/** A UTXO with one of its contents, and the servers that list it so. */
type Variant<U> = {
  readonly utxo: U
  readonly content: Uint8Array
  /** Servers of one host have equal names. */
  readonly listedBy: Set<Listed<U>>
}

/** A UTXO exists if `quorum` servers list it with the same content, and does not if as many do not. */
function votedUTXOs<U extends UTXOID>(
  lists: readonly Listed<U>[],
  quorum: number,
  encode: (utxo: U) => Uint8Array,
): OtherUTXOs<U> {
  const variants = new Map<string, Variant<U>[]>()
  for (const list of lists)
    for (const utxo of list.utxos) {
      const content = encode(utxo)
      const known = variants.get(utxoKey(utxo)) ?? []
      const same = known.find((one) => equalBytes(one.content, content))
      if (same === undefined) known.push({ utxo, content, listedBy: new Set([list]) })
      else same.listedBy.add(list)
      variants.set(utxoKey(utxo), known)
    }
  const all = [...variants.values()].flat()
  const namesOf = (some: Iterable<Listed<U>>) => [...some].map(({ server }) => server)
  return {
    utxos: all.filter(({ listedBy }) => listedBy.size >= quorum).map(({ utxo }) => utxo),
    disputed: all
      .filter(({ listedBy }) => listedBy.size < quorum && lists.length - listedBy.size < quorum)
      .map(({ utxo, listedBy }) => ({
        utxo,
        listedBy: namesOf(listedBy),
        missingFrom: namesOf(lists.filter((list) => !listedBy.has(list))),
      })),
  }
}

async function collect<U>(pages: Pages<U>): Promise<U[]> {
  const found: U[] = []
  for await (const { utxos } of pages) found.push(...utxos)
  return found
}
