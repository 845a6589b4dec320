import { hex } from '../../core/base/encoding/hex.ts'
import type { Queries } from '../database/database.ts'
import { type Bytes, bytesOf, type Digits } from '../database/values.ts'
import { chooseWithin, type LimitedPayout, type LimitSum, type Stopped } from './allowance.ts'

/** SQL condition: no rule stops a queued payout, or it is to be compared with the rules again. */
export const IS_NOT_STOPPED = '(recheck_at IS NULL OR recheck_at <= now())'

/** SQL expression: whether there are rules. */
export const HAS_LIMITS = 'EXISTS (SELECT FROM @.limits WHERE removed_at IS NULL)'

/** Time after which payouts are compared with the rules again: canceled payouts return what they had taken. */
const RECHECK_SECONDS = 60

/** A payout that a rule stops. */
type Stop = {
  readonly seq: Digits
  readonly rule: string
  /** Undefined if time alone does not end this. */
  readonly until: Date | undefined
  readonly note: string
}

type CheckColumns = {
  readonly id: Digits
  readonly name: string
  /** Of a payout that the rule stops by itself. */
  readonly payout: Digits | null
  readonly until: Date | null
  readonly fault: string | null
  /** Of a sum. */
  readonly amount: Digits | null
  readonly assets: readonly Bytes[] | null
  readonly units: readonly Digits[] | null
  readonly destination: Bytes | null
  readonly account: string | null
  readonly used: Digits | null
}

/**
 * Compares payouts of the queue, which the caller has locked, with the rules. Returns those that may be claimed together;
 * the others wait, with a note that names the rule. The database compares them again when they are claimed.
 */
export async function allowedByLimits<P extends LimitedPayout>(
  tx: Queries,
  payouts: readonly P[],
): Promise<P[]> {
  const seqs = payouts.map(({ seq }) => seq)
  const { faults, sums } = await readChecks(tx, seqs, true)
  const free = payouts.filter(({ seq }) => !faults.has(seq))
  const { allowed, stopped } = chooseWithin(free, sums)
  const stops = [...faults.values(), ...(await stopsOf(tx, stopped))]
  await recordStops(tx, stops)
  await tx.query(
    `UPDATE @.payments SET stopped_by = NULL, stopped_until = NULL, recheck_at = NULL, note = NULL
     WHERE seq = ANY($1::bigint[]) AND stopped_by IS NOT NULL`,
    [allowed.map(({ seq }) => seq)],
  )
  return [...allowed]
}

/**
 * The payouts that rules stop by themselves, and the sums in which the payouts take part.
 *
 * @param isWithReserved - whether payouts that workers have reserved count
 */
async function readChecks(tx: Queries, seqs: readonly Digits[], isWithReserved: boolean) {
  const rows = await tx.query<CheckColumns>(
    `SELECT l.id, l.name, f.payout, f.until, f.fault, NULL::numeric AS amount, NULL::bytea[] AS assets,
       NULL::numeric[] AS units, NULL::bytea AS destination, NULL::text AS account, NULL::numeric AS used
     FROM @.limit_faults($1::bigint[]) f JOIN @.limits l ON l.id = f.rule
     UNION ALL
     SELECT l.id, l.name, NULL, NULL, NULL, l.amount, l.assets, l.units, s.destination, s.account, s.used
     FROM @.limit_sums($1::bigint[], $2) s JOIN @.limits l ON l.id = s.rule`,
    [seqs, isWithReserved],
  )
  const faults = new Map<Digits, Stop>()
  const sums: LimitSum[] = []
  for (const { id, name, payout, until, fault, ...sum } of rows)
    if (payout === null)
      sums.push({
        id,
        rule: name,
        amount: BigInt(sum.amount!),
        units: new Map(sum.assets!.map((one, i) => [hex.encode(one), BigInt(sum.units![i]!)])),
        destination: sum.destination === null ? undefined : bytesOf(sum.destination),
        account: sum.account ?? undefined,
        used: BigInt(sum.used!),
      })
    else if (!faults.has(payout) || faults.get(payout)!.until !== undefined)
      // One that only people can change is shown before one that ends with time.
      faults.set(payout, {
        seq: payout,
        rule: name,
        until: until ?? undefined,
        note: noteOf(name, fault!, until ?? undefined),
      })
  return { faults, sums }
}

function noteOf(rule: string, fault: string, until: Date | undefined): string {
  const end = until === undefined ? '' : ` until ${until.toISOString()}`
  return `limit ${rule} ${fault}${end}`
}

/** Conditions under which a payout `c` belongs to the group `w` of a sum, by the kind of the group. */
const GROUPS = {
  total: 'true',
  destination: 'c.address = w.destination',
  reference: `coalesce(c.reference, '') = w.account`,
}

