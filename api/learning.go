package api

// MemoryScopeArgs name a memory.
type MemoryScopeArgs struct {
	Scope string `json:"scope,omitempty" doc:"without it the folder's" enum:"project,global"`
	InFolder
}

// ClearLearningArgs confirm the deletion of what was learned.
type ClearLearningArgs struct {
	Yes   bool   `json:"yes" doc:"must be true: the deletion cannot be undone"`
	Scope string `json:"scope,omitempty" doc:"without it the folder's" enum:"project,global"`
	InFolder
}

// MemoryCount is a number of rows of memory.
type MemoryCount struct {
	Rows int `json:"rows"`
}

// PruneArgs select what is pruned.
type PruneArgs struct {
	Below  float64 `json:"below,omitempty" doc:"patterns with a lower confidence are deleted; 0.05 without it"`
	DryRun bool    `json:"dryRun,omitempty" doc:"only report what would be deleted"`
	Scope  string  `json:"scope,omitempty" doc:"without it the folder's" enum:"project,global"`
	InFolder
}

// PruneResult reports what was deleted, or with dryRun would be.
type PruneResult struct {
	DryRun   bool        `json:"dryRun"`
	Patterns []MemoryRow `json:"patterns"`
	Expired  int         `json:"expired" doc:"rows whose time was over"`
}

// PlaybooksArgs select playbooks.
type PlaybooksArgs struct {
	ID string `json:"id,omitempty" doc:"id or title of one; without it all"`
	InFolder
}

// ExtractArgs select the runs of which playbooks are made.
type ExtractArgs struct {
	Since  string `json:"since,omitempty" doc:"the beginning of a period, such as 24h or last week: runs that ended since; 24h without it"`
	Limit  int    `json:"limit,omitempty" doc:"limit of runs, newest first; 10 without it"`
	DryRun bool   `json:"dryRun,omitempty" doc:"store nothing"`
	InFolder
}

// ExtractResult lists extracted playbooks.
type ExtractResult struct {
	DryRun    bool                `json:"dryRun"`
	Playbooks []ExtractedPlaybook `json:"playbooks"`
}

// ExtractedPlaybook is a playbook that was made of a run.
type ExtractedPlaybook struct {
	State   string   `json:"state" doc:"changed replaces the one of an earlier run; yours: the user has one of this title, which stays" enum:"new,changed,known,yours"`
	ID      string   `json:"id,omitempty" doc:"missing if it was not stored"`
	Title   string   `json:"title"`
	Content string   `json:"content" doc:"Markdown"`
	Tags    []string `json:"tags"`
	RunID   string   `json:"runId"`
}

// HistoryArgs name a period.
type HistoryArgs struct {
	Period string `json:"period,omitempty" doc:"today, yesterday, this week, last week, this month, last month, 3 days, 2 weeks, 2026-11, 2026-11-05; last week without it"`
	Text   string `json:"text,omitempty" doc:"only tasks with this text in their title or prompt"`
	Limit  int    `json:"limit,omitempty" doc:"without it all"`
	InFolder
}

// HistoryResult lists the tasks of a period, last changed first.
type HistoryResult struct {
	From  string     `json:"from" doc:"begin of the period: RFC 3339, UTC"`
	To    string     `json:"to,omitempty" doc:"its end, excluded: RFC 3339, UTC; missing for a period until now"`
	Tasks []TaskInfo `json:"tasks"`
}
