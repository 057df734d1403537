-- The tables, what they say of themselves, and their journals as they came.
CREATE TABLE hall_table (
    name      text PRIMARY KEY,
    enrolled  timestamptz NOT NULL DEFAULT now(),
    retired   boolean NOT NULL DEFAULT false
);

CREATE TABLE status (
    table_name text PRIMARY KEY REFERENCES hall_table,
    received   timestamptz NOT NULL,
    body       json NOT NULL
);

-- One journal is one chain of hashes. A chain that forked has a branch, kept apart.
CREATE TABLE chain (
    id         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_name text NOT NULL REFERENCES hall_table,
    name       text NOT NULL,
    branch_of  integer REFERENCES chain,
    forked_at  bigint,
    head       bigint NOT NULL,
    head_hash  bytea NOT NULL,
    hands      integer NOT NULL DEFAULT 0,
    header     json,
    started    double precision,
    gap_after  bigint,
    counts     boolean NOT NULL DEFAULT true,
    first_seen timestamptz NOT NULL DEFAULT now(),
    last_seen  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (table_name, name)
);

CREATE TABLE entry (
    chain    integer NOT NULL REFERENCES chain,
    seq      bigint NOT NULL,
    t        double precision NOT NULL,
    kind     text NOT NULL,
    hand     integer NOT NULL,
    body     json NOT NULL,      -- json, not jsonb: the very text that was hashed
    hash     bytea NOT NULL,
    received timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (chain, seq)
);
CREATE INDEX entry_hand ON entry (chain, hand, seq);
CREATE INDEX entry_rare ON entry (kind, t) WHERE kind NOT IN ('happening', 'reading');

-- How far each share of the stream is stored; written with what it brought.
CREATE TABLE position (
    share  smallint PRIMARY KEY,
    stream bigint NOT NULL
);

-- What the hall looks at, made from the entries as they come.
CREATE TABLE alert (
    chain    integer NOT NULL REFERENCES chain,
    key      text NOT NULL,
    seq      bigint NOT NULL,
    t        double precision NOT NULL,
    id       text NOT NULL,
    seat     smallint,
    hand     integer NOT NULL,
    body     json NOT NULL,
    files    json,
    decision json,
    received timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (chain, key)
);
CREATE INDEX alert_open ON alert (received) WHERE decision IS NULL;

CREATE TABLE call (
    chain    integer NOT NULL REFERENCES chain,
    seq      bigint NOT NULL,
    t        double precision NOT NULL,
    seat     smallint NOT NULL,
    hand     integer NOT NULL,
    answered text,
    received timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (chain, seq)
);
CREATE INDEX call_open ON call (received) WHERE answered IS NULL;

CREATE TABLE hand (
    chain  integer NOT NULL REFERENCES chain,
    key    text NOT NULL,
    number integer NOT NULL,
    seq    bigint NOT NULL,
    t      double precision NOT NULL,
    body   json NOT NULL,
    PRIMARY KEY (chain, key)
);

-- One referee at a time.
CREATE TABLE claim (
    chain integer NOT NULL REFERENCES chain,
    what  text NOT NULL,
    by    text NOT NULL,
    nonce text NOT NULL,
    at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (chain, what)
);

-- The hall's orders, each until its table has answered.
CREATE TABLE hall_order (
    id         text PRIMARY KEY,
    table_name text NOT NULL REFERENCES hall_table,
    kind       text NOT NULL,
    body       json NOT NULL,
    by         text NOT NULL,
    at         double precision NOT NULL,
    state      text NOT NULL DEFAULT 'given',
    reason     text NOT NULL DEFAULT '',
    answered   timestamptz,
    sent       timestamptz,
    attempts   integer NOT NULL DEFAULT 0
);
CREATE INDEX hall_order_open ON hall_order (table_name) WHERE state = 'given';
CREATE INDEX hall_order_at ON hall_order (at);

-- The tournament.
CREATE TABLE player (
    number integer PRIMARY KEY,
    name   text NOT NULL UNIQUE,
    team   text NOT NULL DEFAULT ''
);
CREATE TABLE round (
    number  integer PRIMARY KEY,
    state   text NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'running', 'over')),
    source  text NOT NULL DEFAULT '',
    ruleset text,
    ends    double precision
);
CREATE TABLE seat (
    round      integer NOT NULL REFERENCES round ON DELETE CASCADE,
    table_name text NOT NULL REFERENCES hall_table,
    side       smallint NOT NULL CHECK (side BETWEEN 0 AND 3),
    player     integer NOT NULL REFERENCES player,
    PRIMARY KEY (round, table_name, side),
    UNIQUE (round, player)
);

-- What went wrong, and who did what.
CREATE TABLE incident (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at         timestamptz NOT NULL DEFAULT now(),
    table_name text,
    kind       text NOT NULL,
    text       text NOT NULL
);
CREATE TABLE quarantine (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       timestamptz NOT NULL DEFAULT now(),
    subject  text NOT NULL,
    stream   bigint NOT NULL,
    reason   text NOT NULL,
    data     bytea NOT NULL,
    UNIQUE (stream, subject)
);
CREATE TABLE audit (
    id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at   timestamptz NOT NULL DEFAULT now(),
    body json NOT NULL
);
CREATE TABLE hub_instance (
    id   text PRIMARY KEY,
    host text NOT NULL,
    beat timestamptz NOT NULL
);
