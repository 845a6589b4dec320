import { loadDefaultBackend } from '#backend'
import type { NetworkContext } from '../../chain/index.ts'
import { parseJSON, stringifyJSON } from '../../codec/index.ts'
import { checkedHex, formatID } from '../../encoding/index.ts'
import {
  type AcceptCode,
  explainRequest,
  finishRequest,
  formatRequest,
  mergeRequests,
  parseRequest,
  type SigningRequest,
  signRequest,
} from '../../sign/index.ts'
import type { Result } from '../command.ts'
import { readText, writeText } from '../files.ts'
import type { Invocation } from '../invocation.ts'
import { networkByID } from '../networks.ts'
import { explanationText } from '../print.ts'
import { qrCodes } from '../qr-option.ts'
import { requestJSON } from '../texts.ts'

export async function sign(invocation: Invocation): Promise<Result> {
  invocation.requireConfirmable()
  const { values } = invocation
  const request = await readRequest(values.args[0]!, invocation)
  const { keys, ours } = await invocation.keysFor(request)
  const now = invocation.now()
  const explanation = explainRequest(request, { ours, now })
  const accept = values.list('accept') as readonly AcceptCode[]
  await invocation.confirm(explanation, 'Sign this?')
  const backend = await loadDefaultBackend()
  return deliver(signRequest(request, keys, { accept, ours, now, backend }), invocation)
}

export async function merge(invocation: Invocation): Promise<Result> {
  const copies: SigningRequest[] = []
  for (const path of invocation.values.args) copies.push(await readRequest(path, invocation))
  const [first, ...others] = copies as [SigningRequest, ...SigningRequest[]]
  return deliver(mergeRequests(first, ...others), invocation)
}

export async function status(invocation: Invocation): Promise<Result> {
  const request = await readRequest(invocation.values.args[0]!, invocation)
  const explanation = explainRequest(request, { now: invocation.now() })
  return {
    json: requestJSON(request),
    text: explanationText(explanation, invocation.paint),
  }
}

export async function finish(invocation: Invocation): Promise<Result> {
  const request = await readRequest(invocation.values.args[0]!, invocation)
  const { bytes, txID } = finishRequest(request, { backend: await loadDefaultBackend() })
  const tx = checkedHex.encode(bytes)
  const out = invocation.values.text('out')
  if (out !== undefined) writeText(out, `${tx}\n`)
  return {
    json: { txID: formatID(txID), tx },
    text: out === undefined ? tx : `${formatID(txID)} written to ${out}`,
  }
}

/** Reads a request strictly; facts of networks that are not built in come from the node. */
async function readRequest(path: string, invocation: Invocation): Promise<SigningRequest> {
  const text = await readText(path, invocation.io)
  const network = await expectedNetwork(text, invocation)
  const backend = await loadDefaultBackend()
  return parseRequest(text, { backend, ...(network === undefined ? {} : { network }) })
}

async function expectedNetwork(
  text: string,
  invocation: Invocation,
): Promise<NetworkContext | undefined> {
  const named = await invocation.namedNetwork()
  if (named?.context !== undefined) return named.context
  const networkID = networkIDIn(text)
  const isBuiltIn = networkID === undefined || networkByID(networkID).context !== undefined
  if (isBuiltIn || (await invocation.findURLs()).length === 0) return undefined
  return invocation.context()
}

/** What the file claims; parsing it checks the claim. */
function networkIDIn(text: string): number | undefined {
  try {
    const { network } = parseJSON(text) as { network?: { networkID?: unknown } }
    return typeof network?.networkID === 'number' ? network.networkID : undefined
  } catch {
    return undefined
  }
}

/** Writes a request to the output file or to standard output, where it is its own JSON. */
export async function deliver(
  request: SigningRequest,
  invocation: Invocation,
  explanation?: string,
): Promise<Result> {
  const text = formatRequest(request)
  const out = invocation.values.text('out')
  // A file is indented for people; a code must be small.
  const codes = await qrCodes([stringifyJSON(parseJSON(text))], invocation)
  if (out === undefined)
    return { json: parseJSON(text), text: [text.trimEnd(), ...codes].join('\n\n') }
  writeText(out, text)
  const state = requestJSON(request)
  const missing = state.variants[0]!.missing
  const line = state.complete ? 'complete' : `missing ${missing.join(', ')}`
  return {
    json: { file: out, ...state },
    text: [
      `${explanation === undefined ? '' : `${explanation}\n`}${state.id} written to ${out}: ${line}`,
      ...codes,
    ].join('\n\n'),
  }
}
