import { AssetSums } from '../../../core/chain/amounts.ts'
import { WEI_PER_NAVAX } from '../../../core/chain/c/gas.ts'
import type { NetworkContext } from '../../../core/chain/networks.ts'
import { unlockedOutput } from '../../../core/chain/p/transferables.ts'
import { encodeUTXO } from '../../../core/chain/p/utxo.ts'
import type { CChainClient } from '../../../node/c-chain-client.ts'
import type { CallOptions } from '../../../node/http.ts'
import type { PChainClient } from '../../../node/p-chain-client.ts'
import { agreedAccount } from '../../../node/view/other-reads.ts'
import type { OtherView } from '../../../node/view/other-view.ts'
import { valuesOf } from '../../../node/view/panel.ts'
import type { OwnAddresses } from '../../accounts/own-addresses.ts'
import type { Waiting } from '../../balances/waiting.ts'
import type { AtomicUTXO, Sides } from '../side.ts'

/** What {@link readWaiting} reads. */
export type WaitingPlaces = {
  readonly own: OwnAddresses
  readonly sides: Sides
  readonly pChain: OtherView<PChainClient>
  readonly cChain: OtherView<CChainClient>
  /** The account on the C-Chain; undefined if the wallet has none. */
  readonly account: Uint8Array | undefined
}

/** What a wallet has on the P- and C-Chain, and what was exported to them. Locked UTXOs of the P-Chain are included. */
export async function readWaiting(
  { own, sides, pChain, cChain, account }: WaitingPlaces,
  { assetID }: NetworkContext,
  call: CallOptions & { readonly totalMs: number },
): Promise<Waiting[]> {
  const atomic = async (chain: 'P' | 'C', from: 'X' | 'P' | 'C') => {
    const { utxos } = await sides[chain].atomicUTXOs(from, call)
    return sumsOf(utxos).map((one) => ({ ...one, chain, from }))
  }
  const onP = async () => {
    const addresses = own.list
    const { utxos } = await pChain.utxos(
      (server, limits) => server.utxoPages({ addresses, ...limits }),
      encodeUTXO,
      call,
    )
    const outputs = utxos.map((utxo) => ({ ...utxo, output: unlockedOutput(utxo.output) }))
    return sumsOf(outputs).map((one) => ({ ...one, chain: 'P' }))
  }
  const onC = async () => {
    if (account === undefined) return []
    const ask = (server: CChainClient, limits: CallOptions) => server.account(account, limits)
    const { answers, errors } = await cChain.askEvery('account', ask, call)
    const all = valuesOf(answers)
    if (all.length < cChain.quorum) throw cChain.tooFew('account', answers.length, errors)
    const amount = agreedAccount(all, cChain.quorum).balance / WEI_PER_NAVAX
    return amount === 0n ? [] : [{ assetID, chain: 'C', amount }]
  }
  const all: readonly (readonly Waiting[])[] = await Promise.all([
    onP(),
    onC(),
    atomic('P', 'X'),
    atomic('P', 'C'),
    atomic('C', 'X'),
    atomic('C', 'P'),
  ])
  return all.flat()
}

function sumsOf(utxos: readonly Pick<AtomicUTXO, 'assetID' | 'output'>[]) {
  const sums = new AssetSums()
  for (const { assetID, output } of utxos) sums.add(assetID, output.amount)
  return sums.list()
}
