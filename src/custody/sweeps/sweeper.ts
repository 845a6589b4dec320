import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { utxoKey } from '../../core/chain/x/ids.ts'
import { decodeUTXO, type UTXO } from '../../core/chain/x/utxo.ts'
import { FundsError } from '../../core/coins/errors.ts'
import { UTXOSet } from '../../core/coins/utxo-set.ts'
import { toAddress, toAssetID } from '../../core/draft/arguments.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { planSweep } from '../../core/draft/x/sweep.ts'
import { buildTransfer } from '../../core/draft/x/transfer.ts'
import { collectProofs } from '../../core/sign/proofs/collect.ts'
import { createRequest } from '../../core/sign/request/request.ts'
import { formatRequest } from '../../core/sign/request/request-file.ts'
import type { Queries } from '../database/database.ts'
import { amountOf, type Bytes, bytesOf, type Digits } from '../database/values.ts'
import { registerWallet } from '../deposits/addresses.ts'
import { CustodyError } from '../errors.ts'
import type { Claimer } from '../payouts/claimer.ts'
import { insertDraft, type ReservedDraft, reserveUTXOs } from '../payouts/drafts.ts'
import { IS_FREE, IS_UNLOCKED, lockUTXOs, unlockedAt } from '../payouts/funding.ts'
import type { PayStep } from '../payouts/payer.ts'
import { sweepPayment } from '../payouts/payout-content.ts'
import type { Settings } from '../settings.ts'
import type {
  CollectRule,
  ConsolidateRule,
  RefillRule,
  StoreRule,
  SweepRule,
} from './sweep-rules.ts'

/** Maximum number of inputs of a sweep: about as many as fit into a transaction if each has another owner. */
const MAX_INPUTS = 380

/** Maximum number of UTXOs that a transaction of a fence spends, with room for those that pay its fee. */
const MAX_FENCED = 300

/** SQL condition: an output of the hot wallet `$1` is not newer than a fence at the height `$2`. */
export const IS_BEFORE_FENCE: string = `wallet = 'hot' AND address = ANY($1::bytea[]) AND (height IS NULL OR height < $2)
  AND spent_tx IS NULL AND is_simple AND ${IS_UNLOCKED}`

/** Moves funds between deposit addresses, hot wallet and cold storage by rules. */
export class Sweeper {
  private readonly settings: Settings
  private readonly claimer: Claimer

  constructor(settings: Settings, claimer: Claimer) {
    this.settings = settings
    this.claimer = claimer
  }

  /**
   * Makes one transaction or signing request, if a rule applies. Returns whether it did.
   *
   * @param queue - result of the last step of the queue; consolidations wait while payouts are queued
   */
  async step(queue: PayStep): Promise<boolean> {
    const { rules } = this.settings
    for (const rule of rules) if (await this.apply(rule, queue)) return true
    return false
  }

  private async apply(rule: SweepRule, queue: PayStep): Promise<boolean> {
    if (rule.type === 'refill') return this.requestRefill(rule).catch(this.skipShared)
    if (rule.type === 'store')
      await registerWallet(
        this.settings.database,
        [toAddress(rule.to, this.settings.context)],
        'cold',
      )
    const reserved = await this.reserve('sweep', async (tx) => {
      switch (rule.type) {
        case 'collect':
          return this.collect(tx, rule)
        case 'store':
          return this.store(tx, rule)
        case 'consolidate':
          return queue === 'nothing' ? this.consolidate(tx, rule) : undefined
      }
    })
    return this.claim(reserved)
  }

  /**
   * Combines the largest UTXOs of an asset, because a payout needs more of them than fit into a transaction. Returns
   * whether it made a transaction.
   */
  async consolidateAsset(assetID: Uint8Array): Promise<boolean> {
    return this.claim(await this.reserve('sweep', (tx) => this.combineLargest(tx, assetID)))
  }

