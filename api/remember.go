package api

import (
	"forge/memory"
)

// SpecArgs name a version of the specification.
type SpecArgs struct {
	Version int `json:"version,omitempty" doc:"without it the latest"`
	InFolder
}

// SpecResult is a version of the specification.
type SpecResult struct {
	Version   int    `json:"version"`
	Text      string `json:"text" doc:"Markdown"`
	Prompt    string `json:"prompt,omitempty" doc:"the request that it was written for"`
	Changelog string `json:"changelog,omitempty" doc:"what this version changes"`
	Created   string `json:"created" doc:"RFC 3339, UTC"`
	Source    string `json:"source" doc:"its origin, for display"`
}

// SpecDiffArgs name two versions of the specification.
type SpecDiffArgs struct {
	From int `json:"from" doc:"0 is the latest"`
	To   int `json:"to,omitempty" doc:"without it the latest"`
	InFolder
}

// SpecDiffResult compares two versions.
type SpecDiffResult struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Diff string `json:"diff" doc:"unified diff; empty if they are equal"`
}

// MemoryKeyArgs name an entry of memory.
type MemoryKeyArgs struct {
	Key   string `json:"key"`
	Tier  string `json:"tier,omitempty" doc:"without it long" enum:"mid,episodic,long"`
	Agent string `json:"agent,omitempty" doc:"the agent that owns it; missing for none"`
	Scope string `json:"scope,omitempty" doc:"default: the folder's, then the global one" enum:"project,global"`
	InFolder
}

// MemorySetArgs name an entry of memory and its new value.
type MemorySetArgs struct {
	Key   string `json:"key"`
	Value string `json:"value" doc:"JSON, or else text"`
	Tier  string `json:"tier,omitempty" doc:"without it long" enum:"mid,episodic,long"`
	Agent string `json:"agent,omitempty" doc:"the agent that owns it; missing for none"`
	Scope string `json:"scope,omitempty" doc:"without it the folder's" enum:"project,global"`
	// Priority orders the user's entries in prompts.
	Priority int `json:"priority,omitempty" doc:"entries of the tier long with a higher priority come first in prompts"`
	InFolder
}

// MemoryListArgs filter rows of memory.
type MemoryListArgs struct {
	Kind   string `json:"kind,omitempty" enum:"entry,pattern,playbook"`
	Tier   string `json:"tier,omitempty" doc:"only entries of this tier" enum:"mid,episodic,long"`
	Agent  string `json:"agent,omitempty" doc:"only entries of this agent"`
	Prefix string `json:"prefix,omitempty" doc:"only entries whose key begins with this"`
	Limit  int    `json:"limit,omitempty" doc:"without it all"`
	Scope  string `json:"scope,omitempty" doc:"without it both" enum:"project,global"`
	// Category chooses patterns.
	Category string `json:"category,omitempty" doc:"only patterns of this category" enum:"convention,dependency,failure_pattern,success_pattern,test_command"`
	InFolder
}

// MemorySearchArgs search memory for a text.
type MemorySearchArgs struct {
	Text  string `json:"text"`
	Limit int    `json:"limit,omitempty" doc:"15 without it"`
	Scope string `json:"scope,omitempty" doc:"without it both" enum:"project,global"`
	InFolder
}

// MemoryIDArgs name a row of memory.
type MemoryIDArgs struct {
	ID    string `json:"id" doc:"such as entry-12"`
	Scope string `json:"scope,omitempty" doc:"scope of the id; without it project" enum:"project,global"`
	InFolder
}

// MemoryResult lists rows of memory.
type MemoryResult struct {
	Rows []MemoryRow `json:"rows"`
}

