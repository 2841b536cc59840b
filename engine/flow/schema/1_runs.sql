CREATE TABLE runs (
	seq INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order in which runs were begun
	id TEXT NOT NULL UNIQUE,
	kind TEXT NOT NULL,
	folder TEXT NOT NULL,
	title TEXT NOT NULL,
	input BLOB NOT NULL,
	base TEXT NOT NULL,
	started INTEGER NOT NULL,
	sum INTEGER NOT NULL, -- of the columns above
	state TEXT NOT NULL DEFAULT 'running',
	reason TEXT NOT NULL DEFAULT '',
	result BLOB,
	ended INTEGER NOT NULL DEFAULT 0,
	host TEXT NOT NULL DEFAULT '', -- of the owner; nobody: empty
	pid INTEGER NOT NULL DEFAULT 0,
	born TEXT NOT NULL DEFAULT '', -- when the owner was started
	fence INTEGER NOT NULL DEFAULT 1, -- grows whenever the right to write the run's journal passes on
	heartbeat INTEGER NOT NULL DEFAULT 0,
	requested TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX runs_by_state ON runs (state, folder);

-- Clustered by run and without another index, a write touches one page. Where a step stands in the journal of its run is
-- known to whoever has the lease.
CREATE TABLE steps (
	run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
	seq INTEGER NOT NULL, -- from 1, in the order in which steps of the run were begun
	node TEXT NOT NULL,
	attempt INTEGER NOT NULL,
	name TEXT NOT NULL,
	generation INTEGER NOT NULL,
	kind TEXT NOT NULL,
	activity TEXT NOT NULL,
	input_hash TEXT NOT NULL,
	key TEXT NOT NULL,
	started INTEGER NOT NULL,
	deadline INTEGER NOT NULL DEFAULT 0,
	starts INTEGER NOT NULL DEFAULT 1,
	ended INTEGER NOT NULL DEFAULT 0,
	output BLOB, -- neither this nor failure: it has not ended
	failure TEXT,
	sum INTEGER NOT NULL DEFAULT 0, -- of the identity and the result, once it has ended
	forgotten INTEGER NOT NULL DEFAULT 0, -- which Forget of the run made it count no more
	PRIMARY KEY (run, seq)
) WITHOUT ROWID, STRICT;

CREATE TABLE forgets ( -- each Forget that made something count no more
	id INTEGER PRIMARY KEY,
	run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
	at INTEGER NOT NULL,
	first INTEGER NOT NULL, -- the earliest step it concerned
	last INTEGER NOT NULL -- the last step of the run at that time
) STRICT;
CREATE INDEX forgets_by_run ON forgets (run);

-- The journal is appended to: what a step came to stays as it is.
CREATE TRIGGER steps_are_final BEFORE UPDATE OF run, node, attempt, name, generation, kind, activity, input_hash, key,
	started, deadline, ended, output, failure, sum ON steps WHEN old.ended <> 0
BEGIN SELECT raise(ABORT, 'a step that has finished is final'); END;
