/*
 * Statements that make the database itself refuse illegal changes, for every role, and record legal ones as events.
 * Triggers run once per statement on all changed rows: blocks and claims change hundreds of rows at a time.
 */

/** SQLSTATEs of the functions and triggers below. */
export const SQL_STATES = {
  /** A key has no payout. The detail is a JSON list of keys. */
  unknown: 'AK001',
  /** The status of a payout does not allow the call. The detail is a JSON list of keys. */
  status: 'AK002',
  /** A row would contradict the rules. */
  refused: 'AK003',
  /** A transaction has no output that is open and has the content of the payout. */
  payment: 'AK004',
  /** A limit stops a claim. The detail is a JSON list of objects with the row number of a payout and the name of a rule. */
  limit: 'AK005',
  /** An approval does not count: it comes from whoever requested the payout. The detail is a JSON list of keys. */
  approval: 'AK006',
  /** A rule is not valid, or there is none with this name. */
  rule: 'AK007',
} as const

/** Attributes of all functions: they act with the rights of their owner, and find nothing but what is named in full. */
export const DEFINER = 'LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp'

/** Who acts: the role of the session, and the identity that a service acts for, if it has told one. */
export const ACTOR = `session_user || coalesce('/' || nullif(current_setting('avmkit.actor', true), ''), '')`

/** Why: what the caller has told, or else the note of the row. */
const reasonOr = (note: string) =>
  `coalesce(nullif(current_setting('avmkit.reason', true), ''), ${note})`

/**
 * Writers of events share this lock until they commit. A reader that holds it alone for a moment knows that all events
 * up to the last one are visible.
 */
export const SHARE_EVENTS = `PERFORM pg_advisory_xact_lock_shared(hashtextextended('avmkit events ' || TG_TABLE_SCHEMA, 0));`

/** SQL condition: an attempt of the payment `a` has this property. */
const hasAttempt = (
  condition: string,
) => `EXISTS (SELECT FROM @.attempt_payments ap JOIN @.attempts t ON t.seq = ap.attempt
      WHERE ap.payment = a.seq AND ${condition})`

const IS_PAYING = `t.outcome IS NULL AND t.kind <> 'cancellation'`

/**
 * SQL condition: a payment may change from `b` to `a`. Content never changes. Statuses that need evidence have it: the
 * attempts are changed before the payments. A payment that ended is pending again only with an attempt that was claimed
 * before, which happens when a false block is taken back.
 */
const IS_LEGAL_PAYMENT = `(a.key, a.digest, a.generated, a.memo, a.requested_at) = (b.key, b.digest, b.generated, b.memo, b.requested_at)
    AND (a.address, a.asset_id, a.amount, a.reference) IS NOT DISTINCT FROM (b.address, b.asset_id, b.amount, b.reference)
    AND CASE
      WHEN a.status = b.status THEN
        b.status <> 'accepted' OR (a.outcome, a.outcome_tx) IS NOT DISTINCT FROM (b.outcome, b.outcome_tx)
      WHEN a.address IS NULL THEN b.status <> 'accepted' OR ${hasAttempt('t.outcome IS NULL AND t.claimed_at < now()')}
      WHEN a.status = 'queued' THEN b.status IN ('held', 'pending') AND a.outcome IS DISTINCT FROM 'accepted'
        AND NOT ${hasAttempt(IS_PAYING)}
      WHEN a.status = 'held' THEN b.status IN ('queued', 'pending')
        -- In the transaction that ended it: the transaction that did so may have paid it.
        OR b.status IN ('canceled', 'rejected') AND b.outcome = 'rejected' AND b.ended_at = now()
      WHEN a.status = 'pending' THEN
        ${hasAttempt(`t.outcome IS NULL AND (b.status = 'queued' OR t.claimed_at < now())`)}
      WHEN a.status = 'accepted' THEN a.outcome = 'accepted'
        AND (${hasAttempt(`t.outcome = 'accepted' AND t.tx_id = a.outcome_tx`)}
          OR EXISTS (SELECT FROM @.unknown_outputs u WHERE u.payment = a.seq AND u.tx_id = a.outcome_tx))
      WHEN a.status = 'canceled' THEN b.status <> 'accepted' AND b.outcome IS DISTINCT FROM 'accepted'
        AND NOT ${hasAttempt(IS_PAYING)}
      WHEN a.status = 'rejected' THEN b.status = 'pending' AND NOT ${hasAttempt(IS_PAYING)}
    END`

/**
 * SQL condition: an attempt may change from `b` to `a`. Its end is taken back only if the block that decided it is.
 */
