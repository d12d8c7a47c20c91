-- Account statements of the platform's bank account: who has paid in, as the bank says.

CREATE TYPE bank_statement_format AS ENUM ('camt053', 'csv');

CREATE TABLE bank_statements (
    -- Grows with time.
    id           uuid PRIMARY KEY,
    name         text NOT NULL,
    format       bank_statement_format NOT NULL,
    -- The bank's own id of it.
    reference    text NOT NULL,
    -- Of the whole file: the same file is kept once.
    digest       sha256_hash NOT NULL CONSTRAINT bank_statements_digest UNIQUE,
    -- Lines of the file, also those that an earlier file had brought.
    parsed_lines integer NOT NULL CHECK (parsed_lines > 0),
    uploaded_by  uuid NOT NULL,
    uploaded_at  timestamptz NOT NULL
);

CREATE TABLE bank_lines (
    statement_id    uuid NOT NULL,
    -- Number of the line among those of its file, from 1.
    place           integer NOT NULL CHECK (place > 0),
    id              uuid NOT NULL CONSTRAINT bank_lines_id UNIQUE,
    -- Line of the file.
    line            integer NOT NULL CHECK (line > 0),
    -- What makes it one payment, in whatever files the bank tells of it: a payment is kept once.
    identity        sha256_hash NOT NULL CONSTRAINT bank_lines_identity UNIQUE,
    booked_on       date NOT NULL,
    -- Negative if it was paid out.
    amount          bigint NOT NULL CHECK (amount <> 0 AND amount BETWEEN -1000000000000000 AND 1000000000000000),
    text            text NOT NULL,
    party           text NOT NULL,
    bank_reference  text NOT NULL,
    -- The user whose payment reference stands in the text.
    matched_user_id uuid,
    -- The withdrawal that it pays, as the file says.
    withdrawal_id   uuid,
    -- The key of the deposit that credits it. A deposit that a second person refused, or that expired, makes room for
    -- another attempt with a key of its own; what was posted under one is never posted again.
    posting_key     text COLLATE "C" NOT NULL CONSTRAINT bank_lines_posting_key UNIQUE,
    -- Set aside by staff: no user is to be credited for it.
    aside_by        uuid,
    aside_at        timestamptz,
    aside_reason    text NOT NULL DEFAULT '',
    PRIMARY KEY (statement_id, place),
    CONSTRAINT bank_lines_aside CHECK ((aside_by IS NULL) = (aside_at IS NULL))
);
-- The same payment in files of different forms.
CREATE INDEX bank_lines_similar ON bank_lines (matched_user_id, booked_on, amount) WHERE matched_user_id IS NOT NULL;

-- Where each line stands. Nothing about a deposit is kept twice: the books and the approvals say what became of it.
CREATE VIEW bank_line_states AS
SELECT l.*, t.id AS transaction_id, a.id AS approval_id, coalesce(t.user_id, a.user_id) AS user_id,
       a.state IN ('rejected', 'expired', 'failed') AS is_refused,
       CASE WHEN l.amount < 0 THEN 'paid_out'
            WHEN t.id IS NOT NULL THEN 'credited'
            WHEN a.state = 'pending' THEN 'waiting'
            WHEN l.aside_at IS NOT NULL THEN 'aside'
            ELSE 'open' END AS state
FROM bank_lines l
LEFT JOIN transactions t ON t.idempotency_key = l.posting_key
LEFT JOIN approvals a ON a.posting_key = l.posting_key;

-- What the bank said is kept as it said it.
CREATE TRIGGER bank_statements_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON bank_statements
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER bank_lines_kept BEFORE DELETE OR TRUNCATE ON bank_lines
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
