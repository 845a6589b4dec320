import { utxoID } from '../chain/ids.ts'
import { lazyPage, type PageBytes, pageBytes, type UTXOPage } from '../chain/utxo-page.ts'
import { hex } from '../encoding/hex.ts'
import { formatID } from '../encoding/ids.ts'
import { ReplyError } from './errors.ts'
import type { PageIndex, RawUTXOPage } from './utxo-reply.ts'
import type { SeenUTXOs } from './utxo-seen.ts'

const METHOD = 'avm.getUTXOs'

/** Where the name of a UTXO ends in its text: `0x`, version, transaction ID, index. */
const ID_END = 78

/** Pages with nothing new that are let pass before counting begins. */
const FREE_IDLE_PAGES = 16

/** What a walk over the pages of one group of addresses needs. */
export type Walk = {
  readonly ask: (startIndex: PageIndex | undefined) => Promise<RawUTXOPage>
  readonly seen: SeenUTXOs
  /** How many a full page has. */
  readonly limit: number
  readonly addressCount: number
  /** Told of every page, before it is handed out. */
  readonly onPage: (entries: number, fresh: UTXOPage) => void
}

/**
 * Hands out the UTXOs of one group of addresses, page by page and each once. A full page may bring nothing
 * new without being the end (a restart at the head, shared owners, an inclusive start), so the walk ends
 * with a short page, or with an error when the server does not move.
 */
export async function* walkPages(walk: Walk): AsyncGenerator<UTXOPage, void, undefined> {
  const progress = new Progress(walk)
  const retreat = walk.addressCount === 1 ? new Retreat() : undefined
  let start: PageIndex | undefined
  for (;;) {
    const page = await walk.ask(start)
    const bytes = walk.seen.fresh(readPage(page))
    const fresh = lazyPage(bytes)
    walk.onPage(page.utxos.length, fresh)
    if (bytes.entries.length > 0) yield fresh
    if (page.utxos.length < walk.limit) return
    const next = retreat?.from(page) ?? page.endIndex
    progress.check(start, next, page, bytes.entries.length)
    start = next
  }
}

/** Reads a page. Texts that are no hex, or fail their checksum, were damaged on the way: an error. */
function readPage(page: RawUTXOPage): PageBytes {
  const bytes = pageBytes(page.utxos, page.encoding)
  const [damaged] = bytes.faults ?? []
  if (damaged === undefined) return bytes
  const [index, cause] = damaged
  const message = `cannot be read: ${cause.message}`
  throw new ReplyError('REPLY_BAD_UTXO', METHOD, `result.utxos[${index}]`, message, { cause })
}

/** Notices a server that does not move: the same start again and again, or page after page of known UTXOs. */
class Progress {
  private readonly walk: Walk
  /** Which pages led to which starts since something new came. */
  private readonly steps = new Set<string>()
  /** Steps in a row that were made before; while coins are spent, pages differ and so do steps. */
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
    const stuck = start?.address === next.address && start.utxo === next.utxo
    // Each address may list everything that was found once more, at worst.
    const known = Math.ceil((this.entries - this.idlePages * limit) / (limit - 1))
    // A start that is spent again and again repeats steps, too, but not for long: the list gets shorter.
    const circles = this.repeated > this.steps.size + FREE_IDLE_PAGES
    if (stuck || circles || this.idlePages > FREE_IDLE_PAGES + addressCount * known)
      throw new ReplyError(
        'REPLY_NO_PROGRESS',
        METHOD,
        'result.endIndex',
        `should lead to further UTXOs, leads to known ones (${this.idlePages} pages in a row)`,
      )
  }
}

/**
 * In a walk of one address, a page that holds the walk's first UTXO again shows that the start was spent
 * meanwhile and the server began anew. Any UTXO before it that still exists serves as a start, so instead of
 * walking the list again the walk steps back, twice as far each time.
 */
class Retreat {
  private head: string | undefined
  /** The last page before a restart. */
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
    // What is too short to hold an ID is no place to start from.
    while (at >= 0 && last.utxos[at]!.length < ID_END) at--
    if (at >= 0) return { address: last.endIndex.address, utxo: entryID(last.utxos[at]!) }
    this.last = undefined
    return undefined
  }
}

/** The ID of an entry, readable whatever its output is. */
function entryID(text: string): string {
  const name = hex.decode(text.slice(6, ID_END))
  const outputIndex = new DataView(name.buffer).getUint32(32)
  return formatID(utxoID(name.subarray(0, 32), outputIndex))
}
