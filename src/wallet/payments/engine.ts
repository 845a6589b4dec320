import { decodeTx } from '../../core/chain/x/tx.ts'
import type { Draft } from '../../core/draft/draft.ts'
import type { LeftBehind } from '../../core/draft/plan.ts'
import { explainDraft } from '../../core/sign/explain/explain.ts'
import type { ExplainOptions, Explanation } from '../../core/sign/explain/explanation.ts'
import { requireSigned, type SignResult } from '../../core/sign/job.ts'
import type { SigningPolicy } from '../../core/sign/policy.ts'
import type { SumEffect } from '../../core/sign/sums.ts'
import { WalletError } from '../errors.ts'
import { Follower } from '../evidence/follower.ts'
import { Search } from '../evidence/search.ts'
import type { Goal, Phase } from '../machine/run.ts'
import type { Prepared, Receipt, RunOptions, SendOptions } from '../options.ts'
import { findMade } from '../recovery/find-made.ts'
import { derivingKeys, entropyContext, nonceEntropy } from '../recovery/nonce-entropy.ts'
import type { Group } from '../store/claims.ts'
import type { Attempt, Claim, ClaimedPayment } from '../store/store.ts'
import { COUNTED, countedPolicy, withinSums } from '../sums.ts'
import type { WalletState } from '../wallet-state.ts'
import { explainConflict, isKeyConflict } from './details-text.ts'
import { Drafting, type Reserved } from './drafting.ts'
import type { Ended } from './ended.ts'
import { refuseForeignChange } from './foreign-change.ts'
import type { Intent } from './intents.ts'
import { KeyTurns } from './key-turns.ts'
import { differsFrom } from './outdated.ts'
import { requireMade } from './payment-errors.ts'
import { claimedPayments, paymentContents } from './payment-keys.ts'
import { type Drafted, Runner, type Work } from './runner.ts'
import { signWithAll } from './signing.ts'

/** What was signed. */
export type SignedDraft = {
  readonly draft: Draft
  /** Undefined if nobody needs the explanation. */
  readonly explain: (() => Explanation) | undefined
  readonly leftBehind: readonly LeftBehind[]
}

/** What is claimed with a signed draft. */
type ToClaim = {
  readonly kind: Claim['kind']
  readonly payments: readonly ClaimedPayment[]
  /** Whether the draft is explained, even if nobody confirms it. */
  readonly isExplained: boolean
}

/** Drafts, signs, and makes payments by the machine. */
export class Engine {
  private readonly state: WalletState
  readonly drafting: Drafting
  private readonly parts: {
    readonly state: WalletState
    readonly follower: Follower
    readonly search: Search
  }
  /** Completes a pending move; set by cross-chain wallets only. */
  completeMove: ((group: Group, options: SendOptions) => Promise<Ended<unknown>>) | undefined
  private readonly turns = new KeyTurns()

  constructor(state: WalletState) {
    const { clock, live } = state
    this.state = state
    this.parts = { state, follower: new Follower(state), search: new Search(state) }
    this.drafting = new Drafting({
      clock,
      live,
      view: (call, maxAgeMs, replaced) => state.view(call, maxAgeMs, replaced),
      complete: (call) => state.complete(call),
      changeTo: () =>
        state.options.changeTo === undefined ? state.own.account?.nextChange : undefined,
      hold: ({ unsignedTx }) =>
        state.own.account?.hold(unsignedTx.outputs.flatMap(({ output }) => output.addresses)) ??
        (() => {}),
    })
  }