const IS_LEGAL_ATTEMPT = `(a.tx_id, a.kind, a.purpose, a.bytes, a.fee) = (b.tx_id, b.kind, b.purpose, b.bytes, b.fee)
    AND CASE
      WHEN a.outcome IS NOT DISTINCT FROM b.outcome THEN true
      WHEN a.outcome IS NULL THEN b.decided_height >= (SELECT next_height FROM @.chain)
      WHEN a.outcome = 'accepted' THEN a.decided_by = a.tx_id
      ELSE b.outcome IS NULL
    END`

/** SQL condition: an output may change from `b` to `a`. Only blocks that are taken back make it void or unspent. */
const IS_LEGAL_OUTPUT = `(a.asset_id, a.amount, a.address, a.utxo, a.origin) = (b.asset_id, b.amount, b.address, b.utxo, b.origin)
    AND (b.cursor IS NULL OR a.cursor = b.cursor)
    AND (a.kind IN (b.kind, 'own') OR b.kind = 'void' OR a.kind = 'void' AND b.height >= (SELECT next_height FROM @.chain))
    AND (b.spent_tx IS NULL OR a.spent_tx = b.spent_tx OR b.spent_tx = b.tx_id
      OR coalesce(b.spent_height, b.height) >= (SELECT next_height FROM @.chain)
      OR b.height >= (SELECT next_height FROM @.chain))`

/** Raises an error that names the first row for which a condition does not hold. */
export function refuse(
  from: string,
  condition: string,
  what: string,
  name: string,
  change: string,
): string {
  return `SELECT format('${what} %s: ${change}', ${name}) INTO fault FROM ${from} WHERE NOT coalesce(${condition}, false) LIMIT 1;
  IF fault IS NOT NULL THEN RAISE EXCEPTION '%', fault USING ERRCODE = '${SQL_STATES.refused}'; END IF;`
}

/** A trigger function that runs after a statement. */
function afterStatement(table: string, event: 'INSERT' | 'UPDATE', body: string): string {
  const name = `${table}_${event === 'INSERT' ? 'inserted' : 'updated'}`
  const tables =
    event === 'INSERT' ? 'NEW TABLE AS added' : 'OLD TABLE AS before NEW TABLE AS after'
  return `
CREATE FUNCTION @.${name}() RETURNS trigger ${DEFINER} AS $guard$
DECLARE fault text;
BEGIN
  ${body}
  RETURN NULL;
END $guard$;
CREATE TRIGGER ${name} AFTER ${event} ON @.${table} REFERENCING ${tables}
  FOR EACH STATEMENT EXECUTE FUNCTION @.${name}();`
}

/** Keeps rows from being deleted; `condition` selects those that may be. */
export function neverDeleted(table: string, condition = 'false'): string {
  return `
CREATE TRIGGER ${table}_kept BEFORE DELETE ON @.${table}
  FOR EACH ROW WHEN (NOT (${condition})) EXECUTE FUNCTION @.refuse_removal();
CREATE TRIGGER ${table}_not_truncated BEFORE TRUNCATE ON @.${table}
  FOR EACH STATEMENT EXECUTE FUNCTION @.refuse_removal();`
}

const CHANGED_PAYMENTS = 'before b JOIN after a ON a.seq = b.seq'
// A changed key finds no row, and is refused.
const CHANGED_OUTPUTS =
  'before b LEFT JOIN after a ON a.tx_id = b.tx_id AND a.output_index = b.output_index'

