-- What a subagent was asked, what it could use, and what it used.
ALTER TABLE subagent_runs ADD COLUMN task TEXT NOT NULL DEFAULT '';
ALTER TABLE subagent_runs ADD COLUMN context TEXT NOT NULL DEFAULT '';
ALTER TABLE subagent_runs ADD COLUMN rounds INTEGER NOT NULL DEFAULT 0;
ALTER TABLE subagent_runs ADD COLUMN reply_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE subagent_runs ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
CREATE INDEX subagent_runs_run ON subagent_runs (run, created_at);

-- Calls of models are read from the journals of their runs: docs/adr/0155. Nothing ever wrote this table.
DROP TABLE interactions;
