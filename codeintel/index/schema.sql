CREATE TABLE files (
	path BLOB PRIMARY KEY, -- relative to the root
	size INTEGER NOT NULL,
	changed INTEGER NOT NULL, -- of the file, in nanoseconds of Unix time
	seen INTEGER NOT NULL, -- when that was looked up
	hash TEXT NOT NULL, -- of the content, or empty
	reason TEXT NOT NULL -- why it is skipped, or empty
) WITHOUT ROWID;
CREATE TABLE segments (
	id INTEGER PRIMARY KEY, -- chosen at random: other processes add segments, too
	data BLOB NOT NULL
);
CREATE TABLE outlines (
	hash TEXT NOT NULL, -- of the content
	language TEXT NOT NULL,
	version TEXT NOT NULL, -- of the outliner
	used INTEGER NOT NULL, -- the last day on which a file had it, in days of Unix time
	data BLOB NOT NULL,
	PRIMARY KEY (hash, language, version)
);
