import { EVM_CHAIN_IDS } from '../../core/chain/c/evm-chain-ids.ts'

/** The EVM chain ID of a network. Networks without one of their own use that of the local network. */
export function evmChainID(networkID: number): bigint {
  return EVM_CHAIN_IDS[networkID] ?? EVM_CHAIN_IDS[12345]!
}
