import type { AssetAmount } from '../../chain/amounts.ts'
import type { ChainAlias, UnsignedTxOf, UTXOOf } from '../../chain/chain-types.ts'
import type { NetworkContext } from '../../chain/networks.ts'
import type { OurKeys } from '../arguments.ts'
import type { OutputType } from '../chain.ts'
import type { Ownership } from '../ownership.ts'
import type { PolicyLabel } from '../policy.ts'
import type { MemoText } from '../text.ts'
import type { DangerOptions, Warning } from '../warnings.ts'

/** Symbol and number of decimals of an asset. */
export type AssetDetails = { readonly symbol: string; readonly denomination: number }

/** An asset in an explanation. */
export type ExplainedAsset = AssetDetails & {
  /** Whether the caller vouches for it, or it is the native one. Others can have any symbol. */
  readonly known: boolean
}

/** Our addresses, or keys with addresses. The accounts of the C-Chain are those of the public keys. */
export type OurAddresses =
  | readonly Uint8Array[]
  | {
      readonly addresses: readonly Uint8Array[]
      readonly publicKeys?: readonly Uint8Array[] | undefined
    }

/** What the reader of an explanation knows in addition to the transaction. */
export type ExplainOptions = DangerOptions & {
  /**
   * Our addresses, or a key chain. Without them, only outputs to exactly the owners of spent UTXOs count as
   * returned.
   */
  readonly ours?: OurAddresses | undefined
  /**
   * Our accounts on the C-Chain: EVM addresses, 20 bytes each. They own no UTXOs.
   *
   * @defaultValue those of the public keys of `ours`
   */
  readonly accounts?: readonly Uint8Array[] | undefined
  /**
   * Assets that the caller vouches for, by ID in cb58. Take them from the CreateAssetTx: a node's description of
   * an asset is not proof. Amounts of other assets are shown in base units. The native asset is always known.
   */
  readonly assets?: { readonly [assetID: string]: AssetDetails } | undefined
  /**
   * Unix seconds; locktimes up to this time have passed.
   *
   * @defaultValue every locktime counts as not passed
   */
  readonly now?: bigint | undefined
}

/** Options whose members are checked. */
export type CheckedExplainOptions = Omit<ExplainOptions, 'ours'> & {
  readonly ours?: OurKeys | undefined
}

/** What is known about a signed transaction to explain. */
export type ExplainTxOptions<A extends ChainAlias = 'X'> = ExplainOptions & {
  readonly context: NetworkContext
  /**
   * The chain of the transaction.
   *
   * @defaultValue `X`
   */
  readonly chain?: A | undefined
  /** The UTXOs it spends, as far as known, in any order. The caller vouches for their owners. */
  readonly utxos?: readonly UTXOOf<A>[] | undefined
  /** Change as stated by the builder, per asset. */
  readonly change?: readonly AssetAmount[] | undefined
}

/** Owners of a UTXO or output, as text. */
export type ExplainedOwners = {
  readonly threshold: number
  /** With the prefix of the chain on which the output is spent, such as `X-avax1…`; accounts as `0x…`. */
  readonly addresses: readonly string[]
  /** Unix seconds; 0n for never locked. */
  readonly locktime: bigint
  /** Unix seconds before which it can be staked, but not transferred; absent if it never was locked so. */
  readonly stakeableLocktime?: bigint | undefined
}

/** A UTXO that is spent, or an account that is debited. */
export type ExplainedSpend = {
  /** `<txID>:<outputIndex>`; empty for an account, and for an operation that does not spend exactly one UTXO. */
  readonly utxo: string
  /** The nonce with which an account is debited; absent for UTXOs. */
  readonly nonce?: bigint | undefined
  readonly assetID: string
  /** Absent for UTXOs without an amount, such as rights to mint and NFTs. */
  readonly amount?: bigint | undefined
  /** Absent if the UTXO is unknown. */
  readonly owners?: ExplainedOwners | undefined
  /**
   * Whether the owners are certain: proven by the transaction that created the UTXO, or vouched for by the caller.
   * False if only the request file states them.
   */
  readonly proven: boolean
  /** Whether another chain exported it. */
  readonly imported: boolean
}

/** An output of the transaction. */
export type ExplainedOutput = {
  readonly outputIndex: number
  readonly type: OutputType
  /** Absent for the asset that the transaction creates. */
  readonly assetID?: string | undefined
  /** Absent for outputs without an amount, such as NFTs. */
  readonly amount?: bigint | undefined
  readonly owners: ExplainedOwners
  /** Decided by keys and proven owners alone; `ours` or `vault` for returned outputs. */
  readonly ownership: Ownership
  /** Whether it is returned on this chain and stated as change by the builder. */
  readonly change: boolean
  /** Whether it is exported to another chain. */
  readonly exported: boolean
}

