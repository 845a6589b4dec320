import { evmAddressBytes } from '../../core/chain/c/evm-address.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import { addressOf } from '../../core/crypto/secp256k1.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { explainDraft } from '../../core/sign/explain/explain.ts'
import type { Explanation } from '../../core/sign/explain/explanation.ts'
import type { SignResult } from '../../core/sign/job.ts'
import { signDraft, signDraftWith } from '../../core/sign/sign.ts'
import { keyChainSigner } from '../../core/sign/signers.ts'
import type { OwnAddresses } from '../accounts/own-addresses.ts'
import { WalletError } from '../errors.ts'
import type { WalletOptions } from '../options.ts'
import { nonceEntropy } from '../recovery/nonce-entropy.ts'
import { COUNTED, countedPolicy } from '../sums.ts'
import type { MoveChain } from './side.ts'

/** Options for signing on the P- and C-Chain. */
export type SigningOptions = Pick<WalletOptions, 'keys' | 'signers' | 'signing' | 'accept'> & {
  /**
   * Compressed public keys of external signers, 33 bytes each, from which their accounts on the C-Chain are derived.
   */
  readonly publicKeys?: readonly Uint8Array[] | undefined
}

/** Signs drafts of the P- and C-Chain with all keys and signers of a wallet. */
export class LegSigning {
  /** Accounts of the wallet on the C-Chain, 20 bytes each. */
  readonly accounts: readonly Uint8Array[]
  private readonly options: SigningOptions
  private readonly own: Pick<OwnAddresses, 'list' | 'has'>
  private readonly backend: () => Promise<Secp256k1Backend>

  constructor(
    options: SigningOptions,
    own: Pick<OwnAddresses, 'list' | 'has'>,
    backend: () => Promise<Secp256k1Backend>,
  ) {
    const { keys, publicKeys = [] } = options
    this.options = options
    this.backend = backend
    this.accounts = [...(keys?.publicKeys ?? []), ...publicKeys].map(evmAddressBytes)
    this.own = own
  }

  /**
   * The account on the C-Chain: that of the first public key.
   *
   * @throws WalletError `NO_ADDRESSES`
   */
  account(): Uint8Array {
    const [first] = this.accounts
    if (first !== undefined) return first
    throw new WalletError('NO_ADDRESSES', 'the wallet has no account on the C-Chain', {
      hint: 'give keys, or the public keys of the signers',
    })
  }

  /**
   * Who owns what a move exports, until it is imported: the first address. For the C-Chain it is the address of the
   * account's key, if that is one of the wallet's: Core signs on that chain with this key only.
   */
  exportOwner(to: MoveChain): Uint8Array {
    const { keys, publicKeys = [] } = this.options
    const [publicKey] = [...(keys?.publicKeys ?? []), ...publicKeys]
    if (to === 'C' && publicKey !== undefined) {
      const address = addressOf(publicKey)
      if (this.own.has(address)) return address
    }
    return this.own.list[0]!
  }

  /** Explains a draft whose fee was computed with a price of gas. */
  explain<A extends ChainAlias>(draft: Draft<A>, price: bigint): Explanation {
    const policy = countedPolicy(this.options.signing?.policy)
    return explainDraft(draft, { ours: this.own.list, accounts: this.accounts, price, policy })
  }

  /** Signs a draft. */
  async sign<A extends ChainAlias>(draft: Draft<A>): Promise<SignResult<A>> {
    const { keys, signers = [], publicKeys = [], signing } = this.options
    const settings = {
      extraEntropy: nonceEntropy(),
      backend: await this.backend(),
      policy: signing?.policy,
      // The builder has applied the limit of the call. A leg need not use all keys.
      accept: ['HIGH_FEE', 'UNUSED_KEY', COUNTED, ...(this.options.accept ?? [])],
    } as const
    if (keys !== undefined && signers.length === 0) return signDraft(draft, keys, settings)
    const { backend } = settings
    const all = keys === undefined ? signers : [keyChainSigner(keys, { backend }), ...signers]
    return signDraftWith(draft, all, {
      ...settings,
      paths: signing?.paths,
      publicKeys: [...(keys?.publicKeys ?? []), ...publicKeys],
    })
  }
}
