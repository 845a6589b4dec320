import { AvmError } from '../../errors.ts'
import { hashToSign } from '../../p-chain/ids.ts'
import { decodeTx, encodeTx } from '../../p-chain/tx.ts'
import type { CChainClient } from '../../rpc/c-chain-client.ts'
import { classifyChainRejection } from '../../rpc/chain-rejections.ts'
import { AbortError } from '../../rpc/errors.ts'
import type { CallOptions } from '../../rpc/http.ts'
import type { PChainClient } from '../../rpc/p-chain-client.ts'
import type { Keys } from '../../sign/signer.ts'
import type { OtherPort } from '../ports.ts'
import { renewCredentials } from '../variant.ts'

/** The P-Chain, which remembers rejections. */
export function pPort(client: PChainClient, keys: Keys | undefined): OtherPort {
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
    isAccepted: (txID, quorum, call) => isAcceptedBy(client, client.servers(), txID, quorum, call),
  }
}

/** The C-Chain, which does not remember rejections: the same bytes can be issued again. */
export function cPort(client: CChainClient): OtherPort {
  return {
    serverCount: () => client.servers().length,
    issue: (tx, turn, call) => inTurn(client.servers(), turn).avax.issueTx({ tx }, call),
    rejection: (error) => classifyChainRejection(error.nodeMessage, false),
    variant: () => undefined,
    isAccepted: (txID, quorum, call) => isAcceptedBy(client, client.servers(), txID, quorum, call),
  }
}

/** A client, or one server of it. */
type TxSource = {
  readonly isAccepted: (txID: Uint8Array, call?: CallOptions) => Promise<boolean>
}

/**
 * Whether at least `quorum` servers report a transaction as accepted. Servers that do not answer count as not
 * reporting.
 */
async function isAcceptedBy(
  client: TxSource,
  servers: readonly TxSource[],
  txID: Uint8Array,
  quorum: number,
  call: CallOptions,
): Promise<boolean> {
  if (quorum === 1) return client.isAccepted(txID, call)
  const reports = await Promise.all(
    servers.map((server) =>
      server.isAccepted(txID, call).catch((error) => {
        if (!(error instanceof AvmError) || error instanceof AbortError) throw error
        return false
      }),
    ),
  )
  return reports.filter(Boolean).length >= quorum
}

function inTurn<T>(servers: readonly T[], turn: number): T {
  return servers[turn % servers.length]!
}
