import { equalBytes } from '../core/base/bytes/compare.ts'
import { cb58 } from '../core/base/encoding/cb58.ts'
import { ZERO_ID } from '../core/base/encoding/ids.ts'
import { P_CHAIN_ID } from '../core/chain/networks.ts'
import { decodeBlock } from '../core/chain/x/block.ts'
import { asciiID } from '../core/chain/x/fx.ts'
import { ETH_METHODS } from './c-chain/eth-methods.ts'
import { answerEth } from './c-chain/eth-rpc.ts'
import { avaxHandlers } from './c-chain/methods.ts'
import { answerInstead, type Fault, Faults, spoil } from './faults.ts'
import {
  type CountedChain,
  type HttpAPIOptions,
  HttpAPIs,
  type SimulatedHealth,
} from './http-apis/apis.ts'
import { refusal, requireMethods } from './options.ts'
import type { OtherChains } from './p-and-c-chains.ts'
import { platformHandlers } from './p-chain/methods.ts'
import type { Blockchain } from './p-chain/service.ts'
import { PeerList } from './peers.ts'
import { type Bootstrapping, type Routes, route } from './routes.ts'
import { type AvmService, avmHandlers, walletHandlers } from './rpc/avm.ts'
import type { MethodHandler } from './rpc/envelope.ts'
import { type CheckedChain, HealthChecks, healthHandlers } from './rpc/health.ts'
import { infoHandlers, NODE_ID } from './rpc/info.ts'
import { MAX_BODY_SIZE, type NodeRequest, type NodeResponse, textResponse } from './transport.ts'
import type { AddedChains } from './x-chain/added-chains.ts'
import type { Chain } from './x-chain/chain.ts'

/** Dependencies of the APIs. */
export type ServiceOptions = {
  readonly chain: Chain
  /** Unix seconds. */
  readonly now: () => bigint
  /** Aliases of genesis assets, by asset ID in hex. */
  readonly aliases: ReadonlyMap<string, string>
  /** Whether this process started from the genesis. */
  readonly fresh: boolean
  /** Called when a transaction may go into a block. */
  readonly poke: () => void
  /** The P-Chain and C-Chain. */
  readonly others: OtherChains
  /** AVM chains of other subnets. */
  readonly added: AddedChains
  readonly httpAPIs: HttpAPIOptions | undefined
  /** Whether UTXO pages contain the requested source chain. */
  readonly echoesSourceChain: boolean
  /** Names of the methods that are refused, or prefixes of them. */
  readonly refusedMethods: readonly string[]
}

const SECONDS_PER_DAY = 86_400n

/** `setTimeout` treats longer delays as 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Answers requests with the APIs, simulated states and injected faults. */
export class NodeService {
  readonly faults: Faults = new Faults()
  /** Health checks that are set to fail, with their messages. */
  readonly failures: Map<string, string> = new Map()
  stage: Bootstrapping = 'done'
  serviceHealth: SimulatedHealth = 'ok'
  readonly peers: PeerList
  readonly health: HealthChecks
  private readonly options: ServiceOptions
  private readonly routes: Routes
  private readonly httpAPIs: HttpAPIs
  /** Whether the process started from the genesis: the node formats objects that it created itself differently. */
  fresh: boolean
  /** Whether the current request has the fault `vanished`. */
  private vanishing = false
  /** The fault of the current request that concerns UTXO pages. */
  private pageFault: Fault['kind'] | undefined
  /** The last reply of `avm.getUTXOs`. */
  private lastPage: string | undefined

  constructor(options: ServiceOptions) {
    this.options = options
    this.peers = new PeerList(options.now)
    this.fresh = options.fresh
    this.health = new HealthChecks({
      now: options.now,
      chains: () => this.checkedChains(),
      bootstrapped: () => this.stage === 'done',
      failures: this.failures,
      peers: this.peers,
    })
    this.routes = this.makeRoutes()
    requireMethods(options.refusedMethods, methodNames(this.routes))
    this.httpAPIs = new HttpAPIs(
      {
        networkID: options.chain.context.networkID,
        chainID: options.chain.context.chainID,
        blocks: {
          chainID: options.chain.context.chainID,
          tx: (id) => options.chain.state.tx(id),
          height: () => options.chain.state.tip.height,
          bytesAt: (height) => options.chain.state.blockAt(height),
        },
        now: options.now,
        txsPerDay: (chains) => this.txsPerDay(chains),
        health: () => this.serviceHealth,
      },
      options.httpAPIs,
    )
  }

