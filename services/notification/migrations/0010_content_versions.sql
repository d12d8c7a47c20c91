-- Every change of the content, and who made it. Numbers have no holes: changes wait for each other.
CREATE TABLE content_versions (
    number   bigint PRIMARY KEY CHECK (number > 0),
    parts    text[] NOT NULL,
    -- NULL for the first, which is what stood when this table came.
    made_by  uuid,
    made_at  timestamptz NOT NULL,
    reason   text NOT NULL DEFAULT '',
    -- The version that it restored.
    restored bigint REFERENCES content_versions
);

-- What a version made of the parts that it changed. A part as a version left it is the last row up to that version; a part
-- without one is the built-in text.
CREATE TABLE content_version_parts (
    part    text NOT NULL,
    version bigint NOT NULL REFERENCES content_versions,
    value   jsonb NOT NULL,
    PRIMARY KEY (part, version)
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is not changed so', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER content_versions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON content_versions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER content_version_parts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON content_version_parts
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

INSERT INTO content_versions (number, parts, made_at) VALUES (1, '{}', now());
INSERT INTO content_version_parts (part, version, value) SELECT part, 1, value FROM content_parts;
INSERT INTO content_version_parts (part, version, value)
SELECT list, 1, jsonb_agg(jsonb_build_object('id', id, 'type', type, 'url', url, 'label', label, 'hours', hours,
                                             'answer_time', answer_time) ORDER BY position)
FROM service_entries GROUP BY list;
