package api

import (
	"forge/engine/execution"
)

// SearchArgs search a folder for a request in plain words.
type SearchArgs struct {
	Text   string   `json:"text,omitempty" doc:"the request, in plain words; may be empty if open is given"`
	Open   []string `json:"open,omitempty" doc:"URIs of open files, the active one first; related files come first, the open files themselves are left out"`
	Limit  int      `json:"limit,omitempty" doc:"limit of files; 20 by default, at most 200"`
	Folder string   `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the first open file, or the only one"`
}

// SearchResult lists hits, best first.
type SearchResult struct {
	Folder   string         `json:"folder" doc:"URI of the folder"`
	Complete bool           `json:"complete" doc:"false while the folder is still being indexed"`
	Hits     []SearchHit    `json:"hits"`
	Symbols  []SearchSymbol `json:"symbols"`
}

// SearchHit is a file that matches.
type SearchHit struct {
	URI     string         `json:"uri"`
	Path    string         `json:"path" doc:"relative to the folder"`
	Score   float64        `json:"score" doc:"comparable within one answer only"`
	Range   *Range         `json:"range,omitempty" doc:"the best matching lines"`
	Why     string         `json:"why" doc:"the signals, for display"`
	Signals []SearchSignal `json:"signals" doc:"reasons for the hit, the strongest first"`
	Lines   []SearchLine   `json:"lines" doc:"most relevant lines of the range, in order of the file"`
	Best    *SearchLine    `json:"best,omitempty" doc:"the most relevant of them"`
}

// SearchSignal is one reason for a hit.
type SearchSignal struct {
	Name  string  `json:"name"`
	Value float64 `json:"value" doc:"its share of the score"`
}

// SearchLine is a line of a file.
type SearchLine struct {
	Line uint32 `json:"line" doc:"from 0"`
	Text string `json:"text"`
}

// SearchSymbol is a definition that matches.
type SearchSymbol struct {
	URI    string  `json:"uri"`
	Path   string  `json:"path" doc:"relative to the folder"`
	Name   string  `json:"name"`
	Kind   string  `json:"kind" doc:"such as function, class or heading"`
	Detail string  `json:"detail,omitempty" doc:"its signature or type, on one line"`
	Range  Range   `json:"range" doc:"range of its name"`
	Score  float64 `json:"score" doc:"comparable within one answer only"`
}

// PackArgs ask for a map of a folder.
type PackArgs struct {
	Text   string   `json:"text,omitempty" doc:"the request, in plain words; files about it come first"`
	Open   []string `json:"open,omitempty" doc:"URIs of open files, the active one first; related files come first"`
	Budget int      `json:"budget,omitempty" doc:"limit of tokens; 8000 without it"`
	Folder string   `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the first open file, or the only one"`
}

// MapResult is a map of a folder.
type MapResult struct {
	Folder   string   `json:"folder" doc:"URI of the folder"`
	Complete bool     `json:"complete" doc:"false while the folder is still being indexed"`
	Text     string   `json:"text"`
	Tokens   int      `json:"tokens" doc:"estimated: characters divided by four"`
	Budget   int      `json:"budget" doc:"limit of tokens"`
	Files    []string `json:"files" doc:"paths of files shown with symbols, in the order of the text"`
}

// ContextResult is the context that a model would receive.
type ContextResult struct {
	Folder   string           `json:"folder" doc:"URI of the folder"`
	Complete bool             `json:"complete" doc:"false while the folder is still being indexed"`
	Tokens   int              `json:"tokens" doc:"of all sections, estimated: characters divided by four"`
	Budget   int              `json:"budget" doc:"limit of tokens"`
	Sections []ContextSection `json:"sections" doc:"in the order of the request"`
	Left     []string         `json:"left" doc:"paths of relevant files that did not fit"`
	Prompt   *PromptResult    `json:"prompt,omitempty" doc:"with a node: its first request; sections is empty then"`
}

// ContextSection is a file or the map, as a model would receive it.
type ContextSection struct {
	Name   string `json:"name" doc:"its relation to the request: target, direct dependency, transitive dependency, map"`
	Path   string `json:"path,omitempty" doc:"of the file, relative to the folder; none for the map"`
	URI    string `json:"uri,omitempty" doc:"of the file"`
	How    string `json:"how" doc:"how much of it is shown" enum:"full,signatures,path,map"`
	Tokens int    `json:"tokens"`
	Text   string `json:"text"`
}

// ImportsArgs ask for the imports of a file and its importers.
type ImportsArgs struct {
	URI   string `json:"uri,omitempty" doc:"the file; without it the only one that is open"`
	Depth int    `json:"depth,omitempty" doc:"depth of transitive and downstream; 2 without it, 8 at most"`
}

// ImportsResult names files by their paths relative to the folder, sorted.
type ImportsResult struct {
	Folder     string   `json:"folder" doc:"URI of the folder"`
	Complete   bool     `json:"complete" doc:"false while the folder is still being indexed"`
	Path       string   `json:"path" doc:"of the file, relative to the folder"`
	Direct     []string `json:"direct" doc:"files it imports"`
	Transitive []string `json:"transitive" doc:"files that those import, directly or indirectly"`
	Downstream []string `json:"downstream" doc:"files that import it, directly or indirectly"`
}

