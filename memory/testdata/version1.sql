-- A memory of version 1, as it was released. Never change this file.
-- The four tiers (short is never on disk), specifications, and the lives of subagents.
-- Times are UTC, as datetime() writes them, with milliseconds. Ids are never given twice.
CREATE TABLE memory (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  tier       TEXT NOT NULL CHECK (tier IN ('mid', 'episodic', 'long')),
  agent      TEXT NOT NULL DEFAULT '',
  key        TEXT NOT NULL,
  value      TEXT NOT NULL CHECK (json_valid(value)),
  created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
  updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
  tokens     INTEGER NOT NULL DEFAULT 0,
  priority   INTEGER NOT NULL DEFAULT 0,
  expires_at TEXT NOT NULL DEFAULT '',
  synopsis   INTEGER NOT NULL DEFAULT 0,
  origin     TEXT NOT NULL,
  run        TEXT NOT NULL DEFAULT '',
  node       TEXT NOT NULL DEFAULT '',
  event      INTEGER NOT NULL DEFAULT 0,
  detail     TEXT NOT NULL DEFAULT '',
  UNIQUE (tier, agent, key)
);
CREATE INDEX memory_run ON memory (run) WHERE tier = 'mid';
CREATE INDEX memory_age ON memory (tier, created_at);

-- When a run has ended: a day later its mid tier is removed. A run that goes on again has no row.
CREATE TABLE run_ends (
  run      TEXT PRIMARY KEY,
  ended_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE projects (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  path       TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE spec_versions (
  version    INTEGER PRIMARY KEY AUTOINCREMENT,
  prompt     TEXT NOT NULL,
  spec_md    TEXT NOT NULL,
  changelog  TEXT NOT NULL,
  created_at TEXT NOT NULL,
  origin     TEXT NOT NULL,
  run        TEXT NOT NULL DEFAULT '',
  node       TEXT NOT NULL DEFAULT '',
  event      INTEGER NOT NULL DEFAULT 0,
  detail     TEXT NOT NULL DEFAULT ''
);
CREATE TRIGGER spec_versions_are_never_changed BEFORE UPDATE ON spec_versions
BEGIN
  SELECT RAISE(ABORT, 'a version of the specification is never changed');
END;

CREATE TABLE subagent_runs (
  run_id         TEXT PRIMARY KEY,
  task_id        TEXT NOT NULL,
  agent_type     TEXT NOT NULL,
  status         TEXT NOT NULL CHECK (status IN ('running', 'done', 'failed')),
  created_at     TEXT NOT NULL,
  finished_at    TEXT NOT NULL DEFAULT '',
  output_summary TEXT NOT NULL DEFAULT '',
  failure_reason TEXT NOT NULL DEFAULT '',
  origin         TEXT NOT NULL,
  run            TEXT NOT NULL DEFAULT '',
  node           TEXT NOT NULL DEFAULT '',
  event          INTEGER NOT NULL DEFAULT 0,
  detail         TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;

INSERT INTO memory (tier, agent, key, value, created_at, updated_at, tokens, origin, run, node) VALUES
  ('long', 'executor', 'parser', '"a lesson about the parser"', '2026-11-01 10:00:00.000', '2026-11-01 10:00:00.000', 7, 'user', '', ''),
  ('mid', 'executor', 'workdir', '{"path": "sub"}', '2026-11-01 10:00:00.000', '2026-11-01 10:00:00.000', 4, 'model', 'r1', 'executor');
INSERT INTO spec_versions (version, prompt, spec_md, changelog, created_at, origin) VALUES (1, 'a parser', '# Parser', 'first', '2026-11-01 10:00:00.000', 'user');
INSERT INTO subagent_runs (run_id, task_id, agent_type, status, created_at, origin) VALUES ('sub_0123456789ab', 't', 'executor', 'running', '2026-11-01 10:00:00.000', 'model');
