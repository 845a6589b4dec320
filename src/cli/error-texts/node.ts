import type { ArgumentErrorCode, CodecErrorCode, VerifyErrorCode } from '../../core/base/errors.ts'
import type {
  BlockErrorCode,
  ContextErrorCode,
  HttpErrorCode,
  IssueErrorCode,
  QuorumErrorCode,
  ReplyErrorCode,
  RpcErrorCode,
  TimeoutErrorCode,
} from '../../node/errors.ts'
import type { ErrorTexts } from './error-text.ts'

/** Texts on the codes of `RpcError`. */
export const rpcErrors: ErrorTexts<RpcErrorCode> = {
  RPC_ERROR: {
    meaning: 'The node answered with an error that has no code of its own.',
    cause: 'The message is that of the node.',
    fix: 'Read the message; `avmkit node info` shows whether the node is ready.',
  },
  RPC_NOT_FOUND: {
    meaning: 'The node does not have the transaction, block or asset.',
    cause:
      'It does not exist, is not accepted yet, or belongs to another network; a node without an index forgets rejected transactions.',
    fix: 'Check the ID and the network. Pending transactions are found after acceptance.',
  },
  RPC_METHOD_NOT_FOUND: {
    meaning: 'The node or gateway does not offer the method.',
    cause: 'The API is disabled in the node, or a public gateway does not pass it on.',
    fix: 'Use another server, or enable the API in the node.',
  },
  RPC_BAD_ARGUMENT: {
    meaning: 'The node could not read the parameters.',
    cause: 'A parameter of a direct call (`avmkit rpc`) is missing or of another kind.',
    fix: 'Compare the parameters with the documentation of the node.',
  },
}

/** Texts on the codes of `HttpError`. */
export const httpErrors: ErrorTexts<HttpErrorCode> = {
  HTTP_UNREACHABLE: {
    meaning: 'No connection to the server.',
    cause: 'It is not running, the address or port is wrong, or a firewall is in between.',
    fix: 'Check the URL; for a local node that it is running.',
  },
  HTTP_INTERRUPTED: {
    meaning: 'The connection ended before the whole answer had arrived.',
    cause: 'The server or a proxy closed it. For a transaction, it may have been received.',
    fix: 'Reads are repeated by themselves. After issuing, resume the payment instead of making a new one.',
  },
  HTTP_STATUS: {
    meaning: 'The server answered with a status outside 200–299.',
    cause:
      'The path is wrong (404), the API key is missing (401, 403), or the server has a problem (5xx).',
    fix: 'Check the URL, in particular what follows the port.',
  },
  HTTP_RATE_LIMITED: {
    meaning: 'The server limits the rate of requests.',
    cause: 'Too many requests came from your address or API key.',
    fix: 'Wait as long as the message says, use an API key or your own node.',
  },
  HTTP_BOOTSTRAPPING: {
    meaning: 'The node is still starting.',
    cause: 'It reads the chain before it answers, which takes from minutes to days.',
    fix: '`avmkit node ready` waits for it.',
  },
  HTTP_REDIRECT: {
    meaning: 'The server redirects, which is not followed.',
    cause:
      'The URL is that of a web page, or begins with http:// where https:// is needed. A redirect could lead to another server.',
    fix: 'Use the final URL.',
  },
  HTTP_BODY_TOO_LARGE: {
    meaning: 'The answer exceeds the size limit.',
    cause: 'A hostile or faulty server; no valid answer is that large.',
    fix: 'Use another server.',
  },
}

/** Texts on the codes of `TimeoutError`. */
export const timeoutErrors: ErrorTexts<TimeoutErrorCode> = {
  RPC_TIMEOUT: {
    meaning: 'No answer came in time.',
    cause: 'The server is slow or stuck, or the connection is.',
    fix: 'Try again, or raise the time limit. A transaction that was being issued may be accepted: resume it.',
  },
  TX_TIMEOUT: {
    meaning: 'A transaction was not accepted in time.',
    cause:
      'The network is busy, or the transaction was dropped; the node does not report rejection.',
    fix: 'Ask again later. Wallets keep it in the journal and `resume` it.',
  },
  NODE_TIMEOUT: {
    meaning: 'The node was not ready in time.',
    cause: 'It is still starting.',
    fix: 'Wait longer.',
  },
}

