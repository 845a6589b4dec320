import { AvmError } from '../../core/base/errors.ts'
import { exportedUTXOs as exportedFromC } from '../../core/chain/c/ids.ts'
import { decodeTx as decodeCTx } from '../../core/chain/c/tx.ts'
import { exportedUTXOs, hashToSign } from '../../core/chain/p/ids.ts'
import { decodeTx, encodeTx } from '../../core/chain/p/tx.ts'
import type { Keys } from '../../core/sign/signer.ts'
import type { CChainClient } from '../../node/c-chain-client.ts'
import { AbortError } from '../../node/errors.ts'
import type { CallOptions } from '../../node/http.ts'
import { classifyChainRejection } from '../../node/issue/chain-rejections.ts'
import type { PChainClient } from '../../node/p-chain-client.ts'
import { renewCredentials } from '../payments/variant.ts'
import type { OtherPort } from '../ports.ts'
import { transferable } from './side.ts'

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
    exportedBy: (bytes) => exportedUTXOs(decodeTx(bytes)).flatMap(transferable),
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
    exportedBy: (bytes) => exportedFromC(decodeCTx(bytes)).flatMap(transferable),
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
export async function isAcceptedBy(
  client: TxSource,
  servers: readonly TxSource[],
  txID: Uint8Array,
  quorum: number,
  call: CallOptions,
): Promise<boolean> {
  if (quorum === 1) return client.isAccepted(txID, call)
  const { answers } = await askServers(servers, (server) => server.isAccepted(txID, call))
  return answers.filter(Boolean).length >= quorum
}

/**
 * Asks all servers at the same time. Returns the answers, and the errors of the servers that did not answer.
 *
 * @throws AbortError if the caller aborts
 */
export async function askServers<S, T>(
  servers: readonly S[],
  ask: (server: S) => Promise<T>,
): Promise<{ readonly answers: readonly T[]; readonly errors: readonly AvmError[] }> {
  const answers: T[] = []
  const errors: AvmError[] = []
  await Promise.all(
    servers.map((server) =>
      ask(server).then(
        (answer) => answers.push(answer),
        (error) => {
          if (!(error instanceof AvmError) || error instanceof AbortError) throw error
          errors.push(error)
        },
      ),
    ),
  )
  return { answers, errors }
}

function inTurn<T>(servers: readonly T[], turn: number): T {
  return servers[turn % servers.length]!
}