/** An operation on a UTXO. */
export type ExplainedOperation = {
  /** What it does, such as `mint an NFT`. */
  readonly words: string
  readonly assetID: string
  /** Group of the NFT; absent for other operations. */
  readonly groupID?: number | undefined
  /** Payload of the NFT in hex; absent for other operations. */
  readonly payload?: string | undefined
  /** What it consumes without creating it again, such as `a right to mint NFTs`. */
  readonly destroys?: string | undefined
  /** Whether it burns a property. */
  readonly burnsProperty: boolean
}

/** A signer set of a request. */
export type ExplainedSigners = {
  /** Addresses, in the order of their first signatures. */
  readonly signers: readonly string[]
  /** The signers whose signatures are missing. */
  readonly missing: readonly string[]
}

/** Sums of one asset, in base units: `spent + minted = paid + returned + fee + burned`. */
export type AssetTotal = {
  /** Absent for the asset that the transaction creates. */
  readonly assetID?: string | undefined
  readonly spent: bigint
  readonly minted: bigint
  /** To others. */
  readonly paid: bigint
  /** Number of different owners among the payments. */
  readonly recipients: number
  /** Number of outputs to others. */
  readonly payments: number
  /** To us, or to the owners of spent UTXOs. */
  readonly returned: bigint
  /** 0n for assets other than the native one. */
  readonly fee: bigint
  /** Destroyed in addition to the fee. */
  readonly burned: bigint
}

/** Another chain. */
export type ExplainedChain = {
  /** Absent if the network has no such chain. */
  readonly alias?: string | undefined
  readonly chainID: string
}

/** What a transaction does, as data. Amounts are in base units. Texts are not escaped. */
export type Explanation = {
  readonly chain: ChainAlias
  readonly type: UnsignedTxOf<ChainAlias>['type']
  /** The type in words, such as `export to the C-Chain`. */
  readonly title: string
  readonly network: {
    readonly name: string
    readonly networkID: number
    readonly chainAlias: string
    readonly chainID: string
    readonly assetID: string
  }
  /** ImportTx only. */
  readonly sourceChain?: ExplainedChain | undefined
  /** ExportTx only. */
  readonly destinationChain?: ExplainedChain | undefined
  /** The asset that is created. */
  readonly newAsset?:
    | {
        readonly name: string
        readonly symbol: string
        readonly denomination: number
      }
    | undefined
  /**
   * 25 letters and digits in groups of five. The same for all signers who see the same transaction with the same
   * evidence, however many have signed.
   */
  readonly digest: string
  /** By asset, the native one first. */
  readonly totals: readonly AssetTotal[]
  /** In the order of the credentials. */
  readonly spends: readonly ExplainedSpend[]
  /** Outputs to others, by output index ascending. */
  readonly pays: readonly ExplainedOutput[]
  /** Outputs to us, or to exactly the owners of spent UTXOs; by output index ascending. */
  readonly returns: readonly ExplainedOutput[]
  readonly operations: readonly ExplainedOperation[]
  /** The fee that the network charges: on the P- and C-Chain all AVAX that is burned. */
  readonly fee: bigint
  /** Amounts destroyed in addition to the fee. */
  readonly burned: readonly { readonly assetID: string; readonly amount: bigint }[]
  readonly memo: MemoText
  /** Size of the signed transaction in bytes, and the node's limit. */
  readonly size: number
  readonly maxSize: number
  /** Numbers of signatures, one per signer and input. For a request, of the signer set that lacks the fewest. */
  readonly signatures: {
    readonly needed: number
    /** Only signatures that were verified. */
    readonly made: number
    /** Signatures that do not verify. */
    readonly invalid: number
    /** Signatures that cannot be verified, because the UTXOs are not known. */
    readonly unverified: number
  }
  /** The signer sets of a request; any one of them is sufficient. */
  readonly signerSets?: readonly ExplainedSigners[] | undefined
  /** Assets with proven or vouched-for decimals, by ID in cb58. */
  readonly assets: { readonly [assetID: string]: ExplainedAsset }
  /** The policy of the signer; absent for none. */
  readonly policy?: PolicyLabel | undefined
  /** At most one per code; its message counts the others. */
  readonly warnings: readonly Warning[]
}
