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
