package api

// WorktreesArgs list or remove scratch trees of a folder.
type WorktreesArgs struct {
	Prune bool `json:"prune,omitempty" doc:"remove those that no process uses"`
	InFolder
}

// WorktreesResult lists the scratch trees of a folder, the oldest first; with prune, those that are left.
type WorktreesResult struct {
	Worktrees []Worktree `json:"worktrees"`
	Removed   int        `json:"removed,omitempty" doc:"with prune: number of removed trees"`
	Freed     int64      `json:"freedBytes,omitempty" doc:"with prune"`
}

// Worktree is a scratch copy of a folder, in which runs work. It is in Forge's own state, never in the folder or its repository.
type Worktree struct {
	Dir   string `json:"dir" doc:"path of its files"`
	State string `json:"state" enum:"used,idle" doc:"used: a process works in it; idle: it waits for the next run"`
	RunID string `json:"runId,omitempty" doc:"the run that uses it"`
	PID   int    `json:"pid,omitempty" doc:"the process that uses it"`
	Since string `json:"since" doc:"when its use began, or ended: RFC 3339, UTC"`
	Bytes int64  `json:"bytes" doc:"on disk, build output included"`
}
