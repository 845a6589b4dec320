import { CodecError } from '../../../core/base/errors.ts'
import { type UTXOID, utxoIDCodec } from '../../../core/chain/x/transferables.ts'
import { decode, encode } from '../../../core/codec/codec.ts'
import { type Codec, type Io, type Union, union } from '../../../core/codec/io.ts'
import { MAX_RECORD_SIZE } from '../../../storage/frames.ts'
import { CLAIM_KINDS, isLeg, type PaymentState } from '../attempt.ts'
import type { Claims } from '../claims.ts'
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
import {
  CLAIMED_AT,
  CONTENT,
  ENDED_AT,
  flagsOf,
  PackedPayment,
  STATUS,
  UNUSED,
} from './packed-payment.ts'

/** A record of a store file. Order: binding, spent inputs, snapshots, attempts, rivals, ended attempts, then the others. */
export type StoreRecord =
  | ({ readonly type: 'binding' } & Omit<StoreBinding, 'block' | 'found' | 'indexes'>)
  /** The ID of the store; absent in files of earlier versions. */
  | { readonly type: 'identity'; readonly id: Uint8Array }
  /** The newest block that the wallet had applied. */
  | ({ readonly type: 'block' } & BlockReference)
  /** How far the addresses of an account are used. */
  | ({ readonly type: 'indexes' } & AccountIndexes)
  /** Time of the records that follow, in Unix seconds; absent in files of earlier versions. */
  | { readonly type: 'time'; readonly time: bigint }
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

/** Flags of a claimed payment. Earlier versions recorded no content. */
const CLAIM_GENERATED = 1
const CLAIM_CONTENT = 2

const claimedPayment: Codec<ClaimedPayment> = (io, v) => {
  const key = io.struct(v.key, keyCodec)
  const digest = io.id(v.digest)
  const flags = io.u8((v.generated ? CLAIM_GENERATED : 0) | (v.content ? CLAIM_CONTENT : 0))
  if (flags > (CLAIM_GENERATED | CLAIM_CONTENT))
    throw new CodecError('CODEC_BAD_VALUE', 'unknown flags of a payment', 0)
  const payment = { key, digest, generated: (flags & CLAIM_GENERATED) !== 0 }
  return flags & CLAIM_CONTENT ? { ...payment, content: io.blob(v.content!) } : payment
}

/** The members after the flags are present if their flags are set, in the order that {@link PackedPayment} expects. */
const storedPayment: Codec<PaymentState> = (io, v) => {
  const key = io.struct(v.key, keyCodec)
  const digest = io.id(v.digest)
  const flags = io.u8(flagsOf(v))
  const { outcome } = v
  const hasOutcome = (flags & STATUS) !== 0
  if ((flags & UNUSED) !== 0 || (!hasOutcome && (flags & ENDED_AT) !== 0))
    throw new CodecError('CODEC_BAD_VALUE', 'unknown status', 0)
  if (hasOutcome) io.id(outcome?.txID as Uint8Array)
  if (flags & CLAIMED_AT) io.u64(v.claimedAt!)
  if (flags & ENDED_AT) io.u64(outcome?.at as bigint)
  if (flags & CONTENT) io.blob(v.content!)
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

const time: Codec<RecordOf<'time'>> = (io, v) => ({
  type: 'time',
  time: io.u64(v.time),
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

const records: Union<StoreRecord> = /* @__PURE__ */ union<StoreRecord>(16, {
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
  time: [15, time],
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

/** A snapshot record ends with the payment that makes it larger than this, about 6,000 typical ones. */
const SNAPSHOT_SIZE = 1 << 20

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
  let size = 0
  for (const payment of payments.values()) {
    batch.push(payment)
    size += sizeOfPayment(payment)
    if (size < SNAPSHOT_SIZE) continue
    yield encodeRecord({ type: 'snapshot', payments: batch })
    batch = []
    size = 0
  }
  if (batch.length > 0) yield encodeRecord({ type: 'snapshot', payments: batch })
  for (const attempt of attempts.values()) yield encodeRecord({ ...attempt, type: 'attempt' })
  for (const [rival, attempts] of rivals.endedBy) {
    yield encodeRecord({ ...rival, type: 'rival' })
    for (const attempt of attempts) {
      // Payments with generated keys that were made since are forgotten.
      const keys = attempt.keys.filter((key) => payments.has(key))
      yield encodeRecord({ ...attempt, type: 'ended', keys })
    }
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
  for (const payment of payments.values()) size += sizeOfPayment(payment)
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

/** Estimates the size of a payment in a snapshot, counting one byte per character. */
function sizeOfPayment(payment: PaymentState): number {
  const contentSize =
    payment instanceof PackedPayment ? payment.contentSize : payment.content?.length
  return payment.key.length + 85 + (contentSize === undefined ? 0 : contentSize + 4)
}
