-- What staff publish, to all or to some: who made it, when it is due, and where it stands. What a scheduled one says is here
-- until it is published, because it may still change; then it is a message like every other.
CREATE TABLE publications (
    -- Ids grow with time, so the newest are the largest. The message, and the announcement to all, have the same.
    id                uuid PRIMARY KEY,
    category          text NOT NULL CHECK (category IN ('announcement', 'maintenance', 'activity')),
    -- NULL: to all. Each once, in the order of their ids.
    recipients        uuid[] CHECK (cardinality(recipients) BETWEEN 1 AND 1000),
    state             text NOT NULL CHECK (state IN ('scheduled', 'published', 'withdrawn')),
    version           bigint NOT NULL DEFAULT 1 CHECK (version > 0),
    title             jsonb CHECK (title ? 'en'),
    content           jsonb CHECK (content ? 'en'),
    -- NULL: not kept, as with everything before this table.
    made_by           uuid,
    made_at           timestamptz NOT NULL,
    -- NULL: published at once.
    publish_at        timestamptz,
    published_at      timestamptz,
    -- How many it has reached; NULL while they are not counted.
    reached           bigint CHECK (reached >= 0),
    -- Who changed it last, or withdrew it.
    changed_by        uuid,
    changed_at        timestamptz,
    withdrawal_reason text NOT NULL DEFAULT '' CHECK (length(withdrawal_reason) <= 500),
    CHECK ((state = 'published') = (published_at IS NOT NULL)),
    CHECK ((state = 'published') = (title IS NULL)),
    CHECK ((title IS NULL) = (content IS NULL)),
    CHECK ((changed_by IS NULL) = (changed_at IS NULL)),
    CHECK (state <> 'scheduled' OR publish_at IS NOT NULL)
);
CREATE INDEX publications_by_state ON publications (state, id);
CREATE INDEX publications_due ON publications (publish_at, id) WHERE state = 'scheduled';
CREATE INDEX publications_uncounted ON publications (id)
    WHERE state = 'published' AND reached IS NULL AND made_by IS NOT NULL;

-- The release before announces without a publication. So the list lacks nothing, its row comes with the announcement.
CREATE FUNCTION add_publication() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO publications (id, category, state, made_at, published_at)
    VALUES (NEW.id, NEW.category, 'published', NEW.published_at, NEW.published_at)
    ON CONFLICT (id) DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER announcements_are_publications AFTER INSERT ON announcements
    FOR EACH ROW EXECUTE FUNCTION add_publication();

INSERT INTO publications (id, category, state, made_at, published_at)
SELECT id, category, 'published', published_at, published_at FROM announcements
ON CONFLICT (id) DO NOTHING;
