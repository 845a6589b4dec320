import { VerifyError } from '../base/errors.ts'
import { requireFields } from '../base/require.ts'
import { type ChainOfNetwork, type NetworkContext, P_CHAIN_ID } from './networks.ts'

/** A chain of the primary network other than the X-Chain. */
export type OtherChain = 'P' | 'C'

/** The `format` member of the signing request files of each chain. */
export const ATOMIC_REQUEST_FORMATS: { readonly [chain in OtherChain]: string } = {
  P: 'avmkit-p-chain-signing-request',
  C: 'avmkit-c-chain-signing-request',
}

/** The name of a chain and its ID in each network. */
export function chainOf(chain: OtherChain): ChainOfNetwork {
  return { name: `${chain}-Chain`, idIn: ({ chains }) => (chain === 'P' ? P_CHAIN_ID : chains?.C) }
}

/**
 * The context of the P- or C-Chain of the same network: with this chain's ID and alias, and the X-Chain in `chains`.
 * Functions that read builder arguments then expect addresses of this chain, and refuse the chain itself as source or
 * destination.
 *
 * @throws VerifyError `UNKNOWN_CHAIN` if the context does not know its C-Chain.
 */
export function contextFrom(context: NetworkContext, chain: OtherChain): NetworkContext {
  requireFields(context, 'context', ['chains'])
  const { P = P_CHAIN_ID, C, ...others } = context.chains
  if (chain === 'C' && C === undefined)
    throw new VerifyError('UNKNOWN_CHAIN', 'the context does not name the C-Chain in chains')
  return {
    ...context,
    chainAlias: chain,
    chainID: chain === 'P' ? P : C!,
    chains: {
      ...others,
      [context.chainAlias]: context.chainID,
      ...(chain === 'P' ? C && { C } : { P }),
    },
  }
}
