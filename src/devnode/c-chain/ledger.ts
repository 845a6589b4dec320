import { equalBytes } from '../../core/base/bytes/compare.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError, CodecError } from '../../core/base/errors.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import { gasOf, WEI_PER_NAVAX } from '../../core/chain/c/gas.ts'
import { exportedUTXOs, hashToSign, txID } from '../../core/chain/c/ids.ts'
import { decodeTx, encodeUnsignedTx, type SignedTx, signedTx } from '../../core/chain/c/tx.ts'
import { burnedBy } from '../../core/chain/c/verify.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { encodeUTXO } from '../../core/chain/x/utxo.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import { nobleBackend } from '../../core/crypto/secp256k1.ts'
import { DevNodeError } from '../errors.ts'
import { goDecodeError } from '../go/decode.ts'
import type { SharedMemory } from '../ledger/shared-memory.ts'
import { recoverKey, Signers } from '../ledger/signers.ts'
import { storageKey } from '../ledger/utxo-index.ts'
import { AccountHistory } from './account-history.ts'
import { type EthBlock, genesisBlock, nextBlock, timeOf } from './eth-block.ts'
import { C_CHAIN_TYPES } from './go-types.ts'
import { verifyHeliconAccounts, verifyHeliconTx } from './helicon-rules.ts'
import {
  type Account,
  type CEnvironment,
  type CStateView,
  verifyAccounts,
  verifyCTx,
} from './rules.ts'

/** An atomic transaction with its bytes and ID. */
export type PendingCTx = {
  readonly tx: SignedTx
  readonly bytes: Uint8Array
  readonly id: Uint8Array
  /** The ID as hex. */
  readonly key: string
  /** Gas price in wei. */
  readonly price: bigint
  /** Names of what it spends: UTXO keys, or accounts with their nonces. */
  readonly spends: readonly string[]
}

/** Dependencies of the ledger. */
export type CLedgerOptions = {
  readonly context: NetworkContext
  readonly memory: SharedMemory
  /** Unix seconds. */
  readonly now: () => bigint
  readonly backend: Secp256k1Backend | undefined
  /** Whether the rules of the Helicon upgrade are in force. */
  readonly helicon: () => boolean
  /** Called with every block before it takes effect; if it throws, the block is not accepted. */
  readonly beforeAccept: (block: CBlock) => void
}

/** The parts of a block that are stored: unix seconds and the bytes of its transactions. */
export type CBlock = { readonly time: bigint; readonly txs: readonly Uint8Array[] }

/** A copy of the state of the ledger. */
export type CSnapshot = {
  readonly accounts: AccountHistory
  readonly blocks: readonly EthBlock[]
  readonly txs: ReadonlyMap<string, AcceptedCTx>
  readonly pending: ReadonlyMap<string, PendingCTx>
  readonly discarded: ReadonlyMap<string, Uint8Array>
  readonly baseFee: bigint
}

/** A transaction and the height of its block. */
export type AcceptedCTx = { readonly bytes: Uint8Array; readonly height: bigint }

/** Limits of a transaction in the pool before Helicon. */
const MAX_POOL_TX_SIZE = 40_960
const MAX_POOL_TX_GAS = 100_000n
/** Number of discarded transactions that are remembered. */
const MAX_DISCARDED = 50

/** A minimal C-Chain: accounts, atomic transfers and a base fee. It runs no contracts. */
export class CLedger {
  /** In wei per unit of gas. */
  baseFee = 1n
  private readonly options: CLedgerOptions
  private readonly chainID: Uint8Array
  private readonly signers: Signers
  private accounts = new AccountHistory()
  /** By height. */
  private blocks: EthBlock[]
  private txs = new Map<string, AcceptedCTx>()
  private pending = new Map<string, PendingCTx>()
  /** Bytes of transactions that left the pool without being accepted, newest last. */
  private discarded = new Map<string, Uint8Array>()

  constructor(options: CLedgerOptions) {
    this.options = options
    this.chainID = options.context.chains.C!
    this.signers = new Signers(options.backend)
    this.blocks = [genesisBlock(options.context.networkID)]
  }

  get height(): bigint {
    return BigInt(this.blocks.length - 1)
  }

  get lastBlock(): EthBlock {
    return this.blocks.at(-1)!
  }

  /** The block with a number. */
  block(number: bigint): EthBlock | undefined {
    return this.blocks[Number(number)]
  }

  /** The time in unix seconds and the number of transactions of every block. */
  blockCounts(): { readonly time: bigint; readonly txs: number }[] {
    return this.blocks.map((block) => ({ time: timeOf(block), txs: block.txCount }))
  }

