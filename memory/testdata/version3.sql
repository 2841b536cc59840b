-- A memory of version 3, as it was released. Never change this file.
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
-- What was learned, what judged it, and the index that recall reads. The counts of a pattern are those of
-- its evidence: triggers keep them, and nothing else writes them.
CREATE TABLE patterns (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  category   TEXT NOT NULL CHECK (category IN ('convention', 'failure_pattern', 'success_pattern', 'test_command',
                                               'architecture', 'dependency', 'tool_usage')),
  pattern    TEXT NOT NULL,
  folded     TEXT NOT NULL,
  fix        TEXT NOT NULL DEFAULT '',
  context    TEXT NOT NULL DEFAULT '',
  tags       TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
  successes  INTEGER NOT NULL DEFAULT 0,
  failures   INTEGER NOT NULL DEFAULT 0,
  judged_at  TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  origin     TEXT NOT NULL,
  run        TEXT NOT NULL DEFAULT '',
  node       TEXT NOT NULL DEFAULT '',
  event      INTEGER NOT NULL DEFAULT 0,
  detail     TEXT NOT NULL DEFAULT '',
  UNIQUE (category, folded)
);

CREATE TABLE evidence (
  id      INTEGER PRIMARY KEY,
  pattern INTEGER NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'fail')),
  run     TEXT NOT NULL,
  node    TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  gate    TEXT NOT NULL,
  summary TEXT NOT NULL,
  event   INTEGER NOT NULL,
  at      TEXT NOT NULL,
  UNIQUE (pattern, run, node, attempt, gate)
);
CREATE TRIGGER evidence_counts AFTER INSERT ON evidence
BEGIN
  UPDATE patterns SET
    successes = successes + (NEW.verdict = 'pass'),
    failures  = failures + (NEW.verdict = 'fail'),
    judged_at = max(judged_at, NEW.at)
  WHERE id = NEW.pattern;
END;
CREATE TRIGGER evidence_is_never_changed BEFORE UPDATE ON evidence
BEGIN
  SELECT RAISE(ABORT, 'a verdict is never changed');
END;

CREATE TABLE playbooks (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  title      TEXT NOT NULL,
  folded     TEXT NOT NULL UNIQUE,
  content    TEXT NOT NULL,
  tags       TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  origin     TEXT NOT NULL,
  run        TEXT NOT NULL DEFAULT '',
  node       TEXT NOT NULL DEFAULT '',
  event      INTEGER NOT NULL DEFAULT 0,
  detail     TEXT NOT NULL DEFAULT ''
);

-- The index holds words only; it can be made again from the rows at any time.
CREATE VIRTUAL TABLE memory_words USING fts5(
  words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 1'
);
CREATE VIRTUAL TABLE pattern_words USING fts5(
  words, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 1'
);
-- Which spelling of words the index was made with; 0 and below: it has not been made for all rows.
CREATE TABLE index_state (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL
);
INSERT INTO index_state SELECT 1, NOT EXISTS (SELECT 1 FROM memory);
-- What runs did: attempts of nodes, calls of models, tasks.
CREATE TABLE iterations (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  run        TEXT NOT NULL,
  node       TEXT NOT NULL,
  attempt    INTEGER NOT NULL,
  passed     INTEGER NOT NULL,
  total      INTEGER NOT NULL,
  failures   TEXT NOT NULL CHECK (json_valid(failures)),
  reason     TEXT NOT NULL DEFAULT '',
  class      TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL,
  origin     TEXT NOT NULL,
  event      INTEGER NOT NULL DEFAULT 0,
  detail     TEXT NOT NULL DEFAULT '',
  UNIQUE (run, node, attempt)
);

CREATE TABLE interactions (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  step       TEXT NOT NULL,
  model      TEXT NOT NULL,
  prompt     TEXT NOT NULL,
  answer     TEXT NOT NULL,
  tokens_in  INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  latency_ms INTEGER NOT NULL,
  cost_usd_micros INTEGER NOT NULL,
  error      TEXT NOT NULL DEFAULT '',
  synopsis   INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  origin     TEXT NOT NULL,
  run        TEXT NOT NULL DEFAULT '',
  node       TEXT NOT NULL DEFAULT '',
  event      INTEGER NOT NULL DEFAULT 0,
  detail     TEXT NOT NULL DEFAULT ''
);
CREATE INDEX interactions_run ON interactions (run);
CREATE INDEX interactions_age ON interactions (created_at);

CREATE TABLE tasks (
  id         TEXT PRIMARY KEY,
  title      TEXT NOT NULL,
  prompt     TEXT NOT NULL,
  state      TEXT NOT NULL,
  parent     TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  origin     TEXT NOT NULL,
  run        TEXT NOT NULL DEFAULT '',
  node       TEXT NOT NULL DEFAULT '',
  event      INTEGER NOT NULL DEFAULT 0,
  detail     TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX tasks_age ON tasks (updated_at);

CREATE TABLE task_moves (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  task       TEXT NOT NULL,
  was        TEXT NOT NULL,
  became     TEXT NOT NULL,
  created_at TEXT NOT NULL,
  origin     TEXT NOT NULL,
  run        TEXT NOT NULL DEFAULT '',
  node       TEXT NOT NULL DEFAULT '',
  event      INTEGER NOT NULL DEFAULT 0,
  detail     TEXT NOT NULL DEFAULT ''
);
CREATE INDEX task_moves_task ON task_moves (task);

INSERT INTO memory (tier, agent, key, value, created_at, updated_at, tokens, origin, run, node) VALUES
  ('long', 'executor', 'parser', '"a lesson about the parser"', '2026-11-01 10:00:00.000', '2026-11-01 10:00:00.000', 7, 'user', '', ''),
  ('mid', 'executor', 'workdir', '{"path": "sub"}', '2026-11-01 10:00:00.000', '2026-11-01 10:00:00.000', 4, 'model', 'r1', 'executor');
INSERT INTO spec_versions (version, prompt, spec_md, changelog, created_at, origin) VALUES (1, 'a parser', '# Parser', 'first', '2026-11-01 10:00:00.000', 'user');
INSERT INTO subagent_runs (run_id, task_id, agent_type, status, created_at, origin) VALUES ('sub_0123456789ab', 't', 'executor', 'running', '2026-11-01 10:00:00.000', 'model');

INSERT INTO patterns (category, pattern, folded, created_at, updated_at, origin) VALUES ('convention', 'Wrap errors', 'wrap errors', '2026-11-01 10:00:00.000', '2026-11-01 10:00:00.000', 'model');
INSERT INTO evidence (pattern, verdict, run, node, attempt, gate, summary, event, at) VALUES (1, 'pass', 'r1', 'executor', 1, 'go test', '', 3, '2026-11-01 10:00:00.000');
INSERT INTO pattern_words (rowid, words) VALUES (1, 'Wrap errors');
INSERT INTO memory_words (rowid, words) VALUES (1, 'parser a lesson about the parser'), (2, 'workdir path sub');
INSERT INTO playbooks (title, folded, content, created_at, updated_at, origin) VALUES ('Tests', 'tests', 'How', '2026-11-01 10:00:00.000', '2026-11-01 10:00:00.000', 'user');

