-- no-transaction
-- Users by the reference that they write on payments; see reference.rs. Accounts go on being opened meanwhile.
CREATE INDEX CONCURRENTLY users_payment_reference ON users (encode(substring(sha256(uuid_send(id)) FROM 1 FOR 8), 'hex'));