  /**
   * Spends UTXOs of the hot wallet from before a height back to it, as many of one asset as fit. Returns whether it made
   * a transaction.
   */
  async fence(height: bigint): Promise<boolean> {
    return this.claim(await this.reserve('sweep', (tx) => this.spendOlder(tx, height)))
  }

  private async spendOlder(tx: Queries, height: bigint): Promise<Draft | undefined> {
    const { context, hot } = this.settings
    const rows = await tx.query<{ asset_id: Bytes; utxo: Bytes }>(
      `SELECT asset_id, utxo FROM @.outputs WHERE ${IS_BEFORE_FENCE} AND ${IS_FREE}
       -- The native asset last, which pays the fees; small amounts first, to which larger ones are added.
       ORDER BY asset_id = $3, asset_id, amount LIMIT ${MAX_FENCED} FOR UPDATE SKIP LOCKED`,
      [hot, height, context.assetID],
    )
    const assetID = rows[0]?.asset_id
    if (assetID === undefined) return undefined
    const utxos = rows
      .filter((row) => equalBytes(row.asset_id, assetID))
      .map(({ utxo }) => decodeUTXO(utxo))
    const isNative = equalBytes(assetID, context.assetID)
    return this.gather(tx, isNative ? await this.withFee(tx, utxos) : utxos, bytesOf(assetID), 1)
  }

  private async claim(reserved: ReservedDraft | undefined): Promise<boolean> {
    if (reserved === undefined) return false
    const payment = sweepPayment(reserved.draft.utxos, this.settings.context)
    return this.claimer.claimAndIssue(reserved, [payment], { purpose: 'sweep' })
  }

  /** Drafts and reserves in one transaction of the database. Undefined if another worker is doing so. */
  private async reserve(
    purpose: string,
    draftIn: (tx: Queries) => Promise<Draft | undefined>,
  ): Promise<ReservedDraft | undefined> {
    const { database } = this.settings
    return database.transaction(async (tx) => {
      const [lock] = await tx.query<{ held: boolean; next_height: Digits | null }>(
        'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS held, next_height FROM @.chain',
        [`avmkit sweep ${database.schema}`],
      )
      if (!lock!.held) return undefined
      const draft = await draftIn(tx)
      if (draft === undefined) return undefined
      const id = await insertDraft(tx, this.settings, purpose, [])
      await reserveUTXOs(tx, id, draft.utxos)
      return { id, draft, fromHeight: BigInt(lock!.next_height ?? 1) }
    })
  }

  /** Empties deposit addresses whose balance exceeds the limit of the rule, as many as fit. */
  private async collect(tx: Queries, rule: CollectRule): Promise<Draft | undefined> {
    const { context, keys, accounts, signers } = this.settings
    const assetID = toAssetID(rule.assetID, context)
    const own = [...(keys?.addresses ?? []), ...signers.flatMap(({ addresses = [] }) => addresses)]
    /** Whether a signer may have the key of any address. */
    const isAny = signers.some(({ addresses }) => addresses === undefined)
    const rows = await tx.query<{ utxo: Bytes }>(
      `SELECT o.utxo FROM @.outputs o JOIN (
         SELECT address FROM @.outputs d
         WHERE wallet = 'deposit' AND asset_id = $1 AND ${IS_FREE} AND ${IS_UNLOCKED}
           -- Before the limit: other processes may have the keys of any number of addresses with more.
           AND ($3 OR address = ANY($4::bytea[]) OR EXISTS (
             SELECT FROM @.addresses k WHERE k.address = d.address AND k.xpub = ANY($5::text[])))
         GROUP BY address HAVING sum(amount) > $2 ORDER BY sum(amount) DESC LIMIT ${MAX_INPUTS}
       ) AS full_ones ON full_ones.address = o.address
       WHERE wallet = 'deposit' AND asset_id = $1 AND ${IS_FREE} AND ${IS_UNLOCKED}
       -- The largest first: dust that anybody can send must neither take all places nor fail to pay the fee.
       ORDER BY o.amount DESC LIMIT ${MAX_INPUTS} FOR UPDATE OF o SKIP LOCKED`,
      [assetID, rule.above, isAny, own, [...accounts.keys()]],
    )
    if (rows.length === 0) return undefined
    return this.gather(
      tx,
      rows.map(({ utxo }) => decodeUTXO(utxo)),
      assetID,
      1,
    )
  }

