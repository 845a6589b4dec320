import { formatAmount } from '../../core/base/encoding/amount.ts'
import { encodeBech32 } from '../../core/base/encoding/bech32.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID, formatNodeID } from '../../core/base/encoding/ids.ts'
import { address, u32 } from '../../core/chain/owners.ts'
import { FieldReader } from './field-reader.ts'
import { dateText, item, type LedgerScreen, requireThreshold, unsupported } from './items.ts'
import { knownPrefix } from './known-chains.ts'

// Fields that transactions of staking, subnets and L1s share, with their items. Each function reads what it names.

/** Size of a compressed public key of BLS. */
export const PUBLIC_KEY_SIZE = 48
/** Size of a signature of BLS, which proves the possession of a private key. */
export const PROOF_SIZE = 96

const NODE_ID_SIZE = 20

// Type IDs.
const AUTHORIZATION = 10
const OWNERS = 11
const NO_SIGNER = 27
const PROOF_OF_POSSESSION = 28
const ADDRESSED_CALL = 1

/** Bytes as the app shows them. */
export function hexText(bytes: Uint8Array): string {
  return `0x${hex.encode(bytes)}`
}

/** A share in millionths. */
export function percent(share: number): string {
  return formatAmount(BigInt(share), 4)
}

/** A validator: its node, the time of the validation, and its weight. */
export function readValidator(fields: FieldReader): {
  readonly node: LedgerScreen
  readonly times: readonly LedgerScreen[]
  readonly weight: bigint
} {
  const node = readNode(fields)
  const [start, end] = [fields.u64(), fields.u64()]
  if (end <= start) throw unsupported('the validation ends before it starts', 'validator')
  const times = [item('Start time', dateText(start)), item('End time', dateText(end))]
  return { node, times, weight: fields.u64() }
}

/** The ID of a node. */
export function readNode(fields: FieldReader): LedgerScreen {
  return item('Validator', formatNodeID(fields.address()))
}

/** The ID of a node with its size, which the app skips. */
export function readSizedNode(fields: FieldReader): LedgerScreen {
  const size = fields.u32()
  if (size !== NODE_ID_SIZE) throw unsupported(`the app misreads a node ID of ${size} bytes`)
  return readNode(fields)
}

/** The ID of a subnet. */
export function readSubnet(fields: FieldReader): LedgerScreen {
  const id = fields.id()
  return item('SubnetID', isZero(id) ? 'Primary Subnet' : formatID(id))
}

/** Whether all bytes are zero, as in the ID of the primary network. */
export function isZero(id: Uint8Array): boolean {
  return id.every((byte) => byte === 0)
}

/** The key that signs for a validator of the primary network; none for others. */
export function readSigner(fields: FieldReader): LedgerScreen[] {
  if (requireType(fields, [NO_SIGNER, PROOF_OF_POSSESSION]) === NO_SIGNER) return []
  const publicKey = fields.bytes(PUBLIC_KEY_SIZE)
  fields.bytes(PROOF_SIZE)
  return [item('Signer', hexText(publicKey))]
}

/** Owners on the P-Chain. The app shows their addresses, and cannot show a locktime of the owners of a subnet. */
export function readOwners(
  fields: FieldReader,
  title: string,
  hrp: string,
  isLockable = true,
): LedgerScreen[] {
  requireType(fields, [OWNERS])
  if (fields.u64() > 0n && !isLockable) throw unsupported('the app cannot show a locktime', 'owner')
  return readAddresses(fields).map((owner) => item(title, encodeBech32(hrp, owner)))
}

/** Threshold and addresses. Returns the addresses. */
export function readAddresses(fields: FieldReader): readonly Uint8Array[] {
  const threshold = fields.u32()
  const addresses = fields.list(address)
  requireThreshold({ threshold, addresses })
  return addresses
}

/** Who authorizes a change of a subnet or a validator; not shown. */
export function skipAuthorization(fields: FieldReader): void {
  requireType(fields, [AUTHORIZATION])
  fields.list(u32)
}

/** A signed message of another chain, of which the app parses calls with a payload of one type. */
export function readWarpPayload(fields: FieldReader, type: number): FieldReader {
  const message = new FieldReader(fields.blob())
  requireVersion(message)
  knownPrefix(message.u32())
  message.id()
  const call = new FieldReader(message.blob())
  requireVersion(call)
  requireType(call, [ADDRESSED_CALL])
  call.blob()
  const payload = new FieldReader(call.blob())
  requireVersion(payload)
  requireType(payload, [type])
  return payload
}

/** Reads the version of the codec. */
export function requireVersion(fields: FieldReader): void {
  const version = fields.u16()
  if (version !== 0) throw unsupported(`the app does not know version ${version} of the codec`)
}

function requireType(fields: FieldReader, types: readonly number[]): number {
  const type = fields.u32()
  if (types.includes(type)) return type
  throw unsupported(`the app expects type ${types.join(' or ')}, not ${type}`)
}
