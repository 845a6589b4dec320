import {
  bigintFrom,
  boolean,
  bytesOf,
  type Check,
  capability,
  fn,
  integerFrom,
  list,
  type Members,
  memberOf,
  msFrom,
  object,
  optional,
  signal,
} from '../core/base/argument.ts'
import { ADDRESS_SIZE } from '../core/base/encoding/address.ts'
import type { Secp256k1Backend } from '../core/crypto/backend.ts'
import { backendOption } from '../core/crypto/secp256k1.ts'
import type { AddressArgument } from '../core/draft/arguments.ts'
import { address } from '../core/draft/descriptions.ts'
import type { Draft } from '../core/draft/draft.ts'
import type { LeftBehind } from '../core/draft/plan.ts'
import {
  addressPath,
  keysArgument,
  publicKeysArgument,
  signersArgument,
} from '../core/sign/arguments.ts'
import type { Explanation } from '../core/sign/explain/explanation.ts'
import { policyArgument } from '../core/sign/policy.ts'
import { type AcceptCode, acceptArgument, type SignWithOptions } from '../core/sign/sign.ts'
import type { Keys, Signer } from '../core/sign/signer.ts'
import { anyMs, type Clock, clock } from '../node/clock.ts'
import { type NetworkArgument, networkArgument } from '../node/network.ts'
import type { NodeClient } from '../node/node.ts'
import { type AccountWalletOptions, accountMembers } from './accounts/options.ts'
import { type PaymentKeys, paymentKeys } from './payments/payment-keys.ts'
import { type Store, store } from './store/store.ts'

/** Receives the explanation of what is about to be signed; nothing is signed unless it returns true. */
export type Confirm = (explanation: Explanation, draft: Draft) => boolean | Promise<boolean>

/** How long a call waits, and how often it issues again. */
export type WalletWait = {
  /**
   * Time limit for the outcome of the transaction, and for each request before it is issued. A full mempool takes
   * minutes, so a transaction that is pending at the time limit may still be accepted.
   *
   * @defaultValue 60 000
   */
  readonly timeoutMs?: number | undefined
  /**
   * Pause until the transaction is issued again; doubles each time, up to one minute.
   *
   * @defaultValue 5 000
   */
  readonly resendMs?: number | undefined
}

const wait: Check<WalletWait> = object<WalletWait>({
  // A limit that has passed is allowed: it only asks for the current state.
  timeoutMs: optional(anyMs),
  resendMs: optional(msFrom(1)),
})

/** Progress of reading blocks. */
export type BlockProgress = {
  /** Height of the last block that was read. */
  readonly height: bigint
  /** Height of the last block to read. */
  readonly end: bigint
}

/** Options of `createWallet`. */
export type WalletOptions = AccountWalletOptions & {
  readonly client: NodeClient
  /** Keys in memory. Without keys and signers a wallet can only read and draft. */
  readonly keys?: Keys | undefined
  /** External signers: devices, services. */
  readonly signers?: readonly Signer[] | undefined
  /**
   * Addresses whose UTXOs are spent.
   *
   * @defaultValue the addresses of `keys` and `signers`
   */
  readonly addresses?: readonly AddressArgument[] | undefined
  /**
   * Where change goes. A change address that is not the wallet's is the danger `FOREIGN_CHANGE`.
   *
   * @defaultValue the first address; of an account, its first change address
   */
  readonly changeTo?: AddressArgument | undefined
  /**
   * Records payments before they are issued. All wallets with the same keys must share one store.
   *
   * @defaultValue `memoryStore()`, which does not survive a crash
   */
  readonly store?: Store | undefined
  /** Called before every signature; an option of the same name of a call replaces it. */
  readonly confirm?: Confirm | undefined
  /**
   * Codes of dangers that are accepted in every call; an option of the same name of a call adds to them.
   *
   * @defaultValue none
   */
  readonly accept?: readonly AcceptCode[] | undefined
  /** Time limits of every call; an option of the same name of a call replaces it. */
  readonly wait?: WalletWait | undefined
  /** Fee limit, derivation paths and policy, as for `signDraftWith`. */
  readonly signing?: Pick<SignWithOptions, 'maxFee' | 'paths' | 'policy'> | undefined
  /**
   * Computes signatures and checks those of others. A key chain that has a backend of its own signs with that one.
   *
   * @defaultValue on Node the WebAssembly backend, loaded on first use; elsewhere `nobleBackend`
   */
  readonly backend?: Secp256k1Backend | undefined
  /**
   * Time and timers.
   *
   * @defaultValue the system clock
   */
  readonly clock?: Clock | undefined
  /**
   * Seconds after its locktime during which a UTXO is not spent yet, because the node's clock decides. The earlier of
   * the local clock and the node's clock is used.
   *
   * @defaultValue 5
   */
  readonly clockSkewSeconds?: number | undefined
  /**
   * Maximum number of new attempts of a call after proof that a rival spent an input of the previous one.
   *
   * @defaultValue 3
   */
  readonly maxRebuilds?: number | undefined
  /**
   * Number of the client's servers that must agree on what is read: blocks, UTXOs, fees, acceptance of a transaction.
   * Fewer dishonest servers can neither change nor hide it. With 1, any of them can.
   *
   * @defaultValue 1 with one or two servers, 2 with more
   */
  readonly quorum?: number | undefined
  /**
   * The network that the wallet is for. Nothing is drafted, signed or sent if the servers belong to another one.
   *
   * @defaultValue any
   */
  readonly network?: NetworkArgument | undefined
  /**
   * Number of blocks that may be newer than the newest one that the store knows. They are read before the first payment
   * with a caller's key, in case that the store was restored from a backup.
   *
   * @defaultValue 10000
   */
  readonly maxBehind?: number | undefined
  /** Called while these blocks are read. */
  readonly onCatchUp?: ((progress: BlockProgress) => void) | undefined
}