// MemoryRow is one row of memory.
type MemoryRow struct {
	ID         string  `json:"id" doc:"unique within its scope"`
	Scope      string  `json:"scope" enum:"project,global"`
	Kind       string  `json:"kind" enum:"entry,pattern,playbook"`
	Tier       string  `json:"tier,omitempty" doc:"of an entry" enum:"mid,episodic,long"`
	Agent      string  `json:"agent,omitempty" doc:"of an entry"`
	Key        string  `json:"key,omitempty" doc:"of an entry"`
	Category   string  `json:"category,omitempty" doc:"of a pattern"`
	Title      string  `json:"title,omitempty" doc:"of a playbook"`
	Text       string  `json:"text" doc:"value of an entry, observation of a pattern, or content of a playbook"`
	Fix        string  `json:"fix,omitempty" doc:"of a pattern: how to fix it"`
	Context    string  `json:"context,omitempty" doc:"of a pattern: what it looks like and where it applies"`
	Confidence float64 `json:"confidence,omitempty" doc:"of a pattern, from 0 to 1: adjusted by verdicts of gates"`
	Counted    float64 `json:"counted,omitempty" doc:"of a pattern: confidence before it has faded with time"`
	Score      float64 `json:"score,omitempty" doc:"of a search result; comparable within one answer only"`
	Updated    string  `json:"updated" doc:"RFC 3339, UTC"`
	Source     string  `json:"source" doc:"its origin, for display"`
	// Tags and RunID are of patterns and playbooks.
	Tags  []string `json:"tags,omitempty" doc:"of a pattern or playbook"`
	RunID string   `json:"runId,omitempty" doc:"the run that wrote it"`
}

// MemoryWhyResult reports where a row comes from, and what has changed its rank since.
type MemoryWhyResult struct {
	ID       string           `json:"id"`
	Scope    string           `json:"scope" enum:"project,global"`
	What     string           `json:"what" doc:"for display"`
	Origin   string           `json:"origin" enum:"user,gate,model,workspace,web,import"`
	RunID    string           `json:"runId,omitempty" doc:"the run that wrote it"`
	Node     string           `json:"node,omitempty" doc:"node of that run"`
	Event    int64            `json:"event,omitempty" doc:"number of the event in the log of that run"`
	Detail   string           `json:"detail,omitempty"`
	Source   string           `json:"source" doc:"all of that, for display"`
	Pattern  *MemoryRow       `json:"pattern,omitempty" doc:"of a pattern: what it says"`
	Created  string           `json:"created" doc:"RFC 3339, UTC"`
	Updated  string           `json:"updated,omitempty" doc:"RFC 3339, UTC"`
	Evidence []MemoryEvidence `json:"evidence" doc:"verdicts that the confidence of a pattern is computed from"`
}

// MemoryEvidence is one verdict of a gate.
type MemoryEvidence struct {
	Verdict string `json:"verdict" enum:"pass,fail"`
	Gate    string `json:"gate"`
	RunID   string `json:"runId"`
	Node    string `json:"node"`
	Event   int64  `json:"event,omitempty" doc:"number of the event in the log of the run"`
	Summary string `json:"summary,omitempty"`
	TS      string `json:"ts" doc:"RFC 3339, UTC"`
}

// MemoryForgotten reports what was deleted.
type MemoryForgotten struct {
	ID string `json:"id"`
}

// MemoryExportArgs select what to export.
type MemoryExportArgs struct {
	Tiers []string `json:"tiers,omitempty" doc:"tiers of entries: mid, episodic, long; without it long. Patterns and playbooks are always included"`
	Scope string   `json:"scope,omitempty" doc:"without it the folder's" enum:"project,global"`
	InFolder
}

// MemoryExportResult is memory as JSON lines.
type MemoryExportResult struct {
	Text string `json:"text"`
	Rows int    `json:"rows"`
}

// MemoryImportArgs contain memory as JSON lines.
type MemoryImportArgs struct {
	Text  string `json:"text"`
	Name  string `json:"name,omitempty" doc:"name of the file, for display"`
	Scope string `json:"scope,omitempty" doc:"without it the folder's" enum:"project,global"`
	InFolder
}

// MemoryImportResult reports the result for each line.
type MemoryImportResult struct {
	Added int             `json:"added"`
	Known int             `json:"known" doc:"rows that existed already and were not changed"`
	Bad   []MemoryBadLine `json:"bad"`
}

// MemoryBadLine is a line that was not imported.
type MemoryBadLine struct {
	Line   int    `json:"line" doc:"from 1"`
	Reason string `json:"reason"`
}

// SpecOf converts a version of the specification to the wire.
func SpecOf(s memory.Spec) SpecResult {
	return SpecResult{
		Version: s.Version, Text: s.Text, Prompt: s.Prompt, Changelog: s.Changelog, Created: Stamp(s.Created), Source: s.Source.String(),
	}
}
