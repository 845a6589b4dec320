import { loadDefaultBackend } from '#backend'
import { formatHalfExplanation } from '../../atomic/explain.ts'
import type { HalfRequestExplanation } from '../../atomic/request.ts'
import type { HalfRequest } from '../../atomic/request-chain.ts'
import type { HalfRequests } from '../../atomic/requests.ts'
import type { OtherChain } from '../../atomic/view.ts'
import * as cChain from '../../c-chain/index.ts'
import { formatID, hex } from '../../encoding/index.ts'
import * as pChain from '../../p-chain/index.ts'
import type { AcceptCode } from '../../sign/index.ts'
import type { Result } from '../command.ts'
import type { Invocation } from '../invocation.ts'
import { deliverText, parseOptions, type RequestState } from '../request-files.ts'

/** Runs work with the functions of one of the two chains. */
export function withRequests<R>(chain: OtherChain, work: <Tx, U>(on: HalfRequests<Tx, U>) => R): R {
  return chain === 'P' ? work(pChain) : work(cChain)
}

/** Adds the signatures of the user's keys. */
export function sign(chain: OtherChain, text: string, invocation: Invocation): Promise<Result> {
  return withRequests(chain, async (on) => {
    const request = on.parseRequest(text, await parseOptions(text, invocation))
    const { paths } = request
    const { accounts } = on.explainRequest(request)
    const signers = on.requestStatus(request).flatMap((variant) => variant.signers)
    // An export names accounts, from which no path is found: each key that a path leads to may be the one.
    const addresses = accounts === undefined ? signers : paths.map(({ address }) => address)
    const { keys, ours } = await invocation.keysFor({ paths, utxos: [{ output: { addresses } }] })
    const view = {
      ours,
      accounts: keys.publicKeys.map(cChain.evmAddressBytes),
      now: invocation.now(),
    }
    const explanation = on.explainRequest(request, view)
    const shown = () => requestText(explanation, request)
    await invocation.confirmWarned(explanation.warnings, shown, 'Sign this?')
    const accept = invocation.values.list('accept') as readonly AcceptCode[]
    const backend = await loadDefaultBackend()
    return deliverRequest(
      on,
      on.signRequest(request, keys, { ...view, accept, backend }),
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
  return withRequests(chain, async (on) => {
    const copies = []
    for (const text of texts)
      copies.push(on.parseRequest(text, await parseOptions(text, invocation)))
    const [first, ...others] = copies
    return deliverRequest(on, on.mergeRequests(first!, ...others), invocation)
  })
}

/** Shows what a request does and which signatures are missing. */
export function status(chain: OtherChain, text: string, invocation: Invocation): Promise<Result> {
  return withRequests(chain, async (on) => {
    const request = on.parseRequest(text, await parseOptions(text, invocation))
    const explanation = on.explainRequest(request, { now: invocation.now() })
    return { json: requestStateOf(on, request), text: requestText(explanation, request) }
  })
}

/** The signed transaction of a complete request. */
export function finish(
  chain: OtherChain,
  text: string,
  invocation: Invocation,
): Promise<{ readonly bytes: Uint8Array; readonly txID: Uint8Array }> {
  return withRequests(chain, async (on) => {
    const options = await parseOptions(text, invocation)
    return on.finishRequest(on.parseRequest(text, options), options)
  })
}

/** Writes a request to the output file or to standard output. */
export function deliverRequest<Tx, U>(
  on: HalfRequests<Tx, U>,
  request: HalfRequest<Tx, U>,
  invocation: Invocation,
  explanation?: string,
): Promise<Result> {
  return deliverText(
    on.formatRequest(request),
    requestStateOf(on, request),
    invocation,
    explanation,
  )
}

/** How far a request is, in texts. */
export function requestStateOf<Tx, U>(
  on: HalfRequests<Tx, U>,
  request: HalfRequest<Tx, U>,
): RequestState {
  const { chain, type, signerSets } = on.explainRequest(request)
  const status = on.requestStatus(request)
  const state = {
    id: formatID(on.requestID(request)),
    networkID: request.context.networkID,
    chain,
    type,
    complete: status.some(({ missing }) => missing.length === 0),
    variants: status.map(({ hash }, i) => ({ hash: hex.encode(hash), ...signerSets[i]! })),
  }
  return state
}

/** An explanation for people, with who has to sign. */
export function requestText(
  explanation: HalfRequestExplanation,
  { context }: Pick<HalfRequest<unknown, unknown>, 'context'>,
): string {
  const { signerSets } = explanation
  return [
    formatHalfExplanation(explanation, context),
    ...signerSets.map(({ signers, missing }, i) => {
      const which = signerSets.length === 1 ? 'signers' : `signers ${i + 1}`
      const state = missing.length === 0 ? 'complete' : `missing ${missing.join(', ')}`
      return `${which} ${signers.join(', ')}: ${state}`
    }),
  ].join('\n')
}