/** Payouts that do not fit into a sum, with the time at which the first of each group will. */
async function stopsOf<P extends LimitedPayout>(
  tx: Queries,
  stopped: readonly Stopped<P>[],
): Promise<Stop[]> {
  const first = new Map<LimitSum, Stopped<P>>()
  for (const one of stopped) if (!first.has(one.sum)) first.set(one.sum, one)
  const times = new Map<LimitSum, Date>()
  for (const kind of ['total', 'destination', 'reference'] as const) {
    const groups = [...first.values()].filter(({ sum }) => kindOf(sum) === kind)
    if (groups.length === 0) continue
    const rows = await tx.query<{ n: Digits; until: Date }>(
      // The oldest payouts leave the window first. Those that are about to be claimed leave it last.
      `SELECT w.n, coalesce((SELECT min(g.at) FROM (
           SELECT c.pending_since AS at, sum(div(c.amount + a.unit - 1, a.unit)) OVER (ORDER BY c.pending_since) AS gone
           FROM unnest(l.assets, l.units) AS a(asset, unit) JOIN @.payments c ON c.asset_id = a.asset
           WHERE c.address IS NOT NULL AND c.status IN ('pending', 'accepted') AND ${GROUPS[kind]}
             AND c.pending_since > now() - make_interval(secs => l.seconds)) AS g
           WHERE w.used - g.gone <= w.fits), now()) + make_interval(secs => l.seconds) AS until
       FROM unnest($1::bigint[], $2::bytea[], $3::text[], $4::numeric[], $5::numeric[])
         WITH ORDINALITY AS w(rule, destination, account, used, fits, n) JOIN @.limits l ON l.id = w.rule`,
      [
        groups.map(({ sum }) => sum.id),
        groups.map(({ sum }) => sum.destination ?? null),
        groups.map(({ sum }) => sum.account ?? null),
        groups.map(({ used }) => used),
        groups.map(({ sum, value }) => sum.amount - value),
      ],
    )
    for (const { n, until } of rows) times.set(groups[Number(n) - 1]!.sum, until)
  }
  return stopped.map(({ payout: { seq }, sum }) => {
    const until = times.get(sum)
    return { seq, rule: sum.rule, until, note: noteOf(sum.rule, 'is reached', until) }
  })
}

function kindOf({ destination, account }: LimitSum): keyof typeof GROUPS {
  if (destination !== undefined) return 'destination'
  return account === undefined ? 'total' : 'reference'
}

async function recordStops(tx: Queries, stops: readonly Stop[]): Promise<void> {
  if (stops.length === 0) return
  await tx.query(
    `UPDATE @.payments p SET stopped_by = s.r, stopped_until = s.u, note = s.n, missing = NULL, missing_asset = NULL,
       recheck_at = least(s.u, now() + interval '${RECHECK_SECONDS} seconds')
     FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::text[]) AS s(q, r, u, n) WHERE p.seq = s.q`,
    [
      stops.map(({ seq }) => seq),
      stops.map(({ rule }) => rule),
      stops.map(({ until }) => until ?? null),
      stops.map(({ note }) => note),
    ],
  )
}

/**
 * Makes payouts wait whose claim the database has refused: another worker has claimed others since they were compared
 * with the rules.
 *
 * @param detail - of the error
 */
export async function stopRefused(queries: Queries, detail: string): Promise<void> {
  const refused = JSON.parse(detail) as readonly { readonly seq: Digits; readonly rule: string }[]
  await queries.query(
    `UPDATE @.payments p SET stopped_by = s.r, stopped_until = NULL, note = 'limit ' || s.r || ' stops it',
       recheck_at = now() + interval '1 second'
     FROM unnest($1::bigint[], $2::text[]) AS s(q, r) WHERE p.seq = s.q AND p.status = 'queued'`,
    [refused.map(({ seq }) => seq), refused.map(({ rule }) => rule)],
  )
}

/** A sum that a rule limits, as a policy sees it. */
export type LimitUse = {
  /** Name of the rule. */
  readonly name: string
  /** The most, and what counts now, the payout itself not included; in the unit of the rule. */
  readonly amount: bigint
  readonly used: bigint
}

/** The sums in which a payout takes part, without itself. Payouts that workers have reserved count. */
export async function limitUses(queries: Queries, payout: LimitedPayout): Promise<LimitUse[]> {
  const { sums } = await readChecks(queries, [payout.seq], true)
  return sums
    .filter(({ units }) => units.has(hex.encode(payout.assetID)))
    .map(({ rule, amount, used }) => ({ name: rule, amount, used }))
}
