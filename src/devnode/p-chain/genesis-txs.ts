import { hex } from '../../core/base/encoding/hex.ts'
import { parseNodeID, ZERO_ID } from '../../core/base/encoding/ids.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import { type OutputOwners, outputOwners } from '../../core/chain/owners.ts'
import { type TransferableOutput, transferableOutput } from '../../core/chain/p/transferables.ts'
import { type CreateChainTx, createChain } from '../../core/chain/x/genesis.ts'
import { encode } from '../../core/codec/codec.ts'
import type { Codec, Io } from '../../core/codec/io.ts'

/** Adds a validator of the primary network. */
export type AddValidatorTx = {
  readonly type: 'AddPermissionlessValidatorTx'
  readonly networkID: number
  /** `NodeID-…` */
  readonly nodeID: string
  /** Unix seconds. */
  readonly start: bigint
  /** Unix seconds. */
  readonly end: bigint
  /** In nAVAX. */
  readonly weight: bigint
  /** BLS key and its proof of possession, 48 and 96 bytes as `0x…`. */
  readonly signer: { readonly publicKey: string; readonly proofOfPossession: string }
  readonly stake: readonly TransferableOutput[]
  /** Owner of both kinds of rewards. */
  readonly rewardsOwner: OutputOwners
  /** The delegation fee in percent, times 10,000. */
  readonly shares: number
}

/** A transaction of the genesis. It has no inputs, outputs, memo or credentials. */
export type GenesisTx = CreateChainTx | AddValidatorTx

/** A transaction of the genesis with its bytes and ID. */
export type StoredGenesisTx = {
  readonly tx: GenesisTx
  readonly bytes: Uint8Array
  readonly id: Uint8Array
}

/** Type IDs of avalanchego's `vms/platformvm/txs/codec.go`. */
const TYPE_IDS = {
  outputOwners: 11,
  addPermissionlessValidatorTx: 25,
  proofOfPossession: 28,
}

const NO_BYTES = /* @__PURE__ */ new Uint8Array(0)

// These codecs only encode: nobody sends such transactions.

const id: Codec<Uint8Array> = (io, v) => io.id(v)

/** Codec of a transaction of the genesis, with its empty list of credentials. */
export const genesisTx: Codec<GenesisTx> = (io, v) => {
  if (v.type === 'CreateChainTx') return createChain(io, v)
  addValidatorTx(io, v)
  io.list([], id) // credentials
  return v
}

/** Encodes a transaction of the genesis. Its ID is the hash of its bytes. */
export function storedGenesisTx(tx: GenesisTx): StoredGenesisTx {
  const bytes = encode(genesisTx, tx)
  return { tx, bytes, id: sha256(bytes) }
}

function addValidatorTx(io: Io, v: AddValidatorTx): void {
  io.u32(TYPE_IDS.addPermissionlessValidatorTx)
  io.u32(v.networkID)
  io.id(ZERO_ID) // blockchain ID
  io.list([], id) // outputs
  io.list([], id) // inputs
  io.blob(NO_BYTES) // memo
  io.address(parseNodeID(v.nodeID))
  io.u64(v.start)
  io.u64(v.end)
  io.u64(v.weight)
  io.id(ZERO_ID) // subnet
  io.u32(TYPE_IDS.proofOfPossession)
  fixedBytes(io, v.signer.publicKey)
  fixedBytes(io, v.signer.proofOfPossession)
  io.list(v.stake, transferableOutput)
  for (const owner of [v.rewardsOwner, v.rewardsOwner]) {
    io.u32(TYPE_IDS.outputOwners)
    io.struct(owner, outputOwners)
  }
  io.u32(v.shares)
}

/** Bytes without a length, from `0x…`. */
function fixedBytes(io: Io, text: string): void {
  for (const byte of hex.decode(text.slice(2))) io.u8(byte)
}
