import type { NetworkContext } from '../core/chain/networks.ts'
import type { Secp256k1Backend } from '../core/crypto/backend.ts'
import type { SignWithOptions } from '../core/sign/sign.ts'
import type { Keys, Signer } from '../core/sign/signer.ts'
import type { NodeClient } from '../node/node.ts'
import type { ChainView } from '../node/view/view.ts'
import type { Channels } from './database/channels.ts'
import type { Database } from './database/database.ts'
import type { CustodyAccount } from './deposits/derived-keys.ts'
import type { Policy } from './payouts/policy.ts'
import type { SweepRule } from './sweeps/sweep-rules.ts'

/** An event for logs. */
export type CustodyEvent = {
  /** Name of the event: `block.applied`, `payout.claimed` … */
  readonly event: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  /** Heights, IDs and numbers; never a secret. */
  readonly details: { readonly [name: string]: unknown }
}

/** Receives events. If it returns a promise, the worker waits for it, at most 5 seconds. Its errors are ignored. */
export type Log = (event: CustodyEvent) => void | Promise<void>

/** Time and size limits of workers. */
export type CustodyLimits = {
  /**
   * How long a worker may reserve payouts and UTXOs for a transaction that is not claimed yet, in milliseconds. If the
   * policy or an external signer takes longer, its payouts return to the queue.
   *
   * @defaultValue 60,000
   */
  readonly draftMs: number
  /**
   * How long the leader may be silent before its database session ends and another process takes over, in
   * milliseconds. A leader that reaches no server of the node for so long gives up the lead itself.
   *
   * @defaultValue 5,000
   */
  readonly leaderMs: number
  /**
   * First pause before a transaction is issued again, in milliseconds; doubles up to a minute.
   *
   * @defaultValue 5,000
   */
  readonly resendMs: number
  /**
   * Maximum number of payouts in one transaction.
   *
   * @defaultValue as many as the size limit of transactions allows
   */
  readonly maxBatch: number
  /**
   * Number of UTXOs per asset that the hot wallet should have, so that workers need not wait for each other's change:
   * change is split until there are as many.
   *
   * @defaultValue 16
   */
  readonly spareUTXOs: number
  /**
   * How long a payout for which the hot wallet has too little keeps later ones of the same asset waiting, in
   * milliseconds. After that smaller ones are made before it.
   *
   * @defaultValue 600,000
   */
  readonly passOverMs: number
  /**
   * How long a statement of the database may take, in milliseconds. After that its connection is closed, and the call
   * fails with `DATABASE_FAILED`. Migrations and the sums of an audit are not limited.
   *
   * @defaultValue 30,000
   */
  readonly statementMs: number
}

/** Settings that all parts of custody share. */
export type Settings = {
  readonly database: Database
  readonly client: NodeClient
  /** What servers agree on. */
  readonly chain: ChainView
  readonly keys: Keys | undefined
  readonly signers: readonly Signer[]
  /** Accounts of watched xpubs, by the xpub. */
  readonly accounts: ReadonlyMap<string, CustodyAccount>
  readonly signing: Pick<SignWithOptions, 'maxFee' | 'paths' | 'policy'> | undefined
  readonly backend: Secp256k1Backend
  /** Addresses that payouts are made from; change goes to the first. */
  readonly hot: readonly Uint8Array[]
  /** Assets whose deposits can be of the kind `plain`; the native one comes first. */
  readonly assets: readonly Uint8Array[]
  readonly policy: Policy | undefined
  readonly rules: readonly SweepRule[]
  readonly limits: CustodyLimits
  readonly channels: Channels
  /** Name of this process in the database. */
  readonly worker: string
  /** The network, with the fees as read last. */
  readonly context: NetworkContext
  /** Reads the fees of the network again. */
  readonly refreshFees: () => Promise<void>
  readonly log: (
    level: CustodyEvent['level'],
    event: string,
    message: string,
    details?: CustodyEvent['details'],
  ) => Promise<void>
}
