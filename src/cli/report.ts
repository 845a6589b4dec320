import { describeShortfall, FundsError } from '../coins/errors.ts'
import { formatAmount, formatID } from '../encoding/index.ts'
import { AvmError, EncodingError } from '../errors.ts'
import { escaped } from '../sign/text.ts'
import { WalletError } from '../wallet/index.ts'
import { UsageError } from './errors.ts'
import { networkOfAsset } from './networks.ts'
import { jsonLine } from './plain.ts'
import type { Paint } from './print.ts'

/** Hints in the words of the command line, in place of those for programs. */
const HINTS: { readonly [code: string]: string } = {
  HTTP_UNREACHABLE: 'is the node running there? check --url or AVMKIT_URL',
  'HTTP_STATUS 404':
    'is this the address of a node? check --url; avmkit node info tells whether it is ready',
  HTTP_RATE_LIMITED: 'too many requests: wait some time, or name another server with --url',
  HTTP_BOOTSTRAPPING: 'the node is starting: avmkit node ready waits for it',
  RPC_TIMEOUT: 'the node is slow or stuck: try again, or allow more with --timeout',
  UNUSED_KEY: 'check --key-file; pass --accept UNUSED_KEY if this is meant',
  TX_PENDING:
    'avmkit journal resume brings it to its end, with the same keys, --url and --journal; do not pay it again with another key',
  MOVE_UNFINISHED:
    'avmkit journal resume completes it, avmkit moves shows where the funds are; do not move them again with another key',
  KEY_NOT_A_SIGNER: 'none of the keys can sign this: check --key-file and --count',
  AMBIGUOUS_NFT: 'name the one you mean with --utxo, or its --group; nothing was signed',
  NOT_OUR_ADDRESS: 'check --to, --key-file and --count; avmkit sweep sends everything to others',
  BURN: 'pass --accept BURN if this is meant',
  HIGH_FEE: 'pass --accept HIGH_FEE if this is meant',
  OPEN_OUTPUT: 'pass --accept OPEN_OUTPUT if this is meant',
  UNKNOWN_CHAIN: 'check the chain; pass --accept UNKNOWN_CHAIN if this is meant',
  UNPROVEN_UTXO:
    'ask for a request with proofs (avmkit request create adds them), or pass --accept UNPROVEN_UTXO',
  UNPROVEN_ASSET:
    'ask for a request with the creation of the asset, or pass --accept UNPROVEN_ASSET',
  FOREIGN_CHANGE: 'do not sign unless you know who gets it; then pass --accept FOREIGN_CHANGE',
  SHARED_OUTPUT: 'do not sign unless you share it on purpose; then pass --accept SHARED_OUTPUT',
  LOCKED_RETURN: 'pass --accept LOCKED_RETURN if this is meant',
  REQUEST_PROOF: 'the file contradicts itself: do not sign it, and ask who made it',
  INCOMPLETE: 'avmkit request status shows who must still sign',
  REQUEST_MALFORMED:
    'is this the file of a signing request? it may be cut or changed: ask for it again',
  REQUEST_NETWORK: 'name its network with --network, or a node of it with --url',
  STUCK_EXPORT: 'it could never be imported there',
  THRESHOLD_MISSING: '2:ADDRESS,ADDRESS is for two who must both sign; with 1 each can spend alone',
  KEY_CONFLICT:
    'nothing was signed: avmkit journal show tells about the payment with this key; use another key for another payment',
  KEY_UNKNOWN: 'avmkit journal list prints all keys; check --journal, --key-file and --count',
  BAD_KEY: 'a key has 1 to 256 characters and does not begin with auto-; nothing was signed',
  PAYMENT_REJECTED:
    'the payment was not made: somebody else spends with the same keys; run the command again to make it',
  PAYMENT_CANCELED: 'the payment was not made; run the command again to make it',
  CANNOT_CANCEL:
    'avmkit journal resume issues the payment again; cancel it later if it stays pending',
  STORE_CORRUPT: 'nothing was signed; keep the file and look for a copy: it knows what was paid',
  STORE_MISMATCH: 'nothing was signed; use one --journal per network',
  STORE_LOST: 'see what avmkit journal list says before you pay again',
  FEE_ABOVE_CEILING: 'it asks for more than is ever paid here: is this the right node?',
  WRONG_NETWORK: 'this is for another network; nothing was signed',
  WRONG_NETWORK_ID: 'the transaction is for another network than the node; nothing was sent',
  WRONG_CHAIN_ID: 'the transaction is for another chain than the node; nothing was sent',
  ENC_WRONG_HRP: 'the address is of another network',
  KEY_INVALID: 'a line of a key file is PrivateKey-…, 64 hex digits or a mnemonic',
}

const HELD_HINT =
  'pending payments hold the rest: avmkit journal resume brings them to their end, avmkit journal list shows them'

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

