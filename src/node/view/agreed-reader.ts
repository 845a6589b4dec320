import type { AvmError } from '../../core/base/errors.ts'
import type {
  BlockReader,
  BlockReaderOptions,
  BlockReadOptions,
  FollowedBlock,
} from '../blocks/block-reader.ts'
import { countdown, stopwatch } from '../clock.ts'
import { BlockError, QuorumError } from '../errors.ts'
import type { CallOptions } from '../http.ts'
import type { NodeClient } from '../node.ts'
import {
  agreedBlocks,
  breaksChain,
  contradictionOf,
  isDisputed,
  mostVotes,
  type ShownBlocks,
} from './block-votes.ts'
import type { Answer } from './inquiry.ts'
import { LateWait, type Panel } from './panel.ts'

const BLOCK_METHOD = 'avm.getBlockByHeight'

/** After no server had a further block, fewer of them are asked for the next one for this time. */
const TIP_MS = 5_000

/** What was read from one server. */
type Source = {
  reader: BlockReader | undefined
  /** Blocks from the next one on that are not agreed yet. They follow the last agreed block. */
  blocks: readonly FollowedBlock[]
}

/** What a server shows. */
type Shown = {
  readonly blocks: readonly FollowedBlock[]
  /** Whether an earlier read has requested the blocks, so that the server may show others now. */
  readonly isKept: boolean
}

type ShownBy = Shown & ShownBlocks

/**
 * Reads blocks that as many servers show as the quorum requires. A server that shows another block than an agreed one,
 * or one that does not follow it, is set aside.
 *
 * Blocks of a server that is ahead of the others are kept until those show them, too. Blocks in dispute are not kept:
 * all servers are asked again, so that reading continues as soon as enough of them show the same block.
 */
export class AgreedReader implements BlockReader {
  next: bigint
  parentID: Uint8Array | undefined
  private readonly panel: Panel<NodeClient>
  private readonly sources: readonly Source[]
  private readonly late = new LateWait()
  /** Milliseconds for which not all servers need to be asked whether there is a further block. */
  private tipLeft = () => 0

  constructor(panel: Panel<NodeClient>, { from, parentID }: BlockReaderOptions) {
    this.panel = panel
    this.next = BigInt(from)
    this.parentID = parentID
    this.sources = panel.servers.map(() => ({ reader: undefined, blocks: [] }))
  }

  /**
   * Reads the next agreed blocks; none if too few servers have a further one.
   *
   * @throws BlockError if as many servers as the quorum show blocks that do not follow the last agreed one
   * @throws QuorumError if too few servers answer, or they show different blocks
   * @throws AbortError
   */
  async read(options: BlockReadOptions = {}): Promise<FollowedBlock[]> {
    const { panel, parentID } = this
    const { timeoutMs } = options
    const passedMs = stopwatch(panel.clock)
    const isTipKnown = this.tipLeft() > 0
    const { shown, errors } = await this.ask(options, isTipKnown)
    const agreed = agreedBlocks(shown, panel.quorum, parentID)
    this.judge(shown, agreed)
    if (agreed.length > 0) return this.advance(agreed)
    if (isDisputed(shown, parentID)) {
      // It is not known which server is wrong, and a server that was wrong may be right by now.
      for (const server of this.sources.keys()) this.forget(server)
      const leftMs = timeoutMs === undefined ? undefined : timeoutMs - passedMs()
      // At most once in a call: no blocks are kept now.
      if (hasKept(shown) && (leftMs ?? 1) > 0) return this.read({ ...options, timeoutMs: leftMs })
    }
    const broken = shown.filter((one) => breaksChain(one, parentID))
    const behind = behindIn(shown)
    if (broken.length >= panel.quorum && behind.length < panel.quorum)
      throw new BlockError(this.next, parentID!, broken[0]!.blocks[0]!.block.parentID)
    const mayFollow = shown.length - broken.length
    // Servers that are behind, or fail, may decide later.
    const mayDecide = behind.length + errors.length > 0
    if (mayFollow >= panel.quorum && mayDecide) {
      if (!isTipKnown) this.tipLeft = countdown(panel.clock, TIP_MS)
      return []
    }
    throw new QuorumError(BLOCK_METHOD, mostVotes(shown, parentID), panel, errors[0])
  }

