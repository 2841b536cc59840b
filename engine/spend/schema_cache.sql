CREATE TABLE answers (
	key TEXT PRIMARY KEY,
	answer BLOB NOT NULL, -- llm.Response
	size INTEGER NOT NULL, -- bytes of it
	used INTEGER NOT NULL -- when last
) STRICT;
CREATE INDEX answers_by_use ON answers (used, size);