  /** Drafts, reserves and explains. */
  async prepare(intent: Intent, options: SendOptions): Promise<Prepared> {
    const { draft, release } = await this.drafting.draft(intent, this.state.call(options))
    try {
      // What is prepared is signed by `sign`, which claims nothing.
      return { draft, release, explanation: await this.explain(draft, options, this.policy) }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Makes a payment, or returns the receipt of the one that was made under the same key. */
  async pay(intent: Intent, options: RunOptions): Promise<Receipt> {
    const context = await this.state.openPayments(this.state.call(options))
    const all = intent.contents(context)
    const payments = claimedPayments(options, all, context)
    const contents = paymentContents(options, all)
    const accept = [...(options.accept ?? []), ...(intent.accept ?? [])]
    const ended = await this.inTurn(payments, options, () =>
      this.run(
        { maxRebuilds: this.state.maxRebuilds, replaces: true, insists: options.again === true },
        payments,
        {
          recall: (unpaid) => findMade(this.state, unpaid, contents, options),
          draft: async ({ replaced, ended }, limits) =>
            this.signable(
              await this.drafting.draft(intent, limits, replaced, ended),
              { kind: 'payment', payments, isExplained: true },
              { ...options, accept },
            ),
          compare: ({ attempt, rejection }, limits) =>
            this.compare(attempt, rejection?.code !== 'INSUFFICIENT_FUNDS', limits),
        },
        options,
      ),
    )
    const { outcome, info } = requireMade(ended)
    const leftBehind = info?.leftBehind ?? []
    const left = leftBehind.length > 0 ? { leftBehind } : {}
    return {
      txID: outcome.txID,
      // Explained when it is read: that takes half as long as signing.
      get explanation() {
        return info?.explain?.()
      },
      ...left,
    }
  }

  /** Runs work after earlier calls with the same keys. */
  inTurn<T>(
    payments: readonly ClaimedPayment[],
    { signal }: Pick<SendOptions, 'signal'>,
    work: () => Promise<T>,
  ): Promise<T> {
    return this.turns.run(
      payments.map(({ key }) => key),
      signal,
      work,
    )
  }

  /**
   * Runs the machine for a call.
   *
   * @param phase - the first one. Default: the store is read, unless no payment can be in it
   */
  run<I>(
    goal: Partial<Goal>,
    payments: readonly ClaimedPayment[],
    work: Work<I>,
    options: Pick<SendOptions, 'wait' | 'signal'>,
    phase: Phase = payments.every(({ generated }) => generated) ? 'draft' : 'look',
  ): Promise<Ended<I>> {
    const { timeoutMs, resendMs = 5_000 } = this.state.wait(options.wait)
    const whole: Goal = {
      kind: 'pay',
      isGiven: false,
      isMove: false,
      maxRebuilds: 0,
      replaces: false,
      queriesFirst: false,
      insists: false,
      quorum: this.state.chain.quorum,
      timeoutMs,
      resendMs,
      ...goal,
    }
    return new Runner(this.parts, whole, payments, phase, work, options.signal)
      .finish()
      .catch(async (error) => {
        throw isKeyConflict(error) ? explainConflict(error, await this.state.context()) : error
      })
  }

  /** A draft that is confirmed and signed when its turn comes. */
  signable(
    { draft, fromHeight, leftBehind, release }: Reserved,
    { kind, payments, isExplained }: ToClaim,
    options: SendOptions,
  ): Drafted<SignedDraft> {
    const sign: Drafted<SignedDraft>['sign'] = async () => {
      const confirm = options.confirm ?? this.state.options.confirm
      await this.state.assets.requireSpendable(draft, this.state.call(options))
      const isPayment = kind === 'payment'
      const { policy } = this
      const isNeeded = confirm !== undefined || (isPayment && policy?.sums)
      // A cancellation returns everything. If the policy does not see it so, the danger remains.
      const counted = isPayment ? countedPolicy(policy) : policy
      const explain =
        isExplained || isNeeded ? await this.explaining(draft, options, counted) : undefined
      const explanation = isNeeded ? explain?.() : undefined
      const effect: SumEffect | undefined = isPayment && explanation ? [explanation] : undefined
      // Nobody is asked for what is refused. The claim checks it again, because others may be claimed until then.
      await withinSums(this.state, payments, effect)
      // Not any truthy value: a dialog may return an object or a word that means no.
      if (confirm !== undefined && (await confirm(explanation!, draft)) !== true)
        throw new WalletError('NOT_CONFIRMED', 'the transaction was not confirmed')
      const accept = [...(options.accept ?? []), ...(isPayment ? [COUNTED] : [])]
      const { bytes } = requireSigned(await this.sign(draft, { accept }, isPayment ? payments : []))
      return {
        claim: { kind, payments, bytes, fromHeight },
        info: { draft, explain, leftBehind },
        effect,
      }
    }
    return { sign, release }
  }

  /**
   * Compares an attempt with the current fee and UTXOs. The attempt itself, not the fee that was known before: another
   * payment may have refreshed that already.
   *
   * @param walks - whether UTXOs are read again
   */
  async compare(
    attempt: Attempt,
    walks: boolean,
    limits: { readonly totalMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<'outdated' | 'current'> {
    if (walks) this.state.live.walkAgain()
    const view = await this.state.view(limits, Number.POSITIVE_INFINITY, [attempt])
    return differsFrom(decodeTx(attempt.bytes), view) ? 'outdated' : 'current'
  }

  /** The policy of what is signed without a claim. */
  get policy(): SigningPolicy | undefined {
    return this.state.options.signing?.policy
  }

  async explain(
    draft: Draft,
    options: SendOptions,
    policy: SigningPolicy | undefined = countedPolicy(this.policy),
  ): Promise<Explanation> {
    return (await this.explaining(draft, options, policy))()
  }

  /** Returns a function that explains a draft as of now, once. */
  private async explaining(
    draft: Draft,
    options: SendOptions,
    policy: SigningPolicy | undefined,
  ): Promise<() => Explanation> {
    const assetIDs = [...draft.utxos, ...draft.unsignedTx.outputs].map(({ assetID }) => assetID)
    const settings: ExplainOptions = {
      ours: this.state.addresses,
      assets: await this.state.assets.details(assetIDs, draft.context, this.state.call(options)),
      now: this.state.now(),
      policy,
    }
    let explanation: Explanation | undefined
    return () => {
      explanation ??= explainDraft(draft, settings)
      return explanation
    }
  }

  /** @param payments - those that the draft makes, if nonces are to be derived from them */
  async sign(
    draft: Draft,
    { accept: ofCall = [] }: Pick<SendOptions, 'accept'>,
    payments: readonly ClaimedPayment[] = [],
  ): Promise<SignResult> {
    const { keys, accept: always = [], ...options } = this.state.options
    const accept = [...always, ...ofCall]
    refuseForeignChange(draft, this.state, accept)
    const context = payments.length === 0 ? undefined : entropyContext(this.state.storeID, payments)
    return signWithAll(
      { ...options, keys: keys && derivingKeys(keys, context) },
      await this.state.backend(),
      draft,
      accept,
      nonceEntropy(),
    )
  }
}
