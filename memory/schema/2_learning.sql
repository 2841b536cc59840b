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
