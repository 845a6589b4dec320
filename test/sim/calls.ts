import { equalBytes } from '../../src/core/base/bytes/compare.ts'
import { AvmError } from '../../src/core/base/errors.ts'
import { type AssetAmount, AssetSums } from '../../src/core/chain/amounts.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { utxoKey } from '../../src/core/chain/x/ids.ts'
import type { Wallet, WalletError } from '../../src/wallet/index.ts'
import type { CrossChainWallet } from '../../src/wallet/moves/index.ts'
import type { Account, BatchName, Report } from './accounts.ts'
import { nameOf } from './cluster.ts'
import { type Exported, exportedUTXOs } from './moves.ts'
import type { Payment } from './payments.ts'
import type { SimulatedProcess } from './process.ts'
import type { Scene } from './scene.ts'
import { PATIENT } from './world.ts'

/** Errors that no fault explains. */
const UNEXPECTED: readonly string[] = ['KEY_CONFLICT', 'KEYS_TAKEN', 'STUCK_EXPORT']

/** Errors of a store that was told false blocks, or is older than the chain. */
const UNUSABLE: readonly string[] = ['STORE_AHEAD', 'STORE_BEHIND', 'STORE_MISMATCH']

/** Errors of calls that end without an outcome. */
const UNFINISHED: readonly string[] = ['TX_PENDING', 'BATCH_UNFINISHED']

/** Requests from before the faults stopped take so long at most. */
const SLOW_MS = 20_000

/** Options of a call that a caller may abort. */
type Options = { readonly signal?: AbortSignal }

/** What a process is asked to do: everything that its account wants done, each call again until it has ended. */
export class Caller {
  readonly scene: Scene
  readonly account: Account
  readonly wallet: Wallet | CrossChainWallet
  private readonly process: SimulatedProcess

  constructor(
    scene: Scene,
    account: Account,
    process: SimulatedProcess,
    wallet: Wallet | CrossChainWallet,
  ) {
    this.scene = scene
    this.account = account
    this.process = process
    this.wallet = wallet
  }

  /**
   * Makes all calls, at about the same time. Never resolves if the process crashes.
   *
   * @param others - further calls
   */
  async run(others: readonly (() => Promise<void>)[]): Promise<void> {
    const { random } = this.scene.world
    const { payments, batches } = this.account
    if (this.account.mustRecover) await this.recover()
    const calls = [
      ...payments.flatMap((payment) => [
        () => this.pay(payment),
        ...(payment.otherAmount === undefined ? [] : [() => this.payOther(payment)]),
        ...(payment.cancels ? [() => this.cancel(payment)] : []),
      ]),
      ...batches.map((name) => () => this.runBatch(name)),
      ...others,
    ]
    await Promise.all(
      calls.map(async (call) => {
        await this.pause(random.below(10_000))
        await call()
      }),
    )
  }

  /**
   * Repeats a call until it succeeds.
   *
   * @param name - what has ended when the call succeeds
   * @param isEnd - whether an error is the end, too
   */
  async repeat(
    name: string,
    call: (options: Options) => Promise<void>,
    isEnd: (code: string, error: unknown) => boolean = () => false,
  ): Promise<void> {
    const { world } = this.scene
    const { random } = world
    while (!this.account.done.has(name))
      try {
        await call(this.options())
        return
      } catch (error) {
        const code = world.codeOf(error)
        world.note(`${name}: ${code}${causeOf(error)}`)
        if (code === 'STORE_LOST') this.process.crash()
        if (isEnd(code, error)) return
        if (UNEXPECTED.includes(code)) world.violate(`${name}: unexpected ${code}`)
        await this.pause(100 + random.below(3000))
        await this.repair(codesOf(error))
      }
  }

  /** Tells the world how a payment ended. */
  private report(report: Report): void {
    const { payment, status, txID } = report
    this.scene.reports.push(report)
    if (status === 'accepted' || !payment.renews) this.account.done.add(payment.key)
    this.scene.world.note(`${payment.key} ${status} ${nameOf(txID).slice(0, 8)}`)
  }

  pause(ms: number): Promise<void> {
    return this.process.clock().sleep(ms)
  }

  /** Sometimes the caller aborts. */
  private options(): Options {
    const { world } = this.scene
    const { random, time } = world
    if (world.isHealed || random.chance(0.85)) return {}
    const controller = new AbortController()
    time.after(random.below(8000), () => controller.abort())
    return { signal: controller.signal }
  }