// ExploreArgs query one provider. Each provider reads some of the arguments.
type ExploreArgs struct {
	Provider string   `json:"provider" enum:"read_file,search_code,symbol_list,import_graph,run_tests,lint_check,git_log,git_diff,repo_map,discover_context,past_runs,playbooks"`
	Path     string   `json:"path,omitempty" doc:"a file or folder, relative to the folder"`
	Paths    []string `json:"paths,omitempty" doc:"files"`
	Start    int      `json:"start,omitempty" doc:"first line, from 1"`
	End      int      `json:"end,omitempty" doc:"last line"`
	Pattern  string   `json:"pattern,omitempty" doc:"a regular expression (RE2 syntax), or a text if literal is true"`
	Literal  bool     `json:"literal,omitempty"`
	Glob     string   `json:"glob,omitempty" doc:"only paths that match, such as **/*.go"`
	Query    string   `json:"query,omitempty" doc:"plain words"`
	Depth    int      `json:"depth,omitempty" doc:"distance in imports"`
	Limit    int      `json:"limit,omitempty" doc:"limit of results"`
	Base     string   `json:"base,omitempty" enum:"head,base" doc:"what to compare with"`
	Tags     []string `json:"tags,omitempty" doc:"tags of playbooks"`
	InFolder
}

// ExploreResult is the text that a model would receive.
type ExploreResult struct {
	Folder   string `json:"folder" doc:"URI of the folder"`
	Provider string `json:"provider"`
	Text     string `json:"text"`
	Failed   bool   `json:"failed" doc:"text is an error message"`
	Cut      bool   `json:"cut" doc:"the text is incomplete"`
}

// ClassifyArgs ask for the kind of work of a task.
type ClassifyArgs struct {
	Task string `json:"task"`
	Path string `json:"path,omitempty" doc:"the selected file, relative to the folder"`
}

// Classify returns the kind of work of a task.
func Classify(a ClassifyArgs) Class { return execution.Classify(a.Task, a.Path) }

// GatesResult lists the gates that would check a folder.
type GatesResult struct {
	Folder   string        `json:"folder" doc:"URI"`
	Projects []GateProject `json:"projects" doc:"each has one language"`
	Gates    []string      `json:"gates" doc:"in the order in which they run"`
	Waived   []string      `json:"waived" doc:"gates that the user's settings disable"`
	Known    []string      `json:"known" doc:"languages whose projects Forge detects"`
}

// GateProject is a project in a folder.
type GateProject struct {
	Language string   `json:"language"`
	Dir      string   `json:"dir" doc:"relative to the folder; empty is the folder itself"`
	Gates    []string `json:"gates"`
}

// ValidateArgs select what to validate.
type ValidateArgs struct {
	InFolder
	Files []string `json:"files,omitempty" doc:"files that must exist, relative to the folder"`
	Cwd   string   `json:"cwd,omitempty" doc:"directory to check: its projects, or else those that contain it. The verdict is error if it does not exist"`
	Gates []string `json:"gates,omitempty" doc:"only these gates, by their names in forge.gates.detect; without it all"`
}

// ValidateResult reports the verdicts of the gates on a folder.
type ValidateResult struct {
	Folder  string      `json:"folder" doc:"URI"`
	Verdict string      `json:"verdict" doc:"worst verdict; not-run if nothing was checked" enum:"pass,fail,error,not-run"`
	Found   GatesResult `json:"found"`
	Gates   []Gate      `json:"gates"`
	Skipped []string    `json:"skipped" doc:"files that are too large for the gates"`
}

// RenameArgs name a symbol and its new name.
type RenameArgs struct {
	Symbol     string `json:"symbol" doc:"the name, as written in code"`
	To         string `json:"to" doc:"the new name"`
	Path       string `json:"path,omitempty" doc:"a file with the symbol, relative to the folder, if the name alone is ambiguous"`
	Line       int    `json:"line,omitempty" doc:"the line in that file, from 1"`
	Scope      string `json:"scope,omitempty" doc:"file: only in path; all: every symbol of that name; without it one symbol" enum:"file,all"`
	Everywhere bool   `json:"everywhere,omitempty" doc:"rename whole words in strings, comments and documents too"`
	DryRun     bool   `json:"dryRun,omitempty" doc:"only return the proposal: it is not shown, not listed and not the last one, and its id leads to it"`
	InFolder
}

// ReplaceArgs name a text and its replacement.
type ReplaceArgs struct {
	Find     string   `json:"find" doc:"the exact text"`
	Replace  string   `json:"replace,omitempty" doc:"the replacement; empty deletes. With regexp, $1 is the first group"`
	Paths    []string `json:"paths,omitempty" doc:"only these files, folders, or patterns such as docs/**/*.md"`
	Word     bool     `json:"word,omitempty" doc:"whole words only"`
	Regexp   bool     `json:"regexp,omitempty" doc:"find is a regular expression (RE2 syntax)"`
	Variants bool     `json:"variants,omitempty" doc:"replace fooBar, FooBar, foo_bar, FOO_BAR and foo-bar together"`
	DryRun   bool     `json:"dryRun,omitempty" doc:"only return the proposal: it is not shown, not listed and not the last one, and its id leads to it"`
	InFolder
}

// SweepResult is the proposal of a rename or a replacement.
type SweepResult struct {
	Text     string    `json:"text" doc:"for display: the changes by file, or why there are none"`
	Refused  bool      `json:"refused" doc:"nothing would change"`
	Proposal *Proposal `json:"proposal,omitempty" doc:"missing if nothing would change"`
}

// ShowDocumentArgs name a document of Forge.
type ShowDocumentArgs struct {
	URI string `json:"uri" doc:"forge://spec/latest, forge://spec/2, forge://spec/1..2, forge://run/<id>, forge://prompt/<hash> or forge://prompt/<run>/<node>/<attempt>"`
}

// ShowDocumentResult reports where a document is shown.
type ShowDocumentResult struct {
	URI string `json:"uri" doc:"URI of the document, or of the file that replaces it"`
}
