-- A reset of the second factor is kept beside that of the password: the later one must not hide the earlier one, by which
-- somebody may hold the account. Replicas of the release before leave the columns null.

ALTER TABLE staff
    ADD COLUMN factor_reset_by uuid,
    ADD COLUMN factor_reset_at timestamptz;