  /** What an operator does about an error. */
  private async repair(codes: readonly string[]): Promise<void> {
    const { world, cluster, isBelieved } = this.scene
    const ignore = (error: unknown) => {
      world.codeOf(error)
    }
    const isOne = (of: readonly string[]) => codes.some((code) => of.includes(code))
    // Nodes remember what they have refused until they restart. Only keys in memory sign a variant of it, and only if it is
    // not recorded as accepted, as a server that is believed may have shown.
    if (world.isHealed && (this.account.hasSigner || isBelieved) && isOne(UNFINISHED))
      for (const at of cluster.nodes.keys()) cluster.restart(at)
    if (world.isHealed && isBelieved && isOne(UNFINISHED)) await this.payAgain().catch(ignore)
    if (world.isHealed && isOne(UNUSABLE))
      await this.wallet.recover({ fromHeight: 0n }).catch(ignore)
    else if (world.random.chance(0.2)) await this.wallet.resume().catch(ignore)
  }

  /** Asks again for payments that callers were told to be accepted, although they are pending. */
  private async payAgain(): Promise<void> {
    const { payments, done } = this.account
    const told = payments.filter(({ key }) => done.has(key))
    const records = await this.wallet.payments(told.map(({ key }) => key))
    for (const [i, payment] of told.entries()) {
      if (records[i]!.status !== 'pending') continue
      done.delete(payment.key)
      await this.pay(payment)
      // Its key may be that of the other amount.
      if (payment.otherAmount !== undefined) await this.payOther(payment)
    }
  }

  private pay(payment: Payment): Promise<void> {
    const { account, wallet } = this
    const parts = account.payments.filter(({ key }) => payment.batch.includes(key))
    let again = false
    return this.repeat(
      payment.key,
      async (options) => {
        const { to, assetID, amount } = payment
        const keys = payment.batch
        const outputs = parts.map(({ to, amount, assetID, locktime }) => {
          return { to, amount: amount!, assetID, locktime }
        })
        const { txID } =
          amount === undefined
            ? await wallet.sendAll({ to, assetID }, { ...options, keys, again })
            : await wallet.transfer({ outputs }, { ...options, keys, again })
        for (const part of parts)
          this.report({ payment: { ...part, otherAmount: undefined }, status: 'accepted', txID })
      },
      (code, error) => {
        if (code === 'PAYMENT_MAYBE_MADE') again = !this.isMade(payment, error as WalletError)
        return this.isDecided(payment, code)
      },
    )
  }

  /** Asks for another amount under the same key. */
  private payOther(payment: Payment): Promise<void> {
    const { to, otherAmount, assetID, locktime } = payment
    const outputs = [{ to, amount: otherAmount!, assetID, locktime }]
    return this.repeat(
      payment.key,
      async (options) => {
        const { txID } = await this.wallet.transfer({ outputs }, { ...options, key: payment.key })
        const paid = { ...payment, amount: otherAmount, otherAmount: undefined }
        this.report({ payment: paid, status: 'accepted', txID })
      },
      (code) => this.isDecided(payment, code),
    )
  }

  private isDecided({ key, otherAmount, renews }: Payment, code: string): boolean {
    const isOther = otherAmount !== undefined && code === 'KEY_CONFLICT'
    const isCanceled = code === 'PAYMENT_CANCELED' && !renews
    return isOther || isCanceled || this.account.done.has(key)
  }

  /**
   * What a person finds out who is told that an unknown transaction may have made a payment: whether the chain has one
   * that was claimed for its key. Another key, or another account with the same keys, may make an equal payment.
   */
  private isMade({ key, batch }: Payment, { txID }: WalletError): boolean {
    const { audit, world } = this.scene
    const { account } = this
    if (audit.isIn(txID!, account) && !account.isRestored)
      world.violate(`${key} may be made by a transaction of its own store`)
    const made = audit.acceptedFor(key, account)
    if (made === undefined) return false
    if (!account.hasSigner && nameOf(made) === nameOf(txID!))
      world.violate(`${key} was made, but there is no receipt`)
    account.unrecorded.add(nameOf(made))
    for (const part of account.payments.filter((one) => batch.includes(one.key)))
      this.report({ payment: part, status: 'accepted', txID: made })
    return true
  }

