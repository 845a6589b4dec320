/** Creates the tables of the HTTP service: its tokens, and the state of its webhooks. */
export const serviceTables: string = `
-- Tokens of the HTTP service. Only the SHA-256 of a token is stored.
CREATE TABLE @.tokens (
  id text PRIMARY KEY,
  -- The identity that events name as actor. Several tokens may have the same, so that one can replace another.
  name text NOT NULL,
  roles text[] NOT NULL CHECK (roles <@ ARRAY['reader', 'requester', 'operator', 'approver'] AND cardinality(roles) > 0),
  hash bytea NOT NULL CHECK (length(hash) = 32),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  removed_at timestamptz
);

-- Receivers of webhooks, by the names in the configuration.
CREATE TABLE @.webhooks (
  name text PRIMARY KEY,
  -- All events up to this one were delivered, or are in webhook_messages.
  cursor bigint NOT NULL,
  delivered bigint NOT NULL DEFAULT 0,
  last_delivery timestamptz
);

-- Events that wait: for another attempt, behind such an event of the same lane, or, if dead, for an operator.
CREATE TABLE @.webhook_messages (
  webhook text NOT NULL REFERENCES @.webhooks,
  event bigint NOT NULL REFERENCES @.events,
  -- Events of a lane are delivered in their order.
  lane text NOT NULL,
  attempts int NOT NULL DEFAULT 0,
  -- Infinity while it waits behind another one of its lane.
  next_at timestamptz NOT NULL DEFAULT now(),
  last_error text,
  dead_at timestamptz,
  PRIMARY KEY (webhook, event)
);
CREATE INDEX webhook_messages_by_lane ON @.webhook_messages (webhook, lane, event) WHERE dead_at IS NULL;
CREATE INDEX webhook_messages_due ON @.webhook_messages (webhook, next_at) WHERE dead_at IS NULL;

-- Problems of the system are events, too.
ALTER TABLE @.events DROP CONSTRAINT events_kind_check;
ALTER TABLE @.events ADD CONSTRAINT events_kind_check CHECK (kind ~ '^[a-z]{1,20}$');

-- Records which problems there are now: an event for each that is new or gone. Their key is the code, their subject 0.
CREATE FUNCTION @.record_problems(codes text[], messages text[]) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $guard$
DECLARE
  name text := (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = '@.events'::regclass);
BEGIN
  -- Two processes must not record the same change.
  PERFORM pg_advisory_xact_lock(hashtextextended('avmkit problems ' || name, 0));
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('avmkit events ' || name, 0));
  INSERT INTO @.events (actor, kind, subject, key, old_status, new_status, reason)
  SELECT session_user, 'problem', 0, coalesce(c, l.key), l.new_status, CASE WHEN c IS NULL THEN 'resolved' ELSE 'open' END, m
  FROM unnest(codes, messages) AS given(c, m)
    FULL JOIN (SELECT DISTINCT ON (key) key, new_status FROM @.events WHERE kind = 'problem' AND subject = 0
      ORDER BY key, seq DESC) AS l ON l.key = c
  WHERE (c IS NULL) = (l.new_status IS NOT DISTINCT FROM 'open');
END $guard$;
REVOKE ALL ON FUNCTION @.record_problems(text[], text[]) FROM PUBLIC;
`
