-- Users, staff, their sessions, licence keys and login attempts.
-- A token never stands here: sessions keep its SHA-256, accounts keep the argon2id hash of a password.

CREATE TABLE license_keys (
    id         uuid PRIMARY KEY,
    -- In capitals; compared after trimming and raising what was typed.
    code       text NOT NULL CONSTRAINT license_keys_code UNIQUE CHECK (length(code) BETWEEN 4 AND 64),
    note       text NOT NULL CHECK (length(note) <= 500),
    -- Whether the account it opens is active at once.
    activate   boolean NOT NULL,
    -- The staff member who issued it; adfolioctl has an id of its own, so this is no foreign key.
    created_by uuid NOT NULL,
    created_at timestamptz NOT NULL,
    used_by    uuid,
    used_at    timestamptz,
    CHECK ((used_by IS NULL) = (used_at IS NULL))
);

CREATE TABLE users (
    id            uuid PRIMARY KEY,
    username      text NOT NULL,
    -- The user name as compared: normalised, without regard to case.
    username_key  text NOT NULL CONSTRAINT users_username_key UNIQUE,
    nickname      text NOT NULL,
    email         text NOT NULL,
    phone         text NOT NULL,
    -- Absent for host users: they come in with a host token only.
    password_hash text,
    entry         text NOT NULL CHECK (entry IN ('register', 'host')),
    -- The host's own id of its user.
    external_id   text CONSTRAINT users_external_id UNIQUE CHECK (length(external_id) BETWEEN 1 AND 200),
    state         text NOT NULL CHECK (state IN ('active', 'not_activated', 'disabled', 'cancelled')),
    lang          text NOT NULL,
    credit_score  integer NOT NULL DEFAULT 100 CHECK (credit_score >= 0),
    shop_level    integer NOT NULL DEFAULT 1 CHECK (shop_level >= 1),
    deposit_minor bigint NOT NULL DEFAULT 0 CHECK (deposit_minor >= 0),
    vip           boolean NOT NULL DEFAULT false,
    -- The key that opened the account.
    license_code  text REFERENCES license_keys (code),
    created_at    timestamptz NOT NULL,
    CHECK ((entry = 'host') = (external_id IS NOT NULL)),
    CHECK ((entry = 'register') = (password_hash IS NOT NULL))
);
-- Staff list users of one state, newest first.
CREATE INDEX users_state ON users (state, id);

ALTER TABLE license_keys ADD CONSTRAINT license_keys_used_by FOREIGN KEY (used_by) REFERENCES users (id);
CREATE INDEX license_keys_used_by ON license_keys (used_by);

-- Why an account is in its state: who moved it, when, for what reason.
CREATE TABLE user_state_changes (
    id         uuid PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users (id),
    from_state text NOT NULL,
    to_state   text NOT NULL,
    reason     text NOT NULL,
    -- Empty when the user's own authorisation code did it.
    staff_id   uuid,
    changed_at timestamptz NOT NULL
);
CREATE INDEX user_state_changes_user ON user_state_changes (user_id, id);

CREATE TABLE staff (
    id            uuid PRIMARY KEY,
    username      text NOT NULL,
    username_key  text NOT NULL CONSTRAINT staff_username_key UNIQUE,
    password_hash text NOT NULL,
    role          text NOT NULL CHECK (role IN ('admin', 'support', 'finance', 'operator')),
    created_at    timestamptz NOT NULL
);

-- Sessions of users and of staff. A dead one is kept for a while, so that its token is told apart from an unknown one.
CREATE TABLE sessions (
    id           uuid PRIMARY KEY,
    user_id      uuid REFERENCES users (id),
    staff_id     uuid REFERENCES staff (id),
    token_hash   bytea NOT NULL CONSTRAINT sessions_token_hash UNIQUE CHECK (length(token_hash) = 32),
    created_at   timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    ended_at     timestamptz,
    CHECK (num_nonnulls(user_id, staff_id) = 1)
);
CREATE INDEX sessions_live_of_user ON sessions (user_id, id) WHERE ended_at IS NULL;
CREATE INDEX sessions_live_of_staff ON sessions (staff_id, id) WHERE ended_at IS NULL;
-- For pruning: a session is dead from the earlier of the two on.
CREATE INDEX sessions_dead_from ON sessions (least(ended_at, expires_at));

-- Logins that failed or are being evaluated, per account and per account and address. Names are kept as digests: people
-- type passwords into the wrong field.
CREATE TABLE login_attempts (
    scope           bytea PRIMARY KEY CHECK (length(scope) = 32),
    failures        integer NOT NULL CHECK (failures >= 0),
    last_attempt_at timestamptz NOT NULL,
    locked_until    timestamptz
);
CREATE INDEX login_attempts_last ON login_attempts (last_attempt_at);
