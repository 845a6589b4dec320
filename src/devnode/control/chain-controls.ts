import { MAX_U64 } from '../../core/base/encoding/amount.ts'
import { parseEVMAddress } from '../../core/chain/c/evm-address.ts'
import { WEI_PER_NAVAX } from '../../core/chain/c/gas.ts'
import type { FeeState } from '../../core/chain/p/price.ts'
import { DEFAULT_PRICE_CONFIG } from '../../core/chain/p/price.ts'
import type { UTXO } from '../../core/chain/p/utxo.ts'
import type { Account } from '../c-chain/rules.ts'
import { DevNodeError } from '../errors.ts'
import type { OtherChains } from '../other-chains.ts'
import type { Grant } from '../x-chain/faucet.ts'

/**
 * Controls of the P-Chain of a development node. The gas capacity refills with time, so with a fixed clock only
 * 1,000,000 gas are available in total: about 190 exports.
 */
export type PChainControl<Recipient> = {
  /** Creates a UTXO, locked for staking until `stakeableLocktime` (unix seconds) if given. */
  readonly fund: (
    recipient: Recipient & { readonly stakeableLocktime?: bigint | undefined },
  ) => UTXO
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

/** Returns the controls of the P-Chain. Recipients are parsed as for the X-Chain, with addresses of either chain. */
export function pChainControl<Recipient>(
  others: OtherChains,
  toGrant: (recipient: Recipient) => Grant,
): PChainControl<Recipient> {
  return {
    fund: ({ stakeableLocktime = 0n, ...recipient }) => {
      const grant = toGrant(recipient as unknown as Recipient)
      checkRange('an amount', grant.amount, MAX_U64, 1n)
      checkRange('a stakeableLocktime', stakeableLocktime, MAX_U64)
      return others.fundP(grant, stakeableLocktime)
    },
    produceBlock: () => others.p.buildBlock(),
    setFeeState: (state) => {
      checkRange('a capacity', state.capacity, DEFAULT_PRICE_CONFIG.maxCapacity)
      checkRange('an excess', state.excess, MAX_U64)
      others.setPFees(state)
    },
    feeState: () => ({ ...others.p.fees, price: others.p.price }),
  }
}

/** Returns the controls of the C-Chain. */
export function cChainControl(others: OtherChains): CChainControl {
  const toBytes = (address: string | Uint8Array): Uint8Array =>
    typeof address === 'string' ? parseEVMAddress(address) : address
  return {
    fund: (address, amount) => {
      checkRange('an amount', amount, MAX_U64)
      const bytes = toBytes(address)
      const { nonce, balance } = others.c.account(bytes)
      others.setAccount(bytes, { nonce, balance: balance + amount * WEI_PER_NAVAX })
    },
    produceBlock: () => others.c.buildBlock(),
    setBaseFee: (wei) => {
      checkRange('a base fee', wei, MAX_U64)
      others.setBaseFee(wei)
    },
    account: (address) => others.c.account(toBytes(address)),
    setAccount: (address, account) => {
      checkRange('a nonce', account.nonce, MAX_U64)
      checkRange('a balance', account.balance, 2n ** 256n - 1n)
      others.setAccount(toBytes(address), account)
    },
  }
}

function checkRange(what: string, value: bigint, max: bigint, min = 0n): void {
  if (typeof value !== 'bigint' || value < min || value > max)
    throw new DevNodeError('BAD_OPTION', `${what} must be from ${min} to ${max}, is ${value}`)
}
