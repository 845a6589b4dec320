import { evmAddressBytes } from '../../core/chain/c/evm-address.ts'
import type { UnsignedTx as CUnsignedTx } from '../../core/chain/c/tx.ts'
import type { UnsignedTx as PUnsignedTx } from '../../core/chain/p/tx.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import type { Draft as CDraft } from '../../core/draft/c/draft.ts'
import type { Draft as PDraft } from '../../core/draft/p/draft.ts'
import type { Keys, SignResult } from '../../core/sign/atomic/sign.ts'
import { signDraft as signCDraft, signDraftWith as signCDraftWith } from '../../core/sign/c/sign.ts'
import { signDraft as signPDraft, signDraftWith as signPDraftWith } from '../../core/sign/p/sign.ts'
import type { SignWithOptions } from '../../core/sign/sign.ts'
import { keyChainSigner } from '../../core/sign/signer.ts'
import { WalletError } from '../errors.ts'
import type { WalletOptions } from '../options.ts'
import { nonceEntropy } from '../payments/variant.ts'

/** Keys in memory, with their public keys, from which accounts on the C-Chain are derived. */
export type MoveKeys = Keys

/** Options for signing on the P- and C-Chain. */
export type SigningOptions = Pick<WalletOptions, 'signers' | 'signing'> & {
  /** Keys in memory. */
  readonly keys?: MoveKeys | undefined
  /**
   * Compressed public keys of external signers, 33 bytes each, from which their accounts on the C-Chain are derived.
   */
  readonly publicKeys?: readonly Uint8Array[] | undefined
}

/** Signs drafts of the P- and C-Chain with all keys and signers of a wallet. */
export class LegSigning {
  /** Addresses of the wallet. */
  readonly ours: readonly Uint8Array[]
  /** Accounts of the wallet on the C-Chain, 20 bytes each. */
  readonly accounts: readonly Uint8Array[]
  private readonly options: SigningOptions
  private readonly backend: () => Promise<Secp256k1Backend>

  constructor(
    options: SigningOptions,
    addresses: readonly Uint8Array[],
    backend: () => Promise<Secp256k1Backend>,
  ) {
    const { keys, publicKeys = [] } = options
    this.options = options
    this.backend = backend
    this.accounts = [...(keys?.publicKeys ?? []), ...publicKeys].map(evmAddressBytes)
    this.ours = addresses
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

  async signP(draft: PDraft): Promise<SignResult<PUnsignedTx>> {
    const { keys, signers = [] } = this.options
    const settings = await this.settings()
    if (keys !== undefined && signers.length === 0) return signPDraft(draft, keys, settings)
    return signPDraftWith(draft, this.signers(settings), settings)
  }

  async signC(draft: CDraft): Promise<SignResult<CUnsignedTx>> {
    const { keys, signers = [], publicKeys = [] } = this.options
    const settings = await this.settings()
    if (keys !== undefined && signers.length === 0) return signCDraft(draft, keys, settings)
    const all = [...(keys?.publicKeys ?? []), ...publicKeys]
    return signCDraftWith(draft, this.signers(settings), { ...settings, publicKeys: all })
  }

  private signers(settings: LegSettings) {
    const { keys, signers = [] } = this.options
    return keys === undefined ? signers : [keyChainSigner(keys, settings), ...signers]
  }

  private async settings(): Promise<LegSettings> {
    return {
      extraEntropy: nonceEntropy(),
      backend: await this.backend(),
      paths: this.options.signing?.paths,
      // The builder has applied the limit of the call.
      accept: ['HIGH_FEE'],
    }
  }
}

type LegSettings = Pick<SignWithOptions, 'extraEntropy' | 'paths' | 'accept'> & {
  readonly backend: Secp256k1Backend
}
