ALTER TABLE runs ADD COLUMN summary TEXT NOT NULL DEFAULT ''; -- what lists show of the run, as JSON of its owner
