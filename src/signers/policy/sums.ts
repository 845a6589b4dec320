import { equalBytes } from '../../core/base/bytes/compare.ts'
import { parseID } from '../../core/base/encoding/ids.ts'
import { type AssetAmount, AssetSums } from '../../core/chain/amounts.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { SignError } from '../../core/sign/errors.ts'
import { explainTx } from '../../core/sign/explain/explain.ts'
import type { SigningPolicy } from '../../core/sign/policy.ts'
import type {
  ExplainedSums,
  PolicySums,
  RequestedPayment,
  SumClaim,
  SumLimit,
  SumUse,
} from '../../core/sign/sums.ts'
import { warningAmountText } from '../../core/sign/warnings.ts'

/** The last call for each store; the next one waits for it. */
const turns = /* @__PURE__ */ new WeakMap<object, Promise<unknown>>()

/** Kinds of payments whose outputs are all that leaves, if their content has no other parts. */
const EXACT_KINDS: readonly string[] = ['transfer', 'export', 'move']

/** The limits of a policy with the check that wallets make. */
export function policySums(limits: readonly SumLimit[], policy: SigningPolicy): PolicySums {
  return {
    limits,
    claim: (claim) => {
      const { store, payments, content: codec, record } = claim
      const turn = (turns.get(store) ?? Promise.resolve()).then(async () => {
        const shares = await checkedShares(limits, claim, policy)
        await record?.(
          payments.map(({ content, ...payment }, i) => ({
            ...payment,
            // A store removes payments with generated keys once they are accepted, but they must count.
            generated: false,
            content: content && codec.withLeaves(content, shares[i]!),
          })),
        )
      })
      turns.set(
        store,
        turn.catch(() => {}),
      )
      return turn
    },
  }
}

/** A payment that counts. */
type SumEntry = {
  readonly key: string
  /** Undefined if they are not known. */
  readonly amounts: readonly AssetAmount[] | undefined
  /** Unix seconds; undefined while it is pending, or if the store does not know when it was accepted. */
  readonly endedAt: bigint | undefined
}

/** What leaves by each payment of a claim, unless a limit does not allow it. */
async function checkedShares(
  limits: readonly SumLimit[],
  claim: SumClaim,
  policy: SigningPolicy,
): Promise<readonly (readonly AssetAmount[])[]> {
  const { store, now, payments, context, content: codec } = claim
  const longest = limits.reduce((most, { seconds }) => Math.max(most, seconds), 0)
  const own = new Map(payments.map(({ key }) => [key, undefined as SumEntry | undefined]))
  const others: SumEntry[] = []
  const isSubmitted = 'signedTx' in claim.effect
  for await (const { key, status, endedAt, content, digest } of store.list()) {
    const isPending = status === 'pending'
    const isRecent = status === 'accepted' && now < endOf(endedAt ?? now, longest)
    if (!own.has(key) && !isPending && !isRecent) continue
    // A transaction that is submitted again is accepted once.
    if (isSubmitted && !own.has(key) && digest && equalBytes(digest, payments[0]!.digest))
      return [[]]
    const amounts = amountsOf(codec.decode(content))
    const entry = { key, amounts, endedAt: isPending ? undefined : endedAt }
    if (own.has(key)) own.set(key, entry)
    else others.push(entry)
  }
  const leaves = leavesOf(claim, policy)
  const shares = sharesOf(leaves, claim).map((share, i) => {
    const recorded = own.get(payments[i]!.key)
    return recorded === undefined ? share : (recorded.amounts ?? [])
  })
  const requested = new AssetSums(shares.flat())
  // A record keeps what the first attempt for its payment paid.
  const more = limits.find(({ assetID }) => leaves.get(assetID) > requested.get(assetID))
  if (more !== undefined)
    throw new SignError(
      'POLICY_SUM',
      `refused to sign: pays ${warningAmountText({ ...more, amount: leaves.get(more.assetID) }, context)}, more than the record of ${JSON.stringify(payments[0]!.key)} says`,
      { hint: 'cancel it if it is pending, and pay under another key' },
    )
  const [worst] = limits
    .flatMap((limit) => useOf(limit, requested.get(limit.assetID), others, now) ?? [])
    .sort((a, b) => Number((b.freeAt ?? NEVER) - (a.freeAt ?? NEVER)))
  if (worst !== undefined) throw exceeded(worst, context)
  return shares
}

const NEVER = 2n ** 64n

/** The first second in which a payment does not count. Times are rounded down, so one second is added. */
function endOf(endedAt: bigint, seconds: number): bigint {
  return endedAt + BigInt(seconds) + 1n
}

