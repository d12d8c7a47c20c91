-- Who last made a disabled member active again, and who last set the role: for 72 hours they are no second pair of eyes of
-- the member. Both are kept, because the later one must not hide the earlier one. Replicas of the release before leave the
-- columns null.

ALTER TABLE staff
    ADD COLUMN enabled_by  uuid,
    ADD COLUMN enabled_at  timestamptz,
    ADD COLUMN role_set_by uuid,
    ADD COLUMN role_set_at timestamptz;
