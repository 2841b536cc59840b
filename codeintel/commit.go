package codeintel

import "time"

// Commit is one commit of a repository's history, as far as search needs it.
type Commit struct {
	ID      string
	Time    time.Time // of the committer
	Message string    // subject and body, cut off after a few thousand bytes
	Paths   []string  // the files it changed, relative to the folder that is indexed, sorted; renames name both
}
