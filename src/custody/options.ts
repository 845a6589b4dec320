import { loadDefaultBackend } from '#backend'
import {
  type Check,
  capability,
  fn,
  integerFrom,
  invalid,
  list,
  located,
  object,
  optional,
  text,
} from '../core/base/argument.ts'
import { hex } from '../core/base/encoding/hex.ts'
import { id } from '../core/base/encoding/ids.ts'
import type { NetworkContext } from '../core/chain/networks.ts'
import type { Secp256k1Backend } from '../core/crypto/backend.ts'
import { backendOption } from '../core/crypto/secp256k1.ts'
import { type AddressArgument, type IDArgument, toAddress, toID } from '../core/draft/arguments.ts'
import { address } from '../core/draft/descriptions.ts'
import { signersArgument } from '../core/sign/arguments.ts'
import type { SignWithOptions } from '../core/sign/sign.ts'
import type { Keys, Signer } from '../core/sign/signer.ts'
import { MAX_TIMER_MS, systemClock } from '../node/clock.ts'
import type { NodeClient } from '../node/node.ts'
import { ChainView, defaultQuorum } from '../node/view/view.ts'
import { keys, signing } from '../wallet/options.ts'
import { serverCount } from '../wallet/quorum.ts'
import { MAX_SERVER_LAG } from './chain/walk.ts'
import { bindChain, readNextHeight } from './database/chain-row.ts'
import { channelsOf } from './database/channels.ts'
import {
  type Database,
  type DatabasePool,
  databaseArgument,
  STATEMENT_MS,
} from './database/database.ts'
import { requireSchema } from './database/migrate.ts'
import { refuseDepositAddresses, registerWallet } from './deposits/addresses.ts'
import type { CustodyAccount } from './deposits/derived-keys.ts'
import { logTo } from './operations/log.ts'
import { MAX_PAYOUTS_PER_TX } from './payouts/payer.ts'
import type { Policy } from './payouts/policy.ts'
import type { CustodyLimits, Log, Settings } from './settings.ts'
import { checkColdAddresses, type SweepRule, sweepRules } from './sweeps/sweep-rules.ts'

/** Options of `openCustody`. */
export type CustodyOptions = {
  /** URL of a PostgreSQL database (14 or newer), or a pool of the package `pg`, which stays the caller's. */
  readonly database: string | DatabasePool
  readonly client: NodeClient
  /** Keys in memory. Processes that only request payouts or read deposits need none. */
  readonly keys?: Keys | undefined
  /**
   * Accounts of watched xpubs, such as an `HDAccount`: sweeps derive the keys of deposit addresses from them, one for
   * each address and only while they sign.
   */
  readonly accounts?: readonly CustodyAccount[] | undefined
  /** External signers: devices, services. */
  readonly signers?: readonly Signer[] | undefined
  /** Fee limit, derivation paths and policy of the signer, as for `signDraftWith`. */
  readonly signing?: Pick<SignWithOptions, 'maxFee' | 'paths' | 'policy'> | undefined
  /**
   * Computes signatures and checks those of others.
   *
   * @defaultValue on Node the WebAssembly backend, loaded on first use
   */
  readonly backend?: Secp256k1Backend | undefined
  /**
   * The hot wallet: addresses that payouts are made from. Change goes to the first. Required if `keys` or `signers`
   * have deposit addresses.
   *
   * @defaultValue all addresses of `keys` and `signers`
   */
  readonly hot?: readonly AddressArgument[] | undefined
  /**
   * Assets whose deposits are accepted as `plain`, besides the native one.
   *
   * @defaultValue none
   */
  readonly assets?: readonly IDArgument[] | undefined
  /** @defaultValue `avmkit` */
  readonly schema?: string | undefined
  /**
   * Number of the client's servers that must agree on what is read: blocks, UTXOs, fees. With 1, a single dishonest server
   * can invent deposits and acceptances.
   *
   * @defaultValue 1 with one or two servers, 2 with more
   */
  readonly quorum?: number | undefined
  /**
   * Decides about each payout before it is made.
   *
   * @defaultValue all payouts are made
   */
  readonly policy?: Policy | undefined
  /**
   * Rules for sweeps, in the order in which they are tried.
   *
   * @defaultValue none
   */
  readonly sweeps?: readonly SweepRule[] | undefined
  /** Receives events for logs. */
  readonly log?: Log | undefined
  /** Time and size limits that differ from the default ones. */
  readonly limits?: Partial<CustodyLimits> | undefined
}

/** Not copied: an account derives private keys. */
const account: Check<CustodyAccount> = (value, at) => {
  const hd = capability<CustodyAccount>('an HD account', 'keyChain')(value, at)
  if (typeof hd.watch?.extendedPublicKey !== 'string') throw invalid(value, at, 'an HD account')
  return hd
}

