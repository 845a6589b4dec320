import { CodecError } from '../../../core/base/errors.ts'
import { type UTXOID, utxoIDCodec } from '../../../core/chain/x/transferables.ts'
import { decode, encode } from '../../../core/codec/codec.ts'
import { type Codec, type Io, type Union, union } from '../../../core/codec/io.ts'
import { MAX_RECORD_SIZE } from '../../../storage/frames.ts'
import { CLAIM_KINDS, type Claims, isLeg, type PaymentState } from '../claims.ts'
import type { Rival } from '../rivals.ts'
import type {
  Acceptance,
  AccountIndexes,
  BlockReference,
  Claim,
  ClaimedLeg,
  ClaimedPayment,
  EndedAttempt,
  FoundTx,
  StoreBinding,
} from '../store.ts'
import { GENERATED, PAYMENT_STATUSES, PackedPayment } from './packed-payment.ts'

/** A record of a store file. Order: binding, spent inputs, snapshots, attempts, rivals, ended attempts, then the others. */
export type StoreRecord =
  | ({ readonly type: 'binding' } & Omit<StoreBinding, 'block' | 'found' | 'indexes'>)
  /** The ID of the store; absent in files of earlier versions. */
  | { readonly type: 'identity'; readonly id: Uint8Array }
  /** The newest block that the wallet had applied. */
  | ({ readonly type: 'block' } & BlockReference)
  /** How far the addresses of an account are used. */
  | ({ readonly type: 'indexes' } & AccountIndexes)
  /** An own accepted transaction that was not claimed. */
  | ({ readonly type: 'found' } & FoundTx)
  /** Accepted transactions that are not in the snapshots, because no record names them. */
  | { readonly type: 'made'; readonly txIDs: readonly Uint8Array[] }
  /** Inputs of accepted transactions of moves; omitted if there are none. */
  | { readonly type: 'spent'; readonly inputs: readonly UTXOID[] }
  /** Payments in the order of their first claim, including pending ones, without their attempts. */
  | { readonly type: 'snapshot'; readonly payments: readonly PaymentState[] }
  /** An attempt that was pending when the file was compacted. */
  | ({ readonly type: 'attempt'; readonly keys: readonly string[] } & Omit<Claim, 'payments'>)
  /** A transaction that ended attempts before the file was compacted. */
  | ({ readonly type: 'rival' } & Rival)
  /** An attempt that the last rival before it ended; repeated for each of its rivals. */
  | ({ readonly type: 'ended' } & Pick<EndedAttempt, 'txID' | 'keys' | 'inputs'>)
  | ({ readonly type: 'claim' } & Claim)
  | ({ readonly type: 'accepted' } & Acceptance)
  /** Written by earlier versions. */
  | ({ readonly type: 'acceptance' } & Pick<Acceptance, 'txID' | 'inputs'>)
  /** A rejected payment that was canceled. */
  | { readonly type: 'canceled'; readonly key: string }

type RecordOf<Type extends StoreRecord['type']> = Extract<StoreRecord, { type: Type }>

const kindCodec: Codec<Claim['kind']> = (io, v) => {
  const kind = CLAIM_KINDS[io.u8(CLAIM_KINDS.indexOf(v))]
  if (kind === undefined) throw new CodecError('CODEC_BAD_VALUE', 'unknown kind of attempt', 0)
  return kind
}

const boolean: Codec<boolean> = (io, v) => {
  const value = io.u8(v ? 1 : 0)
  if (value > 1) throw new CodecError('CODEC_BAD_VALUE', 'neither true nor false', 0)
  return value === 1
}

const encoder = /* @__PURE__ */ new TextEncoder()
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const noBytes = /* @__PURE__ */ new Uint8Array(0)

/** Faster than `io.text`, and strict. While decoding, the value is not a string and is treated as empty. */
const keyCodec: Codec<string> = (io, v) => {
  // TextEncoder would replace lone surrogates.
  if (typeof v === 'string' && /\p{Surrogate}/u.test(v))
    throw new CodecError('CODEC_BAD_VALUE', 'a key must be well-formed Unicode', 0)
  return decoder.decode(io.blob(typeof v === 'string' ? encoder.encode(v) : noBytes))
}

const claimedPayment: Codec<ClaimedPayment> = (io, v) => ({
  key: io.struct(v.key, keyCodec),
  digest: io.id(v.digest),
  generated: io.struct(v.generated ?? false, boolean),
})

