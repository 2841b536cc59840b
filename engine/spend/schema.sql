CREATE TABLE attempts ( -- each attempt that went on the wire, or was about to
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	tree TEXT NOT NULL, -- the run that its limits are of: the one that a person began
	run TEXT NOT NULL,
	folder TEXT NOT NULL,
	node TEXT NOT NULL,
	attempt INTEGER NOT NULL,
	provider TEXT NOT NULL,
	model TEXT NOT NULL,
	key TEXT NOT NULL, -- of the call: the same for each attempt, in each life of a run
	batch INTEGER NOT NULL,
	state TEXT NOT NULL, -- reserved, settled, lost, free
	tokens INTEGER NOT NULL, -- what is charged: the most there can be, until it is settled
	money INTEGER NOT NULL,
	unpriced INTEGER NOT NULL DEFAULT 0, -- money is not known; while it is reserved it is a bound
	input INTEGER NOT NULL DEFAULT 0, -- as the provider billed
	output INTEGER NOT NULL DEFAULT 0,
	cache_read INTEGER NOT NULL DEFAULT 0,
	cache_write INTEGER NOT NULL DEFAULT 0,
	begun INTEGER NOT NULL,
	ended INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX attempts_by_tree ON attempts (tree, state, tokens, money);
CREATE INDEX attempts_by_time ON attempts (begun);

CREATE TABLE limits (
	tree TEXT PRIMARY KEY,
	tokens INTEGER NOT NULL, -- 0 is none
	money INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
