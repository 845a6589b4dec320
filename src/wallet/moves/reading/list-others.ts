import { unlockedOutput } from '../../../core/chain/p/transferables.ts'
import { encodeUTXO as encodePUTXO } from '../../../core/chain/p/utxo.ts'
import { encodeUTXO } from '../../../core/chain/x/utxo.ts'
import type { CChainClient } from '../../../node/c-chain-client.ts'
import type { PChainClient } from '../../../node/p-chain-client.ts'
import type { OtherUTXOs, OtherView } from '../../../node/view/other-view.ts'
import type { ListOthers } from '../../accounts/search.ts'

/**
 * Lists the UTXOs of the P-Chain, and those that other chains exported to the P- and C-Chain. What servers disagree about is
 * included: an address must not be missed because of one server.
 */
export function listOthers(
  pChain: OtherView<PChainClient>,
  cChain: OtherView<CChainClient>,
): ListOthers {
  return async (addresses, call) => {
    const onP = (sourceChain: string | undefined) =>
      pChain.utxos(
        (server, limits) => server.utxoPages({ addresses, sourceChain, ...limits }),
        encodePUTXO,
        call,
      )
    const onC = (sourceChain: string) =>
      cChain.utxos(
        (server, limits) => server.utxoPages({ addresses, sourceChain, ...limits }),
        encodeUTXO,
        call,
      )
    const [p, fromX, fromC, xOnC, pOnC] = await Promise.all([
      onP(undefined),
      onP('X'),
      onP('C'),
      onC('X'),
      onC('P'),
    ])
    const outputs = [p, fromX, fromC].flatMap(all).map(({ output }) => unlockedOutput(output))
    return [...outputs.map((output) => ({ output })), ...[xOnC, pOnC].flatMap(all)]
  }
}

function all<U>({ utxos, disputed }: OtherUTXOs<U>): U[] {
  return [...utxos, ...disputed.map(({ utxo }) => utxo)]
}
