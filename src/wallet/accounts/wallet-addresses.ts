import { formatAddress } from '../../core/base/encoding/address.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import type { WalletState } from '../wallet-state.ts'
import type { WalletAddress } from './account-addresses.ts'

/** The addresses of a wallet, after all blocks are applied if it has an account. */
export async function walletAddresses(state: WalletState): Promise<WalletAddress[]> {
  const { own } = state
  const format = await formatterOf(state)
  if (own.account !== undefined) return own.account.describe(format)
  return own.list.map((address) => ({ address: address.slice(), text: format(address) }))
}

/** The address to receive the next payment at. */
export async function receiveAddress(state: WalletState): Promise<string> {
  const format = await formatterOf(state)
  return format(state.own.account?.nextReceive ?? state.own.list[0]!)
}

async function formatterOf(state: WalletState): Promise<(address: Uint8Array) => string> {
  const call = state.call({})
  // A payment to an address is known once its block is applied.
  const { chainAlias: chain, hrp }: NetworkContext =
    state.own.account === undefined
      ? await state.context(call)
      : (await state.view(call, 0)).context
  return (address) => formatAddress({ chain, hrp, address })
}
