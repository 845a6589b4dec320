import type {
  BlockReader,
  BlockReaderOptions,
  BlockReadOptions,
  FollowedBlock,
} from '../blocks/block-reader.ts'
import { countdown } from '../clock.ts'
import { BlockError, QuorumError } from '../errors.ts'
import type { CallOptions } from '../http.ts'
import type { NodeClient } from '../node.ts'
import {
  agreedBlocks,
  breaksChain,
  contradictionOf,
  mostVotes,
  type ShownBlocks,
} from './block-votes.ts'
import { LateWait, type Panel } from './panel.ts'

const BLOCK_METHOD = 'avm.getBlockByHeight'

/** After no server had a further block, fewer of them are asked for the next one for this time. */
const TIP_MS = 5_000

/** What was read from one server. */
type Source = {
  reader: BlockReader | undefined
  /** Blocks from the next one on that are not agreed yet. */
  blocks: readonly FollowedBlock[]
}

/**
 * Reads blocks that as many servers show as the quorum requires. A server that shows another block than an agreed one,
 * or one that does not follow it, is set aside.
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
  async read({ signal, timeoutMs, limit }: BlockReadOptions = {}): Promise<FollowedBlock[]> {
    const { panel, parentID } = this
    const shownIn = (answers: readonly { server: number; value: readonly FollowedBlock[] }[]) =>
      answers.map(({ server, value: blocks }) => ({ server, blocks }))
    const isTipKnown = this.tipLeft() > 0
    const result = await panel.ask<readonly FollowedBlock[]>(
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
        // A server that has no further block yet may decide later.
        isEnoughLate: (given) => behindIn(shownIn(given)).length > 0,
      },
      { signal, timeoutMs, totalMs: timeoutMs },
    )
    this.late.note(result)
    const { answers, errors } = result
    const shown = shownIn(answers)
    const agreed = agreedBlocks(shown, panel.quorum, parentID)
    this.judge(shown, agreed)
    if (agreed.length > 0) return this.advance(agreed)
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

  /** Reads from one server, unless it has shown further blocks already. */
  private async readFrom(
    server: NodeClient,
    source: Source,
    call: CallOptions,
    limit: number | undefined,
  ): Promise<readonly FollowedBlock[]> {
    if (source.blocks.length > 0) return source.blocks
    const { next } = this
    const reader = source.reader?.next === next ? source.reader : server.blockReader({ from: next })
    // A reader knows the last block of its server, which may be of another chain: it is used until it fails.
    source.reader = undefined
    const { signal, timeoutMs } = call
    const blocks = await reader.read({ signal, timeoutMs, limit })
    source.reader = reader
    // The reader may have advanced meanwhile without this server.
    if (this.next === next) source.blocks = blocks
    return blocks
  }

  /** Sets servers aside that contradict agreed blocks, and prefers those that show them. */
  private judge(shown: readonly ShownBlocks[], agreed: readonly FollowedBlock[]): void {
    const { log } = this.panel
    for (const one of shown) {
      const { server, blocks } = one
      const height = breaksChain(one, this.parentID) ? this.next : contradictionOf(one, agreed)
      if (height !== undefined) {
        log.setAside(server, `showed another block at height ${height} than other servers`)
        this.forget(server)
      } else if (agreed.length > 0)
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
    for (const source of this.sources) source.blocks = source.blocks.slice(agreed.length)
    this.next += BigInt(agreed.length)
    this.parentID = agreed.at(-1)!.blockID
    return agreed
  }
}

function behindIn(shown: readonly ShownBlocks[]): readonly ShownBlocks[] {
  return shown.filter(({ blocks }) => blocks.length === 0)
}