const storedPayment: Codec<PaymentState> = (io, v) => {
  const key = io.struct(v.key, keyCodec)
  const digest = io.id(v.digest)
  const { outcome } = v
  const flags = io.u8(PAYMENT_STATUSES.indexOf(outcome?.status) | (v.generated ? GENERATED : 0))
  const status = flags & ~GENERATED
  if (status >= PAYMENT_STATUSES.length)
    throw new CodecError('CODEC_BAD_VALUE', 'unknown status', 0)
  if (PAYMENT_STATUSES[status] !== undefined) io.id(outcome?.txID as Uint8Array)
  return new PackedPayment(key, digest, flags)
}

const binding: Codec<RecordOf<'binding'>> = (io, v) => ({
  type: 'binding',
  networkID: io.u32(v.networkID),
  chainID: io.id(v.chainID),
})

const identity: Codec<RecordOf<'identity'>> = (io, v) => ({
  type: 'identity',
  id: io.id(v.id),
})

const block: Codec<RecordOf<'block'>> = (io, v) => ({
  type: 'block',
  height: io.u64(v.height),
  blockID: io.id(v.blockID),
  firm: io.struct(v.firm ?? false, boolean),
})

const found: Codec<RecordOf<'found'>> = (io, v) => ({
  type: 'found',
  height: io.u64(v.height),
  bytes: io.blob(v.bytes),
})

const indexes: Codec<RecordOf<'indexes'>> = (io, v) => ({
  type: 'indexes',
  account: io.id(v.account),
  receive: io.u32(v.receive),
  change: io.u32(v.change),
  nextChange: io.u32(v.nextChange),
})

const snapshot: Codec<RecordOf<'snapshot'>> = (io, v) => ({
  type: 'snapshot',
  payments: io.list(v.payments, storedPayment),
})

const CHAINS = ['X', 'P', 'C'] as const

const leg: Codec<ClaimedLeg> = (io, v) => {
  const chain = CHAINS[io.u8(CHAINS.indexOf(v.chain))]
  if (chain === undefined) throw new CodecError('CODEC_BAD_VALUE', 'unknown chain', 0)
  return { chain, inputs: io.list(v.inputs, utxoIDCodec), note: io.blob(v.note) }
}

/** The last member of an attempt or claim, present only for exports and imports of moves. */
function legOf(io: Io, v: { readonly leg?: ClaimedLeg | undefined }, kind: Claim['kind']) {
  if (isLeg(kind)) return { leg: io.struct(v.leg as ClaimedLeg, leg) }
  if (v.leg !== undefined)
    throw new CodecError('CODEC_BAD_VALUE', 'leg is only allowed for exports and imports', 0)
  return {}
}

const attempt: Codec<RecordOf<'attempt'>> = (io, v) => {
  const record = {
    type: 'attempt',
    kind: io.struct(v.kind, kindCodec),
    keys: io.list(v.keys, keyCodec),
    fromHeight: io.u64(v.fromHeight),
    bytes: io.blob(v.bytes),
  } as const
  return { ...record, ...legOf(io, v, record.kind) }
}

const claim: Codec<RecordOf<'claim'>> = (io, v) => {
  const record = {
    type: 'claim',
    kind: io.struct(v.kind, kindCodec),
    payments: io.list(v.payments, claimedPayment),
    fromHeight: io.u64(v.fromHeight),
    bytes: io.blob(v.bytes),
  } as const
  return { ...record, ...legOf(io, v, record.kind) }
}

const acceptance: Codec<RecordOf<'acceptance'>> = (io, v) => ({
  type: 'acceptance',
  txID: io.id(v.txID),
  inputs: io.list(v.inputs, utxoIDCodec),
})

const blob: Codec<Uint8Array> = (io, v) => io.blob(v)
const outputIndex: Codec<number> = (io, v) => io.u32(v)
const id: Codec<Uint8Array> = (io, v) => io.id(v)

/** An empty transaction is written for one that is not known. */
const accepted: Codec<RecordOf<'accepted'>> = (io, v) => {
  const record = {
    type: 'accepted',
    txID: io.id(v.txID),
    inputs: io.list(v.inputs, utxoIDCodec),
    own: io.list(v.own ?? [], outputIndex),
    ends: io.list(v.ends ?? [], id),
  } as const
  const bytes = io.blob(v.bytes ?? noBytes)
  return bytes.length === 0 ? record : { ...record, bytes }
}

const rival: Codec<RecordOf<'rival'>> = (io, v) => ({
  type: 'rival',
  txID: io.id(v.txID),
  evidence: io.list(v.evidence, utxoIDCodec),
  txs: io.list(v.txs, blob),
})

const ended: Codec<RecordOf<'ended'>> = (io, v) => ({
  type: 'ended',
  txID: io.id(v.txID),
  keys: io.list(v.keys, keyCodec),
  inputs: io.list(v.inputs, utxoIDCodec),
})

