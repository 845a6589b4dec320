import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { utxoID } from '../../core/chain/x/ids.ts'
import { lazyPage, type PageBytes, pageBytes, type UTXOPage } from '../../core/chain/x/utxo-page.ts'
import { ReplyError } from '../errors.ts'
import type { PageIndex, RawUTXOPage } from '../methods/utxo-reply.ts'
import type { SeenUTXOs } from './utxo-seen.ts'

const UTXOS_METHOD = 'avm.getUTXOs'

/** End of the UTXO ID in an encoded text: `0x`, version, transaction ID, index. */
const ID_END = 78

/** Number of consecutive pages without new UTXOs that are always allowed. */
const FREE_IDLE_PAGES = 16

/** Parameters for reading the pages of one group of addresses. */
export type Walk = {
  readonly ask: (startIndex: PageIndex | undefined) => Promise<RawUTXOPage>
  readonly seen: SeenUTXOs
  /** Number of UTXOs of a full page. */
  readonly limit: number
  readonly addressCount: number
  /** Called for every page before it is yielded. */
  readonly onPage: (entries: number, fresh: UTXOPage) => void
}

/**
 * Yields the UTXOs of one group of addresses page by page, each once. A full page may contain nothing new without
 * being the last (restart from the beginning, shared owners, inclusive start index). So reading ends with a short
 * page, or with an error if the server makes no progress.
 */
export async function* walkPages(walk: Walk): AsyncGenerator<UTXOPage, void, undefined> {
  const progress = new WalkProgress(walk)
  const retreat = walk.addressCount === 1 ? new Retreat() : undefined
  let start: PageIndex | undefined
  for (;;) {
    const page = await walk.ask(start)
    const bytes = walk.seen.fresh(readPageBytes(page))
    const fresh = lazyPage(bytes)
    walk.onPage(page.utxos.length, fresh)
    if (bytes.entries.length > 0) yield fresh
    if (page.utxos.length < walk.limit) return
    const next = retreat?.from(page) ?? page.endIndex
    progress.check(start, next, page, bytes.entries.length)
    start = next
  }
}

/** Decodes a page. Invalid hex or a wrong checksum means that it was damaged in transit: an error. */
function readPageBytes(page: RawUTXOPage): PageBytes {
  const bytes = pageBytes(page.utxos, page.encoding)
  const [damaged] = bytes.faults ?? []
  if (damaged === undefined) return bytes
  const [index, cause] = damaged
  const message = `is invalid: ${cause.message}`
  throw new ReplyError('REPLY_BAD_UTXO', UTXOS_METHOD, `result.utxos[${index}]`, message, { cause })
}

/** Detects a server that makes no progress: repeated start indices, or many pages of known UTXOs. */
class WalkProgress {
  private readonly walk: Walk
  /** Pairs of page and next start index since the last new UTXO. */
  private readonly steps = new Set<string>()
  /** Number of consecutive repeated pairs. While UTXOs are being spent, pages differ and pairs do not repeat. */
  private repeated = 0
  private entries = 0
  private idlePages = 0

  constructor(walk: Walk) {
    this.walk = walk
  }

  check(start: PageIndex | undefined, next: PageIndex, page: RawUTXOPage, fresh: number): void {
    const { limit, addressCount } = this.walk
    this.entries += page.utxos.length
    if (fresh > 0) {
      this.steps.clear()
      this.idlePages = 0
    } else this.idlePages++
    const step = [next.address, next.utxo, page.utxos[0], page.utxos.at(-1)].join(' ')
    this.repeated = this.steps.has(step) ? this.repeated + 1 : 0
    this.steps.add(step)
    const isStuck = start?.address === next.address && start.utxo === next.utxo
    // In the worst case, each address lists all known UTXOs once more.
    const knownPages = Math.ceil((this.entries - this.idlePages * limit) / (limit - 1))
    // If the start UTXO is spent repeatedly, pairs repeat too, but not for long, because the list becomes shorter.
    const isCircling = this.repeated > this.steps.size + FREE_IDLE_PAGES
    if (isStuck || isCircling || this.idlePages > FREE_IDLE_PAGES + addressCount * knownPages)
      throw new ReplyError(
        'REPLY_NO_PROGRESS',
        UTXOS_METHOD,
        'result.endIndex',
        `makes no progress: ${this.idlePages} consecutive pages without new UTXOs`,
      )
  }
}

/**
 * If a page of a single address contains its first UTXO again, the start UTXO has been spent and the server started
 * from the beginning. Any earlier UTXO that still exists can be the start, so instead of reading everything again,
 * this steps back, twice as far each time.
 */
class Retreat {
  /** The first UTXO of the address. */
  private head: string | undefined
  /** The last page before the restart. */
  private last: RawUTXOPage | undefined
  private distance = 1

  from(page: RawUTXOPage): PageIndex | undefined {
    this.head ??= page.utxos[0]
    const { last } = this
    if (last === undefined || !page.utxos.includes(this.head!)) {
      this.last = page
      this.distance = 1
      return undefined
    }
    let at = last.utxos.length - 1 - this.distance
    this.distance *= 2
    // Entries that are too short for an ID cannot be a start.
    while (at >= 0 && last.utxos[at]!.length < ID_END) at--
    if (at >= 0) return { address: last.endIndex.address, utxo: entryID(last.utxos[at]!) }
    this.last = undefined
    return undefined
  }
}

/** Returns the ID of an entry, whatever its output type is. */
function entryID(text: string): string {
  const name = hex.decode(text.slice(6, ID_END))
  const outputIndex = new DataView(name.buffer).getUint32(32)
  return formatID(utxoID(name.subarray(0, 32), outputIndex))
}
