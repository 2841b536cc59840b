CREATE TABLE jobs (
	label TEXT PRIMARY KEY, -- chosen before the job is submitted
	provider TEXT NOT NULL,
	model TEXT NOT NULL,
	state TEXT NOT NULL,
	id TEXT NOT NULL DEFAULT '', -- the provider's; empty until it is known
	created INTEGER NOT NULL,
	submitted INTEGER NOT NULL DEFAULT 0,
	expires INTEGER NOT NULL DEFAULT 0, -- as the provider says
	ended INTEGER NOT NULL DEFAULT 0,
	submits INTEGER NOT NULL DEFAULT 0, -- how often it was submitted
	looked INTEGER NOT NULL DEFAULT 0, -- when a list was without the job for the first time
	due INTEGER NOT NULL DEFAULT 0, -- when to ask the provider next
	forbidden INTEGER NOT NULL DEFAULT 0, -- until when the provider wants not to be asked
	tries INTEGER NOT NULL DEFAULT 0, -- how often it was asked in vain
	trouble TEXT NOT NULL DEFAULT '', -- what the last call failed with, for people
	cancelled INTEGER NOT NULL DEFAULT 0, -- 1: to be cancelled; 2: the provider knows
	host TEXT NOT NULL DEFAULT '', -- of the process that makes a call about the job just now; nobody: empty
	pid INTEGER NOT NULL DEFAULT 0,
	born TEXT NOT NULL DEFAULT '',
	leased INTEGER NOT NULL DEFAULT 0 -- until when that call may take
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_by_state ON jobs (state);

CREATE TABLE items (
	key TEXT PRIMARY KEY,
	provider TEXT NOT NULL,
	model TEXT NOT NULL,
	run TEXT NOT NULL, -- that waits for it; may be empty
	node TEXT NOT NULL,
	request BLOB, -- until there is an outcome
	job TEXT REFERENCES jobs (label), -- none: it is gathered
	gathered INTEGER NOT NULL,
	outcome BLOB, -- none: it is waited for
	answered INTEGER NOT NULL DEFAULT 0,
	delivered INTEGER NOT NULL DEFAULT 0,
	wanted INTEGER NOT NULL DEFAULT 1, -- 0: its run was cancelled
	alone INTEGER NOT NULL DEFAULT 0 -- 1: a provider refused a job that it was in with others
) STRICT, WITHOUT ROWID;
CREATE INDEX items_by_job ON items (job);
CREATE INDEX items_by_run ON items (run);
