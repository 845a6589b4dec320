import { ACTOR, DEFINER, neverDeleted, refuse, SHARE_EVENTS, SQL_STATES } from './guards.ts'

/*
 * Limits and approvals. The rules are rows, and the database itself compares every claim with them: whoever makes a
 * payout pending, with whatever statement, is refused if a rule does not allow it.
 */

/** Attributes of functions that only read. */
const READER = 'LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp'

/** SQL: the name of the schema, outside triggers. */
const SCHEMA = `(SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = '@.events'::regclass)`

/** SQL: the assets of a rule `l`, each with its unit. */
export const ASSETS = 'unnest(l.assets, l.units) AS a(asset, unit)'

/** SQL: the value of a payout in the unit of a rule, rounded up. */
export const valueIn = (payout: string): string => `div(${payout}.amount + a.unit - 1, a.unit)`

/**
 * SQL condition: `e` is a decision about the payout `p` as it is now, made before an event, and whoever made it has not
 * made another one since then.
 */
const isDecision = (
  event: string,
) => `e.kind = 'approval' AND e.subject = p.seq AND e.digest = p.digest AND e.seq < ${event}
      AND NOT EXISTS (SELECT FROM @.events x WHERE x.kind = 'approval' AND x.subject = p.seq AND x.digest = p.digest
        AND lower(x.identity) = lower(e.identity) AND x.seq > e.seq AND x.seq < ${event})`

/** The number of no event: all events are before it. */
const NOW = '9223372036854775807'

/** SQL condition: `e` is a denial of the payout `p`. */
export const isDenial = (event: string = NOW): string =>
  `${isDecision(event)} AND e.new_status = 'denied'`

/** SQL condition: `e` is an approval of the payout `p` that counts for the rule `l`. */
export const isApproval = (
  event: string = NOW,
): string => `${isDecision(event)} AND e.new_status = 'approved'
      AND (l.approvers IS NULL OR lower(e.identity) = ANY(l.approvers)) AND NOT @.is_requester(p.requested_by, e.identity)`

/** SQL: the sum of the values of rows `c` of a table; 0 without any. */
const sumOf = (table: string, condition: string) =>
  `coalesce((SELECT sum(${valueIn('c')}) FROM ${ASSETS} JOIN ${table} c ON c.asset_id = a.asset WHERE ${condition}), 0)`

/**
 * SQL: what counts for the rules of a kind, for each of the groups `g` that the payouts belong to.
 *
 * @param match - condition under which a row `c` belongs to the group
 * @param unknown - the same for payments without a claim, about which nobody has decided
 */
function sumsPer(per: string, groups: string, match: string, unknown: string): string {
  return `SELECT l.id, g.address, g.reference,
      -- No upper bound of the time: clocks are adjusted.
      ${sumOf(
        '@.payments',
        `c.address IS NOT NULL AND c.status IN ('pending', 'accepted') AND ${match}
        AND c.pending_since > now() - make_interval(secs => l.seconds)`,
      )}
      + CASE WHEN with_reserved THEN ${sumOf('@.payments', `c.draft IS NOT NULL AND c.status = 'queued' AND c.seq <> ALL(seqs) AND ${match}`)} ELSE 0 END
      + ${sumOf('@.unknown_outputs', `c.resolved_at IS NULL AND ${unknown}`)}
    FROM @.limits l CROSS JOIN (${groups}) AS g
    WHERE l.removed_at IS NULL AND l.type = 'limit' AND l.per = '${per}'`
}

const MINE = 'FROM @.payments WHERE seq = ANY(seqs)'

