// Requests of all chains can be read.
import '../../../inspect/chains.ts'
import { loadDefaultBackend } from '#backend'
import { checkedHex } from '../../../core/base/encoding/checked-hex.ts'
import { formatID } from '../../../core/base/encoding/ids.ts'
import type { ChainAlias } from '../../../core/chain/chain-types.ts'
import type { NetworkContext } from '../../../core/chain/networks.ts'
import { isPolicyCode } from '../../../core/sign/policy.ts'
import { explainRequest } from '../../../core/sign/request/explain-request.ts'
import { finishRequest } from '../../../core/sign/request/request.ts'
import { formatRequest, parseRequest } from '../../../core/sign/request/request-file.ts'
import { signRequest } from '../../../core/sign/request/request-sign.ts'
import type {
  AnySigningRequest,
  SigningRequest,
} from '../../../core/sign/request/signing-request.ts'
import { type AcceptCode, refuseDangers } from '../../../core/sign/sign.ts'
import { requestJSON } from '../../../inspect/request-json.ts'
import { readerWith, requestOwnersOf } from '../../../inspect/request-keys.ts'
import { addKeystoneSignatures } from '../../../signers/keystone/signing.ts'
import { mergeCopies } from '../../../signers/policy/merge-copies.ts'
import type { Result } from '../../command.ts'
import { readText } from '../../files/files.ts'
import { fileText } from '../../files/input.ts'
import { readPolicy } from '../../files/policy-file.ts'
import { writeText } from '../../files/write-file.ts'
import type { Invocation } from '../../invocation.ts'
import { hasKeys, keysForRequest } from '../../keys/own-keys.ts'
import { outputRequestText, parseOptions, readFiles } from '../../spending/request-files.ts'
import { confirm, requireConfirmable } from '../../terminal/confirm.ts'
import { explanationText } from '../../terminal/explanation-text.ts'
import type { Paint } from '../../terminal/paint.ts'
import { details } from '../../terminal/print.ts'
import { readCopies, requestText } from './request-qr.ts'

export async function sign(invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const request = await parseRequestWithNetwork(await fileText(invocation), invocation)
  if (await hasKeys(invocation)) requireConfirmable(invocation)
  const found = await keysForRequest(invocation, requestOwnersOf(request))
  const now = invocation.now()
  const ours = readerWith(found)
  const policy = await readPolicy(invocation)
  const explanation = explainRequest<ChainAlias>(request, { ours, now, policy })
  const accept = values.list('accept') as readonly AcceptCode[]
  // What the policy refuses cannot be confirmed.
  refuseDangers(
    explanation.warnings.filter(({ code }) => isPolicyCode(code)),
    {},
  )
  await confirm(invocation, explanation, 'Sign this?')
  const backend = await loadDefaultBackend()
  const options = { accept, ours, now, backend, policy }
  const signed = signRequest<ChainAlias>(request, found.keys, options)
  return outputRequest(signed, invocation)
}

export async function merge(invocation: Invocation): Promise<Result> {
  return merged(await readFiles(invocation), invocation.values.args, invocation)
}

/** Reads the texts of QR codes: a request, or signatures for one. */
export async function scan(invocation: Invocation): Promise<Result> {
  const into = invocation.values.text('into')
  const text = await fileText(invocation)
  if (into !== undefined) {
    const names = [into, invocation.values.args[0] ?? '-']
    return merged([await readText(into, invocation.io), text], names, invocation)
  }
  return outputRequest(
    await parseRequestWithNetwork(await requestText(text), invocation),
    invocation,
  )
}

async function merged(
  texts: readonly [string, ...string[]],
  names: readonly string[],
  invocation: Invocation,
): Promise<Result> {
  const { copies, answers, numbers } = await readCopies(texts)
  const { request, leftOut } = mergeCopies(copies, await parseOptions(copies[0], invocation))
  for (const { copy, path, code, message } of leftOut)
    invocation.warn(code, `left out ${path} of ${names[numbers[copy]!]}: ${message}`)
  return outputRequest(answers.reduce(addKeystoneSignatures, request), invocation)
}

export async function status(invocation: Invocation): Promise<Result> {
  const request = await parseRequestWithNetwork(await fileText(invocation), invocation)
  const policy = await readPolicy(invocation)
  const explanation = explainRequest<ChainAlias>(request, { now: invocation.now(), policy })
  return {
    json: requestJSON(request),
    text: explanationText(explanation, invocation.paint),
  }
}

export async function finish(invocation: Invocation): Promise<Result> {
  const request = await parseRequestWithNetwork(await fileText(invocation), invocation)
  const backend = await loadDefaultBackend()
  const { bytes, txID } = finishRequest<ChainAlias>(request, { backend })
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
      ['kind', `signing request of the ${request.chain}-Chain`],
      ['id', status.id],
    ],
    paint,
  )
  return {
    json: { kind: 'request', ...status },
    text: `${head}\n\n${explanationText(explainRequest<ChainAlias>(request), paint)}`,
  }
}

/**
 * Parses a request strictly. The node supplies the details of a network that is not built in.
 *
 * @throws SignError
 */
export async function parseRequestWithNetwork(
  text: string,
  invocation: Invocation,
): Promise<AnySigningRequest> {
  return parseRequest(text, await parseOptions(text, invocation))
}

/** Writes a request to the output file or to standard output, where it is its own JSON. */
export async function outputRequest(
  request: SigningRequest<ChainAlias>,
  invocation: Invocation,
  explanation?: string,
): Promise<Result> {
  return outputRequestText(formatRequest(request), requestJSON(request), invocation, explanation)
}