  private cancel(payment: Payment): Promise<void> {
    return this.repeat(
      payment.key,
      async (options) => {
        const { status, txID } = await this.wallet.cancel(payment.key, options)
        this.report({ payment, status, txID })
      },
      (code, error) => {
        // Nothing is pending. Whoever wants it paid decides whether it is made.
        if (code === 'PAYMENT_MAYBE_MADE') this.isMade(payment, error as WalletError)
        return code === 'PAYMENT_MAYBE_MADE'
      },
    )
  }

  private runBatch(name: BatchName): Promise<void> {
    const { wallet, scene } = this
    const { cluster, keys, exported, world, network, audit } = scene
    const [a, , c] = keys.addresses as [Uint8Array, Uint8Array, Uint8Array]
    const ofExport = (utxo: Exported) => exported.has(utxoKey(utxo))
    const importFrom = (sourceChain: 'P' | 'C') => ({
      run: (options: Options) => wallet.import({ sourceChain }, options),
      left: async () => (await cluster.utxosOf(keys.addresses, sourceChain)).filter(ofExport),
    })
    const importStray = (sourceChain: 'P' | 'C', destinationChain: 'P' | 'C') => ({
      run: async (options: Options) => {
        const { importStray } = wallet as CrossChainWallet
        return {
          unspendable: [],
          ...(await importStray({ sourceChain, destinationChain }, options)),
        }
      },
      left: async () => {
        const list = await exportedUTXOs(cluster, keys.addresses, sourceChain, destinationChain)
        // What an earlier call has claimed is imported when that is resumed.
        return list.filter((utxo) => ofExport(utxo) && !audit.isClaimed(utxo))
      },
    })
    const { run, left } = {
      sweep: {
        run: (options: Options) => wallet.sweep({ to: a, from: [c] }, options),
        left: () => cluster.utxosOf([c]),
      },
      consolidate: {
        run: (options: Options) => wallet.consolidate({}, options),
        left: async () => [],
      },
      'import from P': importFrom('P'),
      'import from C': importFrom('C'),
      'import from P to C': importStray('P', 'C'),
      'import from C to P': importStray('C', 'P'),
    }[name]
    return this.repeat(name, async (options) => {
      const isHonest = world.healedMs > SLOW_MS
      const { leftBehind, unspendable } = await run(options)
      const missed = missedBy([...leftBehind, ...unspendable], await left())
      if (missed && (isHonest || !network.hidUTXOs))
        world.violate(`${name} has left UTXOs behind without saying so`)
      this.account.done.add(name)
      world.note(`${name} done`)
    })
  }

  /** Makes a restored store usable: excludes what it does not know and what is in no block. */
  private async recover(): Promise<void> {
    const { world } = this.scene
    const { account, wallet } = this
    // As long as servers hide UTXOs, a fence may not spend all of them; and a server that is believed may hide the blocks
    // with payments that the store does not know. What it said before, also to the store, excuses no second payment.
    while (world.healedMs < SLOW_MS) await this.pause(1000)
    while (account.mustRecover)
      try {
        // A fence is made anew by every call.
        const { leftBehind } = await wallet.recover({ fromHeight: 0n, fence: true, wait: PATIENT })
        world.note(`recover: ${leftBehind.map(({ reason }) => reason).join() || 'done'}`)
        // If a payment that stays pending holds all AVAX, other assets are left. They pay no fee of an earlier transaction either.
        const isLeft = leftBehind.some(({ assetID }) => equalBytes(assetID, networks.local.assetID))
        if (!isLeft) account.mustRecover = false
        else await this.pause(1000)
      } catch (error) {
        world.note(`recover: ${world.codeOf(error)}`)
        await this.pause(1000)
      }
  }
}

/** Whether there are UTXOs that a batch has neither spent nor reported. */
function missedBy(reported: readonly AssetAmount[], left: readonly Exported[]): boolean {
  const sums = new AssetSums(reported)
  const amounts = left.flatMap(({ assetID, output }) =>
    'amount' in output ? [{ assetID, amount: output.amount as bigint }] : [],
  )
  return new AssetSums(amounts).list().some(({ assetID, amount }) => amount > sums.get(assetID))
}

/** The messages of the causes of an error, for the trace. */
function causeOf(error: unknown): string {
  const messages = causesOf(error).map(({ message }) => message)
  return messages.length === 0 ? '' : ` (${messages.join(' < ')})`
}

/** The codes of an error and of its causes. */
function codesOf(error: unknown): string[] {
  return [error, ...causesOf(error)].flatMap((one) => (one instanceof AvmError ? [one.code] : []))
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let one = (error as Error).cause; one instanceof Error; one = one.cause) causes.push(one)
  return causes
}
