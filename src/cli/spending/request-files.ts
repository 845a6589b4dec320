import { join } from 'node:path'
import { loadDefaultBackend } from '#backend'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { parseJSON, stringifyJSON } from '../../core/codec/json-text.ts'
import type { ChangeArgument } from '../../core/draft/arguments.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { SignError } from '../../core/sign/errors.ts'
import type { ParseRequestOptions } from '../../core/sign/request/request-file.ts'
import { networkByID } from '../../inspect/networks.ts'
import type { Result } from '../command.ts'
import { UsageError } from '../errors.ts'
import { readText } from '../files/files.ts'
import { makeFolder, writeText } from '../files/write-file.ts'
import type { Invocation } from '../invocation.ts'
import { counted } from '../terminal/print.ts'
import { qrCodes } from '../terminal/qr.ts'

/** The texts of the request files that the user names. */
export async function readFiles({ values, io }: Invocation): Promise<[string, ...string[]]> {
  const texts: string[] = []
  for (const path of values.args) texts.push(await readText(path, io))
  return texts as [string, ...string[]]
}

/** Options for parsing a request. */
export async function parseOptions(
  text: string,
  invocation: Invocation,
): Promise<ParseRequestOptions> {
  const network = await expectedNetwork(text, invocation)
  const backend = await loadDefaultBackend()
  return { backend, network }
}

async function expectedNetwork(
  text: string,
  invocation: Invocation,
): Promise<NetworkContext | undefined> {
  const named = await invocation.namedNetwork()
  if (named?.context !== undefined) return named.context
  const networkID = networkIDIn(text)
  if (named !== undefined && networkID !== undefined && networkID !== named.networkID)
    throw new SignError('REQUEST_NETWORK', `the request is not for the network ${named.name}`, {
      path: 'network',
    })
  const isBuiltIn = networkID === undefined || networkByID(networkID).context !== undefined
  if (isBuiltIn || (await invocation.findURLs()).length === 0) return undefined
  return invocation.xContext()
}

/** The network that the file names; parsing the request checks it. */
function networkIDIn(text: string): number | undefined {
  try {
    const { network } = parseJSON(text) as { network?: { networkID?: unknown } }
    return typeof network?.networkID === 'number' ? network.networkID : undefined
  } catch {
    return undefined
  }
}

/** Which signatures a request has. */
export type RequestState = {
  readonly id: string
  readonly complete: boolean
  readonly signerSets: readonly { readonly missing: readonly string[] }[]
}

/** Writes a request to the output file or to standard output, where it is its own JSON. */
export async function outputRequestText(
  text: string,
  state: RequestState,
  invocation: Invocation,
  explanation?: string,
): Promise<Result> {
  const out = invocation.values.text('out')
  // The file is indented; the QR code is not, to be smaller.
  const codes = await qrCodes([stringifyJSON(parseJSON(text))], invocation)
  if (out === undefined)
    return { json: parseJSON(text), text: [text.trimEnd(), ...codes].join('\n\n') }
  writeText(out, text)
  const missing = state.signerSets[0]!.missing
  const line = state.complete ? 'complete' : `missing ${missing.join(', ')}`
  return {
    json: { file: out, ...state },
    text: [
      `${explanation === undefined ? '' : `${explanation}\n`}${state.id} written to ${out}: ${line}`,
      ...codes,
    ].join('\n\n'),
  }
}

/** The file of one request of a batch, with as many digits as the last one needs. */
export function requestFile(folder: string, name: string, at: number, total: number): string {
  return join(folder, `${name}-${String(at + 1).padStart(String(total).length, '0')}.json`)
}

/** Writes the requests of a batch. */
export function writeRequests(
  folder: string,
  requests: readonly { readonly file: string; readonly text: string; readonly state: object }[],
): Result {
  if (requests.length > 0) makeFolder(folder)
  for (const { file, text } of requests) writeText(file, text)
  return {
    json: { requests: requests.map(({ file, state }) => ({ file, ...state })) },
    text:
      requests.length === 0
        ? 'nothing to do'
        : [
            ...requests.map(({ file }) => file),
            `${counted(requests.length, 'request')} written; avmkit request sign shows and signs each`,
          ].join('\n'),
  }
}

/** The folder for the requests of a batch. */
export function outFolder({ values }: Invocation): string {
  return values.required('out', 'for example --out requests; one file per transaction')
}

/** The change of a draft, and the owners of the UTXOs it spends. */
type DraftChange = Pick<Draft, 'change'> & {
  readonly utxos: readonly { readonly output: { readonly addresses: readonly Uint8Array[] } }[]
}

/** By default change goes to the first owner alone. If others own spent UTXOs, too, `--change-to` is required. */
export function requireChangeOwner(
  { change, utxos }: DraftChange,
  changeTo: ChangeArgument | undefined,
  first: Uint8Array,
): void {
  const hasOthers = utxos.some(
    ({ output: { addresses } }) => addresses.length !== 1 || !equalBytes(addresses[0]!, first),
  )
  if (changeTo !== undefined || change.length === 0 || !hasOthers) return
  throw new UsageError(
    'MISSING_OPTION',
    'the option --change-to is required: not all UTXOs belong to the first owner alone',
    { hint: 'pass 2:ADDRESS,ADDRESS for several owners, or one address' },
  )
}
