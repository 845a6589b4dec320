import { formatID } from '../../../core/base/encoding/ids.ts'
import { AvmError } from '../../../core/base/errors.ts'
import { ignoreAvmError } from '../../../node/errors.ts'
import { AbortError, type CallOptions, type NodeClient } from '../../../node/index.ts'
import {
  type ComparedServer,
  type Comparison,
  compareServers,
  heightsToCompare,
  type ServerAnswer,
} from '../../chains/compare-servers.ts'
import type { Result } from '../../command.ts'
import type { Invocation } from '../../invocation.ts'
import type { Paint } from '../../terminal/paint.ts'
import { counted, table } from '../../terminal/print.ts'

/** Time limit for each question to a server, unless `--timeout` is given. */
const ANSWER_MS = 10_000

/** Compares the heights and last blocks of all servers. */
export async function servers(invocation: Invocation): Promise<Result> {
  const client = await invocation.client()
  const quorum = await invocation.quorum()
  const names = client.lastRequests().map(({ server }) => server)
  const call = {
    ...invocation.callOptions(),
    totalMs: invocation.transport().timeoutMs ?? ANSWER_MS,
  }
  const compared = await invocation.during('asking servers', async () => {
    const all = client.servers()
    const tips = await Promise.all(all.map((server, i) => readTip(server, names[i]!, call)))
    const heights = heightsToCompare(tips, quorum)
    const answers = await Promise.all(tips.map((tip, i) => withBlocks(tip, all[i]!, heights, call)))
    return compareServers(answers, quorum)
  })
  return {
    json: compared,
    text: comparisonText(compared, invocation.paint),
    failed: compared.agreeing < quorum,
  }
}

/** The height of a server, and its last block. */
async function readTip(
  client: NodeClient,
  server: string,
  call: CallOptions,
): Promise<ServerAnswer> {
  const none = { server, height: undefined, blocks: new Map<bigint, string>() }
  try {
    const height = await client.avm.getHeight({}, call)
    return withBlocks({ ...none, height }, client, [height], call)
  } catch (error) {
    if (error instanceof AbortError || !(error instanceof AvmError)) throw error
    return { ...none, error: error.message }
  }
}

/** An answer with the blocks at some heights, as far as the server has them. */
async function withBlocks(
  answer: ServerAnswer,
  client: NodeClient,
  heights: readonly bigint[],
  call: CallOptions,
): Promise<ServerAnswer> {
  const { height: tip } = answer
  if (tip === undefined) return answer
  const wanted = heights.filter((height) => height <= tip && !answer.blocks.has(height))
  const found = await Promise.all(wanted.map((height) => readBlockID(client, height, call)))
  const blocks = new Map(answer.blocks)
  for (const [i, id] of found.entries()) if (id !== undefined) blocks.set(wanted[i]!, id)
  return { ...answer, blocks }
}

async function readBlockID(
  client: NodeClient,
  height: bigint,
  { signal, totalMs }: CallOptions,
): Promise<string | undefined> {
  const reader = client.blockReader({ from: height })
  const found = await reader.read({ signal, timeoutMs: totalMs, limit: 1 }).catch((error) => {
    if (error instanceof AbortError) throw error
    return ignoreAvmError(error)
  })
  const [first] = found ?? []
  return first && formatID(first.blockID)
}

function comparisonText({ servers, agreeing, quorum, height }: Comparison, paint: Paint): string {
  const columns = [
    { title: 'server' },
    { title: 'height', right: true },
    { title: 'last block' },
    { title: 'not used because' },
  ] as const
  const rows = servers.map((one) => [
    one.server,
    String(one.height ?? ''),
    blockText(one),
    one.state === 'unreachable' ? `unreachable: ${one.reason ?? ''}` : (one.reason ?? ''),
  ])
  const place = height === undefined ? '' : ` at height ${height}`
  const verdict = `${agreeing} of ${counted(servers.length, 'server')} agree${place}, ${quorum} required`
  const paintVerdict = agreeing < quorum ? paint.red : paint.green
  return `${table(columns, rows, paint)}\n\n${paintVerdict(verdict)}`
}

function blockText({ agreed }: ComparedServer): string {
  if (agreed === undefined) return 'unknown'
  return agreed ? 'agreed' : 'not agreed'
}
