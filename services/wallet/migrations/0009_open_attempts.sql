-- Attempts at transaction passwords that are being evaluated. Each stands here before it is looked at, and goes with its
-- outcome; what a death left here counts for a minute, not for good. An attempt that is gone from here was nothing.
CREATE TABLE pay_password_attempts (
    id       uuid PRIMARY KEY,
    user_id  uuid NOT NULL REFERENCES pay_passwords ON DELETE CASCADE,
    began_at timestamptz NOT NULL
);
CREATE INDEX pay_password_attempts_user ON pay_password_attempts (user_id);

COMMENT ON COLUMN pay_passwords.attempts IS 'Wrong attempts since the last right one.';
COMMENT ON COLUMN pay_passwords.day_attempts IS 'Wrong attempts within the day that the first of them began.';