/** Texts on the codes of `ReplyError`. */
export const replyErrors: ErrorTexts<ReplyErrorCode> = {
  REPLY_EMPTY: {
    meaning: 'The answer is empty.',
    cause: 'A proxy answered instead of the node, or the connection was cut.',
    fix: 'Check the URL.',
  },
  REPLY_NOT_JSON: {
    meaning: 'The answer is not JSON.',
    cause: 'The URL is that of a web page, or a proxy shows an error page.',
    fix: 'Check the URL; a node listens on port 9650 by default.',
  },
  REPLY_CONTENT_TYPE: {
    meaning: 'The answer does not declare JSON.',
    cause: 'The URL is not that of a node or API.',
    fix: 'Check the URL.',
  },
  REPLY_WRONG_ID: {
    meaning: 'The answer belongs to another request.',
    cause: 'A cache or proxy mixes answers.',
    fix: 'Do not use this server.',
  },
  REPLY_SHAPE: {
    meaning: 'A member of the answer is missing or has the wrong type.',
    cause: 'The server is not a node, or has another version.',
    fix: 'Check the URL and the version of the node.',
  },
  REPLY_MISMATCH: {
    meaning: 'The answer is about something else than what was requested.',
    cause:
      'The server returned another transaction, block, height or chain. IDs are computed here and compared.',
    fix: 'Do not use this server before you know the reason.',
  },
  REPLY_BAD_UTXO: {
    meaning: 'The hex of a UTXO is damaged.',
    cause: 'Its checksum does not match.',
    fix: 'Use another server.',
  },
  REPLY_NO_PROGRESS: {
    meaning: 'Pages repeat or stay empty.',
    cause: 'The server returns the same page again, or a page token has expired.',
    fix: 'Start again from the first page, or use another server.',
  },
  REPLY_EXPIRED: {
    meaning: 'A page token is older than 24 hours.',
    cause: 'Servers keep tokens for a day.',
    fix: 'Start again without a token.',
  },
}

/** Texts on the codes of `AbortError`. */
export const abortErrors: ErrorTexts<'ABORTED'> = {
  ABORTED: {
    meaning: 'The caller ended the call.',
    cause: 'The signal that was passed was aborted.',
    fix: 'Nothing, if this was intended. A transaction that was already issued may still be accepted.',
  },
}

/** Texts on the codes of `IssueError`. */
export const issueErrors: ErrorTexts<
  Exclude<IssueErrorCode, VerifyErrorCode | CodecErrorCode | ArgumentErrorCode>
> = {
  WRONG_INPUT_TYPE: {
    meaning: 'The feature extension has no such input.',
    cause: 'The transaction was not made by this library.',
    fix: 'Build it again.',
  },
  TX_TOO_LARGE: {
    meaning: 'The node refuses the transaction because of its size.',
    cause: 'It exceeds 64 KiB.',
    fix: 'Split it.',
  },
  MEMPOOL_FULL: {
    meaning: 'The node has too many pending transactions.',
    cause: 'The network is busy, or the node is flooded.',
    fix: 'Wait and issue the same transaction again, or use another node.',
  },
  MEMPOOL_CONFLICT: {
    meaning: 'A pending transaction spends one of the inputs.',
    cause: 'Two programs use the same keys, or the payment was already issued in another form.',
    fix: 'Wait for the other one; use one journal for a set of keys.',
  },
  REQUEST_INCOMPLETE: {
    meaning: 'The node did not receive the whole request.',
    cause: 'The connection was cut while sending.',
    fix: 'Issue the same transaction again: it never pays twice.',
  },
  UNRECOGNIZED: {
    meaning: 'The node refused the transaction for a reason that this library does not know.',
    cause: 'A newer version of the node has other rules or words.',
    fix: 'Read the message of the node. Do not build a second payment before the outcome is known.',
  },
  TX_UNKNOWN: {
    meaning: 'The outcome of an issued transaction is not known.',
    cause: 'The answer was lost.',
    fix: 'Resume it. Do not pay again with another key.',
  },
}

/** Texts on the codes of `BlockError`. */
export const blockErrors: ErrorTexts<BlockErrorCode> = {
  BLOCK_PARENT_MISMATCH: {
    meaning: 'The parent of a block is not the block before it.',
    cause: 'The server shows blocks of two chains, or the chain began anew.',
    fix: 'Do not use this server. A development chain that began anew needs a new store.',
  },
}

/** Texts on the codes of `QuorumError`. */
export const quorumErrors: ErrorTexts<QuorumErrorCode> = {
  NO_QUORUM: {
    meaning: 'Too few servers give the same answer.',
    cause: 'Servers are down, behind, on another chain, or one lies.',
    fix: '`avmkit node servers` shows which ones disagree. Correct the list of servers rather than lowering the quorum.',
  },
}

/** Texts on the codes of `ContextError`. */
export const contextErrors: ErrorTexts<ContextErrorCode> = {
  CONTEXT_MISMATCH: {
    meaning: 'The node reports other IDs than the network has.',
    cause: 'The node belongs to another network, or lies about chain or asset IDs.',
    fix: 'Do not use this node before you know the reason.',
  },
  FEE_ABOVE_MAX: {
    meaning: 'The node reports a fee above the limit.',
    cause: 'It lies, or the network changed its fees.',
    fix: 'Compare with another node. Raise `maxFees` only if the fee is real.',
  },
  NETWORK_MISMATCH: {
    meaning: 'The node belongs to another network than the one that was named.',
    cause: 'The URL leads to a node of another network, such as Fuji instead of Mainnet.',
    fix: 'Correct the URL or the network. Nothing was signed or sent.',
  },
}
