import { reachedBy } from '../../node/view/votes.ts'

/** What one server answered. */
export type ServerAnswer = {
  /** Host and port. */
  readonly server: string
  /** Undefined if it gave no height. */
  readonly height: bigint | undefined
  /** IDs of the blocks that it returned, by height. */
  readonly blocks: ReadonlyMap<bigint, string>
  /** Why it gave no height. */
  readonly error?: string | undefined
}

/** Whether a server counts for the quorum, or why not. */
export type ServerState =
  | 'used'
  | 'unreachable'
  | 'noBlock'
  | 'behind'
  | 'otherBlock'
  | 'unconfirmed'

/** A server compared with the others. */
export type ComparedServer = {
  readonly server: string
  readonly height: bigint | undefined
  /** ID of its last block; undefined if it did not return it. */
  readonly blockID: string | undefined
  /** Whether the servers that agree have its last block, or the block at their height; undefined if it is not known. */
  readonly agreed: boolean | undefined
  readonly state: ServerState
  /** Why it is not used. */
  readonly reason: string | undefined
}

/** Servers compared with each other. */
export type Comparison = {
  readonly quorum: number
  /** Number of servers that agree. */
  readonly agreeing: number
  /** The largest height that as many servers as the quorum have reached; undefined if too few have blocks. */
  readonly height: bigint | undefined
  /** ID of the block at this height that servers agree on; undefined if they do not. */
  readonly blockID: string | undefined
  readonly servers: readonly ComparedServer[]
}

/** The heights at which servers are compared: the common one, and those of servers that have not reached it. */
export function heightsToCompare(answers: readonly ServerAnswer[], quorum: number): bigint[] {
  const common = commonHeight(answers, quorum)
  if (common === undefined) return []
  const lower = tipsOf(answers).filter((height) => height < common)
  return [common, ...new Set(lower)]
}

/** Decides which servers can be used: those that show the block at the common height on which most agree. */
export function compareServers(answers: readonly ServerAnswer[], quorum: number): Comparison {
  const height = commonHeight(answers, quorum)
  const blockID = height === undefined ? undefined : winnerAt(height, answers, quorum)
  const used =
    height === undefined || blockID === undefined
      ? []
      : answers.filter((one) => hasTip(one) && one.blocks.get(height) === blockID)
  return {
    quorum,
    agreeing: used.length,
    height,
    blockID,
    servers: answers.map((one) => compare(one, answers, used, height)),
  }
}

function compare(
  one: ServerAnswer,
  all: readonly ServerAnswer[],
  used: readonly ServerAnswer[],
  common: bigint | undefined,
): ComparedServer {
  const { server, height, blocks, error } = one
  const result = (state: ServerState, agreed?: boolean, reason?: string): ComparedServer => ({
    server,
    height,
    blockID: height === undefined ? undefined : blocks.get(height),
    agreed,
    state,
    reason,
  })
  if (height === undefined) return result('unreachable', undefined, error)
  const at = common !== undefined && height > common ? common : height
  const shown = blocks.get(at)
  if (shown === undefined || !blocks.has(height))
    return result(
      'noBlock',
      undefined,
      `returns no block at height ${blocks.has(height) ? at : height}`,
    )
  if (used.includes(one)) return result('used', true)
  const rivals = used.length > 0 ? used : all
  const others = rivals.flatMap((other) => (other === one ? [] : (other.blocks.get(at) ?? [])))
  if (others.some((other) => other !== shown))
    return result('otherBlock', false, `shows another block at height ${at} than other servers`)
  if (common === undefined || height >= common)
    return result('unconfirmed', undefined, `too few servers confirm its block at height ${at}`)
  const lag = common - height
  const agreed = others.length === 0 ? undefined : true
  return result('behind', agreed, `${lag} ${lag === 1n ? 'block' : 'blocks'} behind`)
}

/** Whether a server returned its last block: a height without a block proves nothing. */
function hasTip({ height, blocks }: ServerAnswer): boolean {
  return height !== undefined && blocks.has(height)
}

function tipsOf(answers: readonly ServerAnswer[]): bigint[] {
  return answers.filter(hasTip).map(({ height }) => height!)
}

function commonHeight(answers: readonly ServerAnswer[], quorum: number): bigint | undefined {
  const tips = tipsOf(answers)
  return tips.length < quorum ? undefined : reachedBy(tips, quorum)
}

/** The block that most servers show, if they are as many as the quorum and no other block has as many votes. */
function winnerAt(
  height: bigint,
  answers: readonly ServerAnswer[],
  quorum: number,
): string | undefined {
  const votes = new Map<string, number>()
  for (const { blocks } of answers.filter(hasTip)) {
    const shown = blocks.get(height)
    if (shown !== undefined) votes.set(shown, (votes.get(shown) ?? 0) + 1)
  }
  const most = Math.max(0, ...votes.values())
  const winners = [...votes].filter(([, count]) => count === most)
  return most >= quorum && winners.length === 1 ? winners[0]![0] : undefined
}
