import type { AddressArgument } from '../build/arguments.ts'
import type { Draft } from '../build/draft.ts'
import type { Clock } from '../rpc/clock.ts'
import type { NodeClient } from '../rpc/node.ts'
import type { WaitOptions } from '../rpc/wait.ts'
import type { Explanation } from '../sign/explanation.ts'
import type { AcceptCode, SignWithOptions } from '../sign/sign.ts'
import type { Keys, Signer } from '../sign/signer.ts'
import type { Journal, PaymentKeys } from './journal.ts'

/** Shown what is about to be signed; nothing is, unless it answers true. */
export type Confirm = (explanation: Explanation, draft: Draft) => boolean | Promise<boolean>

/** What a wallet is made of. */
export type WalletOptions = {
  readonly client: NodeClient
  /** Keys at hand; without keys and signers a wallet can look and draft. */
  readonly keys?: Keys
  /** Others that sign: devices, services. */
  readonly signers?: readonly Signer[]
  /** Whose coins are spent, the first one getting change; those of keys and signers where left out. */
  readonly addresses?: readonly AddressArgument[]
  /** Where change goes; to the first address where left out. */
  readonly changeTo?: AddressArgument
  /** Where transactions are written down before they are sent; in memory where left out. */
  readonly journal?: Journal
  /** Asked before every signature; a call can bring its own. */
  readonly confirm?: Confirm
  readonly wait?: WaitOptions
  readonly signing?: Pick<SignWithOptions, 'maxFee' | 'backend' | 'paths'>
  readonly clock?: Clock
  /**
   * How long after its locktime a coin is left alone, since the node's clock decides and a refusal sticks; 5
   * unless told. The clock is this one or the node's, whichever is behind.
   */
  readonly clockSkewSeconds?: number
  /** How often a transaction that can no longer be accepted is built anew; 3 unless told. */
  readonly maxRebuilds?: number
}

/** What every call takes that signs and sends. */
export type SendOptions = {
  readonly confirm?: Confirm
  readonly accept?: readonly AcceptCode[]
  readonly wait?: WaitOptions
  readonly signal?: AbortSignal
}

/**
 * What every single transaction takes beside: names of the caller's for what it pays. With a journal that lasts,
 * a payment of the same name is made once, however often and after whatever interruption it is asked for. All
 * names of a transaction are paid or none: names that stand in another one are refused before anything is signed.
 */
export type RunOptions = SendOptions & PaymentKeys

/** A transaction that is accepted. */
export type Receipt = {
  /** Also the ID of the asset, where one was created. */
  readonly txID: Uint8Array
  /** What was signed; left out where the payment had been made before, under the same key. */
  readonly explanation?: Explanation
}

/** A draft whose coins no other call will choose. */
export type Prepared = {
  readonly draft: Draft
  readonly explanation: Explanation
  /** Gives the coins back, unless the draft was signed and submitted. */
  readonly release: () => void
}

/** How a call wants to wait, until its signal says otherwise. */
export function waitOptions({ wait, signal }: Pick<SendOptions, 'wait' | 'signal'>): WaitOptions {
  return { ...wait, ...(signal === undefined ? {} : { signal }) }
}
