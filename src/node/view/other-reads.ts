import type { FeeParameters, GasWeights } from '../../core/chain/p/gas.ts'
import type { AccountDetails, CChainClient } from '../c-chain-client.ts'
import { QuorumError } from '../errors.ts'
import type { CallOptions } from '../http.ts'
import type { PChainClient } from '../p-chain-client.ts'
import type { OtherView } from './other-view.ts'
import { agreedOf, reachedBy } from './votes.ts'

/** The gas price of the P-Chain that enough servers have reached, and the weights that enough of them report. */
export async function agreedFees(
  chain: OtherView<PChainClient>,
  call: CallOptions,
): Promise<FeeParameters> {
  const all = await chain.askAll(
    'platform.getFeeState',
    (server, limits) => server.fees(limits),
    call,
  )
  const { quorum } = chain
  const weights = agreedOf(
    all.map((fees) => fees.weights),
    quorum,
    isSameWeights,
  )
  if (weights === undefined)
    throw new QuorumError('platform.getFeeConfig', 1, { quorum, servers: all })
  const prices = all.map(({ price }) => price)
  return { weights, price: reachedBy(prices, quorum) }
}

function isSameWeights(a: GasWeights, b: GasWeights): boolean {
  const names = ['bandwidth', 'dbRead', 'dbWrite', 'compute'] as const
  return names.every((name) => BigInt(a[name]) === BigInt(b[name]))
}

/** The base fee of the C-Chain that enough servers have reached, in wei. */
export async function agreedBaseFee(
  chain: OtherView<CChainClient>,
  call: CallOptions,
): Promise<bigint> {
  const ask = ({ eth }: CChainClient, limits: CallOptions) => eth.baseFee({}, limits)
  return reachedBy(await chain.askAll('eth_baseFee', ask, call), chain.quorum)
}

/**
 * The highest nonce and balance of an account that at least `quorum` servers have reached.
 *
 * @param accounts - at least as many answers as the quorum
 */
export function agreedAccount(
  accounts: readonly AccountDetails[],
  quorum: number,
): Pick<AccountDetails, 'nonce' | 'balance'> {
  const nonces = accounts.map(({ nonce }) => nonce)
  const nonce = reachedBy(nonces, quorum)
  // With a lower nonce, the balance is that of an earlier state.
  const current = accounts.filter((account) => account.nonce >= nonce)
  const balances = current.map(({ balance }) => balance)
  return { nonce, balance: reachedBy(balances, quorum) }
}
