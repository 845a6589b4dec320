import { formatID, formatUTXOID } from '../../core/base/encoding/ids.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { unlockedOutput } from '../../core/chain/p/transferables.ts'
import { encodeUTXO as encodePUTXO, type UTXO as PUTXO } from '../../core/chain/p/utxo.ts'
import { encodeUTXO, type UTXO } from '../../core/chain/x/utxo.ts'
import type { UTXOPage } from '../../core/chain/x/utxo-page.ts'
import type { Source } from '../../core/coins/utxo-set.ts'
import { toOtherChain } from '../../core/draft/arguments.ts'
import { addressText } from '../../inspect/texts.ts'
import type { CChainClient, NodeClient, PChainClient } from '../../node/index.ts'
import type { OtherUTXOs, OtherView } from '../../node/view/other-view.ts'
import { utxosIn } from '../../node/view/utxo-votes.ts'
import type { Disputed } from '../../node/view/votes.ts'
import type { Invocation } from '../invocation.ts'
import type { KnownAssets } from '../spending/lookup.ts'
import { withProgress } from '../terminal/walk-progress.ts'

/** Whose UTXOs are read. */
export type Walk<Owner = Uint8Array> = {
  readonly owners: readonly Owner[]
  /** The chain that exported them; default: UTXOs of the chain itself. */
  readonly sourceChain?: string | undefined
}

/** The UTXOs of a chain that runs the AVM. */
export type Listing = {
  /** Those that servers agree on, in one page. With a quorum of 1, the pages of one server. */
  readonly pages: AsyncIterable<UTXOPage> | Iterable<UTXOPage>
  readonly disputed: readonly Disputed<UTXO>[]
}

/** Lists UTXOs of a chain that runs the AVM, with progress. */
export async function listUTXOs(
  client: NodeClient,
  { owners, sourceChain }: Walk,
  context: NetworkContext,
  invocation: Invocation,
): Promise<Listing> {
  const chain = await invocation.viewOf(client)
  const call = invocation.callOptions()
  if (chain.quorum === 1) {
    const addresses = owners.map((owner) => addressText(owner, context))
    const pages = withProgress(client, invocation).utxoPages({ addresses, sourceChain, ...call })
    return { pages, disputed: [] }
  }
  const source: Source =
    sourceChain === undefined ? {} : { sourceChain: toOtherChain(sourceChain, context).chainID }
  const { set, disputed } = await invocation.during('reading UTXOs', () =>
    chain.utxos({ addresses: owners, sources: [source], withHeight: true }, call),
  )
  const opaque = set.opaque(source).map((entry, index) => ({ ...entry, index }))
  return { pages: [{ utxos: utxosIn(set, source), opaque }], disputed }
}

/** Lists UTXOs of the P-Chain. */
export function listOnP(
  chain: OtherView<PChainClient>,
  { owners: addresses, sourceChain }: Walk<Uint8Array | string>,
  signal: AbortSignal | undefined,
): Promise<OtherUTXOs<PUTXO>> {
  return chain.utxos(
    (server, limits) => server.utxoPages({ addresses, sourceChain, ...limits }),
    encodePUTXO,
    { signal },
  )
}

/** Lists UTXOs that another chain exported to the C-Chain, which has no others. */
export function listOnC(
  chain: OtherView<CChainClient>,
  { owners: addresses, sourceChain }: Walk<Uint8Array | string> & { readonly sourceChain: string },
  signal: AbortSignal | undefined,
): Promise<OtherUTXOs<UTXO>> {
  return chain.utxos(
    (server, limits) => server.utxoPages({ addresses, sourceChain, ...limits }),
    encodeUTXO,
    { signal },
  )
}

/** A UTXO that servers disagree about, for the output. */
export type Dispute = {
  readonly chain: string
  readonly name: string
  readonly assetID: string
  /** Undefined for mint rights, NFTs and properties. */
  readonly amount: bigint | undefined
  readonly listedBy: readonly string[]
  readonly missingFrom: readonly string[]
}

/** Describes a UTXO that servers disagree about. */
export function disputeOf(
  chain: string,
  { utxo, listedBy, missingFrom }: Disputed<UTXO | PUTXO>,
): Dispute {
  const output =
    utxo.output.type === 'stakeable.LockOut' ? unlockedOutput(utxo.output) : utxo.output
  return {
    chain,
    name: formatUTXOID(utxo),
    assetID: formatID(utxo.assetID),
    amount: 'amount' in output ? output.amount : undefined,
    listedBy,
    missingFrom,
  }
}

/** One line for each UTXO that servers disagree about. */
export function disputeText(disputes: readonly Dispute[], known: KnownAssets): string[] {
  return disputes.map(({ chain, name, assetID, amount, listedBy, missingFrom }) => {
    const { label, format } = known.find(assetID)
    const what = amount === undefined ? label : `${format(amount)} ${label}`
    return `disputed on ${chain}: ${name} (${what}), listed by ${listedBy.join(', ')}, not by ${missingFrom.join(', ')}`
  })
}

/** Disputes for `--json`, as the member `disputed`; absent if there are none. */
export function disputeJSON(disputes: readonly Dispute[]): { disputed?: readonly Dispute[] } {
  return disputes.length === 0 ? {} : { disputed: disputes }
}

/** Prints UTXOs that a draft does not spend because servers disagree about them. */
export function noteDisputes(
  disputed: readonly Disputed<UTXO | PUTXO>[],
  invocation: Invocation,
): void {
  for (const { utxo, listedBy, missingFrom } of disputed)
    invocation.warn(
      'DISPUTED',
      `not spent: servers disagree whether ${formatUTXOID(utxo)} exists (listed by ${listedBy.join(', ')}, not by ${missingFrom.join(', ')})`,
    )
}
