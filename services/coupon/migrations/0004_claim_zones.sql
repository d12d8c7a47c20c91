-- The time zone whose days count for a user's claims: that of the first claim. Another one sent later moves no day.
CREATE TABLE claim_zones (
    user_id   uuid PRIMARY KEY,
    -- As the first claim sent it, in canonical form.
    time_zone text NOT NULL CHECK (length(time_zone) BETWEEN 1 AND 64)
);
