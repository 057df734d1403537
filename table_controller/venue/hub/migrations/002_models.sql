-- Releases of models that lie in the object store: the checksum of every file, the version of each.
CREATE TABLE model_release (
    version text PRIMARY KEY,
    body    json NOT NULL,
    by      text NOT NULL,
    at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX hall_order_models ON hall_order (at) WHERE kind IN ('model_stage', 'model_use', 'model_back');