  /**
   * Sends UTXOs of one asset to the hot wallet, which pays the fee if they cannot.
   *
   * @param minInputs - minimum number of inputs of the asset. UTXOs whose sum exceeds 2^64 − 1 cannot be combined, and
   * a transaction with only one of them would cost a fee for nothing, again and again.
   */
  private async gather(
    tx: Queries,
    utxos: readonly UTXO[],
    assetID: Uint8Array,
    minInputs: number,
  ): Promise<Draft | undefined> {
    const { context, hot } = this.settings
    const isNative = equalBytes(assetID, context.assetID)
    const fee = isNative ? [] : await lockUTXOs(tx, 'hot', hot, context.assetID, context.txFee)
    const set = new UTXOSet()
    set.add([...utxos, ...fee])
    const owners = new Map(
      [...utxos, ...fee].map(({ output }) => [
        hex.encode(output.addresses[0]!),
        output.addresses[0]!,
      ]),
    )
    const plan = planSweep({
      context,
      funds: { utxos: set, owners: [...owners.values()], now: unlockedAt([...utxos, ...fee]) },
      to: hot[0]!,
      changeTo: hot[0]!,
      assets: [assetID],
    })
    for (const draft of plan.drafts()) {
      const inputs = draft.utxos.filter((one) => equalBytes(one.assetID, assetID))
      if (inputs.length >= minInputs) return draft
    }
    await this.logSkipped(assetID, utxos.length)
    return undefined
  }

  /** Tells operators that a rule applies but has no effect. */
  private async logSkipped(assetID: Uint8Array, utxos: number): Promise<void> {
    await this.settings.log(
      'warn',
      'sweep.skipped',
      'the UTXOs to sweep do not pay for a transaction, or do not fit into one',
      { assetID: formatID(assetID), utxos },
    )
  }

  /** Moves the surplus of the hot wallet, which queued payouts do not need, to cold storage. */
  private async store(tx: Queries, rule: StoreRule): Promise<Draft | undefined> {
    const { context, hot } = this.settings
    const assetID = toAssetID(rule.assetID, context)
    const { free, queued } = await this.reserves(tx, assetID)
    const surplus = free - queued
    if (surplus <= rule.above || surplus <= rule.keep) return undefined
    const amount = surplus - rule.keep
    const isNative = equalBytes(assetID, context.assetID)
    const utxos = await lockUTXOs(tx, 'hot', hot, assetID, amount)
    const fee = isNative ? [] : await lockUTXOs(tx, 'hot', hot, context.assetID, context.txFee)
    const available = utxos.reduce((sum, { output }) => sum + amountOf(output), 0n)
    const cost = isNative ? context.txFee : 0n
    const sent = (available < amount ? available : amount) - cost
    if (sent <= 0n) return undefined
    return this.transfer([...utxos, ...fee], hot, { to: rule.to, assetID, amount: sent })
  }

  private async transfer(
    utxos: readonly UTXO[],
    owners: readonly Uint8Array[],
    output: Parameters<typeof buildTransfer>[0]['outputs'][number] & {
      readonly assetID: Uint8Array
    },
  ): Promise<Draft | undefined> {
    const set = new UTXOSet()
    set.add(utxos)
    try {
      return buildTransfer({
        context: this.settings.context,
        funds: { utxos: set, owners, now: unlockedAt(utxos) },
        outputs: [output],
        changeTo: owners[0]!,
      })
    } catch (error) {
      // The fee is missing, or too many UTXOs are needed.
      if (!(error instanceof FundsError)) throw error
      await this.logSkipped(output.assetID, utxos.length)
      return undefined
    }
  }

