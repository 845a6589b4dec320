import type { AvmError } from '../core/base/errors.ts'
import { FundsError } from '../core/coins/errors.ts'

/** Advice in the words of the command line, by error code, or by code and HTTP status. */
const CODE_HINTS: { readonly [code: string]: string } = {
  HTTP_UNREACHABLE: 'is the node running? check --url or AVMKIT_URL',
  'HTTP_STATUS 404':
    'is this the URL of a node? check --url; avmkit node info shows whether it is ready',
  HTTP_RATE_LIMITED: 'too many requests: wait, or use another server with --url',
  HTTP_BOOTSTRAPPING: 'the node is starting: avmkit node ready waits for it',
  NO_QUORUM: 'avmkit node servers shows which servers disagree; check --url and --quorum',
  RPC_TIMEOUT: 'the node is slow or stuck: try again, or increase --timeout',
  UNUSED_KEY: 'check --key-file; pass --accept UNUSED_KEY if this is intended',
  TX_PENDING:
    'run avmkit journal resume with the same keys, --url and --journal; do not pay again with another key',
  MOVE_UNFINISHED:
    'avmkit journal resume completes it, avmkit moves shows where the funds are; do not move them again with another key',
  KEY_NOT_A_SIGNER: 'none of the keys can sign this: check --key-file and --count',
  AMBIGUOUS_NFT: 'select the NFT with --utxo or --group; nothing was signed',
  BURN: 'pass --accept BURN if this is intended',
  HIGH_FEE: 'pass --accept HIGH_FEE if this is intended',
  OPEN_OUTPUT: 'pass --accept OPEN_OUTPUT if this is intended',
  UNKNOWN_CHAIN: 'check the chain; pass --accept UNKNOWN_CHAIN if this is intended',
  UNPROVEN_UTXO:
    'ask for a request with proofs (avmkit request create adds them), or pass --accept UNPROVEN_UTXO',
  UNPROVEN_ASSET:
    'ask for a request with the transaction that created the asset, or pass --accept UNPROVEN_ASSET',
  FOREIGN_CHANGE:
    'sign only if you know the owner of the change; then pass --accept FOREIGN_CHANGE',
  SHARED_OUTPUT: 'sign only if you share it intentionally; then pass --accept SHARED_OUTPUT',
  LOCKED_RETURN: 'pass --accept LOCKED_RETURN if this is intended',
  WEAKER_CHANGE: 'sign only if fewer signatures should suffice; then pass --accept WEAKER_CHANGE',
  BURNED_PROPERTY: 'pass --accept BURNED_PROPERTY if this is intended',
  DEAD_ADDRESS: 'check the address; pass --accept DEAD_ADDRESS if this is intended',
  WRONG_ACCOUNT:
    'credit the account 0x… of the key, which avmkit keys show prints; pass --accept WRONG_ACCOUNT if this is intended',
  REQUEST_PROOF: 'the file contradicts itself: do not sign it, and ask its author',
  INCOMPLETE: 'avmkit request status shows the missing signatures',
  REQUEST_MALFORMED: 'is this a signing request? it may be truncated or modified: ask for it again',
  REQUEST_NETWORK: 'name its network with --network, or a node of it with --url',
  STUCK_EXPORT: 'the export could never be imported on the destination chain',
  THRESHOLD_MISSING:
    '2:ADDRESS,ADDRESS requires both signatures; with 1: either owner can spend alone',
  KEY_CONFLICT:
    'nothing was signed; avmkit journal show prints the payment with this key; use another key for another payment',
  KEY_UNKNOWN: 'avmkit journal list prints all keys; check --journal, --key-file and --count',
  BAD_KEY: 'a key has 1 to 256 characters and does not start with auto-; nothing was signed',
  PAYMENT_REJECTED:
    'the payment was not made: its UTXOs were spent by another program with the same keys; pass --again to make it',
  PAYMENT_MAYBE_MADE:
    'nothing was signed; avmkit explain TX prints that transaction; if it is another payment, pass --again; if it is this one, that pays twice',
  PAYOUT_SHORT: 'fees are included; --partial pays the first lines, as far as the funds reach',
  PAYMENT_CANCELED: 'the payment was not made; run the command again to make it',
  CANNOT_CANCEL:
    'avmkit journal resume issues the payment again; cancel it later if it stays pending',
  STORE_CORRUPT:
    'nothing was signed; keep the file and do not replace it with a backup; before you pay again, compare what avmkit journal recover --from-height HEIGHT with a new --journal lists with your own records',
  STORE_MISMATCH:
    'nothing was signed; use one --journal per network, and a new one if the chain began anew; if a server had shown false blocks, run avmkit journal recover',
  STORE_BEHIND:
    'nothing was signed; run avmkit journal recover once, with the height of the journal, which the message names, for --from-height',
  STORE_AHEAD:
    'nothing was signed; if the node is behind, try again later or check --url; if the chain began anew, use a new --journal',
  EVIDENCE_UNSPENT:
    'nothing was sent; avmkit journal show prints the transaction that ended the payment; if avmkit status of your own node shows it as accepted, pay with another key',
  STORE_LOST: 'check avmkit journal list before you pay again',
  FEE_ABOVE_MAX: 'the node asks for an implausible fee: is this the right node?',
  WRONG_NETWORK: 'this is for another network; nothing was signed',
  WRONG_NETWORK_ID: 'the transaction is for another network: check --url and --network',
  WRONG_CHAIN_ID: 'the transaction is for another chain: check --url and --chain',
  ENC_WRONG_HRP: 'the address belongs to another network',
  ENC_WRONG_CHAIN:
    'the address belongs to another chain: avmkit move --recipient ADDRESS sends funds there, avmkit balance --chain shows them',
  KEYFILE_WRONG_PASSWORD: 'try again; AVMKIT_PASSWORD_FILE names the file with the password',
  KEY_INVALID: 'each line of a key file is PrivateKey-…, 64 hex digits or a mnemonic',
}

