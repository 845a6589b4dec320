import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import type { Fetch } from '../../src/node/index.ts'
import { recorded, resultIn } from './recorded.ts'

/** A signed transaction that a node accepted, as bytes and as `getTx` answers it. */
export const exported: string = resultIn<{ tx: string }>(recorded('getTx hex: the same export')).tx
export const bytes: Uint8Array = checkedHex.decode(exported)
export const txID: Uint8Array = await crypto.subtle
  .digest('SHA-256', Uint8Array.from(bytes))
  .then((hash) => new Uint8Array(hash))

/** What a scripted node does with a request: answers with an error's words, with success, or not at all. */
export type Step = 'ok' | 'lost' | 'wrong ID' | { readonly refuse: string } | 'bad gateway'

/** A node whose answers to `issueTx` are scripted, and to `getTx` follow from when it has the transaction. */
export type ScriptNode = {
  readonly fetch: Fetch
  /** The called methods in order, each with its host. */
  readonly calls: string[]
  /** Makes `getTx` find the transaction from now on. */
  accept: () => void
}

/**
 * @param steps - for `issueTx`, in order; the last one stays.
 * @param seen - runs ahead of every answer, with the number of calls so far.
 * @param getTx - for `getTx` before the acceptance, in order; `ok` stands for an honest "not found".
 */
export function scriptNode(
  steps: readonly Step[],
  seen: (node: ScriptNode, count: number) => void = () => {},
  getTx: readonly Step[] = ['ok'],
): ScriptNode {
  const left = { issue: [...steps], get: [...getTx] }
  const next = (kind: 'issue' | 'get') =>
    left[kind].length > 1 ? left[kind].shift()! : left[kind][0]!
  let accepted = false
  const node: ScriptNode = {
    calls: [],
    accept: () => {
      accepted = true
    },
    fetch: async (url, init) => {
      const { method, id } = JSON.parse(String(init.body)) as { method: string; id: number }
      node.calls.push(`${method} ${new URL(url).hostname}`)
      seen(node, node.calls.length)
      const answer = (body: object) => new Response(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
      const isIssue = method.endsWith('issueTx')
      if (!isIssue && accepted) return answer({ result: { tx: exported, encoding: 'hex' } })
      const step = next(isIssue ? 'issue' : 'get')
      if (step === 'lost') throw new TypeError('fetch failed')
      if (step === 'bad gateway') return new Response('<html>', { status: 502 })
      if (step === 'wrong ID') return answer({ result: { txID: formatID(new Uint8Array(32)) } })
      if (step !== 'ok')
        return answer({ error: { code: -32000, message: step.refuse, data: null } })
      if (isIssue) return answer({ result: { txID: formatID(txID) } })
      return answer({ error: { code: -32000, message: 'not found', data: null } })
    },
  }
  return node
}