const KEY_HINT =
  'the API key is missing or refused: avmkit data takes --api-key-file and --api-key-header, avmkit metrics no key'
const TOKEN_HINT = 'page tokens are valid for 24 hours: start over without --page-token'

/** The same for the interfaces beside the node, by the first word of the command. */
const SERVICE_HINTS: { readonly [name: string]: string } = {
  HTTP_UNREACHABLE: 'check --url or AVMKIT_SERVICE_URL',
  HTTP_RATE_LIMITED: HINTS.HTTP_RATE_LIMITED!,
  'HTTP_STATUS 401': KEY_HINT,
  'HTTP_STATUS 403': KEY_HINT,
  REPLY_NO_PROGRESS: TOKEN_HINT,
  REPLY_EXPIRED: TOKEN_HINT,
  HttpError: 'check the arguments and --url; avmkit service health tells whether it works',
  ReplyError: 'is this the address of the interface? check --url or AVMKIT_SERVICE_URL',
}

/**
 * Where a failed run ends: 2 for a wrong command line, 1 for everything else. A text that cannot be read is
 * an argument, unless the command had it from standard input.
 */
export function exitCodeOf(error: unknown, fromInput: boolean): 1 | 2 {
  const isArgument = error instanceof EncodingError && !fromInput
  return error instanceof UsageError || isArgument ? 2 : 1
}

/** An error as one line for people, or as one JSON object for programs. */
export function formatError(
  error: unknown,
  {
    json,
    paint,
    command = '',
  }: { readonly json: boolean; readonly paint: Paint; readonly command?: string | undefined },
): string {
  const description = describe(error, command)
  if (json) return jsonLine({ error: description })
  const { code, message, hint, txID, reason } = description
  const last = reason === undefined ? '' : `; last error ${oneLine(reason)}`
  const about = `${txID === undefined || message.includes(txID) ? '' : `, transaction ${txID}`}${last}`
  const advice = hint === undefined ? '' : paint.dim(` (hint: ${oneLine(hint)})`)
  return `${paint.red(`error ${code}`)}: ${oneLine(message)}${about}${advice}`
}

type Description = {
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly txID?: string
  /** Idempotency keys of the payments concerned. */
  readonly keys?: readonly string[]
  /** Why the outcome is not known. */
  readonly reason?: string
}

function describe(error: unknown, command: string): Description {
  if (!(error instanceof AvmError)) {
    const message = error instanceof Error ? error.message : String(error)
    return { code: 'INTERNAL', message, hint: 'this is a defect of avmkit: please report it' }
  }
  const { code } = error
  const message = error instanceof FundsError ? inAVAX(error) : error.message
  const hint = hintFor(error, command)
  const { txID } = error as { txID?: unknown }
  return {
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(txID instanceof Uint8Array ? { txID: formatID(txID) } : {}),
    ...(error instanceof WalletError ? paymentFacts(error) : {}),
  }
}

function paymentFacts(error: WalletError): Pick<Description, 'keys' | 'reason'> {
  const reason = reasonOf(error)
  return {
    ...(error.keys.length === 0 ? {} : { keys: error.keys }),
    ...(reason === undefined ? {} : { reason }),
  }
}

/** The first cause of an error, such as the last answer about a pending transaction; undefined if there is none. */
export function reasonOf(error: unknown): string | undefined {
  let reason: AvmError | undefined
  for (let { cause } = error as Error; cause instanceof AvmError; { cause } = cause) reason = cause
  return reason && `${reason.code}: ${reason.message}`
}

function hintFor(error: AvmError, command: string): string | undefined {
  const { code, name, hint } = error
  const [, service] = /^(metrics|data) /.exec(command) ?? []
  const { status } = error as { status?: unknown }
  const special =
    service && (SERVICE_HINTS[`${code} ${status}`] ?? SERVICE_HINTS[code] ?? SERVICE_HINTS[name])
  if (special) return special.replace('SERVICE', service.toUpperCase()).replace('service', service)
  if (error instanceof FundsError && error.assets.some(({ reserved }) => reserved > 0n))
    return HELD_HINT
  return HINTS[`${code} ${status}`] ?? HINTS[code] ?? hint ?? KIND_HINTS[name]
}

/** People count in AVAX; of other assets nobody tells the decimals here. */
function inAVAX({ message, assets }: FundsError): string {
  return assets
    .filter(({ assetID }) => networkOfAsset(assetID) !== undefined)
    .reduce(
      (text, asset) =>
        text.replace(describeShortfall(asset), describeShortfall(asset, formatAmount, ' AVAX')),
      message,
    )
}

/** Messages may hold what a node or a file said. */
function oneLine(text: string): string {
  return escaped(text.replaceAll(/\s*\n\s*/g, ' ')).replaceAll('\\\\', '\\')
}