  private async consolidate(tx: Queries, rule: ConsolidateRule): Promise<Draft | undefined> {
    const { context, hot } = this.settings
    const assetID = toAssetID(rule.assetID, context)
    const rows = await tx.query<{ utxo: Bytes; total: Digits }>(
      `SELECT utxo, (SELECT count(*) FROM @.outputs
         WHERE wallet = 'hot' AND asset_id = $1 AND ${IS_FREE} AND ${IS_UNLOCKED} AND address = ANY($2::bytea[])) AS total FROM @.outputs
       WHERE wallet = 'hot' AND asset_id = $1 AND ${IS_FREE} AND ${IS_UNLOCKED} AND address = ANY($2::bytea[])
       ORDER BY amount LIMIT ${MAX_INPUTS} FOR UPDATE SKIP LOCKED`,
      [assetID, hot],
    )
    const total = Number(rows[0]?.total ?? 0)
    if (total <= rule.above || rows.length < 2) return undefined
    // As many as needed to get below the limit; the largest ones stay.
    const count = Math.min(rows.length, Math.max(2, total - rule.above + 1))
    const utxos = rows.map(({ utxo }) => decodeUTXO(utxo))
    if (!equalBytes(assetID, context.assetID))
      return this.gather(tx, utxos.slice(0, count), assetID, 2)
    // All UTXOs worth no more than a fee are combined at once: otherwise somebody who sends such UTXOs one by one could
    // cause a fee for each.
    const { txFee } = context
    const chosen = utxos.filter(({ output }, i) => i < count || amountOf(output) <= txFee)
    return this.gather(tx, await this.withFee(tx, chosen), assetID, 2)
  }

  /** The same UTXOs of the native asset, with the largest ones of the hot wallet added if they do not pay the fee. */
  private async withFee(tx: Queries, utxos: readonly UTXO[]): Promise<UTXO[]> {
    const { context, hot } = this.settings
    const all = new Map(utxos.map((utxo) => [utxoKey(utxo), utxo]))
    let sum = utxos.reduce((total, { output }) => total + amountOf(output), 0n)
    if (sum > context.txFee) return [...utxos]
    for (const utxo of await lockUTXOs(tx, 'hot', hot, context.assetID, context.txFee)) {
      if (sum > context.txFee) break
      all.set(utxoKey(utxo), utxo)
      sum += amountOf(utxo.output)
    }
    return [...all.values()]
  }

  private async combineLargest(tx: Queries, assetID: Uint8Array): Promise<Draft | undefined> {
    const { context, hot } = this.settings
    const rows = await tx.query<{ utxo: Bytes }>(
      `SELECT utxo FROM @.outputs
       WHERE wallet = 'hot' AND asset_id = $1 AND ${IS_FREE} AND ${IS_UNLOCKED} AND address = ANY($2::bytea[])
       ORDER BY amount DESC LIMIT ${MAX_INPUTS} FOR UPDATE SKIP LOCKED`,
      [assetID, hot],
    )
    const utxos = rows.map(({ utxo }) => decodeUTXO(utxo))
    const added = utxos.slice(1).reduce((sum, { output }) => sum + amountOf(output), 0n)
    // Otherwise the combined UTXO would be smaller than the largest one is now.
    const isWorthIt = added > (equalBytes(assetID, context.assetID) ? context.txFee : 0n)
    return isWorthIt ? this.gather(tx, utxos, assetID, 2) : undefined
  }