  /** The block with a hash. */
  blockWithHash(hash: Uint8Array): EthBlock | undefined {
    return this.blocks.find((block) => equalBytes(block.hash, hash))
  }

  get helicon(): boolean {
    return this.options.helicon()
  }

  get pendingCount(): number {
    return this.pending.size
  }

  /** An account after the block of a height. */
  account(address: Uint8Array, height: bigint = this.height): Account {
    return this.accounts.at(address, height)
  }

  setAccount(address: Uint8Array, account: Account): void {
    this.accounts.set(address, this.height, account)
  }

  accepted(key: string): AcceptedCTx | undefined {
    return this.txs.get(key)
  }

  pendingBytes(key: string): Uint8Array | undefined {
    return this.pending.get(key)?.bytes
  }

  discardedBytes(key: string): Uint8Array | undefined {
    return this.discarded.get(key)
  }

  /** `avax.issueTx`: verifies against the accepted state and adds to the pool, replacing conflicts that pay less. */
  issue(bytes: Uint8Array): PendingCTx {
    const item = this.parse(bytes)
    if (this.pending.has(item.key)) return item
    if (!this.helicon) this.refuseLarge(item)
    this.verify(item)
    const rivals = [...this.pending.values()].filter(({ spends }) =>
      spends.some((spent) => item.spends.includes(spent)),
    )
    const best = rivals.reduce<PendingCTx | undefined>(
      (found, rival) => (found === undefined || rival.price > found.price ? rival : found),
      undefined,
    )
    if (best !== undefined && item.price <= best.price)
      throw new DevNodeError('MEMPOOL_CONFLICT', this.conflictText(item, best, rivals.length))
    for (const rival of rivals) this.discard(rival)
    this.discarded.delete(item.key)
    this.pending.set(item.key, item)
    return item
  }

  /**
   * Accepts a block of pending transactions, highest gas price first. Those that pay less than the base fee wait if
   * Helicon is in force, and are dropped otherwise. Returns the number of transactions in the block.
   */
  buildBlock(): number {
    const spent = new Set<string>()
    const included: PendingCTx[] = []
    const byPrice = [...this.pending.values()].sort((a, b) =>
      a.price === b.price ? 0 : a.price > b.price ? -1 : 1,
    )
    for (const item of byPrice) {
      if (this.helicon && item.price < this.baseFee) continue
      // A second export of an account in one block would need the nonce after the first.
      if (item.spends.some((name) => spent.has(name))) continue
      try {
        this.verify(item)
      } catch (error) {
        if (!(error instanceof AvmError)) throw error
        this.discard(item)
        continue
      }
      for (const name of item.spends) spent.add(name)
      included.push(item)
    }
    if (included.length === 0) return 0
    const now = this.options.now()
    const earliest = timeOf(this.lastBlock)
    const block: CBlock = {
      time: now > earliest ? now : earliest,
      txs: included.map(({ bytes }) => bytes),
    }
    this.options.beforeAccept(block)
    this.apply(block)
    for (const { key } of included) this.pending.delete(key)
    return included.length
  }

  /** Applies a block that was verified before. */
  apply({ time, txs }: CBlock): void {
    const items = txs.map((bytes) => this.parse(bytes))
    for (const item of items) this.execute(item, this.height + 1n)
    const block = nextBlock(this.lastBlock, {
      stateRoot: this.accountsDigest(),
      timeMs: time * 1000n,
      baseFee: this.baseFee,
      atomicGas: items.reduce((sum, { tx }) => sum + gasOf(tx.unsignedTx), 0n),
      txs,
    })
    this.blocks.push(block)
  }

  /** Drops one pending transaction without a trace, as a crash of the node would. */
  forget(key: string): void {
    this.pending.delete(key)
  }

  forgetPending(): void {
    this.pending = new Map()
    this.discarded = new Map()
  }

  snapshot(): CSnapshot {
    return {
      accounts: this.accounts.clone(),
      blocks: [...this.blocks],
      txs: new Map(this.txs),
      pending: new Map(this.pending),
      discarded: new Map(this.discarded),
      baseFee: this.baseFee,
    }
  }

  restore(snapshot: CSnapshot): void {
    this.accounts = snapshot.accounts.clone()
    this.blocks = [...snapshot.blocks]
    this.txs = new Map(snapshot.txs)
    this.pending = new Map(snapshot.pending)
    this.discarded = new Map(snapshot.discarded)
    this.baseFee = snapshot.baseFee
  }

  /** A hash of everything that determines what the chain accepts next. */
  digest(): Uint8Array {
    return sha256(new TextEncoder().encode(`${this.height} ${this.baseFee} ${this.accountsText()}`))
  }

