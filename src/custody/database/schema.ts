import { controls } from './controls.ts'
import { guards } from './guards.ts'
import { serviceTables } from './service-tables.ts'

/** The key of a column, with a dot for each character that `keyColumn` writes as two. */
const KEY_DOTTED: string = String.raw`replace(replace(key, $$\\$$, '.'), $$\0$$, '.')`

/**
 * Whether a key is as `keyColumn` writes it and has 1 to 256 characters. Dollar quotes, because the meaning of a
 * backslash in other quotes depends on a setting of the server.
 */
const IS_KEY: string = String.raw`strpos(${KEY_DOTTED}, $$\$$) = 0 AND length(${KEY_DOTTED}) BETWEEN 1 AND 256`

/** Whether a row can be paid as far as its lengths and its amount are concerned. False if a column is null. */
const IS_CONTENT = `coalesce(length(address) = 20 AND length(asset_id) = 32 AND length(memo) <= 256
    AND amount > 0 AND amount < 18446744073709551616, false)`

/**
 * The migrations, oldest first; `@.` stands for the schema. A released migration is never changed: the version of a
 * schema is the number of migrations that were applied to it.
 */
export const migrations: readonly string[] = [
  `
CREATE TABLE @.chain (
  -- One row: the network, how far blocks are applied, and the last deposit. Whoever changes claims, outcomes or
  -- outputs locks it first, so these changes happen one after the other.
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  network_id bigint,
  chain_id bytea,
  hrp text,
  next_height bigint,
  last_block bytea,
  applied_at timestamptz,
  -- When the leader last found no further block.
  synced_at timestamptz,
  deposit_cursor bigint NOT NULL DEFAULT 0,
  -- Counts changes of the leader: a block is applied only under the number of the present one.
  epoch bigint NOT NULL DEFAULT 0,
  leader text
);
INSERT INTO @.chain DEFAULT VALUES;

-- The last blocks, so that reading can start again below the tip with a known parent.
CREATE TABLE @.blocks (
  height bigint PRIMARY KEY,
  block_id bytea NOT NULL,
  time bigint NOT NULL
);

CREATE TABLE @.accounts (
  xpub text PRIMARY KEY,
  reference text,
  gap int NOT NULL,
  -- Addresses below this index are watched.
  next_index bigint NOT NULL DEFAULT 0
);

CREATE TABLE @.addresses (
  address bytea PRIMARY KEY CHECK (length(address) = 20),
  watched boolean NOT NULL DEFAULT false,
  wallet text NOT NULL DEFAULT 'deposit' CHECK (wallet IN ('deposit', 'hot', 'cold')),
  reference text,
  xpub text REFERENCES @.accounts,
  xpub_index bigint,
  -- Whether the outputs from before it was added have been looked for.
  walked boolean NOT NULL DEFAULT false
);
CREATE INDEX addresses_to_walk ON @.addresses (address) WHERE NOT walked;

-- Reservations that end by themselves: a worker that stops must not keep payouts and UTXOs.
CREATE TABLE @.drafts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  worker text NOT NULL,
  purpose text NOT NULL,
  request text,
  expires_at timestamptz NOT NULL
);

CREATE TABLE @.outputs (
  tx_id bytea NOT NULL,
  output_index bigint NOT NULL,
  asset_id bytea NOT NULL,
  -- 0 for NFTs, properties and minting rights.
  amount numeric(20) NOT NULL,
  address bytea NOT NULL,
  wallet text NOT NULL,
  kind text NOT NULL,
  -- A transaction of this system made it: 'change' for change and sweeps, 'payout' for a payout to an own address.
  origin text NOT NULL CHECK (origin IN ('other', 'change', 'payout')),
  -- One owner with one signature, an amount of an asset.
  is_simple boolean NOT NULL,
  locktime numeric(20) NOT NULL,
  utxo bytea NOT NULL,
  -- Null if it existed before its address was added.
  height bigint,
  -- Position among the deposits; null if the address is not watched.
  cursor bigint UNIQUE,
  spent_height bigint,
  spent_tx bytea,
  draft bigint REFERENCES @.drafts ON DELETE SET NULL,
  -- A pending attempt spends it.
  claimed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (tx_id, output_index)
);
CREATE INDEX outputs_free ON @.outputs (wallet, asset_id, amount)
  WHERE spent_tx IS NULL AND draft IS NULL AND NOT claimed AND is_simple;
CREATE INDEX outputs_unspent ON @.outputs (address) WHERE spent_tx IS NULL;
CREATE INDEX outputs_reserved ON @.outputs (draft) WHERE draft IS NOT NULL;

CREATE TABLE @.payments (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text COLLATE "C" NOT NULL UNIQUE,
  digest bytea NOT NULL CHECK (length(digest) = 32),
  generated boolean NOT NULL DEFAULT false,
  status text NOT NULL
    CHECK (status IN ('queued', 'held', 'pending', 'accepted', 'rejected', 'canceled')),
  -- How the last attempt ended; stays while a later one is pending.
  outcome text CHECK (outcome IN ('accepted', 'rejected', 'canceled')),
  outcome_tx bytea,
  -- What was requested; null for payments that a wallet makes with this store.
  address bytea,
  asset_id bytea,
  amount numeric(20),
  memo bytea NOT NULL DEFAULT '',
  priority int NOT NULL DEFAULT 0,
  not_before timestamptz,
  requested_at timestamptz NOT NULL DEFAULT now(),
  pending_since timestamptz,
  ended_at timestamptz,
  -- How much of which asset is missing, if it waits for funds.
  missing numeric(20),
  missing_asset bytea,
  note text,
  cancel boolean NOT NULL DEFAULT false,
  rejections int NOT NULL DEFAULT 0,
  draft bigint REFERENCES @.drafts ON DELETE SET NULL
);
CREATE INDEX payments_queue ON @.payments (priority DESC, seq) WHERE status = 'queued' AND draft IS NULL;
CREATE INDEX payments_reserved ON @.payments (draft) WHERE draft IS NOT NULL;
CREATE INDEX payments_by_destination ON @.payments (address, requested_at) WHERE address IS NOT NULL;
CREATE INDEX payments_open ON @.payments (status) WHERE status IN ('queued', 'held', 'pending');
CREATE INDEX payments_to_cancel ON @.payments (seq) WHERE cancel AND status = 'pending';

CREATE TABLE @.attempts (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tx_id bytea NOT NULL,
  kind text NOT NULL CHECK (kind IN ('payment', 'cancellation', 'export', 'import')),
  purpose text NOT NULL,
  bytes bytea NOT NULL,
  from_height numeric(20) NOT NULL,
  -- For a transaction of a move between chains: its chain, inputs and note.
  half jsonb,
  fee numeric(20) NOT NULL DEFAULT 0,
  outcome text CHECK (outcome IN ('accepted', 'rejected')),
  decided_by bytea,
  decided_height bigint,
  issued int NOT NULL DEFAULT 0,
  -- When it was last issued, or was to be issued for the first time by the worker that claimed it.
  issued_at timestamptz NOT NULL DEFAULT now(),
  refused int NOT NULL DEFAULT 0,
  last_error text,
  next_issue timestamptz NOT NULL DEFAULT now(),
  claimed_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX attempts_pending ON @.attempts (tx_id) WHERE outcome IS NULL;
CREATE INDEX attempts_by_tx ON @.attempts (tx_id);
CREATE INDEX attempts_due ON @.attempts (next_issue) WHERE outcome IS NULL;

CREATE TABLE @.attempt_payments (
  attempt bigint NOT NULL REFERENCES @.attempts ON DELETE CASCADE,
  position int NOT NULL,
  payment bigint NOT NULL REFERENCES @.payments ON DELETE CASCADE,
  PRIMARY KEY (attempt, position)
);
CREATE INDEX attempt_payments_by_payment ON @.attempt_payments (payment);

-- Inputs of pending attempts.
CREATE TABLE @.attempt_inputs (
  tx_id bytea NOT NULL,
  output_index bigint NOT NULL,
  attempt bigint NOT NULL REFERENCES @.attempts ON DELETE CASCADE,
  PRIMARY KEY (tx_id, output_index, attempt)
);
CREATE INDEX attempt_inputs_by_attempt ON @.attempt_inputs (attempt);

-- Inputs of accepted transactions of moves. Some are on other chains, whose blocks are not read.
CREATE TABLE @.moved_inputs (
  tx_id bytea NOT NULL,
  output_index bigint NOT NULL,
  PRIMARY KEY (tx_id, output_index)
);
`,
  `
-- Requesters insert rows themselves. Only valid ones may be queued: a row that cannot be paid would block those behind
-- it. Rows that exist are kept, invalid ones are held. They can be canceled, but not released.
UPDATE @.payments SET status = 'held', draft = NULL, note = 'invalid payout: key'
  WHERE status = 'queued' AND NOT (${IS_KEY});
UPDATE @.payments SET status = 'held', draft = NULL, note = 'invalid payout: address, asset_id, amount or memo'
  WHERE status = 'queued' AND NOT (${IS_CONTENT});
ALTER TABLE @.payments
  ADD CONSTRAINT payments_key CHECK (status <> 'queued' OR ${IS_KEY}) NOT VALID,
  ADD CONSTRAINT payments_content CHECK (status <> 'queued' OR ${IS_CONTENT}) NOT VALID;
`,
  `
-- Whether it was released since the policy held it; null if the policy has not.
ALTER TABLE @.payments ADD COLUMN released boolean;
`,
  `
-- Addresses below this index are to be watched. They are added in small steps, see next_index.
ALTER TABLE @.accounts ADD COLUMN end_index bigint NOT NULL DEFAULT 0;
UPDATE @.accounts SET end_index = greatest(next_index, gap);
CREATE INDEX accounts_to_extend ON @.accounts (xpub) WHERE next_index < end_index;
`,
  `
ALTER TABLE @.attempts RENAME COLUMN half TO leg;
`,
  `
-- 32 bytes that name this store; backups keep them.
ALTER TABLE @.chain ADD COLUMN store_id bytea NOT NULL
  DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
-- Blocks that wallets with this store have applied: height, ID in hex, whether they are firm.
ALTER TABLE @.chain ADD COLUMN wallet_blocks jsonb NOT NULL DEFAULT '[]';
-- For an attempt that a transaction of a wallet ended: unspent outputs of the wallet that exist only if that was
-- accepted, as transaction ID and index, and the transactions behind them. Those of known addresses are in outputs.
ALTER TABLE @.attempts ADD COLUMN evidence bytea[], ADD COLUMN evidence_txs bytea[];
CREATE INDEX attempts_ended ON @.attempts (seq)
  WHERE outcome = 'rejected' AND kind <> 'cancellation' AND purpose = 'wallet';
CREATE INDEX attempts_evidence ON @.attempts USING gin (evidence) WHERE evidence IS NOT NULL;
-- Whether the payment was held until an operator decides, although nothing shows that the attempt cannot be accepted.
ALTER TABLE @.attempt_payments ADD COLUMN asked boolean NOT NULL DEFAULT false;
`,
  `
-- Workers of earlier versions read this column before each claim, so they can claim nothing any more.
ALTER TABLE @.chain RENAME COLUMN synced_at TO confirmed_at;
-- When all blocks were applied that the servers have, whether or not they have the last one.
ALTER TABLE @.chain ADD COLUMN read_at timestamptz;
-- The caller's name for the account that a payout belongs to.
ALTER TABLE @.payments ADD COLUMN reference text;

-- Payments to others in blocks from unknown_from on that keys of this system have signed and no claim made. Until an
-- operator decides, payouts with the same content are held.
ALTER TABLE @.chain ADD COLUMN unknown_from bigint;
UPDATE @.chain SET unknown_from = next_height;
CREATE TABLE @.unknown_outputs (
  tx_id bytea NOT NULL,
  output_index bigint NOT NULL,
  height bigint NOT NULL,
  address bytea NOT NULL,
  asset_id bytea NOT NULL,
  amount numeric(20) NOT NULL,
  -- The payout that it made, if it made one.
  payment bigint REFERENCES @.payments,
  resolved_at timestamptz,
  resolved_by text,
  PRIMARY KEY (tx_id, output_index)
);
CREATE INDEX unknown_outputs_open ON @.unknown_outputs (address, asset_id, amount) WHERE resolved_at IS NULL;
-- Unknown transactions in spite of which an operator has released it.
ALTER TABLE @.payments ADD COLUMN not_made_by bytea[];
-- Since when it waits for funds.
ALTER TABLE @.payments ADD COLUMN missing_since timestamptz;
-- Height from which on hot UTXOs are newer than a fence that is being made; payouts wait until it is complete.
ALTER TABLE @.chain ADD COLUMN fence_height bigint;

-- Every change of the status of a payout, an attempt or a deposit. Rows are only ever added.
CREATE TABLE @.events (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The role of the session, and the identity that it acts for after a slash.
  actor text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('payout', 'attempt', 'deposit')),
  -- Row number of the payout or attempt, cursor of the deposit.
  subject bigint NOT NULL,
  -- Of a payout.
  key text COLLATE "C",
  reference text,
  -- Null for the first event of a subject.
  old_status text,
  new_status text NOT NULL,
  tx_id bytea,
  reason text
);
CREATE INDEX events_by_subject ON @.events (kind, subject, seq);

-- Transactions of payouts and deposits that servers have confirmed for an audit.
CREATE TABLE @.audited_txs (tx_id bytea PRIMARY KEY);

-- Corrections of deposits, which have cursors among those of deposits.
CREATE TABLE @.corrections (
  cursor bigint PRIMARY KEY,
  corrects bigint NOT NULL REFERENCES @.outputs (cursor),
  kind text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);

INSERT INTO @.events (actor, kind, subject, key, new_status, tx_id, reason)
  SELECT session_user, 'payout', seq, key, status, outcome_tx, 'upgrade of the tables'
  FROM @.payments WHERE address IS NOT NULL ORDER BY seq;
INSERT INTO @.events (actor, kind, subject, new_status, tx_id, reason)
  SELECT session_user, 'attempt', seq, coalesce(outcome, 'pending'), tx_id, 'upgrade of the tables'
  FROM @.attempts ORDER BY seq;
INSERT INTO @.events (actor, kind, subject, reference, new_status, tx_id, reason)
  SELECT session_user, 'deposit', o.cursor, k.reference, o.kind, o.tx_id, 'upgrade of the tables'
  FROM @.outputs o LEFT JOIN @.addresses k ON k.address = o.address WHERE o.cursor IS NOT NULL ORDER BY o.cursor;
${guards}`,
  `
-- Used addresses of the HD accounts of wallets with this store: name of the account in hex, next indexes.
ALTER TABLE @.chain ADD COLUMN wallet_indexes jsonb NOT NULL DEFAULT '[]';
`,
  `
-- Content of payments that wallets make with this store, encoded; null for payouts, which have columns of their own, and for
-- payments of earlier versions.
ALTER TABLE @.payments ADD COLUMN content bytea;
`,
  controls,
  serviceTables,
]