/** Creates the triggers, and the functions by which operators change payouts. */
export const guards: string = `
CREATE FUNCTION @.refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $guard$
BEGIN
  RAISE EXCEPTION 'rows of % are never removed or changed', TG_TABLE_NAME USING ERRCODE = '${SQL_STATES.refused}';
END $guard$;
${neverDeleted('events')}
CREATE TRIGGER events_append_only BEFORE UPDATE ON @.events
  FOR EACH ROW EXECUTE FUNCTION @.refuse_removal();
${neverDeleted('payments', 'OLD.address IS NULL')}
${neverDeleted('attempts')}
${neverDeleted('outputs')}
${afterStatement(
  'payments',
  'INSERT',
  `${refuse(
    'added a',
    `outcome IS NULL AND outcome_tx IS NULL AND NOT cancel AND (status IN ('queued', 'held') OR address IS NULL AND status = 'pending')`,
    'payout',
    'key',
    `a new row cannot be ' || a.status || '`,
  )}
  ${SHARE_EVENTS}
  INSERT INTO @.events (actor, kind, subject, key, reference, new_status, reason)
  SELECT ${ACTOR}, 'payout', seq, key, reference, status, ${reasonOr('note')} FROM added WHERE address IS NOT NULL ORDER BY seq;`,
)}
${afterStatement(
  'payments',
  'UPDATE',
  `${refuse(CHANGED_PAYMENTS, IS_LEGAL_PAYMENT, 'payout', 'a.key', `' || b.status || ' cannot become ' || a.status || ', or its content would change`)}
  ${SHARE_EVENTS}
  INSERT INTO @.events (actor, kind, subject, key, reference, old_status, new_status, tx_id, reason)
  SELECT ${ACTOR}, 'payout', a.seq, a.key, a.reference, b.status, a.status, CASE
      WHEN a.status = 'pending' THEN (SELECT t.tx_id FROM @.attempt_payments ap JOIN @.attempts t ON t.seq = ap.attempt
        WHERE ap.payment = a.seq ORDER BY t.seq DESC LIMIT 1)
      WHEN a.status NOT IN ('queued', 'held') THEN a.outcome_tx END,
    ${reasonOr(`CASE WHEN a.cancel AND NOT b.cancel THEN 'cancellation requested' ELSE a.note END`)}
  FROM ${CHANGED_PAYMENTS} WHERE a.address IS NOT NULL
    AND (a.status <> b.status OR a.cancel <> b.cancel OR a.status = 'held' AND a.note IS DISTINCT FROM b.note)
  ORDER BY a.seq;`,
)}
${afterStatement(
  'attempts',
  'INSERT',
  `${refuse('added a', 'outcome IS NULL', 'attempt', 'seq', 'a new row cannot have an outcome')}
  ${SHARE_EVENTS}
  INSERT INTO @.events (actor, kind, subject, new_status, tx_id, reason)
  SELECT ${ACTOR}, 'attempt', seq, 'pending', tx_id, purpose FROM added ORDER BY seq;`,
)}
${afterStatement(
  'attempts',
  'UPDATE',
  `${refuse(CHANGED_PAYMENTS, IS_LEGAL_ATTEMPT, 'attempt', 'a.seq', `' || coalesce(b.outcome, 'pending') || ' cannot become ' || coalesce(a.outcome, 'pending') || ', or its content would change`)}
  ${SHARE_EVENTS}
  INSERT INTO @.events (actor, kind, subject, old_status, new_status, tx_id, reason)
  SELECT ${ACTOR}, 'attempt', a.seq, coalesce(b.outcome, 'pending'), coalesce(a.outcome, 'pending'), a.tx_id,
    'decided by ' || encode(a.decided_by, 'hex')
  FROM ${CHANGED_PAYMENTS} WHERE a.outcome IS DISTINCT FROM b.outcome ORDER BY a.seq;`,
)}
${afterStatement(
  'outputs',
  'INSERT',
  `${SHARE_EVENTS}
  INSERT INTO @.events (actor, kind, subject, reference, new_status, tx_id)
  SELECT ${ACTOR}, 'deposit', a.cursor, k.reference, a.kind, a.tx_id
  FROM added a LEFT JOIN @.addresses k ON k.address = a.address WHERE a.cursor IS NOT NULL ORDER BY a.cursor;`,
)}
${afterStatement(
  'outputs',
  'UPDATE',
  `${refuse(CHANGED_OUTPUTS, IS_LEGAL_OUTPUT, 'output', `encode(b.tx_id, 'hex') || ' ' || b.output_index`, `' || b.kind || ' cannot become ' || coalesce(a.kind, 'another one') || ', be unspent, or change its content`)}
  ${SHARE_EVENTS}
  INSERT INTO @.events (actor, kind, subject, reference, old_status, new_status, tx_id)
  SELECT ${ACTOR}, 'deposit', a.cursor, k.reference, CASE WHEN b.cursor IS NOT NULL THEN b.kind END, a.kind, a.tx_id
  FROM ${CHANGED_OUTPUTS} LEFT JOIN @.addresses k ON k.address = a.address
  WHERE a.cursor IS NOT NULL AND (b.cursor IS NULL OR a.kind <> b.kind) ORDER BY a.cursor;`,
)}

-- Locks payouts in a fixed order. All of them must exist and have one of the statuses.
CREATE FUNCTION @.lock_payouts(keys text[], allowed text[]) RETURNS void ${DEFINER} AS $guard$
DECLARE
  wrong text[];
  found text;
BEGIN
  PERFORM FROM @.payments WHERE key = ANY(keys) AND address IS NOT NULL ORDER BY seq FOR UPDATE;
  SELECT array_agg(k) INTO wrong FROM unnest(keys) AS k
    WHERE NOT EXISTS (SELECT FROM @.payments WHERE key = k AND address IS NOT NULL);
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION '% keys have no payout', cardinality(wrong)
      USING ERRCODE = '${SQL_STATES.unknown}', DETAIL = array_to_json(wrong)::text;
  END IF;
  SELECT array_agg(key ORDER BY seq), string_agg(DISTINCT status, ', ') INTO wrong, found FROM @.payments
    WHERE key = ANY(keys) AND status <> ALL(allowed);
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION '% payouts are %', cardinality(wrong), found
      USING ERRCODE = '${SQL_STATES.status}', DETAIL = array_to_json(wrong)::text;
  END IF;
END $guard$;

-- Keeps queued payouts from being made until they are released.
CREATE FUNCTION @.hold(keys text[], reason text DEFAULT 'held') RETURNS void ${DEFINER} AS $guard$
BEGIN
  PERFORM @.lock_payouts(keys, ARRAY['queued', 'held']);
  UPDATE @.payments SET status = 'held', draft = NULL, note = reason WHERE key = ANY(keys);
END $guard$;

-- Returns held payouts to the queue.
CREATE FUNCTION @.release(keys text[], reason text DEFAULT '') RETURNS void ${DEFINER} AS $guard$
BEGIN
  PERFORM @.lock_payouts(keys, ARRAY['held', 'queued']);
  PERFORM set_config('avmkit.reason', reason, true);
  UPDATE @.payments p SET status = 'queued', note = NULL, released = CASE WHEN released IS NOT NULL THEN true END,
      -- The operator knows these transactions.
      not_made_by = (SELECT array_agg(DISTINCT u.tx_id) FROM @.unknown_outputs u WHERE u.resolved_at IS NULL
        AND u.address = p.address AND u.asset_id = p.asset_id AND u.amount = p.amount)
    WHERE key = ANY(keys) AND status = 'held';
  PERFORM set_config('avmkit.reason', '', true);
END $guard$;

-- Cancels payouts: those in the queue at once; for pending ones workers ask the chain.
CREATE FUNCTION @.cancel(keys text[], reason text DEFAULT '') RETURNS void ${DEFINER} AS $guard$
BEGIN
  PERFORM @.lock_payouts(keys, ARRAY['queued', 'held', 'pending', 'canceled']);
  PERFORM set_config('avmkit.reason', reason, true);
  UPDATE @.payments SET cancel = (status = 'pending'), draft = CASE WHEN status = 'pending' THEN draft END,
      ended_at = CASE WHEN status = 'pending' THEN NULL ELSE now() END,
      status = CASE WHEN status = 'pending' THEN 'pending' ELSE 'canceled' END
    WHERE key = ANY(keys) AND status <> 'canceled';
  PERFORM set_config('avmkit.reason', '', true);
END $guard$;

-- Records that an unknown transaction made a payout, which is paid then.
CREATE FUNCTION @.attribute(payout text, tx bytea) RETURNS void ${DEFINER} AS $guard$
DECLARE
  row_number bigint;
  position bigint;
BEGIN
  PERFORM FROM @.chain FOR UPDATE;
  PERFORM @.lock_payouts(ARRAY[payout], ARRAY['held', 'queued']);
  SELECT p.seq, u.output_index INTO row_number, position FROM @.payments p JOIN @.unknown_outputs u
    ON u.tx_id = tx AND u.resolved_at IS NULL AND u.address = p.address AND u.asset_id = p.asset_id AND u.amount = p.amount
    WHERE p.key = payout ORDER BY u.output_index LIMIT 1;
  IF row_number IS NULL THEN
    RAISE EXCEPTION 'the transaction has no open output with the content of the payout' USING ERRCODE = '${SQL_STATES.payment}';
  END IF;
  UPDATE @.unknown_outputs SET payment = row_number, resolved_at = now(), resolved_by = ${ACTOR}
    WHERE tx_id = tx AND output_index = position;
  UPDATE @.payments SET status = 'accepted', outcome = 'accepted', outcome_tx = tx, ended_at = now(), draft = NULL,
      note = NULL, missing = NULL, missing_asset = NULL WHERE seq = row_number;
END $guard$;

-- Records that the open outputs of an unknown transaction made no payout of this system.
CREATE FUNCTION @.dismiss(tx bytea) RETURNS void ${DEFINER} AS $guard$
BEGIN
  UPDATE @.unknown_outputs SET resolved_at = now(), resolved_by = ${ACTOR} WHERE tx_id = tx AND resolved_at IS NULL;
  IF NOT EXISTS (SELECT FROM @.unknown_outputs WHERE tx_id = tx) THEN
    RAISE EXCEPTION 'no unknown transaction has this ID' USING ERRCODE = '${SQL_STATES.payment}';
  END IF;
END $guard$;

-- Functions may be called by everybody unless this is revoked.
REVOKE ALL ON FUNCTION @.lock_payouts(text[], text[]), @.hold(text[], text), @.release(text[], text),
  @.cancel(text[], text), @.attribute(text, bytea), @.dismiss(bytea) FROM PUBLIC;
`
