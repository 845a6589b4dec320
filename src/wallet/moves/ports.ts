import {
  exportedUTXOs as exportedFromC,
  hashToSign as hashToSignOnC,
} from '../../core/chain/c/ids.ts'
import { decodeTx as decodeCTx } from '../../core/chain/c/tx.ts'
import { exportedUTXOs, hashToSign } from '../../core/chain/p/ids.ts'
import { unlockedOutput } from '../../core/chain/p/transferables.ts'
import { decodeTx, encodeTx, outputsOf } from '../../core/chain/p/tx.ts'
import type { Keys } from '../../core/sign/signer.ts'
import type { CChainClient } from '../../node/c-chain-client.ts'
import { classifyChainRejection } from '../../node/issue/chain-rejections.ts'
import type { PChainClient } from '../../node/p-chain-client.ts'
import type { OtherView } from '../../node/view/other-view.ts'
import type { OtherPort } from '../ports.ts'
import { renewCredentials } from '../recovery/variant.ts'
import { transferable } from './side.ts'

/** The P-Chain, which remembers rejections. */
export function pPort(chain: OtherView<PChainClient>, keys: Keys | undefined): OtherPort {
  const { client } = chain
  return {
    serverCount: () => client.servers().length,
    issue: (tx, turn, call) => inTurn(client.servers(), turn).platform.issueTx({ tx }, call),
    rejection: (error) => classifyChainRejection(error.nodeMessage, true),
    variant: (bytes, backend) => {
      const tx = decodeTx(bytes)
      const credentials =
        keys && renewCredentials(tx.credentials, hashToSign(tx.unsignedTx), keys, backend)
      return credentials && encodeTx({ ...tx, credentials })
    },
    hashToSign: (bytes) => hashToSign(decodeTx(bytes).unsignedTx),
    ownersOf: (bytes) =>
      outputsOf(decodeTx(bytes).unsignedTx).flatMap(
        ({ output }) => unlockedOutput(output).addresses,
      ),
    isAccepted: (txID, call) => chain.isAccepted(txID, call),
    exportedBy: (bytes) => exportedUTXOs(decodeTx(bytes)).flatMap(transferable),
  }
}

/** The C-Chain, which does not remember rejections: the same bytes can be issued again. */
export function cPort(chain: OtherView<CChainClient>): OtherPort {
  const { client } = chain
  return {
    serverCount: () => client.servers().length,
    issue: (tx, turn, call) => inTurn(client.servers(), turn).avax.issueTx({ tx }, call),
    rejection: (error) => classifyChainRejection(error.nodeMessage, false),
    variant: () => undefined,
    hashToSign: (bytes) => hashToSignOnC(decodeCTx(bytes).unsignedTx),
    // Imports credit accounts, and change stays in the account that an export debits.
    ownersOf: () => [],
    isAccepted: (txID, call) => chain.isAccepted(txID, call),
    exportedBy: (bytes) => exportedFromC(decodeCTx(bytes)).flatMap(transferable),
  }
}

function inTurn<T>(servers: readonly T[], turn: number): T {
  return servers[turn % servers.length]!
}
