import type { NetworkContext } from '../chain/networks.ts'
import type { Secp256k1Backend } from '../crypto/backend.ts'
import type { NodeClient } from '../rpc/node.ts'
import type { SignWithOptions } from '../sign/sign.ts'
import type { Keys, Signer } from '../sign/signer.ts'
import type { Channels } from './channels.ts'
import type { Database } from './database.ts'
import type { CustodyAccount } from './derived-keys.ts'
import type { Policy } from './policy.ts'
import type { SweepRule } from './sweep-rules.ts'

/** Something that happened, for logs. */
export type CustodyEvent = {
  /** `block.applied`, `payout.claimed` … */
  readonly event: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  /** Heights, IDs and numbers; never a secret. */
  readonly facts: { readonly [name: string]: unknown }
}

/** Receives events; if it returns a promise, the work waits for it. What it throws is ignored. */
export type Log = (event: CustodyEvent) => void | Promise<void>

/** Numbers that operators may change. */
export type CustodyLimits = {
  /**
   * How long a worker may keep payouts and UTXOs for a transaction that is not signed yet, in milliseconds. Must be
   * longer than an external signer takes.
   *
   * @defaultValue 60,000
   */
  readonly draftMs: number
  /**
   * How long the leader may be silent before its database session ends and another process takes over, in
   * milliseconds. A leader that reaches no server for so long gives the lead up itself.
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
   * Most payouts of one transaction.
   *
   * @defaultValue as many as the size limit of transactions allows
   */
  readonly maxBatch: number
  /**
   * UTXOs of an asset that the hot wallet should have, so that workers need not wait for each other's change: change
   * is split until there are as many.
   *
   * @defaultValue 16
   */
  readonly spareUTXOs: number
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
  readonly keys: Keys | undefined
  readonly signers: readonly Signer[]
  /** Accounts of watched xpubs, by the xpub. */
  readonly accounts: ReadonlyMap<string, CustodyAccount>
  readonly signing: Pick<SignWithOptions, 'maxFee' | 'paths'> | undefined
  readonly backend: Secp256k1Backend
  /** Addresses that payouts are made from; change goes to the first. */
  readonly hot: readonly Uint8Array[]
  readonly assets: readonly Uint8Array[]
  readonly quorum: number
  readonly policy: Policy | undefined
  readonly rules: readonly SweepRule[]
  readonly limits: CustodyLimits
  readonly channels: Channels
  /** Name of this process in the database. */
  readonly worker: string
  /** With the fees that were read last. */
  readonly context: NetworkContext
  /** Reads the fees of the network again. */
  readonly refreshFees: () => Promise<void>
  readonly log: (
    level: CustodyEvent['level'],
    event: string,
    message: string,
    facts?: CustodyEvent['facts'],
  ) => Promise<void>
}
