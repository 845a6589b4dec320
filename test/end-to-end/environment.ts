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
import { createNodeClient, type NodeClient, type NodeClientOptions } from '../../src/node/index.ts'
import { createWallet, type Wallet, type WalletOptions } from '../../src/wallet/index.ts'
import { RawNode, sha256 } from './raw-node.ts'

/** The input of the suite: the URL of a node, and a key with AVAX. */
export type Target = { readonly url: string; readonly key: string }

/** An account with one key. */
export type Account = {
  readonly keys: KeyChain
  /** 20 bytes. */
  readonly bytes: Uint8Array
  /** `X-…` of the node's network. */
  readonly address: string
}

/** An account created for this run, whose key need not be protected. */
export type TestAccount = Account & { readonly secret: string }

type Details = Pick<
  TestEnvironment,
  'url' | 'client' | 'context' | 'rawNode' | 'funder' | 'firstHeight' | 'firstBalance'
>

/** Number of funded accounts, and the fees that each can pay: less than one AVAX in total. */
const FUNDED_ACCOUNTS = 30
const FEES_PER_ACCOUNT = 30n

/** For a node that takes a second per block and processes transactions of others first. */
const WAIT_MS = 90_000

/**
 * A node with funded accounts for the tests of one suite. The accounts are created for the run, so that runs are
 * independent of each other. The funder pays once at the start and gets the rest back at the end.
 */
export class TestEnvironment {
  readonly url: string
  readonly client: NodeClient
  readonly context: NetworkContext
  readonly rawNode: RawNode
  /** The account that pays for the run. */
  readonly funder: Account
  /** Height at the start of the run. */
  readonly firstHeight: number
  /** Balance of the funder at the start. */
  readonly firstBalance: bigint
  /** IDs of transactions that were seen accepted, as text. */
  readonly txIDs: Set<string> = new Set()
  private readonly accounts: TestAccount[] = []
  private readonly funded: TestAccount[] = []

  private constructor(details: Details) {
    this.url = details.url
    this.client = details.client
    this.context = details.context
    this.rawNode = details.rawNode
    this.funder = details.funder
    this.firstHeight = details.firstHeight
    this.firstBalance = details.firstBalance
  }

  static async open({ url, key }: Target): Promise<TestEnvironment> {
    const client = createNodeClient({ url })
    await client.waitUntilReady({ timeoutMs: WAIT_MS })
    const context = await client.context()
    const rawNode = new RawNode(url)
    const funder = accountOf(new KeyChain([key]), context)
    const firstHeight = await rawNode.height()
    const firstBalance = await rawNode.balance(funder.address)
    const details = { url, client, context, rawNode, funder, firstHeight, firstBalance }
    const env = new TestEnvironment(details)
    for (let i = 0; i < FUNDED_ACCOUNTS; i++) env.funded.push(env.newAccount())
    const outputs = env.funded.map(({ address }) => ({ to: address, amount: env.funding }))
    await env.accepted(await env.wallet(funder).transfer({ outputs }))
    return env
  }

  /** Fee of a transaction that does not create an asset. */
  get fee(): bigint {
    return this.context.txFee
  }

  /** Balance of a funded account: one UTXO. */
  get funding(): bigint {
    return FEES_PER_ACCOUNT * this.fee
  }

  /** Creates an account without funds. */
  newAccount(): TestAccount {
    const privateKey = generatePrivateKey()
    const account = {
      ...accountOf(new KeyChain([privateKey]), this.context),
      secret: formatPrivateKey(privateKey),
    }
    this.accounts.push(account)
    return account
  }

  /** Returns a funded account. Each test uses its own, so that tests do not spend each other's UTXOs. */
  fundedAccount(): TestAccount {
    const account = this.funded.pop()
    if (account === undefined) throw new Error(`there are only ${FUNDED_ACCOUNTS} funded accounts`)
    return account
  }

  /** Creates another client of the same node, with other options. */
  createClient(options: Omit<NodeClientOptions, 'url'>): NodeClient {
    return createNodeClient({ url: this.url, ...options })
  }

  wallet(whose: Account | readonly TestAccount[], options: Partial<WalletOptions> = {}): Wallet {
    const keys = 'address' in whose ? whose.keys : new KeyChain(whose.map(({ secret }) => secret))
    return createWallet({ client: this.client, keys, wait: { timeoutMs: WAIT_MS }, ...options })
  }

  /** The spendable balance of an address according to the node. */
  balance({ address }: Account, assetID?: Uint8Array): Promise<bigint> {
    return this.rawNode.balance(address, assetID && formatID(assetID))
  }

  /** Returns a transaction that the node must have accepted. */
  async accepted({ txID }: { readonly txID: Uint8Array }): Promise<SignedTx> {
    const id = formatID(txID)
    expect(await this.rawNode.avm('getTxStatus', { txID: id })).toEqual({ status: 'Accepted' })
    const bytes = await this.rawNode.txBytes(id)
    expect(sha256(bytes)).toEqual(txID)
    this.txIDs.add(id)
    return decodeTx(bytes)
  }

  /** Returns the AVAX of all accounts of the run to the funder. */
  async refund(): Promise<void> {
    const { funder, context, accounts } = this
    await this.wallet(accounts).sweep({ to: funder.address, assets: [context.assetID] })
  }
}

/** An address as people write it, on a chain of the network. */
export function addressText(
  { hrp }: NetworkContext,
  { bytes }: Pick<Account, 'bytes'>,
  chain = 'X',
): string {
  return formatAddress({ chain, hrp, address: bytes })
}

/** Returns the error of a promise; fails if it resolves. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error('expected a failure, the call succeeded', { cause: value })
    },
    (error: unknown) => error,
  )
}

function accountOf(keys: KeyChain, context: NetworkContext): Account {
  const bytes = keys.addresses[0]!
  return { keys, bytes, address: addressText(context, { bytes }) }
}
