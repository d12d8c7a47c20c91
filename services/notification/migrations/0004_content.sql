-- Texts that staff have edited, by part. A part without a row reads as it is built in.
CREATE TABLE content_parts (
    part       text PRIMARY KEY CHECK (part IN ('faq', 'operating_rules', 'activity_rules', 'marketing_headline')),
    value      jsonb NOT NULL,
    updated_at timestamptz NOT NULL
);
