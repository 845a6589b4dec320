import { equalBytes } from '../../core/base/bytes/compare.ts'
import { concat } from '../../core/base/bytes/concat.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError, CodecError, VerifyError } from '../../core/base/errors.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import { type NetworkContext, P_CHAIN_ID } from '../../core/chain/networks.ts'
import { DEFAULT_GAS_WEIGHTS, gasOf } from '../../core/chain/p/gas.ts'
import { createdUTXOs, exportedUTXOs, txID } from '../../core/chain/p/ids.ts'
import {
  advanceFeeState,
  consumeGas,
  DEFAULT_PRICE_CONFIG,
  type FeeState,
  gasPrice,
} from '../../core/chain/p/price.ts'
import { unlockedOutput } from '../../core/chain/p/transferables.ts'
import {
  decodeTx,
  encodeUnsignedTx,
  inputsOf,
  type SignedTx,
  signedTx,
} from '../../core/chain/p/tx.ts'
import { decodeUTXO, encodeUTXO, type UTXO } from '../../core/chain/p/utxo.ts'
import { utxoID } from '../../core/chain/x/ids.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import { DevNodeError, reasonOf } from '../errors.ts'
import { goDecodeError } from '../go/decode.ts'
import { DropMemory } from '../ledger/drop-memory.ts'
import type { SharedMemory } from '../ledger/shared-memory.ts'
import { Signers } from '../ledger/signers.ts'
import { storageKey, UTXOIndex } from '../ledger/utxo-index.ts'
import type { StateView } from '../x-chain/semantic.ts'
import { genesisPBlock, type StoredPBlock, storedPBlock } from './block.ts'
import { type PGenesis, pGenesis } from './genesis.ts'
import type { StoredGenesisTx } from './genesis-txs.ts'
import { P_CHAIN_TYPES } from './go-types.ts'
import { type PStateView, verifyPTx } from './rules.ts'

/** A transaction with its bytes and ID. */
export type PendingPTx = {
  readonly tx: SignedTx
  readonly bytes: Uint8Array
  readonly id: Uint8Array
  /** The ID as hex. */
  readonly key: string
}

/** The parts of a P-Chain block that are stored: unix seconds and the bytes of its transactions. */
export type PBlock = { readonly time: bigint; readonly txs: readonly Uint8Array[] }

/** Dependencies of the ledger. */
export type PLedgerOptions = {
  readonly context: NetworkContext
  readonly memory: SharedMemory
  /** Unix seconds. */
  readonly now: () => bigint
  readonly backend: Secp256k1Backend | undefined
  /** Whether rejections are remembered, as the node does. */
  readonly remembersDrops: boolean
  readonly chains: () => Pick<StateView, 'subnetOf' | 'isNoChain'>
  /** Time of the genesis, in unix seconds. */
  readonly genesisTime: bigint
  /** Genesis data of the X-Chain. */
  readonly xGenesis: Uint8Array
  /** Called with every block before it takes effect; if it throws, the block is not accepted. */
  readonly beforeAccept: (block: PBlock) => void
}

/** A copy of the state of the ledger. */
export type PSnapshot = {
  readonly utxos: UTXOIndex
  readonly txs: ReadonlyMap<string, Uint8Array>
  readonly pending: ReadonlyMap<string, PendingPTx>
  readonly dropped: DropMemory
  readonly blocks: readonly StoredPBlock[]
  readonly time: bigint
  readonly fees: FeeState
}

/** Seconds after which the node proposes a height. */
const PROPOSAL_DELAY = 30n

/** A minimal P-Chain: UTXOs, stakeable locks, atomic transfers and dynamic fees. */
export class PLedger {
  utxos: UTXOIndex = new UTXOIndex(pChainOwners)
  /** Time of the genesis in unix seconds. */
  genesisTime: bigint
  /** Time of the last block in unix seconds. */
  time: bigint
  /** Fee state at the time of the last block. */
  fees: FeeState = { capacity: 0n, excess: 0n }
  private readonly options: PLedgerOptions
  private readonly signers: Signers
  /** By height. */
  private blocks: StoredPBlock[]
  private genesis: PGenesis
  private txs = new Map<string, Uint8Array>()
  private pending = new Map<string, PendingPTx>()
  private dropped = new DropMemory()

  constructor(options: PLedgerOptions) {
    this.options = options
    this.genesisTime = options.genesisTime
    this.time = options.genesisTime
    this.genesis = pGenesis(options.context, options.xGenesis, options.genesisTime)
    this.blocks = [genesisPBlock(this.genesis.id)]
    this.signers = new Signers(options.backend)
  }

  get height(): bigint {
    return BigInt(this.blocks.length - 1)
  }

  get lastBlock(): StoredPBlock {
    return this.blocks.at(-1)!
  }

  blockAt(height: bigint): StoredPBlock | undefined {
    return this.blocks[Number(height)]
  }

  /** The time in unix seconds and the number of transactions of every block. */
  blockCounts(): { readonly time: bigint; readonly txs: number }[] {
    return this.blocks.flatMap(({ fields }) =>
      fields.type === 'ApricotCommitBlock' ? [] : [{ time: fields.time, txs: fields.txs.length }],
    )
  }

