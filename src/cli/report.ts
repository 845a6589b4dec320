import { stringifyJSON } from '../codec/index.ts'
import { formatID } from '../encoding/index.ts'
import { AvmError } from '../errors.ts'
import { escaped } from '../sign/text.ts'
import { UsageError } from './errors.ts'
import type { Paint } from './print.ts'

/** Hints in the words of the command line, in place of those for programs. */
const HINTS: { readonly [code: string]: string } = {
  HTTP_UNREACHABLE: 'is the node running there? check --url or AVMKIT_URL',
  HTTP_BOOTSTRAPPING: 'the node is starting: avmkit node ready waits for it',
  RPC_TIMEOUT: 'the node is slow or stuck: try again, or allow more with --timeout',
  UNUSED_KEY: 'check --key-file; pass --accept UNUSED_KEY if this is meant',
  TX_OPEN: 'it may be accepted yet: avmkit wait tells; do not pay again before you know',
  KEY_NOT_A_SIGNER: 'none of the keys can sign this: check --key-file and --count',
  BURN: 'pass --accept BURN if this is meant',
  HIGH_FEE: 'pass --accept HIGH_FEE if this is meant',
  WRONG_NETWORK: 'this is for another network; nothing was signed',
  WRONG_NETWORK_ID: 'the transaction is for another network than the node; nothing was sent',
  WRONG_CHAIN_ID: 'the transaction is for another chain than the node; nothing was sent',
  ENC_WRONG_HRP: 'the address is of another network',
  KEY_INVALID: 'a line of a key file is PrivateKey-…, 64 hex digits or a mnemonic',
}

/** What may help where nothing better is known, by the kind of the error. */
const KIND_HINTS: { readonly [name: string]: string } = {
  UsageError: 'avmkit COMMAND --help shows how it is used',
  EncodingError: 'the text may be cut, mistyped or of another kind',
  CodecError: 'the bytes may be cut, changed or of another kind',
  VerifyError: 'every node would refuse this; nothing was sent',
  BuildError: 'nothing was signed or sent',
  FundsError: 'avmkit balance shows what there is, and what holds it back',
  CryptoError: 'check the key or the mnemonic',
  SignError: 'avmkit request status shows who must sign what',
  RpcError: 'these are the words of the node; avmkit node info tells whether it is ready',
  HttpError: 'check --url, and what avmkit node health says',
  ReplyError: 'is this the address of a node? check --url',
  TimeoutError: 'try again, or another node',
  ContextError: 'do not trust this node before you know why; check --url',
  DevNodeError: 'avmkit devnode --help shows how it is used',
}

/** Where a failed run ends: 2 for a wrong command line, 1 for everything else. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof UsageError ? 2 : 1
}

/** An error as one line for people, or as one JSON object for programs. */
export function formatError(error: unknown, json: boolean, paint: Paint): string {
  const { code, message, hint, txID } = describe(error)
  if (json)
    return stringifyJSON({
      error: {
        code,
        message,
        ...(hint === undefined ? {} : { hint }),
        ...(txID === undefined ? {} : { txID }),
      },
    })
  const about = txID === undefined ? '' : `, transaction ${txID}`
  const advice = hint === undefined ? '' : paint.dim(` (hint: ${oneLine(hint)})`)
  return `${paint.red(`error ${code}`)}: ${oneLine(message)}${about}${advice}`
}

type Description = {
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly txID?: string
}

function describe(error: unknown): Description {
  if (!(error instanceof AvmError)) {
    const message = error instanceof Error ? error.message : String(error)
    return { code: 'INTERNAL', message, hint: 'this is a defect of avmkit: please report it' }
  }
  const { code, message } = error
  const hint = HINTS[code] ?? error.hint ?? KIND_HINTS[error.name]
  const { txID } = error as { txID?: unknown }
  return {
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(txID instanceof Uint8Array ? { txID: formatID(txID) } : {}),
  }
}

/** Messages may hold what a node or a file said. */
function oneLine(text: string): string {
  return escaped(text.replaceAll(/\s*\n\s*/g, ' ')).replaceAll('\\\\', '\\')
}
