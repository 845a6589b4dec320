import { loadDefaultBackend } from '#backend'
import { checkedHex } from '../../../core/base/encoding/checked-hex.ts'
import { formatID } from '../../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../../core/chain/networks.ts'
import { explainRequest } from '../../../core/sign/request/explain-request.ts'
import { finishRequest, type SigningRequest } from '../../../core/sign/request/request.ts'
import { formatRequest, parseRequest } from '../../../core/sign/request/request-file.ts'
import { mergeRequests } from '../../../core/sign/request/request-merge.ts'
import { signRequest } from '../../../core/sign/request/request-sign.ts'
import type { AcceptCode } from '../../../core/sign/sign.ts'
import { requestJSON } from '../../../inspect/request-json.ts'
import type { Result } from '../../command.ts'
import { writeText } from '../../files/write-file.ts'
import type { Invocation } from '../../invocation.ts'
import { keysForRequest } from '../../keys/own-keys.ts'
import {
  otherChainIn,
  outputRequestText,
  parseOptions,
  readFiles,
} from '../../spending/request-files.ts'
import { confirm, requireConfirmable } from '../../terminal/confirm.ts'
import { explanationText } from '../../terminal/explanation-text.ts'
import type { Paint } from '../../terminal/paint.ts'
import { details } from '../../terminal/print.ts'

export async function sign(invocation: Invocation): Promise<Result> {
  requireConfirmable(invocation)
  const { values } = invocation
  const [text] = await readFiles(invocation)
  const chain = otherChainIn(text)
  if (chain !== undefined) return (await otherChainRequests()).sign(chain, text, invocation)
  const request = await parseRequestWithNetwork(text, invocation)
  const { keys, ours } = await keysForRequest(invocation, request)
  const now = invocation.now()
  const explanation = explainRequest(request, { ours, now })
  const accept = values.list('accept') as readonly AcceptCode[]
  await confirm(invocation, explanation, 'Sign this?')
  const backend = await loadDefaultBackend()
  return outputRequest(signRequest(request, keys, { accept, ours, now, backend }), invocation)
}

export async function merge(invocation: Invocation): Promise<Result> {
  const texts = await readFiles(invocation)
  const chain = otherChainIn(texts[0])
  if (chain !== undefined) return (await otherChainRequests()).merge(chain, texts, invocation)
  const copies: SigningRequest[] = []
  for (const text of texts) copies.push(await parseRequestWithNetwork(text, invocation))
  const [first, ...others] = copies as [SigningRequest, ...SigningRequest[]]
  return outputRequest(mergeRequests(first, ...others), invocation)
}

export async function status(invocation: Invocation): Promise<Result> {
  const [text] = await readFiles(invocation)
  const chain = otherChainIn(text)
  if (chain !== undefined) return (await otherChainRequests()).status(chain, text, invocation)
  const request = await parseRequestWithNetwork(text, invocation)
  const explanation = explainRequest(request, { now: invocation.now() })
  return {
    json: requestJSON(request),
    text: explanationText(explanation, invocation.paint),
  }
}

export async function finish(invocation: Invocation): Promise<Result> {
  const [text] = await readFiles(invocation)
  const chain = otherChainIn(text)
  const { bytes, txID } =
    chain === undefined
      ? finishRequest(await parseRequestWithNetwork(text, invocation), {
          backend: await loadDefaultBackend(),
        })
      : await (await otherChainRequests()).finish(chain, text, invocation)
  const tx = checkedHex.encode(bytes)
  const out = invocation.values.text('out')
  if (out !== undefined) writeText(out, `${tx}\n`)
  return {
    json: { txID: formatID(txID), tx },
    text: out === undefined ? tx : `${formatID(txID)} written to ${out}`,
  }
}

/** Shows a request that was passed to `avmkit decode`. */
export async function showRequest(
  text: string,
  network: NetworkContext | undefined,
  paint: Paint,
): Promise<Result> {
  const request = parseRequest(text, {
    backend: await loadDefaultBackend(),
    network,
  })
  const status = requestJSON(request)
  const head = details(
    [
      ['kind', 'signing request'],
      ['id', status.id],
    ],
    paint,
  )
  return {
    json: { kind: 'request', ...status },
    text: `${head}\n\n${explanationText(explainRequest(request), paint)}`,
  }
}

/** Requests of the P- and C-Chain. */
function otherChainRequests(): Promise<typeof import('./other-chain-request.ts')> {
  return import('./other-chain-request.ts')
}

/**
 * Parses a request strictly. The node supplies the details of a network that is not built in.
 *
 * @throws SignError
 */
export async function parseRequestWithNetwork(
  text: string,
  invocation: Invocation,
): Promise<SigningRequest> {
  return parseRequest(text, await parseOptions(text, invocation))
}

/** Writes a request to the output file or to standard output, where it is its own JSON. */
export async function outputRequest(
  request: SigningRequest,
  invocation: Invocation,
  explanation?: string,
): Promise<Result> {
  return outputRequestText(formatRequest(request), requestJSON(request), invocation, explanation)
}