  blockWithID(id: Uint8Array): StoredPBlock | undefined {
    return this.blocks.find((block) => equalBytes(block.id, id))
  }

  /** The height that blocks of other chains refer to: that of the newest block that was accepted 30 seconds ago. */
  get proposedHeight(): bigint {
    const latest = this.options.now() - PROPOSAL_DELAY
    const recent = this.blocks.findLastIndex(
      ({ fields }) => fields.type === 'ApricotCommitBlock' || fields.time <= latest,
    )
    return BigInt(recent)
  }

  /** Sets the time of the genesis, before the first block. */
  setGenesisTime(time: bigint): void {
    this.genesisTime = time
    this.time = time
    this.genesis = pGenesis(this.options.context, this.options.xGenesis, time)
    this.blocks = [genesisPBlock(this.genesis.id)]
  }

  /** The transactions of the genesis: the validators, sorted by end time, then the blockchains. */
  get genesisTxs(): readonly StoredGenesisTx[] {
    return this.genesis.txs
  }

  /** The transaction of the genesis with an ID. */
  genesisTx(id: Uint8Array): StoredGenesisTx | undefined {
    return this.genesis.txs.find((stored) => equalBytes(stored.id, id))
  }

  get pendingCount(): number {
    return this.pending.size
  }

  /** The gas price at the time of the last block, in nAVAX. */
  get price(): bigint {
    return gasPrice(this.fees.excess, DEFAULT_PRICE_CONFIG)
  }

  /** The bytes of an accepted transaction. */
  txBytes(key: string): Uint8Array | undefined {
    return this.txs.get(key)
  }

  isPending(key: string): boolean {
    return this.pending.has(key)
  }

  dropReason(key: string): string | undefined {
    return this.dropped.reasonFor(key)
  }

  /** `platform.issueTx`: verifies at the next block's time and adds to the mempool. */
  issue(bytes: Uint8Array): PendingPTx {
    const item = parsePTx(bytes)
    if (this.pending.has(item.key)) return item
    const { remembersDrops } = this.options
    const earlierReason = remembersDrops ? this.dropped.reasonFor(item.key) : undefined
    if (earlierReason !== undefined) throw issueError(earlierReason)
    try {
      this.verify(item, this.nextTime())
    } catch (error) {
      const reason = this.drop(item, error)
      throw issueError(`failed verification: ${reason}`, error)
    }
    const inputs = new Set(inputsOf(item.tx.unsignedTx).map(storageKey))
    for (const rival of this.pending.values())
      if (inputsOf(rival.tx.unsignedTx).some((input) => inputs.has(storageKey(input)))) {
        const reason = 'tx conflicts with other tx'
        if (remembersDrops) this.dropped.remember(item.key, reason)
        throw issueError(reason)
      }
    this.dropped.forget(item.key)
    this.pending.set(item.key, item)
    return item
  }

  /**
   * Accepts a block of pending transactions, oldest first, as far as the gas capacity at its time allows. Those that
   * have become invalid are dropped. Returns the number of transactions in the block.
   */
  buildBlock(time: bigint = this.nextTime()): number {
    const included: PendingPTx[] = []
    let fees = this.feesAt(time)
    const spent = new Set<string>()
    for (const item of this.pending.values()) {
      const after = consumeGas(fees, gasOf(item.tx.unsignedTx, DEFAULT_GAS_WEIGHTS))
      if (after === undefined) continue
      const inputs = inputsOf(item.tx.unsignedTx).map(storageKey)
      try {
        if (inputs.some((input) => spent.has(input)))
          throw new VerifyError('DOUBLE_SPEND', 'tx conflicts with other tx')
        this.verify(item, time)
      } catch (error) {
        this.pending.delete(item.key)
        this.drop(item, error)
        continue
      }
      for (const input of inputs) spent.add(input)
      included.push(item)
      fees = after
    }
    if (included.length === 0) return 0
    const block: PBlock = { time, txs: included.map(({ bytes }) => bytes) }
    this.options.beforeAccept(block)
    this.apply(block)
    for (const { key } of included) this.pending.delete(key)
    return included.length
  }

  /** Applies a block that was verified before. */
  apply({ time, txs }: PBlock): void {
    let fees = this.feesAt(time)
    const items = txs.map(parsePTx)
    for (const item of items) {
      this.execute(item)
      const gas = gasOf(item.tx.unsignedTx, DEFAULT_GAS_WEIGHTS)
      fees = consumeGas(fees, gas) ?? { capacity: 0n, excess: fees.excess + gas }
    }
    this.fees = fees
    this.time = time
    this.blocks.push(
      storedPBlock({
        type: 'BanffStandardBlock',
        time,
        parentID: this.lastBlock.id,
        height: this.height + 1n,
        txs: items.map(({ tx }) => tx),
      }),
    )
  }

  /** Adds a UTXO. */
  addUTXO(utxo: UTXO): void {
    this.utxos.addBytes(storageKey(utxo), encodeUTXO(utxo))
  }

