import {
  bytesOf,
  type Check,
  fn,
  invalid,
  itemOf,
  type Members,
  memberOf,
  object,
  optional,
} from '../../core/base/argument.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
import { type NetworkContext, networkContext } from '../../core/chain/networks.ts'
import { signersArgument } from '../../core/sign/arguments.ts'
import { explainMembers } from '../../core/sign/explain/explain.ts'
import type { Explanation } from '../../core/sign/explain/explanation.ts'
import type { Signed } from '../../core/sign/job.ts'
import type { GetTx } from '../../core/sign/proofs/collect.ts'
import type { RequestSignOptions } from '../../core/sign/request/request-sign.ts'
import type { SigningRequest } from '../../core/sign/request/signing-request.ts'
import { acceptArgument } from '../../core/sign/sign.ts'
import type { Signer } from '../../core/sign/signer.ts'
import { CoreError } from './errors.ts'

/** Where an address is in an account. */
export type AccountPosition = { readonly change: 0 | 1; readonly index: number }

/** What a wallet needs to answer requests of pages. */
export type AnsweringWallet = {
  /** The network that it is for. */
  readonly network: NetworkContext
  /** Its signers, with their addresses. */
  readonly signers: readonly Signer[]
  /** Compressed public keys: that of the X- and P-Chain, that of the account on the C-Chain. */
  readonly publicKeys: { readonly xp: Uint8Array; readonly evm: Uint8Array }
  /** Reads accepted transactions from the wallet's own node, which prove the UTXOs of a request. */
  readonly getTx: GetTx
  /** Issues a transaction for `avalanche_sendTransaction`. It should record it first. */
  readonly issueTx: (signed: Signed<ChainAlias>, chain: ChainAlias) => Promise<unknown>
  /**
   * Signs a message for `avalanche_signMessage`; returns the signature in cb58.
   *
   * @defaultValue the method is not supported
   */
  readonly signMessage?:
    | ((message: string, accountIndex: number | undefined) => Promise<string> | string)
    | undefined
  /**
   * The address at a position of the account, for `avalanche_getAddressesInRange`.
   *
   * @defaultValue the method is not supported
   */
  readonly address?: ((position: AccountPosition) => Uint8Array) | undefined
}

const publicKeysMember: Check<AnsweringWallet['publicKeys']> = /* @__PURE__ */ object<
  AnsweringWallet['publicKeys']
>({ xp: bytesOf(33), evm: bytesOf(33) })

const listingSigners: Check<readonly Signer[]> = (value, at) => {
  const signers = signersArgument(value, at)
  const i = signers.findIndex(({ addresses }) => addresses === undefined)
  if (i === -1) return signers
  throw invalid(undefined, memberOf(itemOf(at, i), 'addresses'), 'addresses')
}

/** Description of `AnsweringWallet`. */
export const answeringWallet: Check<AnsweringWallet> = /* @__PURE__ */ object<AnsweringWallet>({
  network: networkContext,
  signers: listingSigners,
  publicKeys: publicKeysMember,
  getTx: fn<GetTx>(),
  issueTx: fn<AnsweringWallet['issueTx']>(),
  signMessage: optional(fn<NonNullable<AnsweringWallet['signMessage']>>()),
  address: optional(fn<NonNullable<AnsweringWallet['address']>>()),
})

/** What a user is asked to agree to. */
export type ConsentQuery = {
  readonly method: string
  /** For transactions: show it, for instance with `formatExplanation` or `explanationElement`. */
  readonly explanation?: Explanation | undefined
  /** For transactions. */
  readonly request?: SigningRequest<ChainAlias> | undefined
  /** The message to sign, as it was given. */
  readonly message?: string | undefined
  /** Addresses that the page would learn. */
  readonly addresses?: readonly string[] | undefined
}

/** Options of `handleAvalancheRequest`: what the wallet accepts and knows, and whom to ask. */
export type HandleOptions = Pick<
  RequestSignOptions,
  'accept' | 'policy' | 'maxFee' | 'price' | 'assets' | 'now'
> & {
  /** Asks the user. Nothing is signed or told unless it returns true. */
  readonly consent: (query: ConsentQuery) => Promise<boolean> | boolean
}

const { policy, maxFee, price, assets, now } = explainMembers
const handleMembers: Members<HandleOptions> = {
  accept: acceptArgument,
  policy,
  maxFee,
  price,
  assets,
  now,
  consent: fn<HandleOptions['consent']>(),
}
/** Description of `HandleOptions`. */
export const handleOptions: Check<HandleOptions> =
  /* @__PURE__ */ object<HandleOptions>(handleMembers)

/**
 * Asks the user.
 *
 * @throws CoreError `CORE_REJECTED`
 */
export async function requireConsent(
  { consent }: Pick<HandleOptions, 'consent'>,
  query: ConsentQuery,
): Promise<void> {
  // Only true counts: a text such as "no" must not.
  if ((await consent(query)) !== true)
    throw new CoreError('CORE_REJECTED', 'the user rejected the request')
}
