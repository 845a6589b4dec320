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

/** The input of the suite: the URL of a node, and a key with AVAX. */
export type Place = { readonly url: string; readonly key: string }

/** A user with one key. */
export type Person = {
  readonly keys: KeyChain
  /** 20 bytes. */
  readonly bytes: Uint8Array
  /** `X-…` of the node's network. */
  readonly address: string
}

/** A user created for this run, whose key need not be protected. */
export type Stranger = Person & { readonly secret: string }

type Facts = Pick<
  Ground,
  'url' | 'client' | 'context' | 'witness' | 'funder' | 'firstHeight' | 'firstBalance'
>

/** Number of prepared amounts for tests, and the fees in each: less than one AVAX in total. */
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
  /** The user with the AVAX. */
  readonly funder: Person
  /** Height at the start of the run. */
  readonly firstHeight: number
  /** Balance of the funder at the start. */
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

  /** Fee of a transaction that does not create an asset. */
  get fee(): bigint {
    return this.context.txFee
  }

  /** Amount of a prepared UTXO. */
  get purse(): bigint {
    return FEES_IN_PURSE * this.fee
  }

  /** Creates a user without funds. */
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

  /** Creates another client of the same node, with other options. */
  reach(options: Omit<NodeClientOptions, 'url'>): NodeClient {
    return createNodeClient({ url: this.url, ...options })
  }

  wallet(whose: Person | readonly Stranger[], options: Partial<WalletOptions> = {}): Wallet {
    const keys = 'address' in whose ? whose.keys : new KeyChain(whose.map(({ secret }) => secret))
    return createWallet({ client: this.client, keys, wait: { timeoutMs: WAIT_MS }, ...options })
  }

  /** The spendable balance of an address according to the node. */
  balance({ address }: Person, assetID?: Uint8Array): Promise<bigint> {
    return this.witness.balance(address, assetID && formatID(assetID))
  }

  /** Returns a transaction that the node must have accepted. */
  async accepted({ txID }: { readonly txID: Uint8Array }): Promise<SignedTx> {
    const id = formatID(txID)
    expect(await this.witness.avm('getTxStatus', { txID: id })).toEqual({ status: 'Accepted' })
    const bytes = await this.witness.txBytes(id)
    expect(sha256(bytes)).toEqual(txID)
    this.txIDs.add(id)
    return decodeTx(bytes)
  }

  /** Returns the AVAX of all users of the run to the funder. */
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

/** Returns the error of a promise; fails if it resolves. */
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
