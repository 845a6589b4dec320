import { concat } from '../core/base/bytes/concat.ts'
import { hex } from '../core/base/encoding/hex.ts'
import { sha256 } from '../core/base/hash/sha256.ts'
import { formatEVMAddress } from '../core/chain/c/evm-address.ts'
import { WEI_PER_NAVAX } from '../core/chain/c/gas.ts'
import type { NetworkContext } from '../core/chain/networks.ts'
import type { FeeState } from '../core/chain/p/price.ts'
import { decodeUTXO, encodeUTXO, type UTXO } from '../core/chain/p/utxo.ts'
import type { Json } from '../core/codec/json.ts'
import { parseJSON, stringifyJSON } from '../core/codec/json-text.ts'
import type { Secp256k1Backend } from '../core/crypto/backend.ts'
import { timeOf } from './c-chain/eth-block.ts'
import { CLedger, type CSnapshot } from './c-chain/ledger.ts'
import type { Account } from './c-chain/rules.ts'
import { DevNodeError } from './errors.ts'
import { SharedMemory } from './ledger/shared-memory.ts'
import type { UTXOIndex } from './ledger/utxo-index.ts'
import { localUTXOs } from './p-chain/genesis.ts'
import { PLedger, type PSnapshot } from './p-chain/ledger.ts'
import { type BlockMode, Pace } from './pace.ts'
import { heliconTimeOf } from './upgrades.ts'
import type { Chain } from './x-chain/chain.ts'
import type { Grant } from './x-chain/faucet.ts'

/** Dependencies of the P-Chain and C-Chain. */
export type OtherChainsOptions = {
  readonly context: NetworkContext
  /** The X-Chain. */
  readonly chain: Chain
  /** Unix seconds. */
  readonly now: () => bigint
  readonly backend: Secp256k1Backend | undefined
  readonly remembersDrops: boolean
  readonly blocks: BlockMode
  readonly blockTimeMs: number | undefined
  /** Whether the C-Chain follows Helicon; undefined: according to the network's schedule. */
  readonly helicon: boolean | undefined
  /** Time of the P-Chain's genesis in unix seconds. */
  readonly genesisTime: bigint
  /** Genesis data of the X-Chain. */
  readonly xGenesis: Uint8Array
  /** Stores an event before it takes effect. */
  readonly store: (text: string) => void
}

/** A copy of the state of both chains. */
export type OthersSnapshot = {
  readonly p: PSnapshot
  readonly c: CSnapshot
  readonly memory: ReadonlyMap<string, UTXOIndex>
}

/** Minimum time between two blocks of the C-Chain. */
const C_CHAIN_PAUSE_MS = 2000

/** The genesis balance of the local network on C: EVM address and AVAX. */
const LOCAL_C_GENESIS = ['8db97c7cece249c2b98bdc0226cc4c2a57bf52fc', 50_000_000n] as const

/** An event of the P-Chain or C-Chain; amounts are decimal texts and bytes hex. */
type Event =
  | { readonly type: 'pGenesis'; readonly time: string }
  | { readonly type: 'pBlock'; readonly time: string; readonly txs: readonly string[] }
  | { readonly type: 'pUTXO'; readonly bytes: string }
  | { readonly type: 'pFees'; readonly capacity: string; readonly excess: string }
  /** Earlier versions did not store the time. */
  | { readonly type: 'cBlock'; readonly time?: string; readonly txs: readonly string[] }
  | {
      readonly type: 'cAccount'
      readonly address: string
      readonly nonce: string
      readonly balance: string
    }
  | { readonly type: 'cBaseFee'; readonly wei: string }

/** The P-Chain and C-Chain of a development node, and the shared memory between them and the X-Chain. */
export class OtherChains {
  readonly memory: SharedMemory
  readonly p: PLedger
  readonly c: CLedger
  /** When Helicon is in force from, for `info.upgrades`. */
  readonly heliconTime: string
  private readonly options: OtherChainsOptions
  private readonly paces: { readonly P: Pace; readonly C: Pace }
  /** Number of calls of `fundP` so far. */
  private funded = 0

  constructor(options: OtherChainsOptions) {
    const { context, chain, now, backend, blocks } = options
    this.options = options
    this.memory = new SharedMemory(context.chainID, () => chain.state)
    const common = { context, memory: this.memory, now, backend }
    this.p = new PLedger({
      ...common,
      remembersDrops: options.remembersDrops,
      chains: () => chain.state.view(now()),
      genesisTime: options.genesisTime,
      xGenesis: options.xGenesis,
      beforeAccept: ({ time, txs }) =>
        this.store({ type: 'pBlock', time: String(time), txs: txs.map(hex.encode) }),
    })
    this.heliconTime = heliconTimeOf(context.networkID, options.helicon)
    const heliconTime = BigInt(Date.parse(this.heliconTime) / 1000)
    this.c = new CLedger({
      ...common,
      helicon: () => now() >= heliconTime,
      beforeAccept: ({ time, txs }) =>
        this.store({ type: 'cBlock', time: String(time), txs: txs.map(hex.encode) }),
    })
    if (context.networkID === 12345) this.addLocalGenesis(context.assetID)
    this.paces = {
      P: new Pace(
        blocks,
        () => this.p.buildBlock() > 0,
        options.blockTimeMs,
        () => this.p.pendingCount > 0,
      ),
      C: new Pace(blocks, () => this.c.buildBlock() > 0, C_CHAIN_PAUSE_MS),
    }
  }

