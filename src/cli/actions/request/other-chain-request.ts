import { loadDefaultBackend } from '#backend'
import * as cChain from '../../../core/c-chain.ts'
import type { OtherChain } from '../../../core/chain/view.ts'
import * as pChain from '../../../core/p-chain.ts'
import type { ExplainAtomicRequestOptions } from '../../../core/sign/atomic/explain.ts'
import { formatAtomicRequestExplanation } from '../../../core/sign/atomic/explain-text.ts'
import type { AtomicRequest } from '../../../core/sign/atomic/request-chain.ts'
import type { AtomicRequests } from '../../../core/sign/atomic/requests.ts'
import type { AcceptCode } from '../../../core/sign/sign.ts'
import {
  readerWith,
  requestOwnersOf,
  requestStateOf,
} from '../../../inspect/other-chain-requests.ts'
import type { RequestJSON } from '../../../inspect/request-json.ts'
import type { Result } from '../../command.ts'
import type { Invocation } from '../../invocation.ts'
import { keysForRequest } from '../../keys/own-keys.ts'
import { outputRequestText, parseOptions } from '../../spending/request-files.ts'
import { confirmWarned } from '../../terminal/confirm.ts'
import { details } from '../../terminal/print.ts'

/** Calls `work` with the request functions of the P- or C-Chain. */
export function withRequests<R>(
  chain: OtherChain,
  work: <Tx, U>(api: AtomicRequests<Tx, U>) => R,
): R {
  return chain === 'P' ? work(pChain) : work(cChain)
}

/** Adds the signatures of the user's keys. */
export function sign(chain: OtherChain, text: string, invocation: Invocation): Promise<Result> {
  return withRequests(chain, async (api) => {
    const request = api.parseRequest(text, await parseOptions(text, invocation))
    const found = await keysForRequest(invocation, requestOwnersOf(api, request))
    const view = { ...readerWith(found), now: invocation.now() }
    const explanation = api.explainRequest(request, view)
    const shown = () => formatAtomicRequestExplanation(explanation, request.context)
    await confirmWarned(invocation, explanation.warnings, shown, 'Sign this?')
    const accept = invocation.values.list('accept') as readonly AcceptCode[]
    const backend = await loadDefaultBackend()
    return outputAtomicRequest(
      api,
      api.signRequest(request, found.keys, { ...view, accept, backend }),
      invocation,
    )
  })
}

/** Merges the signatures of several copies. */
export function merge(
  chain: OtherChain,
  texts: readonly string[],
  invocation: Invocation,
): Promise<Result> {
  return withRequests(chain, async (api) => {
    const copies = []
    for (const text of texts)
      copies.push(api.parseRequest(text, await parseOptions(text, invocation)))
    const [first, ...others] = copies
    return outputAtomicRequest(api, api.mergeRequests(first!, ...others), invocation)
  })
}

/** Shows what a request does and which signatures are missing. */
export function status(chain: OtherChain, text: string, invocation: Invocation): Promise<Result> {
  return withRequests(chain, async (api) => {
    const request = api.parseRequest(text, await parseOptions(text, invocation))
    const explanation = api.explainRequest(request, { now: invocation.now() })
    return {
      json: requestStateOf(api, request),
      text: formatAtomicRequestExplanation(explanation, request.context),
    }
  })
}

/** Shows a request that was passed to `avmkit decode`. */
export async function showAtomicRequest(
  chain: OtherChain,
  text: string,
  invocation: Invocation,
): Promise<Result> {
  const { json, text: words } = await status(chain, text, invocation)
  const { id } = json as RequestJSON
  const head = details(
    [
      ['kind', `signing request of the ${chain}-Chain`],
      ['id', id],
    ],
    invocation.paint,
  )
  return { json: { kind: 'request', ...(json as RequestJSON) }, text: `${head}\n\n${words}` }
}

/** Explains a request that was passed to `avmkit explain`. */
export function explain(
  chain: OtherChain,
  text: string,
  reader: ExplainAtomicRequestOptions,
  invocation: Invocation,
): Promise<Result> {
  return withRequests(chain, async (api) => {
    const request = api.parseRequest(text, await parseOptions(text, invocation))
    const explanation = api.explainRequest(request, reader)
    const words = formatAtomicRequestExplanation(explanation, request.context)
    const { digest, warnings } = explanation
    return {
      json: { ...requestStateOf(api, request), digest, warnings, explanation: words },
      text: words,
    }
  })
}

/** The signed transaction of a complete request. */
export function finish(
  chain: OtherChain,
  text: string,
  invocation: Invocation,
): Promise<{ readonly bytes: Uint8Array; readonly txID: Uint8Array }> {
  return withRequests(chain, async (api) => {
    const options = await parseOptions(text, invocation)
    return api.finishRequest(api.parseRequest(text, options), options)
  })
}

/** Writes a request to the output file or to standard output. */
export function outputAtomicRequest<Tx, U>(
  api: AtomicRequests<Tx, U>,
  request: AtomicRequest<Tx, U>,
  invocation: Invocation,
  explanation?: string,
): Promise<Result> {
  return outputRequestText(
    api.formatRequest(request),
    requestStateOf(api, request),
    invocation,
    explanation,
  )
}