  readonly answer = async (request: NodeRequest): Promise<NodeResponse> => {
    if (request.body.length > MAX_BODY_SIZE) return textResponse(413, 'request entity too large\n')
    const faults = this.faults.match(request)
    const delayMs = faults.reduce(
      (sum, { kind, ms }) => sum + (kind === 'latency' ? (ms ?? 0) : 0),
      0,
    )
    if (delayMs > 0)
      await new Promise((resolve) => setTimeout(resolve, Math.min(delayMs, MAX_TIMER_MS)))
    const replacement = answerInstead(faults)
    if (replacement !== undefined) return replacement
    const kinds = faults.map(({ kind }) => kind)
    // These members can be shared, because the method of a request starts synchronously from here.
    this.vanishing = kinds.includes('vanished')
    this.pageFault = kinds.find((kind) => kind === 'repeated-page' || kind === 'restarted-walk')
    try {
      const answer = this.httpAPIs.answer(request) ?? (await route(request, this.routes))
      const date = ['date', new Date(Number(this.options.now()) * 1000).toUTCString()] as const
      return spoil({ ...answer, headers: [date, ...answer.headers] }, faults)
    } catch (error) {
      // No request may end the node, not even one that causes an internal error.
      return textResponse(500, `internal error: ${(error as Error).message}\n`)
    }
  }

  private makeRoutes(): Routes {
    const { chain, now, aliases, others } = this.options
    const isRefused = refusal(this.options.refusedMethods)
    const { peers } = this
    const { context } = chain
    const lookup = this.lookup()
    const bootstrapped = () => this.stage === 'done'
    const avm = this.avmService({ chain, aliases }, this.options.poke)
    const methods = avmHandlers(avm)
    return {
      nodeID: NODE_ID,
      chainID: context.chainID,
      chain: { avm: { ...methods, getUTXOs: this.withPageFaults(methods.getUTXOs!) } },
      wallet: { wallet: walletHandlers(avm) },
      added: (id) => this.addedServices(id),
      platform: {
        platform: platformHandlers({
          ledger: others.p,
          memory: others.memory,
          context,
          now,
          lookup,
          chains: () => this.blockchains(),
          admitted: ({ key }) => (this.vanishing ? others.p.forget(key) : others.poke('P')),
        }),
      },
      atomic: {
        avax: avaxHandlers({
          ledger: others.c,
          memory: others.memory,
          context,
          lookup,
          admitted: ({ key }) => (this.vanishing ? others.c.forget(key) : others.poke('C')),
        }),
      },
      evm: (body) => answerEth(body, { ledger: others.c, networkID: context.networkID, isRefused }),
      isRefused,
      cChainID: context.chains.C!,
      heights: () =>
        Object.entries(this.checkedChains()).map(([alias, { tip }]) => [alias, tip.height]),
      info: {
        info: infoHandlers({
          context,
          lookup,
          bootstrapped,
          peers,
          heliconTime: others.heliconTime,
        }),
      },
      health: { health: healthHandlers(this.health) },
      report: (name, tags) => this.health.report(name, tags),
      bootstrapping: () => this.stage,
    }
  }

  /** The chains that the node runs, by primary alias. */
  private checkedChains(): { readonly [alias: string]: CheckedChain } {
    const { chain, others, added } = this.options
    const primary = { subnetID: cb58.encode(P_CHAIN_ID) }
    const addedChains = [...added.all()].map(({ chain: { context, state } }) => {
      const subnetID = cb58.encode(state.view(0n).subnetOf(context.chainID)!)
      return [context.chainAlias, { tip: state.tip, subnetID }] as const
    })
    return {
      C: { tip: { height: others.c.height, id: others.c.lastBlock.hash }, ...primary },
      P: { tip: { height: others.p.height, id: others.p.lastBlock.id }, ...primary },
      X: { tip: chain.state.tip, ...primary },
      ...Object.fromEntries(addedChains),
    }
  }