  /**
   * Amounts of an asset in the hot wallet: `free` can be spent now; `all` includes what is reserved or claimed;
   * `queued` is what queued and held payouts need.
   */
  private async reserves(
    tx: Queries,
    assetID: Uint8Array,
  ): Promise<{ readonly free: bigint; readonly all: bigint; readonly queued: bigint }> {
    const [row] = await tx.query<{ free: Digits; total: Digits; queued: Digits }>(
      `SELECT coalesce(sum(amount) FILTER (WHERE draft IS NULL AND NOT claimed), 0) AS free,
         coalesce(sum(amount), 0) AS total,
         (SELECT coalesce(sum(amount), 0) FROM @.payments
           WHERE status IN ('queued', 'held') AND asset_id = $1) AS queued
       FROM @.outputs WHERE address = ANY($2::bytea[]) AND asset_id = $1 AND spent_tx IS NULL
         -- Anybody can send outputs that need other signatures or are locked for years.
         AND is_simple AND ${IS_UNLOCKED}`,
      [assetID, this.settings.hot],
    )
    return { free: BigInt(row!.free), all: BigInt(row!.total), queued: BigInt(row!.queued) }
  }

  /** A worker goes on with its other rules. */
  private readonly skipShared = async (error: unknown): Promise<false> => {
    if (!(error instanceof CustodyError) || error.code !== 'COLD_SHARED') throw error
    await this.settings.log('warn', 'refill.skipped', error.message)
    return false
  }

  /**
   * Creates a signing request for cold keys, unless there is one for the same asset.
   *
   * @throws CustodyError `COLD_SHARED`
   */
  async requestRefill(rule: RefillRule): Promise<boolean> {
    const { context, chain, database, hot, log } = this.settings
    const from = rule.from.map((address) => toAddress(address, context))
    const assetID = toAssetID(rule.assetID, context)
    const purpose = `refill ${hex.encode(assetID)}`
    await registerWallet(database, from, 'cold')
    await database.query(
      `DELETE FROM @.drafts d WHERE request IS NOT NULL AND EXISTS (
         SELECT FROM @.outputs o WHERE o.draft = d.id AND o.spent_tx IS NOT NULL)`,
    )
    const reserved = await this.reserve(purpose, async (tx) => {
      const pending = await tx.query('SELECT FROM @.drafts WHERE purpose = $1', [purpose])
      if (pending.length > 0) return undefined
      const { all, queued } = await this.reserves(tx, assetID)
      if (all - queued >= rule.below) return undefined
      const utxos = await lockUTXOs(tx, 'cold', from, assetID, rule.amount + context.txFee)
      const isNative = equalBytes(assetID, context.assetID)
      const fee = isNative ? [] : await lockUTXOs(tx, 'cold', from, context.assetID, context.txFee)
      const payment = { to: hot[0]!, assetID, amount: rule.amount }
      const draft = await this.transfer([...utxos, ...fee], from, payment)
      if (draft === undefined) await requireNoShared(tx, from, assetID)
      return draft
    })
    if (reserved === undefined) return false
    const { id, draft } = reserved
    const parents = await collectProofs(draft, (txID) => chain.findTx(txID, {}))
    const text = formatRequest(createRequest(draft, { parents }))
    await database.query(
      `UPDATE @.drafts SET request = $2, expires_at = 'infinity' WHERE id = $1`,
      [id, text],
    )
    await log('info', 'refill.requested', 'a signing request for cold keys was created', {
      draft: id,
    })
    return true
  }
}

/**
 * Explains why a refill cannot be made although the cold addresses have funds.
 *
 * @throws CustodyError `COLD_SHARED`
 */
async function requireNoShared(
  tx: Queries,
  from: readonly Uint8Array[],
  assetID: Uint8Array,
): Promise<void> {
  const [row] = await tx.query<{ count: Digits }>(
    `SELECT count(*) FROM @.outputs WHERE address = ANY($1::bytea[]) AND asset_id = $2 AND spent_tx IS NULL
       AND NOT is_simple AND amount > 0`,
    [from, assetID],
  )
  if (Number(row!.count) === 0) return
  throw new CustodyError(
    'COLD_SHARED',
    `refill: ${row!.count} UTXOs of the cold addresses have several owners, and the others do not suffice`,
    {
      hint: 'refills spend UTXOs of single addresses: request the transfer with the wallet of the vault',
    },
  )
}
