import { parseAddress } from '../../core/base/encoding/address.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import type { OutputOwners } from '../../core/chain/owners.ts'
import { toOtherChain } from '../../core/draft/arguments.ts'
import { type Clock, countdown } from '../../node/clock.ts'
import { TimeoutError } from '../../node/errors.ts'
import type { CallOptions } from '../../node/http.ts'
import { utxosIn } from '../../node/view/utxo-votes.ts'
import type { ChainView } from '../../node/view/view.ts'
import {
  type DiscoveryClient,
  type DiscoveryOptions,
  discoverAddresses,
} from '../discovery/discover.ts'
import type { AccountAddresses } from './account-addresses.ts'

/** Lists UTXOs of addresses on other chains than X, atomic ones included. */
export type ListOthers = (
  addresses: readonly Uint8Array[],
  call: CallOptions,
) => Promise<readonly { readonly output: Pick<OutputOwners, 'addresses'> }[]>

/** Time limit of one list of the other chains, which should not keep a payment on the X-Chain waiting. */
const OTHERS_TIMEOUT_MS = 10_000

/** Where an account is searched. */
export type SearchPlace = {
  readonly chain: ChainView
  readonly clock: Clock
  readonly context: NetworkContext
  readonly others: ListOthers | undefined
  readonly wasUsed: DiscoveryOptions['wasUsed']
}

/**
 * Finds the used addresses of an account: on the X-Chain, in what other chains exported to it, and on these chains if the
 * wallet uses them. What servers disagree about counts, too. Returns why other chains were not searched: a node that serves
 * the X-Chain alone is enough to spend there.
 *
 * @throws TimeoutError `RPC_TIMEOUT` if servers show ever more used addresses
 */
export async function searchAccount(
  own: AccountAddresses,
  { chain, clock, context, others, wasUsed }: SearchPlace,
  call: CallOptions & { readonly totalMs: number },
): Promise<AvmError | undefined> {
  let failure: AvmError | undefined
  const remainingMs = countdown(clock, call.totalMs)
  const client: DiscoveryClient = {
    async *utxoPages({ addresses: texts, sourceChain: alias }) {
      if (remainingMs() <= 0)
        throw new TimeoutError(
          'RPC_TIMEOUT',
          'the search for used addresses took too long',
          call.totalMs,
        )
      const addresses = texts.map((text) => parseAddress(text).address)
      const source =
        alias === undefined ? {} : { sourceChain: toOtherChain(alias, context).chainID }
      const { set, disputed } = await chain.utxos({ addresses, sources: [source] }, call)
      yield { utxos: [...utxosIn(set, source), ...disputed.map(({ utxo }) => utxo)] }
      if (alias !== undefined || others === undefined || failure !== undefined) return
      const limits = { ...call, totalMs: Math.min(call.totalMs, OTHERS_TIMEOUT_MS) }
      try {
        yield { utxos: await others(addresses, limits) }
      } catch (error) {
        if (!(error instanceof AvmError)) throw error
        failure = error
      }
    },
  }
  const sourceChains = Object.keys(context.chains).filter((name) => name === 'P' || name === 'C')
  const { gapLimit, indexes } = own
  const { addresses } = await discoverAddresses(
    own,
    { client, context, gapLimit, sourceChains, wasUsed },
    [indexes.receive, indexes.change],
  )
  for (const position of addresses) own.use(position)
  return failure
}