  /** Sets the fee state at the time of the last block. */
  setFees(fees: FeeState): void {
    this.fees = fees
  }

  /** Drops one pending transaction without a trace, as a crash of the node would. */
  forget(key: string): void {
    this.pending.delete(key)
  }

  forgetPending(): void {
    this.pending = new Map()
    this.dropped = new DropMemory()
  }

  snapshot(): PSnapshot {
    const { time, fees } = this
    return {
      utxos: this.utxos.clone(),
      txs: new Map(this.txs),
      pending: new Map(this.pending),
      dropped: this.dropped.clone(),
      blocks: [...this.blocks],
      time,
      fees,
    }
  }

  restore(snapshot: PSnapshot): void {
    this.utxos = snapshot.utxos.clone()
    this.txs = new Map(snapshot.txs)
    this.pending = new Map(snapshot.pending)
    this.dropped = snapshot.dropped.clone()
    this.blocks = [...snapshot.blocks]
    this.time = snapshot.time
    this.fees = snapshot.fees
  }

  /** A hash of everything that determines what the chain accepts next. */
  digest(): Uint8Array {
    const { height, time, fees } = this
    const parts = [...this.utxos.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, bytes]) => sha256(bytes))
    const state = `${height} ${time} ${fees.capacity} ${fees.excess} ${parts.length}`
    return sha256(concat([new TextEncoder().encode(state), ...parts]))
  }

  private nextTime(): bigint {
    const now = this.options.now()
    return now > this.time ? now : this.time
  }

  private feesAt(time: bigint): FeeState {
    return advanceFeeState(this.fees, time - this.time, DEFAULT_PRICE_CONFIG)
  }

  private verify({ tx, id }: PendingPTx, time: bigint): void {
    const { context, memory, now, chains } = this.options
    const { capacity, excess } = this.feesAt(time)
    const gas = gasOf(tx.unsignedTx, DEFAULT_GAS_WEIGHTS)
    if (gas > capacity)
      throw new VerifyError(
        'GAS_ABOVE_CAPACITY',
        `tx exceeds current gas capacity: ${gas} > ${capacity}`,
      )
    const view: PStateView = {
      ...chains(),
      utxo: (key) => this.utxos.bytes(hex.encode(key)),
      atomic: (source, key) => memory.get(source, P_CHAIN_ID, hex.encode(key)),
      weights: DEFAULT_GAS_WEIGHTS,
      price: gasPrice(excess, DEFAULT_PRICE_CONFIG),
    }
    try {
      verifyPTx(tx, view, context, {
        now: now(),
        signerOf: this.signers.of(encodeUnsignedTx(tx.unsignedTx)),
      })
    } catch (error) {
      if (!(error instanceof VerifyError)) throw error
      const prefix = `failed execution: standard tx ${cb58.encode(id)} failed execution: `
      throw new VerifyError(error.code, prefix + error.reason, error.path)
    }
  }

  /** Remembers a rejection and returns its reason. Throws errors that are not rejections. */
  private drop(item: PendingPTx, error: unknown): string {
    if (!(error instanceof AvmError)) throw error
    const reason = reasonOf(error)
    if (this.options.remembersDrops) this.dropped.remember(item.key, reason)
    return reason
  }

  private execute({ tx, id, key, bytes }: PendingPTx): void {
    const { memory } = this.options
    const { unsignedTx } = tx
    for (const input of unsignedTx.inputs) this.utxos.delete(storageKey(input))
    if (unsignedTx.type === 'ImportTx')
      for (const input of unsignedTx.importedInputs)
        memory.take(unsignedTx.sourceChain, P_CHAIN_ID, storageKey(input))
    for (const utxo of createdUTXOs(tx, id)) this.addUTXO(utxo)
    if (unsignedTx.type === 'ExportTx')
      for (const utxo of exportedUTXOs(tx, id))
        memory.put(
          P_CHAIN_ID,
          unsignedTx.destinationChain,
          hex.encode(utxoID(id, utxo.outputIndex)),
          encodeUTXO(utxo),
        )
    this.txs.set(key, bytes)
  }
}

function parsePTx(bytes: Uint8Array): PendingPTx {
  let tx: SignedTx
  try {
    tx = decodeTx(bytes)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    const reason = goDecodeError(signedTx, bytes, P_CHAIN_TYPES)
    throw new DevNodeError('TX_UNDECODABLE', `couldn't parse tx: couldn't parse tx: ${reason}`, {
      cause: error,
    })
  }
  const id = txID(bytes)
  return { tx, bytes, id, key: hex.encode(id) }
}

function issueError(reason: string, cause?: unknown): DevNodeError {
  return new DevNodeError('TX_DROPPED', `couldn't issue tx: ${reason}`, { cause })
}

function pChainOwners(bytes: Uint8Array): readonly Uint8Array[] {
  try {
    return unlockedOutput(decodeUTXO(bytes).output).addresses
  } catch (error) {
    if (error instanceof AvmError) return []
    throw error
  }
}
