import { boolean, type Check, object, optional } from '../../core/base/argument.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { AssetSums } from '../../core/chain/amounts.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { EMPTY_BALANCE } from '../../core/coins/balances.ts'
import type { IDArgument } from '../../core/draft/arguments.ts'
import { chain } from '../../core/draft/descriptions.ts'
import type { CallOptions } from '../../node/http.ts'
import { utxosIn } from '../../node/view/utxo-votes.ts'
import { listOwn } from '../accounts/list-own.ts'
import { type ChainBalance, withDisputed } from '../utxos/disputed.ts'
import type { WalletState } from '../wallet-state.ts'
import type { Waiting, WaitingAmount } from './waiting.ts'

/** The balance of one asset. */
export type WalletBalance = ChainBalance & {
  /** As the transaction that created the asset states it; absent if no server returns that. Anybody can choose any symbol. */
  readonly symbol?: string | undefined
  /** Chosen like the symbol. */
  readonly name?: string | undefined
  /** Number of decimals. */
  readonly denomination?: number | undefined
  /** With `everywhere`: what the wallet has on other chains, and what they exported. */
  readonly waiting?: readonly WaitingAmount[] | undefined
}

/** Options of `wallet.balances`. */
export type BalancesOptions = {
  /** A chain whose exports to the wallet are included. */
  readonly sourceChain?: IDArgument | undefined
  /**
   * Whether other chains are asked, too: for what they exported to the X-Chain; with a cross-chain wallet also for what the
   * wallet has on the P- and C-Chain.
   *
   * @defaultValue false
   */
  readonly everywhere?: boolean | undefined
}

/** Description of `BalancesOptions`. */
export const balancesOptions: Check<BalancesOptions> = object<BalancesOptions>({
  sourceChain: optional(chain),
  everywhere: optional(boolean),
})

/** Reads the balances of a wallet. */
export async function walletBalances(
  state: WalletState,
  { sourceChain, everywhere = false }: BalancesOptions,
): Promise<WalletBalance[]> {
  const call = state.call({})
  const source = await state.source(sourceChain, call)
  const isAtomic = source.sourceChain !== undefined
  const view = isAtomic ? await state.walkView(source, call) : await state.view(call, 0)
  const { context, utxos, owners, now, disputed } = view
  const balances = withDisputed(utxos.balances({ owners, now, ...source }), disputed)
  const waiting = everywhere ? await readWaiting(state, context, call) : []
  const known = new Set(balances.map(({ assetID }) => hex.encode(assetID)))
  const others = new Map(waiting.map(({ assetID }) => [hex.encode(assetID), assetID]))
  const empty = [...others]
    .filter(([name]) => !known.has(name))
    .map(([, assetID]) => ({ ...EMPTY_BALANCE, assetID }))
  const all: ChainBalance[] = [...balances, ...empty]
  const described = await state.assets.described(
    all.map(({ assetID }) => assetID),
    context,
    call,
  )
  return all.map((balance) => {
    const name = hex.encode(balance.assetID)
    const ofAsset = waiting.filter(({ assetID }) => hex.encode(assetID) === name)
    return {
      ...balance,
      ...described.get(name),
      ...(everywhere && { waiting: ofAsset.map(({ assetID: _, ...one }) => one) }),
    }
  })
}

/** What other chains exported to the X-Chain, and what cross-chain wallets have elsewhere. */
async function readWaiting(
  state: WalletState,
  context: NetworkContext,
  call: CallOptions,
): Promise<Waiting[]> {
  const exported = async (from: string): Promise<Waiting[]> => {
    const source = await state.source(from, call)
    const utxos = await listOwn(
      state.own,
      async (addresses) => {
        const list = { addresses, sources: [source], fromAll: true }
        return utxosIn((await state.chain.utxos(list, call)).set, source)
      },
      (found) => found.flatMap(({ output }) => output.addresses),
    )
    const sums = new AssetSums()
    for (const { assetID, output } of utxos)
      if ('amount' in output) sums.add(assetID, output.amount)
    return sums.list().map((one) => ({ ...one, chain: context.chainAlias, from }))
  }
  const sources = ['P', 'C'].filter((name) => context.chains[name] !== undefined)
  const all = await Promise.all([...sources.map(exported), state.waitingElsewhere(context, call)])
  return all.flat()
}