/** The tables, triggers and functions. */
export const controls: string = `
-- Workers of earlier versions read this column before each claim, so they can claim nothing any more.
ALTER TABLE @.chain RENAME COLUMN confirmed_at TO verified_at;

-- Rules for payouts. A row is never changed, except that it ends once: a rule that is set again is a new row.
CREATE TABLE @.limits (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
  type text NOT NULL CHECK (type IN ('limit', 'approvals', 'allow', 'delay')),
  -- Of a limit: what its sum is about.
  per text CHECK (per IN ('payout', 'destination', 'reference', 'total')),
  -- The most that may be paid; of approvals: above which they are needed. In the unit of the rule.
  amount numeric CHECK (amount >= 0 AND amount < 1e40 AND amount = trunc(amount)),
  -- Length of the window, or of a delay.
  seconds bigint CHECK (seconds BETWEEN 1 AND 1000000000),
  -- What it is about; the unit of the rule is worth so much of each. Null for all assets.
  assets bytea[] CHECK (cardinality(assets) > 0),
  units numeric[] CHECK (array_position(units, NULL) IS NULL AND 0 < ALL(units) AND 1e30 > ALL(units)),
  count int CHECK (count BETWEEN 1 AND 100),
  -- In lower case.
  approvers text[] CHECK (lower(approvers::text) = approvers::text),
  destinations bytea[],
  set_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  set_by text NOT NULL,
  removed_at timestamptz,
  removed_by text,
  CHECK (CASE type
    WHEN 'limit' THEN per IS NOT NULL AND amount IS NOT NULL AND assets IS NOT NULL AND (seconds IS NULL) = (per = 'payout')
      AND count IS NULL AND approvers IS NULL AND destinations IS NULL
    WHEN 'approvals' THEN amount IS NOT NULL AND assets IS NOT NULL AND count IS NOT NULL
      AND (approvers IS NULL OR cardinality(approvers) >= count) AND per IS NULL AND seconds IS NULL AND destinations IS NULL
    WHEN 'allow' THEN (destinations IS NOT NULL OR assets IS NOT NULL)
      AND per IS NULL AND amount IS NULL AND seconds IS NULL AND count IS NULL AND approvers IS NULL
    WHEN 'delay' THEN seconds IS NOT NULL
      AND per IS NULL AND amount IS NULL AND count IS NULL AND approvers IS NULL AND destinations IS NULL
    END),
  CHECK ((assets IS NULL) = (units IS NULL) AND cardinality(assets) IS NOT DISTINCT FROM cardinality(units))
);
CREATE UNIQUE INDEX limits_present ON @.limits (name) WHERE removed_at IS NULL;

-- Who requested it, as the actor of its first event. Null if it was requested before this was recorded.
ALTER TABLE @.payments ADD COLUMN requested_by text;
ALTER TABLE @.payments ALTER COLUMN requested_by SET DEFAULT ${ACTOR};
-- The rule that stops it, until when if time ends this, and when it is compared with the rules again.
ALTER TABLE @.payments ADD COLUMN stopped_by text, ADD COLUMN stopped_until timestamptz, ADD COLUMN recheck_at timestamptz;
CREATE INDEX payments_counted ON @.payments (asset_id, pending_since) INCLUDE (amount)
  WHERE status IN ('pending', 'accepted') AND address IS NOT NULL;
CREATE INDEX payments_by_reference ON @.payments ((coalesce(reference, '')), pending_since)
  WHERE status IN ('pending', 'accepted') AND address IS NOT NULL;
CREATE INDEX payments_stopped ON @.payments (seq) WHERE stopped_by IS NOT NULL;

-- Decisions about payouts, and changes of rules, are events, too.
ALTER TABLE @.events DROP CONSTRAINT events_kind_check;
ALTER TABLE @.events ADD CONSTRAINT events_kind_check CHECK (kind IN ('payout', 'attempt', 'deposit', 'approval', 'limit'));
-- Of an approval: who decided, and the digest of the payout as it was then.
ALTER TABLE @.events ADD COLUMN identity text, ADD COLUMN digest bytea;

-- Whether an identity is that of a requester, by its role or by the name that a service has told; letter case does not count.
CREATE FUNCTION @.is_requester(requester text, identity text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $guard$
  SELECT coalesce(lower(requester) = lower(identity) OR starts_with(lower(requester), lower(identity) || '/')
    OR right(lower(requester), length(identity) + 1) = '/' || lower(identity), false)
$guard$;

-- Payouts that a rule stops whatever the others are: those that are too large, need approvals, or have a destination
-- that is not allowed or new.
CREATE FUNCTION @.limit_faults(seqs bigint[]) RETURNS TABLE (payout bigint, rule bigint, until timestamptz, fault text) ${READER} AS $guard$
  SELECT p.seq, l.id, NULL::timestamptz, 'is exceeded by this payout alone'
    FROM @.payments p JOIN @.limits l ON l.type = 'limit' AND l.removed_at IS NULL JOIN LATERAL ${ASSETS} ON a.asset = p.asset_id
    WHERE p.seq = ANY(seqs) AND ${valueIn('p')} > l.amount
  UNION ALL
  SELECT p.seq, l.id, NULL, CASE WHEN denial.identity IS NULL
      THEN format('has %s of %s approvals', approved.number, l.count) ELSE 'is denied by ' || denial.identity END
    FROM @.payments p JOIN @.limits l ON l.type = 'approvals' AND l.removed_at IS NULL JOIN LATERAL ${ASSETS} ON a.asset = p.asset_id
    CROSS JOIN LATERAL (SELECT count(DISTINCT lower(e.identity)) AS number FROM @.events e
      WHERE ${isApproval()}) AS approved
    LEFT JOIN LATERAL (SELECT e.identity FROM @.events e
      WHERE ${isDenial()} ORDER BY e.seq LIMIT 1) AS denial ON true
    WHERE p.seq = ANY(seqs) AND ${valueIn('p')} > l.amount AND (approved.number < l.count OR denial.identity IS NOT NULL)
  UNION ALL
  SELECT p.seq, l.id, NULL, 'does not allow the destination or the asset'
    FROM @.payments p JOIN @.limits l ON l.type = 'allow' AND l.removed_at IS NULL
    WHERE p.seq = ANY(seqs) AND (p.address <> ALL(l.destinations) OR p.asset_id <> ALL(l.assets))
  UNION ALL
  SELECT p.seq, l.id, first.seen + make_interval(secs => l.seconds), 'delays payouts to a new destination'
    FROM @.payments p JOIN @.limits l ON l.type = 'delay' AND l.removed_at IS NULL AND coalesce(p.asset_id = ANY(l.assets), true)
    CROSS JOIN LATERAL (SELECT min(requested_at) AS seen FROM @.payments o WHERE o.address = p.address AND o.status <> 'canceled') AS first
    WHERE p.seq = ANY(seqs) AND first.seen > now() - make_interval(secs => l.seconds)
$guard$;

-- What counts for the sums in which payouts take part: payouts that are paid or pending, and payments without a claim about
-- which nobody has decided. With the payouts that workers have reserved, if these are wanted.
CREATE FUNCTION @.limit_sums(seqs bigint[], with_reserved boolean)
  RETURNS TABLE (rule bigint, destination bytea, account text, used numeric) ${READER} AS $guard$
  ${sumsPer('total', 'SELECT NULL::bytea AS address, NULL::text AS reference', 'true', 'true')}
  UNION ALL
  ${sumsPer('destination', `SELECT DISTINCT address, NULL::text AS reference ${MINE}`, 'c.address = g.address', 'c.address = g.address')}
  UNION ALL
  ${sumsPer('reference', `SELECT DISTINCT NULL::bytea AS address, coalesce(reference, '') AS reference ${MINE}`, `coalesce(c.reference, '') = g.reference`, 'false')}
$guard$;

-- Compares payouts that were claimed with the rules.
CREATE FUNCTION @.payments_controlled() RETURNS trigger ${DEFINER} AS $guard$
DECLARE
  claimed bigint[];
  stopped json;
BEGIN
  IF NOT EXISTS (SELECT FROM @.limits WHERE removed_at IS NULL) THEN RETURN NULL; END IF;
  -- One that is pending again, with an attempt from before this transaction, is not claimed a second time.
  SELECT array_agg(a.seq) INTO claimed FROM before b JOIN after a ON a.seq = b.seq
    WHERE a.status = 'pending' AND b.status <> 'pending' AND a.address IS NOT NULL
      AND NOT EXISTS (SELECT FROM @.attempt_payments ap JOIN @.attempts t ON t.seq = ap.attempt
        WHERE ap.payment = a.seq AND t.outcome IS NULL AND t.kind <> 'cancellation' AND t.claimed_at < now());
  IF claimed IS NULL THEN RETURN NULL; END IF;
  IF EXISTS (SELECT FROM after WHERE seq = ANY(claimed) AND pending_since IS DISTINCT FROM now()) THEN
    RAISE EXCEPTION 'a payout is pending from its claim on' USING ERRCODE = '${SQL_STATES.refused}';
  END IF;
  -- Whoever claims has this lock already. Others must not add to the sums at the same time.
  PERFORM FROM @.chain FOR UPDATE;
  SELECT json_agg(json_build_object('seq', s.payout::text, 'rule', l.name)) INTO stopped FROM (
      SELECT payout, rule FROM @.limit_faults(claimed)
      UNION
      SELECT p.seq, s.rule FROM @.limit_sums(claimed, false) s JOIN @.limits r ON r.id = s.rule AND s.used > r.amount
        JOIN @.payments p ON p.seq = ANY(claimed) AND p.asset_id = ANY(r.assets)
          AND p.address = coalesce(s.destination, p.address) AND coalesce(p.reference, '') = coalesce(s.account, p.reference, '')
    ) AS s JOIN @.limits l ON l.id = s.rule;
  IF stopped IS NOT NULL THEN
    RAISE EXCEPTION 'a limit stops % of the payouts', json_array_length(stopped) USING ERRCODE = '${SQL_STATES.limit}', DETAIL = stopped::text;
  END IF;
  RETURN NULL;
END $guard$;
CREATE TRIGGER payments_controlled AFTER UPDATE ON @.payments REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION @.payments_controlled();

-- Nobody requests payouts in another's name, or in the past: destinations would not be new.
CREATE FUNCTION @.payments_requested() RETURNS trigger ${DEFINER} AS $guard$
DECLARE fault text;
BEGIN
  ${refuse('added a', `address IS NULL OR requested_by = ${ACTOR} AND requested_at = now() AND pending_since IS NULL`, 'payout', 'key', 'requester and time are recorded by the database')}
  RETURN NULL;
END $guard$;
CREATE TRIGGER payments_requested AFTER INSERT ON @.payments REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION @.payments_requested();

-- A payout belongs to an attempt from its claim on: one that is added to an earlier attempt would not be compared with the rules.
CREATE FUNCTION @.attempt_payments_added() RETURNS trigger ${DEFINER} AS $guard$
DECLARE fault text;
BEGIN
  ${refuse('added a JOIN @.attempts t ON t.seq = a.attempt JOIN @.payments p ON p.seq = a.payment AND p.address IS NOT NULL', 't.claimed_at = now()', 'payout', 'p.key', 'it cannot be added to an earlier attempt')}
  RETURN NULL;
END $guard$;
CREATE TRIGGER attempt_payments_added AFTER INSERT ON @.attempt_payments REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION @.attempt_payments_added();
CREATE FUNCTION @.refuse_time() RETURNS trigger LANGUAGE plpgsql AS $guard$
BEGIN
  RAISE EXCEPTION 'row % of %: requester and times are recorded by the database', NEW.seq, TG_TABLE_NAME USING ERRCODE = '${SQL_STATES.refused}';
END $guard$;
CREATE TRIGGER attempts_claimed_now BEFORE INSERT ON @.attempts
  FOR EACH ROW WHEN (NEW.claimed_at <> now()) EXECUTE FUNCTION @.refuse_time();
CREATE TRIGGER attempts_claimed_once BEFORE UPDATE OF claimed_at ON @.attempts
  FOR EACH ROW WHEN (NEW.claimed_at <> OLD.claimed_at) EXECUTE FUNCTION @.refuse_time();
-- What counts must not leave the window before its time.
CREATE TRIGGER payments_pending_once BEFORE UPDATE OF pending_since ON @.payments
  FOR EACH ROW WHEN (NEW.pending_since IS DISTINCT FROM OLD.pending_since AND NEW.pending_since IS DISTINCT FROM now())
  EXECUTE FUNCTION @.refuse_time();
CREATE TRIGGER payments_requested_once BEFORE UPDATE OF requested_by ON @.payments
  FOR EACH ROW WHEN (NEW.requested_by IS DISTINCT FROM OLD.requested_by) EXECUTE FUNCTION @.refuse_time();

${neverDeleted('limits')}
CREATE FUNCTION @.limits_changed() RETURNS trigger ${DEFINER} AS $guard$
BEGIN
  IF OLD.removed_at IS NOT NULL OR NEW.removed_at IS NULL
    OR to_jsonb(NEW) - '{removed_at,removed_by}'::text[] <> to_jsonb(OLD) - '{removed_at,removed_by}'::text[] THEN
    RAISE EXCEPTION 'limit %: a rule ends, or is replaced by another, but does not change', OLD.name USING ERRCODE = '${SQL_STATES.refused}';
  END IF;
  RETURN NEW;
END $guard$;
CREATE TRIGGER limits_changed BEFORE UPDATE ON @.limits FOR EACH ROW EXECUTE FUNCTION @.limits_changed();
-- Every change of a rule is an event, whoever makes it, and payouts that were stopped are compared with the rules again.
CREATE FUNCTION @.limits_recorded() RETURNS trigger ${DEFINER} AS $guard$
BEGIN
  ${SHARE_EVENTS}
  INSERT INTO @.events (actor, kind, subject, new_status, reason)
    VALUES (${ACTOR}, 'limit', NEW.id, CASE WHEN NEW.removed_at IS NULL THEN 'set' ELSE 'removed' END, NEW.name);
  UPDATE @.payments SET recheck_at = NULL WHERE stopped_by IS NOT NULL AND status = 'queued' AND recheck_at IS NOT NULL;
  RETURN NULL;
END $guard$;
CREATE TRIGGER limits_recorded AFTER INSERT OR UPDATE ON @.limits FOR EACH ROW EXECUTE FUNCTION @.limits_recorded();

-- Ends a rule.
CREATE FUNCTION @.remove_limit(rule text) RETURNS void ${DEFINER} AS $guard$
BEGIN
  -- Claims are compared with the rules under this lock.
  PERFORM FROM @.chain FOR UPDATE;
  UPDATE @.limits SET removed_at = clock_timestamp(), removed_by = ${ACTOR} WHERE name = rule AND removed_at IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no rule has the name %', rule USING ERRCODE = '${SQL_STATES.rule}';
  END IF;
END $guard$;

-- Adds a rule, which replaces the one with the same name. Members of the object are columns of limits.
CREATE FUNCTION @.set_limit(rule jsonb) RETURNS void ${DEFINER} AS $guard$
DECLARE
  wrong text;
  given @.limits;
BEGIN
  SELECT key INTO wrong FROM jsonb_object_keys(rule) AS key
    WHERE key <> ALL('{name,type,per,amount,seconds,assets,units,count,approvers,destinations}') LIMIT 1;
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION 'a rule has no member %', wrong USING ERRCODE = '${SQL_STATES.rule}';
  END IF;
  given := jsonb_populate_record(NULL::@.limits, rule);
  PERFORM FROM @.chain FOR UPDATE;
  UPDATE @.limits SET removed_at = clock_timestamp(), removed_by = ${ACTOR} WHERE name = given.name AND removed_at IS NULL;
  INSERT INTO @.limits (name, type, per, amount, seconds, assets, units, count, approvers, destinations, set_by)
    VALUES (given.name, given.type, given.per, given.amount, given.seconds, given.assets, given.units, given.count,
      given.approvers, given.destinations, ${ACTOR});
END $guard$;

-- Records what somebody has decided about payouts.
CREATE FUNCTION @.decide(who text, keys text[], decision text, why text) RETURNS void ${DEFINER} AS $guard$
DECLARE
  wrong text[];
BEGIN
  PERFORM @.lock_payouts(keys, ARRAY['queued', 'held']);
  SELECT array_agg(key ORDER BY seq) INTO wrong FROM @.payments
    WHERE decision = 'approved' AND key = ANY(keys) AND @.is_requester(requested_by, who);
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION '% payouts were requested by %', cardinality(wrong), who
      USING ERRCODE = '${SQL_STATES.approval}', DETAIL = array_to_json(wrong)::text;
  END IF;
  ${SHARE_EVENTS.replace('TG_TABLE_SCHEMA', SCHEMA)}
  INSERT INTO @.events (actor, kind, subject, key, reference, new_status, reason, identity, digest)
    SELECT ${ACTOR}, 'approval', seq, key, reference, decision, nullif(why, ''), who, digest
    FROM @.payments WHERE key = ANY(keys) ORDER BY seq;
  UPDATE @.payments SET recheck_at = NULL WHERE key = ANY(keys) AND recheck_at IS NOT NULL;
END $guard$;

-- Approves payouts in the name of the role of the session.
CREATE FUNCTION @.approve(keys text[], reason text DEFAULT '') RETURNS void ${DEFINER} AS $guard$
BEGIN
  PERFORM @.decide(session_user, keys, 'approved', reason);
END $guard$;

-- Denies payouts in the name of the role of the session, and holds them.
CREATE FUNCTION @.deny(keys text[], reason text DEFAULT '') RETURNS void ${DEFINER} AS $guard$
BEGIN
  PERFORM @.decide(session_user, keys, 'denied', reason);
  PERFORM @.hold(keys, concat_ws(': ', 'denied by ' || session_user, nullif(reason, '')));
END $guard$;

-- The name that a service has told for the session. Only a role that everybody trusts to tell it may call what uses it.
CREATE FUNCTION @.told_identity() RETURNS text LANGUAGE plpgsql AS $guard$
DECLARE
  told text := current_setting('avmkit.actor', true);
BEGIN
  IF coalesce(told, '') !~ '^[A-Za-z0-9][A-Za-z0-9._@+:-]{0,127}$' THEN
    RAISE EXCEPTION 'avmkit.actor is not a name of 1 to 128 letters, digits and . _ @ + : -' USING ERRCODE = '${SQL_STATES.approval}', DETAIL = '[]';
  END IF;
  RETURN told;
END $guard$;

-- Approves payouts in the name of the identity that a service acts for.
CREATE FUNCTION @.approve_for(keys text[], reason text DEFAULT '') RETURNS void ${DEFINER} AS $guard$
BEGIN
  PERFORM @.decide(@.told_identity(), keys, 'approved', reason);
END $guard$;

-- Denies payouts in the name of the identity that a service acts for, and holds them.
CREATE FUNCTION @.deny_for(keys text[], reason text DEFAULT '') RETURNS void ${DEFINER} AS $guard$
BEGIN
  PERFORM @.decide(@.told_identity(), keys, 'denied', reason);
  PERFORM @.hold(keys, concat_ws(': ', 'denied by ' || @.told_identity(), nullif(reason, '')));
END $guard$;

-- A payout that an unknown transaction made counts for limits from the time on at which this is recorded.
CREATE FUNCTION @.payments_attributed() RETURNS trigger ${DEFINER} AS $guard$
BEGIN
  IF EXISTS (SELECT FROM @.unknown_outputs WHERE payment = NEW.seq AND tx_id = NEW.outcome_tx) THEN
    NEW.pending_since := now();
  END IF;
  RETURN NEW;
END $guard$;
CREATE TRIGGER payments_attributed BEFORE UPDATE OF status ON @.payments FOR EACH ROW
  WHEN (NEW.status = 'accepted' AND OLD.status IN ('held', 'queued')) EXECUTE FUNCTION @.payments_attributed();

REVOKE ALL ON FUNCTION @.limit_faults(bigint[]), @.limit_sums(bigint[], boolean), @.remove_limit(text), @.set_limit(jsonb),
  @.decide(text, text[], text, text), @.approve(text[], text), @.deny(text[], text), @.approve_for(text[], text),
  @.deny_for(text[], text) FROM PUBLIC;
`
