import {
  argument,
  bigintFrom,
  type Check,
  object,
  optional,
  u64,
} from '../../core/base/argument.ts'
import { MAX_U64 } from '../../core/base/integers.ts'
import { evmAddress } from '../../core/chain/c/evm-address.ts'
import { WEI_PER_NAVAX } from '../../core/chain/c/gas.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import type { FeeState } from '../../core/chain/p/price.ts'
import { DEFAULT_PRICE_CONFIG } from '../../core/chain/p/price.ts'
import type { UTXO } from '../../core/chain/p/utxo.ts'
import type { Account } from '../c-chain/rules.ts'
import type { OtherChains } from '../p-and-c-chains.ts'
import { type Recipient, recipientMembers } from '../recipients.ts'
import type { Chain } from '../x-chain/chain.ts'
import type { Grant } from '../x-chain/faucet.ts'
import { type BlockOptions, produceBlock } from './produce-block.ts'

/** Whom to fund on the P-Chain, and until when the output is locked unless it is staked. */
export type PRecipient = Recipient & { readonly stakeableLocktime?: bigint | undefined }

const pRecipient: Check<PRecipient> = object<PRecipient>({
  ...recipientMembers,
  amount: bigintFrom(1n, MAX_U64),
  stakeableLocktime: optional(u64),
})

const feeState: Check<FeeState> = object<FeeState>({
  capacity: bigintFrom(0n, DEFAULT_PRICE_CONFIG.maxCapacity),
  excess: u64,
})

const accountArgument: Check<Account> = object<Account>({
  nonce: u64,
  balance: bigintFrom(0n, 2n ** 256n - 1n),
})

/**
 * Controls of the P-Chain of a development node. The gas capacity refills with time, so with a fixed clock only
 * 1,000,000 gas are available in total: about 190 exports.
 */
export type PChainControl = {
  /** Creates a UTXO, locked for staking until `stakeableLocktime` (unix seconds) if given. */
  readonly fund: (recipient: PRecipient) => UTXO
  /** Accepts a block with the pending transactions and returns their number. */
  readonly produceBlock: () => number
  /** Sets capacity and excess at the time of the last block, which determine the gas price. */
  readonly setFeeState: (state: FeeState) => void
  /** Returns capacity and excess at the time of the last block, and the gas price in nAVAX. */
  readonly feeState: () => FeeState & { readonly price: bigint }
}

/** Controls of the C-Chain of a development node. */
export type CChainControl = {
  /** Adds nAVAX to an account, given as `0x…` text or 20 bytes. */
  readonly fund: (address: string | Uint8Array, amount: bigint) => void
  /** Accepts a block with the pending transactions and returns their number. */
  readonly produceBlock: () => number
  /** Sets the base fee in wei per unit of gas. */
  readonly setBaseFee: (wei: bigint) => void
  /** Returns nonce and balance of an account. */
  readonly account: (address: string | Uint8Array) => Account
  /** Replaces nonce and balance of an account, as an EVM transaction might. */
  readonly setAccount: (address: string | Uint8Array, account: Account) => void
}

/** Controls of an AVM chain that was added to a development node. */
export type AddedChainControl = {
  /** IDs, fees and address prefix of the chain. Its first genesis asset pays the fees. */
  readonly context: NetworkContext
  /** Accepts a block of pending transactions and returns its bytes. */
  readonly produceBlock: (options?: BlockOptions) => Uint8Array
}

/** Returns the controls of an added chain. */
export function addedChainControl(chain: Chain): AddedChainControl {
  return { context: chain.context, produceBlock: (options) => produceBlock(chain, options) }
}

/** Returns the controls of the P-Chain. Recipients are parsed as for the X-Chain, with addresses of either chain. */
export function pChainControl(
  others: OtherChains,
  toGrant: (recipient: Recipient) => Grant,
): PChainControl {
  return {
    fund: (recipient) => {
      const { stakeableLocktime = 0n, ...rest } = argument('pChain.fund', recipient, pRecipient)
      return others.fundP(toGrant(rest), stakeableLocktime)
    },
    produceBlock: () => others.p.buildBlock(),
    setFeeState: (state) => others.setPFees(argument('pChain.setFeeState', state, feeState)),
    feeState: () => ({ ...others.p.fees, price: others.p.price }),
  }
}

/** Returns the controls of the C-Chain. */
export function cChainControl(others: OtherChains): CChainControl {
  const toBytes = (call: string, address: string | Uint8Array) =>
    argument(`cChain.${call}`, address, evmAddress, 'address')
  return {
    fund: (address, amount) => {
      const bytes = toBytes('fund', address)
      const added = argument('cChain.fund', amount, u64, 'amount') * WEI_PER_NAVAX
      const { nonce, balance } = others.c.account(bytes)
      others.setAccount(bytes, { nonce, balance: balance + added })
    },
    produceBlock: () => others.c.buildBlock(),
    setBaseFee: (wei) => others.setBaseFee(argument('cChain.setBaseFee', wei, u64, 'wei')),
    account: (address) => others.c.account(toBytes('account', address)),
    setAccount: (address, account) => {
      const bytes = toBytes('setAccount', address)
      others.setAccount(bytes, argument('cChain.setAccount', account, accountArgument, 'account'))
    },
  }
}
