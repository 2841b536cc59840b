package api

// SpecArgs name a version of the specification.
type SpecArgs struct {
	Version int `json:"version,omitempty" doc:"without it the latest"`
	InFolder
}

// SpecResult is a version of the specification.
type SpecResult struct {
	Version   int    `json:"version"`
	Text      string `json:"text" doc:"Markdown"`
	Prompt    string `json:"prompt,omitempty" doc:"the request it was written for"`
	Changelog string `json:"changelog,omitempty" doc:"what this version changes"`
	Created   string `json:"created" doc:"RFC 3339, UTC"`
	Source    string `json:"source" doc:"where it comes from, for people"`
}

// SpecDiffArgs name two versions.
type SpecDiffArgs struct {
	From int `json:"from" doc:"0 is the latest"`
	To   int `json:"to,omitempty" doc:"without it the latest"`
	InFolder
}

// SpecDiffResult compares two versions.
type SpecDiffResult struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Diff string `json:"diff" doc:"unified; empty where they read the same"`
}

// MemoryKeyArgs name an entry of memory.
type MemoryKeyArgs struct {
	Key   string `json:"key"`
	Tier  string `json:"tier,omitempty" doc:"without it long" enum:"mid,episodic,long"`
	Agent string `json:"agent,omitempty" doc:"the agent that keeps it; none without it"`
	Scope string `json:"scope,omitempty" doc:"without it the folder's, and then that of all folders" enum:"project,global"`
	InFolder
}

// MemorySetArgs name an entry of memory and what it is to say.
type MemorySetArgs struct {
	Key   string `json:"key"`
	Value string `json:"value" doc:"JSON, or else a text"`
	Tier  string `json:"tier,omitempty" doc:"without it long" enum:"mid,episodic,long"`
	Agent string `json:"agent,omitempty" doc:"the agent that keeps it; none without it"`
	Scope string `json:"scope,omitempty" doc:"without it the folder's" enum:"project,global"`
	InFolder
}

// MemoryListArgs choose rows of memory.
type MemoryListArgs struct {
	Kind   string `json:"kind,omitempty" enum:"entry,pattern,playbook"`
	Tier   string `json:"tier,omitempty" doc:"of entries" enum:"mid,episodic,long"`
	Agent  string `json:"agent,omitempty" doc:"of entries"`
	Prefix string `json:"prefix,omitempty" doc:"of the keys of entries"`
	Limit  int    `json:"limit,omitempty" doc:"without it all"`
	Scope  string `json:"scope,omitempty" doc:"without it both" enum:"project,global"`
	InFolder
}

// MemorySearchArgs ask what memory has to say about a text.
type MemorySearchArgs struct {
	Text  string `json:"text"`
	Limit int    `json:"limit,omitempty" doc:"15 without it"`
	Scope string `json:"scope,omitempty" doc:"without it both" enum:"project,global"`
	InFolder
}

// MemoryIDArgs name a row of memory.
type MemoryIDArgs struct {
	ID    string `json:"id" doc:"such as entry-12"`
	Scope string `json:"scope,omitempty" doc:"whose id it is; without it the folder's" enum:"project,global"`
	InFolder
}

// MemoryResult is rows of memory.
type MemoryResult struct {
	Rows []MemoryRow `json:"rows"`
}

// MemoryRow is one thing that is remembered.
type MemoryRow struct {
	ID         string  `json:"id" doc:"within its scope"`
	Scope      string  `json:"scope" enum:"project,global"`
	Kind       string  `json:"kind" enum:"entry,pattern,playbook"`
	Tier       string  `json:"tier,omitempty" doc:"of an entry" enum:"mid,episodic,long"`
	Agent      string  `json:"agent,omitempty" doc:"of an entry"`
	Key        string  `json:"key,omitempty" doc:"of an entry"`
	Category   string  `json:"category,omitempty" doc:"of a pattern"`
	Title      string  `json:"title,omitempty" doc:"of a playbook"`
	Text       string  `json:"text" doc:"of an entry its value, of a pattern what was seen, of a playbook its content"`
	Fix        string  `json:"fix,omitempty" doc:"of a pattern: what to do about it"`
	Confidence float64 `json:"confidence,omitempty" doc:"of a pattern, from 0 to 1: what verdicts of gates have left of it"`
	Score      float64 `json:"score,omitempty" doc:"of a search; comparable within one answer only"`
	Updated    string  `json:"updated" doc:"RFC 3339, UTC"`
	Source     string  `json:"source" doc:"where it comes from, for people"`
}

// MemoryWhyResult reports where a row comes from, and what has changed its rank since.
type MemoryWhyResult struct {
	ID       string           `json:"id"`
	Scope    string           `json:"scope" enum:"project,global"`
	What     string           `json:"what" doc:"for people"`
	Origin   string           `json:"origin" enum:"user,gate,model,workspace,web,import"`
	RunID    string           `json:"runId,omitempty" doc:"the run that wrote it"`
	Node     string           `json:"node,omitempty" doc:"of that run"`
	Detail   string           `json:"detail,omitempty"`
	Source   string           `json:"source" doc:"all of that, for people"`
	Created  string           `json:"created" doc:"RFC 3339, UTC"`
	Updated  string           `json:"updated,omitempty" doc:"RFC 3339, UTC"`
	Evidence []MemoryEvidence `json:"evidence" doc:"the verdicts that the confidence of a pattern was counted from"`
}

// MemoryEvidence is one verdict of a gate.
type MemoryEvidence struct {
	Verdict string `json:"verdict" enum:"pass,fail"`
	Gate    string `json:"gate"`
	RunID   string `json:"runId"`
	Node    string `json:"node"`
	Summary string `json:"summary,omitempty"`
	TS      string `json:"ts" doc:"RFC 3339, UTC"`
}

// MemoryForgotten reports what was deleted.
type MemoryForgotten struct {
	ID string `json:"id"`
}

// MemoryExportArgs choose what is exported.
type MemoryExportArgs struct {
	Tiers []string `json:"tiers,omitempty" doc:"of entries: mid, episodic, long; without it long. Patterns and playbooks are always among them"`
	Scope string   `json:"scope,omitempty" doc:"without it the folder's" enum:"project,global"`
	InFolder
}

// MemoryExportResult is memory as JSON lines.
type MemoryExportResult struct {
	Text string `json:"text"`
	Rows int    `json:"rows"`
}

// MemoryImportArgs give memory as JSON lines.
type MemoryImportArgs struct {
	Text  string `json:"text"`
	Name  string `json:"name,omitempty" doc:"of the file, for people"`
	Scope string `json:"scope,omitempty" doc:"without it the folder's" enum:"project,global"`
	InFolder
}

// MemoryImportResult reports the result for each line.
type MemoryImportResult struct {
	Added int             `json:"added"`
	Known int             `json:"known" doc:"rows that were there already: what was there stays"`
	Bad   []MemoryBadLine `json:"bad"`
}

// MemoryBadLine is a line that was not imported.
type MemoryBadLine struct {
	Line   int    `json:"line" doc:"from 1"`
	Reason string `json:"reason"`
}