  /** Stores what the chains begin with, for a new chain log. */
  storeGenesis(): void {
    this.store({ type: 'pGenesis', time: String(this.p.time) })
  }

  /** Must be called when a transaction may have become pending on a chain. */
  poke(chain: 'P' | 'C'): void {
    this.paces[chain].poke()
  }

  /** Creates a UTXO on the P-Chain, locked for staking until a time in unix seconds unless that is 0. */
  fundP({ assetID, amount, owners }: Grant, stakeableLocktime: bigint): UTXO {
    const output = { type: 'secp256k1fx.TransferOutput', amount, ...owners } as const
    const utxo: UTXO = {
      txID: this.fundingID(),
      outputIndex: 0,
      assetID,
      output:
        stakeableLocktime === 0n
          ? output
          : { type: 'stakeable.LockOut', locktime: stakeableLocktime, output },
    }
    this.storeAndApply({ type: 'pUTXO', bytes: hex.encode(encodeUTXO(utxo)) })
    return utxo
  }

  setPFees({ capacity, excess }: FeeState): void {
    this.storeAndApply({ type: 'pFees', capacity: String(capacity), excess: String(excess) })
  }

  setAccount(address: Uint8Array, { nonce, balance }: Account): void {
    this.storeAndApply({
      type: 'cAccount',
      address: formatEVMAddress(address),
      nonce: String(nonce),
      balance: String(balance),
    })
  }

  setBaseFee(wei: bigint): void {
    this.storeAndApply({ type: 'cBaseFee', wei: String(wei) })
    this.poke('C')
  }

  /** Replays a stored event. */
  replay(text: string): void {
    this.apply(parseJSON(text) as unknown as Event)
  }

  snapshot(): OthersSnapshot {
    return { p: this.p.snapshot(), c: this.c.snapshot(), memory: this.memory.snapshot() }
  }

  restore({ p, c, memory }: OthersSnapshot): void {
    this.p.restore(p)
    this.c.restore(c)
    this.memory.restore(memory)
  }

  forgetPending(): void {
    this.p.forgetPending()
    this.c.forgetPending()
  }

  stop(): void {
    this.paces.P.stop()
    this.paces.C.stop()
  }

  /** Returns a hash of both states and the shared memory. */
  digest(): Uint8Array {
    const sharedUTXOs = [...this.memory.entries()].map(([key, bytes]) =>
      sha256(concat([hex.decode(key), bytes])),
    )
    return sha256(concat([this.p.digest(), this.c.digest(), ...sharedUTXOs]))
  }

  private addLocalGenesis(assetID: Uint8Array): void {
    // In reverse, because UTXO lists start with the newest: so they have the node's order.
    for (const utxo of localUTXOs(assetID).reverse()) this.p.addUTXO(utxo)
    const [address, avax] = LOCAL_C_GENESIS
    const balance = avax * WEI_PER_NAVAX * WEI_PER_NAVAX
    this.c.setAccount(hex.decode(address), { nonce: 0n, balance })
  }

  /** A transaction ID for a funded UTXO. The same calls give the same IDs, and different calls different ones. */
  private fundingID(): Uint8Array {
    const text = `funding ${this.funded++} of P at ${this.p.height} ${this.p.utxos.size}`
    return sha256(new TextEncoder().encode(text))
  }

  private storeAndApply(event: Event): void {
    this.store(event)
    this.apply(event)
  }

  private store(event: Event): void {
    this.options.store(stringifyJSON(event as Json))
  }

  private apply(event: Event): void {
    switch (event.type) {
      case 'pGenesis':
        this.p.setGenesisTime(BigInt(event.time))
        return
      case 'pBlock':
        this.p.apply({ time: BigInt(event.time), txs: event.txs.map((tx) => hex.decode(tx)) })
        return
      case 'pUTXO':
        this.p.addUTXO(decodeUTXO(hex.decode(event.bytes)))
        return
      case 'pFees':
        this.p.setFees({ capacity: BigInt(event.capacity), excess: BigInt(event.excess) })
        return
      case 'cBlock':
        this.c.apply({
          time: event.time === undefined ? timeOf(this.c.lastBlock) : BigInt(event.time),
          txs: event.txs.map((tx) => hex.decode(tx)),
        })
        return
      case 'cAccount':
        this.c.setAccount(hex.decode(event.address), {
          nonce: BigInt(event.nonce),
          balance: BigInt(event.balance),
        })
        return
      case 'cBaseFee':
        this.c.baseFee = BigInt(event.wei)
        return
      default:
        throw new DevNodeError('LOG_CORRUPT', 'invalid event of the P-Chain or C-Chain in the log')
    }
  }
}