  /** Stands in for the root of the state trie, which the development node does not have. */
  private accountsDigest(): Uint8Array {
    return sha256(new TextEncoder().encode(this.accountsText()))
  }

  private accountsText(): string {
    return [...this.accounts.newest()]
      .filter(([, { nonce, balance }]) => nonce > 0n || balance > 0n)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([address, { nonce, balance }]) => `${address} ${nonce} ${balance}`)
      .join(',')
  }

  private verify({ tx }: PendingCTx): void {
    const { context, memory, now, backend = nobleBackend } = this.options
    const bytes = encodeUnsignedTx(tx.unsignedTx)
    const view: CStateView = {
      atomic: (source, key) => memory.get(source, this.chainID, hex.encode(key)),
      account: (address) => this.account(address),
      baseFee: this.baseFee,
    }
    const environment: CEnvironment = {
      now: now(),
      signerOf: this.signers.of(bytes),
      keyOf: (signature, path) => recoverKey(backend, hashToSign(bytes), signature, path),
    }
    if (this.helicon) {
      verifyHeliconTx(tx, view, context, environment)
      verifyHeliconAccounts(tx, view)
    } else {
      verifyCTx(tx, view, context, environment)
      verifyAccounts(tx, view)
    }
  }

  private refuseLarge(item: PendingCTx): void {
    const size = item.bytes.length
    if (size > MAX_POOL_TX_SIZE)
      throw new DevNodeError(
        'TX_TOO_LARGE',
        `tx size (${size}) exceeds total atomic txs size target (${MAX_POOL_TX_SIZE})`,
      )
    const gas = gasOf(item.tx.unsignedTx)
    if (gas > MAX_POOL_TX_GAS)
      throw new DevNodeError(
        'TX_TOO_LARGE',
        `tx gas usage (${gas}) exceeds maximum allowed mempool gas usage (${MAX_POOL_TX_GAS})`,
      )
  }

  private conflictText(item: PendingCTx, best: PendingCTx, count: number): string {
    if (this.helicon) return 'insufficient fee'
    // Go prints the price as the four words of a 256-bit number.
    const goWords = (price: bigint): string =>
      `[${[0n, 64n, 128n, 192n].map((shift) => BigInt.asUintN(64, price >> shift)).join(' ')}]`
    return (
      `conflict present: issued tx (${cb58.encode(item.id)}) gas price ${goWords(item.price)} <= ` +
      `conflict tx (${cb58.encode(best.id)}) gas price ${goWords(best.price)} (${count} total conflicts in mempool)`
    )
  }

  private discard(item: PendingCTx): void {
    this.pending.delete(item.key)
    this.discarded.set(item.key, item.bytes)
    if (this.discarded.size <= MAX_DISCARDED) return
    const [oldest] = this.discarded.keys()
    this.discarded.delete(oldest!)
  }

  private execute({ tx, id, key, bytes }: PendingCTx, height: bigint): void {
    const { memory } = this.options
    const { unsignedTx } = tx
    if (unsignedTx.type === 'ImportTx') {
      for (const input of unsignedTx.importedInputs)
        memory.take(unsignedTx.sourceChain, this.chainID, storageKey(input))
      for (const { address, amount } of unsignedTx.outputs) {
        const { nonce, balance } = this.account(address, height)
        const after = { nonce, balance: balance + amount * WEI_PER_NAVAX }
        this.accounts.set(address, height, after)
      }
    } else {
      for (const { address, amount } of unsignedTx.inputs) {
        const { nonce, balance } = this.account(address, height)
        const after = { nonce: nonce + 1n, balance: balance - amount * WEI_PER_NAVAX }
        this.accounts.set(address, height, after)
      }
      for (const utxo of exportedUTXOs(tx, id))
        memory.put(this.chainID, unsignedTx.destinationChain, storageKey(utxo), encodeUTXO(utxo))
    }
    this.txs.set(key, { bytes, height })
  }

  private parse(bytes: Uint8Array): PendingCTx {
    let tx: SignedTx
    try {
      tx = decodeTx(bytes)
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      const reason = goDecodeError(signedTx, bytes, C_CHAIN_TYPES)
      throw new DevNodeError('TX_UNDECODABLE', reason, { cause: error })
    }
    const id = txID(bytes)
    const { unsignedTx } = tx
    return {
      tx,
      bytes,
      id,
      key: hex.encode(id),
      price: ((burnedBy(unsignedTx) ?? 0n) * WEI_PER_NAVAX) / gasOf(unsignedTx),
      spends:
        unsignedTx.type === 'ImportTx'
          ? unsignedTx.importedInputs.map(storageKey)
          : unsignedTx.inputs.map(({ address, nonce }) => `${hex.encode(address)} ${nonce}`),
    }
  }
}
