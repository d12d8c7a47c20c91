-- no-transaction
-- What is still sealed with another key than the one in use is found by it, while keys are changed.
CREATE INDEX CONCURRENTLY destinations_key ON destinations (key_id, user_id, method);
