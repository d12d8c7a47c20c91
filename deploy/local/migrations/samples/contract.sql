-- contract: since 2.3 nothing reads or writes it
ALTER TABLE wallets DROP COLUMN frozen;
DROP FUNCTION post_commands(bigint);
ALTER TABLE wallets DROP CONSTRAINT positive;
