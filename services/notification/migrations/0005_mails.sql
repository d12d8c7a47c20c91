-- Mail to users: what makes their notices, sent on a channel that an attacker in the account does not read. A row is written
-- with the notice; its address is asked for when it is sent and never stored.
CREATE TABLE mails (
    -- Ids grow with time; the Message-ID is made of it.
    id              uuid PRIMARY KEY,
    user_id         uuid NOT NULL,
    -- Auth's id of a former address that is mailed instead of the present one.
    former_email_id uuid,
    -- Auth's id of a code that the mail brings. The code is asked for with the address, when it is sent, and not stored either.
    email_code_id   uuid CHECK (email_code_id IS NULL OR former_email_id IS NULL),
    template        text NOT NULL,
    params          jsonb NOT NULL,
    -- What it is about: one happening, one mail.
    source_key      text NOT NULL CONSTRAINT mails_source_once UNIQUE,
    occurred_at     timestamptz NOT NULL,
    created_at      timestamptz NOT NULL,
    -- skipped: there is nobody to send it to, or its user has got too many.
    state           text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sent', 'dead', 'skipped')),
    attempts        integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    -- When it is tried next. While it is being tried, when another replica takes it over.
    due_at          timestamptz NOT NULL,
    -- From then on a failure is the last one.
    give_up_at      timestamptz NOT NULL,
    -- Why the last attempt failed: a class, never what a server said, because that repeats addresses.
    last_error      text CHECK (length(last_error) <= 50),
    -- The language that it was sent in.
    lang            text CHECK (length(lang) <= 16),
    finished_at     timestamptz,
    -- When its reader last said by its link that its news was not their doing.
    disowned_at     timestamptz,
    CHECK ((state = 'pending') = (finished_at IS NULL))
);
CREATE INDEX mails_due ON mails (due_at) WHERE state = 'pending';
CREATE INDEX mails_finished ON mails (finished_at) WHERE state <> 'pending';
-- One index for each way to list them, in the order of the list.
CREATE INDEX mails_by_state ON mails (state, id);
CREATE INDEX mails_by_user ON mails (user_id, id);
CREATE INDEX mails_by_user_and_state ON mails (user_id, state, id);

-- The links of mails. Each attempt has one of its own: an attempt whose answer was lost may have arrived, so its link must
-- still work. Of its token only the digest is here.
CREATE TABLE mail_links (
    digest  bytea PRIMARY KEY CHECK (length(digest) = 32),
    mail_id uuid NOT NULL REFERENCES mails ON DELETE CASCADE,
    made_at timestamptz NOT NULL
);
CREATE INDEX mail_links_by_mail ON mail_links (mail_id);
