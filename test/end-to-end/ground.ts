import { expect } from 'vitest'
import {
  decodeTx,
  formatAddress,
  formatID,
  formatPrivateKey,
  generatePrivateKey,
  KeyChain,
  type NetworkContext,
  type SignedTx,
} from '../../src/index.ts'
import { createNodeClient, type NodeClient, type NodeClientOptions } from '../../src/rpc/index.ts'
import { createWallet, type Wallet, type WalletOptions } from '../../src/wallet/index.ts'
import { sha256, Witness } from './witness.ts'

/** All that a suite may know of a node: where it is, and a key that has AVAX there. */
export type Place = { readonly url: string; readonly key: string }

/** Somebody with one key. */
export type Person = {
  readonly keys: KeyChain
  /** 20 bytes. */
  readonly bytes: Uint8Array
  /** `X-…` of the node's network. */
  readonly address: string
}

/** Somebody who did not exist before this run, and whose key may therefore be handed around. */
export type Stranger = Person & { readonly secret: string }

type Facts = Pick<
  Ground,
  'url' | 'client' | 'context' | 'witness' | 'funder' | 'firstHeight' | 'firstBalance'
>

/** How many tests can have a purse, and how many fees are in each: together less than an AVAX. */
const PURSES = 30
const FEES_IN_PURSE = 30n

/** A node that takes a second for a block, and has others' transactions in front of ours. */
const WAIT_MS = 90_000

/**
 * What the tests of one suite stand on. Everything happens between keys that are made for the run, so that
 * runs do not meet; the key that has the AVAX pays once in the beginning and gets back what is left.
 */
export class Ground {
  readonly url: string
  readonly client: NodeClient
  readonly context: NetworkContext
  readonly witness: Witness
  /** Who has the AVAX. */
  readonly funder: Person
  /** Blocks up to this one were there before. */
  readonly firstHeight: number
  /** What the funder had in the beginning. */
  readonly firstBalance: bigint
  /** IDs of transactions that were seen accepted, as text. */
  readonly txIDs: Set<string> = new Set()
  private readonly strangers: Stranger[] = []
  private readonly purses: Stranger[] = []

  private constructor(facts: Facts) {
    this.url = facts.url
    this.client = facts.client
    this.context = facts.context
    this.witness = facts.witness
    this.funder = facts.funder
    this.firstHeight = facts.firstHeight
    this.firstBalance = facts.firstBalance
  }

  static async open({ url, key }: Place): Promise<Ground> {
    const client = createNodeClient({ url })
    await client.waitUntilReady({ timeoutMs: WAIT_MS })
    const context = await client.context()
    const witness = new Witness(url)
    const funder = personOf(new KeyChain([key]), context)
    const firstHeight = await witness.height()
    const firstBalance = await witness.balance(funder.address)
    const facts = { url, client, context, witness, funder, firstHeight, firstBalance }
    const ground = new Ground(facts)
    for (let i = 0; i < PURSES; i++) ground.purses.push(ground.stranger())
    const outputs = ground.purses.map(({ address }) => ({ to: address, amount: ground.purse }))
    await ground.accepted(await ground.wallet(funder).transfer({ outputs }))
    return ground
  }

  /** What one transaction costs, unless it creates an asset. */
  get fee(): bigint {
    return this.context.txFee
  }

  /** What is in a purse, as one coin. */
  get purse(): bigint {
    return FEES_IN_PURSE * this.fee
  }

  /** Somebody new, who has nothing. */
  stranger(): Stranger {
    const privateKey = generatePrivateKey()
    const stranger = {
      ...personOf(new KeyChain([privateKey]), this.context),
      secret: formatPrivateKey(privateKey),
    }
    this.strangers.push(stranger)
    return stranger
  }

  /** Somebody new who has what is in a purse. Each test takes its own, so that none spoils another's coins. */
  payer(): Stranger {
    const stranger = this.purses.pop()
    if (stranger === undefined) throw new Error(`there are only ${PURSES} purses`)
    return stranger
  }

  /** A client of the same node, over another connection or with other patience. */
  reach(options: Omit<NodeClientOptions, 'url'>): NodeClient {
    return createNodeClient({ url: this.url, ...options })
  }

  wallet(whose: Person | readonly Stranger[], options: Partial<WalletOptions> = {}): Wallet {
    const keys = 'address' in whose ? whose.keys : new KeyChain(whose.map(({ secret }) => secret))
    return createWallet({ client: this.client, keys, wait: { timeoutMs: WAIT_MS }, ...options })
  }

  /** What the node itself says that somebody can spend alone and now. */
  balance({ address }: Person, assetID?: Uint8Array): Promise<bigint> {
    return this.witness.balance(address, assetID && formatID(assetID))
  }

  /** A transaction that the node must have accepted, as the node gives it back. */
  async accepted({ txID }: { readonly txID: Uint8Array }): Promise<SignedTx> {
    const id = formatID(txID)
    expect(await this.witness.avm('getTxStatus', { txID: id })).toEqual({ status: 'Accepted' })
    const bytes = await this.witness.txBytes(id)
    expect(sha256(bytes)).toEqual(txID)
    this.txIDs.add(id)
    return decodeTx(bytes)
  }

  /** Sends the AVAX of everybody who was made here back to the funder. */
  async giveBack(): Promise<void> {
    const { funder, context, strangers } = this
    await this.wallet(strangers).sweep({ to: funder.address, assets: [context.assetID] })
  }
}

/** An address as people write it, on a chain of the network. */
export function addressText(
  { hrp }: NetworkContext,
  { bytes }: Pick<Person, 'bytes'>,
  chain = 'X',
): string {
  return formatAddress({ chain, hrp, address: bytes })
}

/** What a promise fails with; a promise that does not fail is a failure of the test. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error('expected a failure, it went well', { cause: value })
    },
    (error: unknown) => error,
  )
}

function personOf(keys: KeyChain, context: NetworkContext): Person {
  const bytes = keys.addresses[0]!
  return { keys, bytes, address: addressText(context, { bytes }) }
}