/**
 * Compares what is requested with a limit. A payment counts from its first claim on, until the time of the limit has passed
 * since it was accepted: so no period of this length has more accepted payments than the limit, however long they were
 * pending. If the clock is set back, payments seem to be accepted later, and count.
 *
 * @returns undefined if the limit allows it
 */
function useOf(
  limit: SumLimit,
  requested: bigint,
  entries: readonly SumEntry[],
  now: bigint,
): SumUse | undefined {
  const { assetID, amount, seconds } = limit
  if (requested === 0n) return undefined
  const counted = entries
    .map(({ key, amounts, endedAt = now }) => ({
      unknown: amounts === undefined ? key : undefined,
      paid: amounts === undefined ? amount : new AssetSums(amounts).get(assetID),
      end: endOf(endedAt, seconds),
    }))
    .filter(({ end }) => now < end)
    .sort((a, b) => Number(a.end - b.end))
  const used = counted.reduce((sum, { paid }) => sum + paid, 0n)
  if (used + requested <= amount) return undefined
  let rest = used + requested - amount
  const last = counted.find(({ paid }) => {
    rest -= paid
    return rest <= 0n
  })
  return {
    ...limit,
    used,
    left: used < amount ? amount - used : 0n,
    requested,
    freeAt: last?.end,
    unknown: counted.find(({ unknown }) => unknown !== undefined)?.unknown,
  }
}

function exceeded(use: SumUse, context: NetworkContext): SignError {
  const { assetID, amount, seconds, used, left, requested, freeAt, unknown } = use
  const text = (sum: bigint) => warningAmountText({ assetID, amount: sum }, context)
  const why =
    unknown === undefined ? '' : `, as the amount of ${JSON.stringify(unknown)} is not recorded`
  return new SignError(
    'POLICY_SUM',
    `refused to sign: pays ${text(requested)}, the policy allows ${text(amount)} within ${seconds} s: ${text(used)} used${why}, ${text(left)} left`,
    {
      sum: use,
      hint:
        freeAt === undefined
          ? 'only another policy can allow it'
          : `enough is left from ${new Date(Number(freeAt) * 1000).toISOString()} on`,
    },
  )
}

/** What leaves by a transaction. */
function leavesOf({ effect, context }: SumClaim, policy: SigningPolicy): AssetSums {
  const [explained, imported] =
    'signedTx' in effect
      ? [explainTx(effect.signedTx, { context, ours: effect.ours, policy })]
      : effect
  const sums = new AssetSums(paidIn(explained))
  // If an import pays others, everything that it imports counts: its fee may fall until it is accepted.
  for (const { assetID, spent } of imported === undefined ? [] : paidIn(imported)) {
    const more = spent - sums.get(assetID)
    if (more > 0n) sums.add(assetID, more)
  }
  return sums
}

function paidIn({ totals }: ExplainedSums): (AssetAmount & { readonly spent: bigint })[] {
  return totals.flatMap(({ assetID, spent, paid, burned }) =>
    assetID === undefined || paid + burned === 0n
      ? []
      : [{ assetID: parseID(assetID), amount: paid + burned, spent }],
  )
}

/** What a recorded payment counts; undefined if that is not known. Without a record of it, all outputs count. */
function amountsOf(details: RequestedPayment | undefined): readonly AssetAmount[] | undefined {
  if (details === undefined) return undefined
  const { kind, outputs, other, leaves } = details
  if (leaves !== undefined) return leaves
  const amounts = namedIn(details)
  const isExact = EXACT_KINDS.includes(kind) && other.length === 0
  return isExact && amounts.length === outputs.length ? amounts : undefined
}

/** The amounts of outputs, where they are stated. */
function namedIn({ outputs }: Pick<RequestedPayment, 'outputs'>): AssetAmount[] {
  return outputs.flatMap(({ assetID, amount }) => (amount === 'all' ? [] : [{ assetID, amount }]))
}

/** Divides what leaves among payments that may be made again separately. What none of them names counts for each. */
function sharesOf(
  leaves: AssetSums,
  { payments, content: codec }: SumClaim,
): (readonly AssetAmount[])[] {
  if (payments.length === 1) return [leaves.list()]
  const named = payments.map(({ content }) => namedIn(codec.decode(content) ?? { outputs: [] }))
  const rest = new AssetSums(leaves.list())
  for (const { assetID, amount } of named.flat()) rest.add(assetID, -amount)
  const others = rest.list().filter(({ amount }) => amount > 0n)
  return named.map((share) => new AssetSums([...share, ...others]).list())
}