/** Fee limit, derivation paths and policy of what a wallet signs. */
export const signing: Check<Pick<SignWithOptions, 'maxFee' | 'paths' | 'policy'>> = object<
  Pick<SignWithOptions, 'maxFee' | 'paths' | 'policy'>
>({
  maxFee: optional(bigintFrom(0n)),
  paths: optional(list(addressPath)),
  policy: optional(policyArgument),
})

/** The addresses, whose UTXOs are read, and the public keys, which name accounts, are checked, too. */
export const keys: Check<Keys> = (value, at) => {
  const found = keysArgument(value, at)
  list(bytesOf(ADDRESS_SIZE))(found.addresses, memberOf(at, 'addresses'))
  publicKeysArgument(found.publicKeys, memberOf(at, 'publicKeys'))
  return found
}

/** Members of `WalletOptions`, which cross-chain wallets have too. */
export const walletMembers: Members<WalletOptions> = {
  ...accountMembers,
  client: capability<NodeClient>('a node client', 'context', 'servers', 'blockReader'),
  keys: optional(keys),
  signers: optional(signersArgument),
  addresses: optional(list(address)),
  changeTo: optional(address),
  store: optional(store),
  confirm: optional(fn<Confirm>()),
  accept: acceptArgument,
  wait: optional(wait),
  signing: optional(signing),
  backend: backendOption,
  clock: optional(clock),
  clockSkewSeconds: optional(integerFrom(0)),
  maxRebuilds: optional(integerFrom(0)),
  quorum: optional(integerFrom(1)),
  network: optional(networkArgument),
  maxBehind: optional(integerFrom(0)),
  onCatchUp: optional(fn<(progress: BlockProgress) => void>()),
}

/** Description of `WalletOptions`. */
export const walletOptions: Check<WalletOptions> = object(walletMembers)

/** Options of every call that signs and issues. */
export type SendOptions = {
  /** Called before every signature; replaces that of the wallet. */
  readonly confirm?: Confirm | undefined
  /**
   * Codes of dangers that are accepted; any other danger is refused before signing.
   *
   * @defaultValue none
   */
  readonly accept?: readonly AcceptCode[] | undefined
  /** Time limits; replace those of the wallet. */
  readonly wait?: WalletWait | undefined
  /** Aborts the call. A transaction that is claimed by then stays pending: `resume` completes it. */
  readonly signal?: AbortSignal | undefined
}

/** Members of calls that wait. */
export const waitMembers: Members<Pick<SendOptions, 'wait' | 'signal'>> = {
  wait: optional(wait),
  signal: optional(signal),
}

/** Members of calls that sign. */
export const sendMembers: Members<SendOptions> = {
  confirm: optional(fn<Confirm>()),
  accept: acceptArgument,
  ...waitMembers,
}

/** Description of `SendOptions`. */
export const sendOptions: Check<SendOptions> = object(sendMembers)

/** Options of every call that makes one transaction. */
export type RunOptions = SendOptions &
  PaymentKeys & {
    /**
     * Pay although an own transaction that the store does not know may have made the payment, or although only one server
     * has shown that it was rejected, by a transaction of which no output belongs to the wallet.
     *
     * @defaultValue false
     */
    readonly again?: boolean | undefined
  }

/** Description of `RunOptions`. */
export const runOptions: Check<RunOptions> = object<RunOptions>({
  ...sendMembers,
  ...paymentKeys,
  again: optional(boolean),
})

/** A transaction that is accepted. */
export type Receipt = {
  /** Also the ID of the asset, if one was created. */
  readonly txID: Uint8Array
  /** What was signed, explained when it is read; undefined if the payment had been made before, under the same key. */
  readonly explanation?: Explanation | undefined
  /** For `sendAll`: UTXOs that were left out because servers disagree about them; absent if there are none. */
  readonly leftBehind?: readonly LeftBehind[] | undefined
}

/** A draft whose UTXOs are reserved. */
export type Prepared = {
  readonly draft: Draft
  readonly explanation: Explanation
  /** Releases the UTXOs; has no effect on those of a transaction that was submitted. */
  readonly release: () => void
}