const made: Codec<RecordOf<'made'>> = (io, v) => ({
  type: 'made',
  txIDs: io.list(v.txIDs, id),
})

const spent: Codec<RecordOf<'spent'>> = (io, v) => ({
  type: 'spent',
  inputs: io.list(v.inputs, utxoIDCodec),
})

const canceled: Codec<RecordOf<'canceled'>> = (io, v) => ({
  type: 'canceled',
  key: io.struct(v.key, keyCodec),
})

const records: Union<StoreRecord> = /* @__PURE__ */ union<StoreRecord>(15, {
  binding: [0, binding],
  snapshot: [1, snapshot],
  attempt: [2, attempt],
  claim: [3, claim],
  acceptance: [4, acceptance],
  spent: [5, spent],
  canceled: [6, canceled],
  accepted: [7, accepted],
  rival: [8, rival],
  ended: [9, ended],
  identity: [10, identity],
  block: [11, block],
  found: [12, found],
  made: [13, made],
  indexes: [14, indexes],
})

const recordCodec: Codec<StoreRecord> = (io, v) => io.typed(v, records)

/** Encodes a record. */
export function encodeRecord(record: StoreRecord): Uint8Array {
  return encode(recordCodec, record)
}

/**
 * Decodes a record. The result shares no memory with `payload`.
 *
 * @throws CodecError
 */
export function decodeRecord(payload: Uint8Array): StoreRecord
export function decodeRecord<Type extends StoreRecord['type']>(
  payload: Uint8Array,
  type: Type,
): RecordOf<Type>
export function decodeRecord(payload: Uint8Array, _type?: string): StoreRecord {
  return decode(recordCodec, payload, MAX_RECORD_SIZE)
}

/** Payments per snapshot record: about 0.5 MiB with typical keys, 9 MiB with the longest ones. */
const SNAPSHOT_PAYMENTS = 1 << 13

/** What a compacted file contains. */
type CompactedState = {
  readonly binding: StoreBinding
  readonly id: Uint8Array | undefined
  readonly blocks: readonly BlockReference[]
  readonly indexes: readonly AccountIndexes[]
  readonly claims: Claims
}

/** Returns the records of a compacted file. */
export function* compactRecords({
  binding,
  id,
  blocks,
  indexes,
  claims,
}: CompactedState): Generator<Uint8Array> {
  const { payments, attempts, spentInputs, rivals, found } = claims
  const txIDs = [...claims.made.values()]
  yield encodeRecord({ type: 'binding', ...binding })
  if (id !== undefined) yield encodeRecord({ type: 'identity', id })
  if (spentInputs.size > 0) yield encodeRecord({ type: 'spent', inputs: [...spentInputs.values()] })
  let batch: PaymentState[] = []
  for (const payment of payments.values()) {
    if (batch.push(payment) < SNAPSHOT_PAYMENTS) continue
    yield encodeRecord({ type: 'snapshot', payments: batch })
    batch = []
  }
  if (batch.length > 0) yield encodeRecord({ type: 'snapshot', payments: batch })
  for (const attempt of attempts.values()) yield encodeRecord({ ...attempt, type: 'attempt' })
  for (const [rival, attempts] of rivals.endedBy) {
    yield encodeRecord({ ...rival, type: 'rival' })
    for (const attempt of attempts) yield encodeRecord({ ...attempt, type: 'ended' })
  }
  if (txIDs.length > 0) yield encodeRecord({ type: 'made', txIDs })
  for (const one of found.values()) yield encodeRecord({ type: 'found', ...one })
  for (const one of indexes) yield encodeRecord({ type: 'indexes', ...one })
  for (const block of blocks) yield encodeRecord({ type: 'block', ...block })
}

/** Estimates the size of a compacted file in bytes, counting one byte per character. */
export function compactSize(claims: Claims): number {
  const { payments, attempts, spentInputs, rivals, found, made } = claims
  let size = 128 + 36 * spentInputs.size + 32 * made.size
  for (const { bytes } of found.values()) size += bytes.length + 14
  for (const { key } of payments.values()) size += key.length + 69
  for (const { bytes, keys, leg } of attempts.values()) {
    size += bytes.length + 48
    if (leg !== undefined) size += leg.note.length + 36 * leg.inputs.length
    for (const key of keys) size += key.length + 4
  }
  for (const { txs, evidence } of rivals.all.values()) {
    size += 48 + 36 * evidence.length
    for (const tx of txs) size += tx.length + 4
  }
  for (const { inputs, keys } of rivals.ended.values()) {
    size += 48 + 36 * inputs.length
    for (const key of keys) size += key.length + 4
  }
  return size
}
