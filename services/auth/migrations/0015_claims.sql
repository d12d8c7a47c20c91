-- Who works on what in the console, for two minutes at a time: a warning to the others, and no lock. The release before
-- does not know the table.

CREATE TABLE claims (
    kind       text NOT NULL,
    -- As the item's own service knows it.
    item_id    text NOT NULL CHECK (length(item_id) BETWEEN 1 AND 100),
    -- Of this claim: grows with time, and is another one once somebody else has taken the item.
    id         uuid NOT NULL,
    -- No foreign key: accounts are never deleted.
    staff_id   uuid NOT NULL,
    claimed_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (kind, item_id)
);
CREATE INDEX claims_listed ON claims (kind, id);
CREATE INDEX claims_staff ON claims (staff_id, id);
CREATE INDEX claims_expired ON claims (expires_at);