  /** The chains that the P-Chain knows. Those of the genesis are listed newest first. */
  private blockchains(): Blockchain[] {
    const { chain, added } = this.options
    const { chainID, chains } = chain.context
    const subnetID = P_CHAIN_ID
    const primary: Blockchain[] = [
      { id: chains.C!, name: 'C-Chain', subnetID, vmID: asciiID('evm') },
      { id: chainID, name: 'X-Chain', subnetID, vmID: asciiID('avm') },
    ]
    const known = [P_CHAIN_ID, ...primary.map(({ id }) => id)]
    const others = chain.state
      .knownChains()
      .filter(({ id }) => !known.some((other) => equalBytes(other, id)))
    return [
      ...primary,
      ...others.map((other) => {
        const vmID = added.get(other.id) === undefined ? ZERO_ID : asciiID('avm')
        return { ...other, name: '', vmID }
      }),
    ]
  }

  /** What the methods of an AVM chain need. */
  private avmService(
    { chain, aliases }: Pick<AvmService, 'chain' | 'aliases'>,
    poke: () => void,
  ): AvmService {
    const isFresh = (): boolean => this.fresh
    const { now, echoesSourceChain } = this.options
    return {
      chain,
      now,
      lookup: this.lookup(),
      aliases,
      echoesSourceChain,
      get fresh() {
        return isFresh()
      },
      admitted: (item) => {
        if (this.vanishing) chain.mempool.remove(item)
        else poke()
      },
    }
  }

  /** The methods of an added chain by its ID as text. */
  private addedServices(id: string): ReturnType<Routes['added']> {
    const chainID = this.lookup()(id)
    const added = chainID && this.options.added.get(chainID)
    if (added === undefined) return undefined
    const avm = this.avmService(added, () => added.pace.poke())
    return { chain: { avm: avmHandlers(avm) }, wallet: { wallet: walletHandlers(avm) } }
  }

  private withPageFaults(getUTXOs: MethodHandler): MethodHandler {
    return async (params) => {
      if (this.pageFault === 'repeated-page' && this.lastPage !== undefined) return this.lastPage
      const restarted = this.pageFault === 'restarted-walk'
      this.lastPage = await getUTXOs(restarted ? params.without('startIndex') : params)
      return this.lastPage
    }
  }

  /** Returns chain IDs by alias and by ID text. */
  private lookup(): (alias: string) => Uint8Array | undefined {
    const { chainID, chains } = this.options.chain.context
    const known = new Map<string, Uint8Array>([
      ['P', chains.P!],
      ['platform', chains.P!],
      ['X', chainID],
      ['avm', chainID],
      ['C', chains.C!],
      ['evm', chains.C!],
    ])
    for (const id of [...known.values()]) known.set(cb58.encode(id), id)
    // Chains may be added at any time.
    return (alias) => known.get(alias) ?? this.options.added.named(alias)
  }

  /** Number of accepted transactions of some chains per day, by the unix time of its start. */
  private txsPerDay(chains: readonly CountedChain[]): Map<number, number> {
    const { chain, others } = this.options
    const days = new Map<number, number>()
    const count = (time: bigint, txs: number): void => {
      const day = Number(time - (time % SECONDS_PER_DAY))
      days.set(day, (days.get(day) ?? 0) + txs)
    }
    if (chains.includes('X'))
      for (let height = 1n; height <= chain.state.tip.height; height++) {
        const { time, txs } = decodeBlock(chain.state.blockAt(height)!)
        count(time, txs.length)
      }
    if (chains.includes('P')) for (const { time, txs } of others.p.blockCounts()) count(time, txs)
    if (chains.includes('C')) for (const { time, txs } of others.c.blockCounts()) count(time, txs)
    return days
  }
}

/** The methods of all routes, such as `avm.getTx`. */
function methodNames({ chain, wallet, platform, atomic, info, health }: Routes): string[] {
  const services = { ...chain, ...wallet, ...platform, ...atomic, ...info, ...health }
  const names = Object.entries(services).flatMap(([service, methods]) =>
    Object.keys(methods).map((method) => `${service}.${method}`),
  )
  return [...names, ...ETH_METHODS]
}