const RESERVED_HINT =
  'pending payments reserve the rest: avmkit journal resume finishes them, avmkit journal list shows them'

/** General advice by error class, if there is none for the code. */
const CLASS_HINTS: { readonly [name: string]: string } = {
  UsageError: 'avmkit COMMAND --help shows the usage',
  ArgumentError: 'the text may be truncated, mistyped or of another kind',
  CodecError: 'the bytes may be truncated, modified or of another kind',
  VerifyError: 'every node would reject this; nothing was sent',
  BuildError: 'nothing was signed or sent',
  FundsError: 'avmkit balance shows what can be spent',
  CryptoError: 'check the key or the mnemonic',
  SignError: 'check the transaction or signing request and the keys; nothing was sent',
  RpcError: 'this is the message of the node; avmkit node info shows whether it is ready',
  HttpError: 'check --url and avmkit node health',
  ReplyError: 'is this the URL of a node? check --url',
  TimeoutError: 'try again, or use another node',
  ContextError: 'do not use this node before you know the reason; check --url',
  DevNodeError: 'avmkit devnode --help shows the usage',
}

const API_KEY_HINT =
  'the API key is missing or invalid: avmkit data takes --api-key-file and --api-key-header; avmkit metrics takes no key'
const TOKEN_HINT = 'page tokens are valid for 24 hours: start again without --page-token'

const serviceHints = (name: 'metrics' | 'data', variable: string) => ({
  HTTP_UNREACHABLE: `check --url or ${variable}`,
  HTTP_RATE_LIMITED: CODE_HINTS.HTTP_RATE_LIMITED!,
  'HTTP_STATUS 401': API_KEY_HINT,
  'HTTP_STATUS 403': API_KEY_HINT,
  REPLY_NO_PROGRESS: TOKEN_HINT,
  REPLY_EXPIRED: TOKEN_HINT,
  HttpError: `check the arguments and --url; avmkit ${name} health shows whether the API works`,
  ReplyError: `is this the URL of the API? check --url or ${variable}`,
})

/** Advice for groups of commands, by the first word of the command. */
const SERVICE_HINTS: { readonly [group: string]: { readonly [key: string]: string } } = {
  metrics: serviceHints('metrics', 'AVMKIT_METRICS_URL'),
  data: serviceHints('data', 'AVMKIT_DATA_URL'),
  custody: {
    KEY_CONFLICT:
      'nothing was queued; avmkit custody payouts KEY prints the payout with this key; use another key for another payout',
    KEY_UNKNOWN: 'avmkit custody payouts prints all keys',
    BAD_KEY: 'a key has 1 to 256 characters and does not start with auto-; nothing was queued',
  },
}

/** What the user can do about an error; undefined if nothing is known. */
export function hintFor(error: AvmError, command: string): string | undefined {
  const { code, name, hint } = error
  const service = SERVICE_HINTS[command.split(' ')[0]!]
  const { status } = error as { status?: unknown }
  const special = service?.[`${code} ${status}`] ?? service?.[code] ?? service?.[name]
  if (special !== undefined) return special
  if (error instanceof FundsError && error.assets.some(({ reserved }) => reserved > 0n))
    return RESERVED_HINT
  return CODE_HINTS[`${code} ${status}`] ?? CODE_HINTS[code] ?? hint ?? CLASS_HINTS[name]
}