const count = integerFrom(1, MAX_TIMER_MS)

/** Describes the options of `openCustody`. */
export const custodyOptions: Check<CustodyOptions> = object<CustodyOptions>({
  database: databaseArgument,
  client: capability<NodeClient>('a NodeClient', 'context', 'servers', 'blockReader', 'utxoPages'),
  keys: optional(keys),
  accounts: optional(list(account)),
  signers: optional(signersArgument),
  signing: optional(signing),
  backend: backendOption,
  hot: optional(list(address)),
  assets: optional(list(id)),
  schema: optional(text),
  quorum: optional(integerFrom(1)),
  policy: optional(fn<Policy>()),
  sweeps: optional(sweepRules),
  log: optional(fn<Log>()),
  limits: optional(
    object<Partial<CustodyLimits>>({
      draftMs: optional(count),
      leaderMs: optional(count),
      resendMs: optional(count),
      maxBatch: optional(count),
      spareUTXOs: optional(integerFrom(0, MAX_TIMER_MS)),
      passOverMs: optional(integerFrom(0, MAX_TIMER_MS)),
      statementMs: optional(count),
    }),
  ),
})

/** Checks the tables and the network, registers the hot wallet and applies the defaults. */
export async function settingsOf(
  database: Database,
  options: CustodyOptions,
  chain: ChainView = chainOf(options),
): Promise<Settings> {
  const { client, keys, signers = [], accounts = [], signing, log, limits = {} } = options
  const { sweeps = [] } = options
  await requireSchema(database)
  let context = await chain.context({}, false)
  await bindChain(database, context)
  const hot = hotAddresses(options, context)
  checkColdAddresses(sweeps, context, hot)
  if (options.hot === undefined) await refuseDepositAddresses(database, hot)
  await startChain(database, chain)
  await registerWallet(database, hot, 'hot')
  const random = hex.encode(crypto.getRandomValues(new Uint8Array(4)))
  return {
    database,
    client,
    chain,
    keys,
    signers,
    accounts: new Map(accounts.map((account) => [account.watch.extendedPublicKey, account])),
    signing,
    backend: options.backend ?? (await loadDefaultBackend()),
    hot,
    assets: [context.assetID, ...(options.assets ?? []).map(toID)],
    policy: options.policy,
    rules: sweeps,
    limits: {
      draftMs: limits.draftMs ?? 60_000,
      leaderMs: limits.leaderMs ?? 5_000,
      resendMs: limits.resendMs ?? 5_000,
      maxBatch: Math.min(limits.maxBatch ?? MAX_PAYOUTS_PER_TX, MAX_PAYOUTS_PER_TX),
      spareUTXOs: limits.spareUTXOs ?? 16,
      passOverMs: limits.passOverMs ?? 600_000,
      statementMs: limits.statementMs ?? STATEMENT_MS,
    },
    channels: channelsOf(database.schema),
    worker: `worker ${random}`,
    get context() {
      return context
    },
    refreshFees: async () => {
      const fresh = await chain.context({}, true)
      await bindChain(database, fresh)
      context = fresh
    },
    log: logTo(log),
  }
}

/**
 * What the servers of the client agree on.
 *
 * @throws ArgumentError if the quorum is larger than the number of servers
 */
export function chainOf(options: CustodyOptions): ChainView {
  const { client } = options
  return new ChainView({ client, clock: systemClock, quorum: quorumOf(options) })
}

function quorumOf({ quorum, client }: CustodyOptions): number {
  const servers = serverCount('openCustody', client, 'client')
  if (quorum === undefined) return defaultQuorum(servers)
  return integerFrom(1, servers)(quorum, { call: 'openCustody', path: 'quorum' })
}

function hotAddresses(
  { hot, keys, signers = [] }: CustodyOptions,
  context: NetworkContext,
): Uint8Array[] {
  const all = hot?.map((address, i) =>
    located({ call: 'openCustody', path: `hot[${i}]` }, () => toAddress(address, context)),
  ) ?? [...(keys?.addresses ?? []), ...signers.flatMap(({ addresses = [] }) => addresses)]
  return [...new Map(all.map((address) => [hex.encode(address), address])).values()]
}

/** A new system starts near the current height; walks find older outputs. */
async function startChain(database: Database, chain: ChainView): Promise<void> {
  if ((await readNextHeight(database)) !== undefined) return
  const height = await chain.height({})
  const start = height + 1n > MAX_SERVER_LAG ? height + 1n - MAX_SERVER_LAG : 1n
  await database.query(
    'UPDATE @.chain SET next_height = $1, unknown_from = $2 WHERE next_height IS NULL',
    [start, height + 1n],
  )
}
