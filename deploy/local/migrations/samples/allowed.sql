-- Never run. `check.sh` requires that squawk accepts all of this: changes that the previous release tolerates.
CREATE TABLE gifts (
    id      uuid PRIMARY KEY,
    user_id uuid NOT NULL,
    amount  bigint NOT NULL CHECK (amount > 0),
    UNIQUE (user_id, amount)
);
CREATE INDEX gifts_user ON gifts (user_id, id);
ALTER TABLE wallets ADD COLUMN nickname text;
ALTER TABLE wallets ADD COLUMN is_company boolean DEFAULT false;
ALTER TABLE wallets VALIDATE CONSTRAINT positive;
CREATE TYPE gift_state AS ENUM ('given', 'taken');
CREATE FUNCTION post_commands_2(a bigint) RETURNS bigint LANGUAGE sql AS 'SELECT a';
UPDATE wallets SET nickname = 'x' WHERE user_id = '00000000-0000-0000-0000-000000000001';
-- A dozen rows.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX movements_type ON movements (type);