  /** Asks servers for the next blocks until their answers decide. */
  private async ask(
    { signal, timeoutMs, limit }: BlockReadOptions,
    isTipKnown: boolean,
  ): Promise<{ readonly shown: readonly ShownBy[]; readonly errors: readonly AvmError[] }> {
    const { panel, parentID } = this
    const result = await panel.ask<Shown>(
      {
        method: BLOCK_METHOD,
        lateMs: this.late.ms,
        ask: (server, call, index) => this.readFrom(server, this.sources[index]!, call, limit),
        isEnough: (given, left) => {
          const shown = shownIn(given)
          const most = mostVotes(shown, parentID)
          if (isTipKnown && behindIn(shown).length >= panel.quorum) return true
          const mayFollow = shown.filter((one) => !breaksChain(one, parentID))
          const isOpen = most + left >= panel.quorum || mayFollow.length < panel.quorum
          return most >= panel.quorum || !isOpen
        },
        isEnoughLate: (given) => {
          const shown = shownIn(given)
          // A server that has no further block yet may decide later, unless too few are left beside those of another chain.
          const mayFollow = shown.filter((one) => !breaksChain(one, parentID))
          const mayWait = behindIn(shown).length > 0 && mayFollow.length >= panel.quorum
          // Disputed blocks that were kept are requested again.
          return mayWait || (hasKept(shown) && isDisputed(shown, parentID))
        },
      },
      { signal, timeoutMs, totalMs: timeoutMs },
    )
    const shown = shownIn(result.answers)
    // While there is no further block, nothing is learned about the servers that have one later.
    if (result.isLate || behindIn(shown).length < shown.length) this.late.note(result)
    return { shown, errors: result.errors }
  }

  /** Reads from one server, unless it has shown further blocks already. */
  private async readFrom(
    server: NodeClient,
    source: Source,
    call: CallOptions,
    limit: number | undefined,
  ): Promise<Shown> {
    if (source.blocks.length > 0) return { blocks: source.blocks, isKept: true }
    const { next } = this
    const reader = source.reader?.next === next ? source.reader : server.blockReader({ from: next })
    // A reader that fails is replaced: it requires blocks that follow the last one of its server.
    source.reader = undefined
    const { signal, timeoutMs } = call
    const blocks = await reader.read({ signal, timeoutMs, limit })
    // This reader may have advanced meanwhile without this server.
    if (this.next === next && !breaksChain({ blocks }, this.parentID)) {
      source.reader = reader
      source.blocks = blocks
    }
    return { blocks, isKept: false }
  }

  /** Sets servers aside that contradict agreed blocks, and prefers those that show them. */
  private judge(shown: readonly ShownBlocks[], agreed: readonly FollowedBlock[]): void {
    const { log } = this.panel
    for (const one of shown) {
      const { server, blocks } = one
      const height = breaksChain(one, this.parentID) ? this.next : contradictionOf(one, agreed)
      if (height !== undefined)
        log.setAside(server, `showed another block at height ${height} than other servers`)
      else if (agreed.length > 0)
        if (blocks.length > 0) log.confirm(server)
        else log.demote(server)
    }
  }

  private forget(server: number): void {
    const source = this.sources[server]!
    source.reader = undefined
    source.blocks = []
  }

  private advance(agreed: FollowedBlock[]): FollowedBlock[] {
    this.sources.forEach((source, server) => {
      if (contradictionOf(source, agreed) !== undefined) this.forget(server)
      source.blocks = source.blocks.slice(agreed.length)
    })
    this.next += BigInt(agreed.length)
    this.parentID = agreed.at(-1)!.blockID
    return agreed
  }
}

function shownIn(answers: readonly Answer<Shown>[]): readonly ShownBy[] {
  return answers.map(({ server, value }) => ({ server, ...value }))
}

function hasKept(shown: readonly Shown[]): boolean {
  return shown.some(({ isKept }) => isKept)
}

function behindIn(shown: readonly Shown[]): readonly Shown[] {
  return shown.filter(({ blocks }) => blocks.length === 0)
}
