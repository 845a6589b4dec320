import type { NetworkContext } from '../core/chain/networks.ts'
import type { OutputOwners } from '../core/chain/owners.ts'
import { createdUTXOs } from '../core/chain/x/created.ts'
import { hashToSign } from '../core/chain/x/ids.ts'
import type { UTXOID } from '../core/chain/x/transferables.ts'
import { decodeTx } from '../core/chain/x/tx.ts'
import type { Secp256k1Backend } from '../core/crypto/backend.ts'
import type { Keys } from '../core/sign/signer.ts'
import type { RpcError } from '../node/errors.ts'
import type { CallOptions } from '../node/http.ts'
import type { Rejection } from '../node/issue/rejections.ts'
import type { NodeClient } from '../node/node.ts'
import type { ListOthers } from './accounts/search.ts'
import type { Waiting } from './balances/waiting.ts'
import type { Candidate, Pending } from './evidence/pending.ts'
import { variantOf } from './recovery/variant.ts'
import type { Attempt } from './store/store.ts'

/** How transactions of one chain are issued. */
export type ChainPort = {
  readonly serverCount: () => number
  /** Sends a transaction to one server: that of number `turn`, modulo the number of servers. */
  readonly issue: (bytes: Uint8Array, turn: number, call: CallOptions) => Promise<unknown>
  readonly rejection: (error: RpcError, bytes: Uint8Array) => Rejection
  /** The same transaction signed again, with another ID; undefined if the keys cannot sign it. */
  readonly variant: (bytes: Uint8Array, backend: Secp256k1Backend) => Uint8Array | undefined
  /** The hash that signatures sign: variants of a transaction have the same. */
  readonly hashToSign: (bytes: Uint8Array) => Uint8Array
  /** The owners of the outputs of a transaction. */
  readonly ownersOf: (bytes: Uint8Array) => readonly Uint8Array[]
}

/** How transactions of the P- or C-Chain are issued and found. Blocks of these chains are not read. */
export type OtherPort = ChainPort & {
  /** Whether as many servers as the quorum requires report a transaction as accepted. */
  readonly isAccepted: (txID: Uint8Array, call: CallOptions) => Promise<boolean>
  /** The UTXOs that an export creates for its destination. */
  readonly exportedBy: (bytes: Uint8Array) => readonly ExportedUTXO[]
}

/** A UTXO that a chain exports, with its owners. */
export type ExportedUTXO = UTXOID & { readonly output: OutputOwners }

/** The UTXOs that an attempt exports from another chain than X: an import of them on X shows that it was accepted. */
export function exportedBy(attempt: Attempt, ports: OtherPorts): readonly ExportedUTXO[] {
  const other = otherChainOf(attempt)
  if (other === undefined || attempt.kind !== 'export') return []
  return ports[other]?.exportedBy(attempt.bytes) ?? []
}

/** The chains besides X that a wallet uses. */
export type OtherPorts = {
  readonly P?: OtherPort
  readonly C?: OtherPort
  /** Lists UTXOs on these chains, to find used addresses of an account. */
  readonly listOthers?: ListOthers
  /** What the wallet has on these chains, and what was exported to them. */
  readonly waiting?: (context: NetworkContext, call: CallOptions) => Promise<Waiting[]>
  /** The acceptance to record when a transaction of a move is accepted; undefined if the move continues. */
  readonly decideMove?: (candidate: Candidate, pending: Pending) => Candidate | undefined
}

/** Whether attempts make a move between chains. */
export function isMove(attempts: readonly Attempt[]): boolean {
  return attempts.some(({ leg }) => leg)
}

/** Whether a pending move has created a UTXO. */
export function isOfMove(pending: Pending, { txID }: UTXOID): boolean {
  return pending.attempt(txID)?.leg !== undefined
}

/** The chain of an attempt if it is not X. */
export function otherChainOf({ leg }: Attempt): 'P' | 'C' | undefined {
  return leg === undefined || leg.chain === 'X' ? undefined : leg.chain
}

/** The chain from which attempts on the X-Chain import; undefined if they do not import. */
export function sourceChainOf(attempts: readonly Attempt[]): Uint8Array | undefined {
  for (const attempt of attempts) {
    if (otherChainOf(attempt) !== undefined) continue
    const { unsignedTx } = decodeTx(attempt.bytes)
    if (unsignedTx.type === 'ImportTx') return unsignedTx.sourceChain
  }
  return undefined
}

/** The port of the X-Chain. */
export function xPort(client: NodeClient, keys: Keys | undefined): ChainPort {
  return {
    serverCount: () => client.servers().length,
    issue: (tx, turn, call) => {
      const servers = client.servers()
      return servers[turn % servers.length]!.avm.issueTx({ tx }, call)
    },
    rejection: (error, bytes) => error.rejection(decodeTx(bytes).unsignedTx.type),
    variant: (bytes, backend) => keys && variantOf(decodeTx(bytes), keys, backend),
    hashToSign: (bytes) => hashToSign(decodeTx(bytes).unsignedTx),
    ownersOf: (bytes) => createdUTXOs(decodeTx(bytes)).flatMap(({ output }) => output.addresses),
  }
}
