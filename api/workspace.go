package api

import (
	"forge/engine/checks"
	"forge/engine/execution"
)

// SearchArgs ask what a request in plain words is about.
type SearchArgs struct {
	Text   string   `json:"text,omitempty" doc:"the request, in plain words; may be empty where files are open"`
	Open   []string `json:"open,omitempty" doc:"URIs of open files, the one in front first: what belongs to them comes first, they themselves are left out"`
	Limit  int      `json:"limit,omitempty" doc:"how many files to find; 20 without it, 200 at most"`
	Folder string   `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the first open file, or the only one"`
}

// SearchResult is what was found, best first.
type SearchResult struct {
	Folder   string         `json:"folder" doc:"URI of the folder"`
	Complete bool           `json:"complete" doc:"false while the folder is being read: then there may be better ones"`
	Hits     []SearchHit    `json:"hits"`
	Symbols  []SearchSymbol `json:"symbols"`
}

// SearchHit is a file a request may be about.
type SearchHit struct {
	URI     string         `json:"uri"`
	Path    string         `json:"path" doc:"relative to the folder"`
	Score   float64        `json:"score" doc:"comparable within one answer only"`
	Range   *Range         `json:"range,omitempty" doc:"the lines that fit best"`
	Why     string         `json:"why" doc:"the signals in words, for people"`
	Signals []SearchSignal `json:"signals" doc:"what spoke for it, the strongest first"`
	Lines   []SearchLine   `json:"lines" doc:"lines of the range that say most, in order of the file"`
	Best    *SearchLine    `json:"best,omitempty" doc:"the first of them that says as much as any"`
}

// SearchSignal is one reason for a hit.
type SearchSignal struct {
	Name  string  `json:"name"`
	Value float64 `json:"value" doc:"its part of the score"`
}

// SearchLine is a line of a file.
type SearchLine struct {
	Line uint32 `json:"line" doc:"from 0"`
	Text string `json:"text"`
}

// SearchSymbol is a definition a request may be about.
type SearchSymbol struct {
	URI    string  `json:"uri"`
	Path   string  `json:"path" doc:"relative to the folder"`
	Name   string  `json:"name"`
	Kind   string  `json:"kind" doc:"such as function, class or heading"`
	Detail string  `json:"detail,omitempty" doc:"its signature or type, on one line"`
	Range  Range   `json:"range" doc:"of its name"`
	Score  float64 `json:"score" doc:"comparable within one answer only"`
}

// PackArgs ask for what a model would see of a folder.
type PackArgs struct {
	Text   string   `json:"text,omitempty" doc:"the request, in plain words: what it is about comes first"`
	Open   []string `json:"open,omitempty" doc:"URIs of open files, the one in front first: what belongs to them comes first"`
	Budget int      `json:"budget,omitempty" doc:"tokens at most; 8000 without it"`
	Folder string   `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the first open file, or the only one"`
}

// MapResult is a map of a folder.
type MapResult struct {
	Folder   string   `json:"folder" doc:"URI of the folder"`
	Complete bool     `json:"complete" doc:"false while the folder is being read: then there may be more"`
	Text     string   `json:"text"`
	Tokens   int      `json:"tokens" doc:"estimated: characters divided by four"`
	Budget   int      `json:"budget" doc:"what they could have been"`
	Files    []string `json:"files" doc:"paths of those shown with symbols, in the order of the text"`
}

// ContextResult is what would be sent to a model.
type ContextResult struct {
	Folder   string           `json:"folder" doc:"URI of the folder"`
	Complete bool             `json:"complete" doc:"false while the folder is being read: then there may be more"`
	Tokens   int              `json:"tokens" doc:"of all sections, estimated: characters divided by four"`
	Budget   int              `json:"budget" doc:"what they could have been"`
	Sections []ContextSection `json:"sections" doc:"in the order in which they would be sent"`
	Left     []string         `json:"left" doc:"paths of files that matter, of which nothing fitted"`
	Prompt   *PromptResult    `json:"prompt,omitempty" doc:"with a node: its first request; then there are no sections beside it"`
}

// ContextSection is a file, or the map, as it would be sent.
type ContextSection struct {
	Name   string `json:"name" doc:"what it is to the request, for people: target, direct dependency, transitive dependency, map"`
	Path   string `json:"path,omitempty" doc:"of the file, relative to the folder; none for the map"`
	URI    string `json:"uri,omitempty" doc:"of the file"`
	How    string `json:"how" doc:"how much is shown of it" enum:"full,signatures,path,map"`
	Tokens int    `json:"tokens"`
	Text   string `json:"text"`
}

// ImportsArgs ask what a file imports, and who imports it.
type ImportsArgs struct {
	URI   string `json:"uri,omitempty" doc:"the file; without it the only one that is open"`
	Depth int    `json:"depth,omitempty" doc:"how many steps transitive and downstream go; 2 without it, 8 at most"`
}

// ImportsResult names files by their paths relative to the folder, sorted.
type ImportsResult struct {
	Folder     string   `json:"folder" doc:"URI of the folder"`
	Complete   bool     `json:"complete" doc:"false while the folder is being read: then there may be more"`
	Path       string   `json:"path" doc:"of the file, relative to the folder"`
	Direct     []string `json:"direct" doc:"what it imports"`
	Transitive []string `json:"transitive" doc:"what those import, and so on"`
	Downstream []string `json:"downstream" doc:"what imports it, directly or not"`
}

// ExploreArgs ask one provider. Each takes some of the arguments.
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
	Depth    int      `json:"depth,omitempty" doc:"how many imports away"`
	Limit    int      `json:"limit,omitempty" doc:"at most so many"`
	Base     string   `json:"base,omitempty" enum:"head,base" doc:"what to compare with"`
	Tags     []string `json:"tags,omitempty" doc:"of playbooks"`
	InFolder
}

// ExploreResult is the text that a model would receive.
type ExploreResult struct {
	Folder   string `json:"folder" doc:"URI of the folder"`
	Provider string `json:"provider"`
	Text     string `json:"text"`
	Failed   bool   `json:"failed" doc:"text says why there is no answer"`
	Cut      bool   `json:"cut" doc:"there was more"`
}

// ClassifyArgs asks what kind of work a task is.
type ClassifyArgs struct {
	Task string `json:"task"`
	Path string `json:"path,omitempty" doc:"what the user points at, relative to the folder"`
}

// Classify says what kind of work a task is.
func Classify(a ClassifyArgs) Class { return execution.Classify(a.Task, a.Path) }

// GatesResult lists the gates that would check a folder.
type GatesResult struct {
	Folder   string        `json:"folder" doc:"URI"`
	Projects []GateProject `json:"projects" doc:"those in the folder, each of one language"`
	Gates    []string      `json:"gates" doc:"in the order in which they run"`
	Waived   []string      `json:"waived" doc:"gates that the user's settings leave out"`
	Known    []string      `json:"known" doc:"the languages whose projects are found"`
}

// GateProject is a project in a folder.
type GateProject struct {
	Language string   `json:"language"`
	Dir      string   `json:"dir" doc:"relative to the folder; empty is the folder itself"`
	Gates    []string `json:"gates"`
}

// ValidateArgs say what is to be validated.
type ValidateArgs struct {
	InFolder
	Files []string `json:"files,omitempty" doc:"files that must be there, relative to the folder"`
	Cwd   string   `json:"cwd,omitempty" doc:"where in the folder is checked: the projects in it, or else those that it lies in. The verdict is error where it is not there"`
	Gates []string `json:"gates,omitempty" doc:"only these, by the names that forge.gates.detect gives; without it all"`
}

// ValidateResult reports the gates' verdicts on a folder as it is.
type ValidateResult struct {
	Folder  string      `json:"folder" doc:"URI"`
	Verdict string      `json:"verdict" doc:"of all together; not-run where nothing was checked" enum:"pass,fail,error,not-run"`
	Found   GatesResult `json:"found"`
	Gates   []Gate      `json:"gates"`
	Skipped []string    `json:"skipped" doc:"files that are too large for the gates to see"`
}

// GatesOf is what is detected in a folder, as it goes over the wire.
func GatesOf(root string, v checks.Validation) GatesResult {
	r := GatesResult{Folder: FileURI(root), Projects: []GateProject{}, Gates: list(v.Gates, same), Waived: list(v.Waived, same), Known: list(v.Known, same)}
	for _, u := range v.Units {
		r.Projects = append(r.Projects, GateProject{Language: u.Language, Dir: u.Dir, Gates: list(u.Gates, same)})
	}
	return r
}

// ValidateOf is a validation, as it goes over the wire.
func ValidateOf(root string, v checks.Validation) ValidateResult {
	r := ValidateResult{Folder: FileURI(root), Verdict: v.Verdict().String(), Found: GatesOf(root, v), Gates: []Gate{}, Skipped: list(v.Skipped, same)}
	for _, report := range v.Reports {
		r.Gates = append(r.Gates, GateOf(report))
	}
	return r
}

// RenameArgs say which symbol is to have which name.
type RenameArgs struct {
	Symbol     string `json:"symbol" doc:"the name, as it stands in code"`
	To         string `json:"to" doc:"the new name"`
	Path       string `json:"path,omitempty" doc:"a file in which it stands, relative to the folder, where the name alone does not say which symbol is meant"`
	Line       int    `json:"line,omitempty" doc:"the line in that file, from 1"`
	Scope      string `json:"scope,omitempty" doc:"file: only in path; all: every symbol of that name; without it the symbol that is meant" enum:"file,all"`
	Everywhere bool   `json:"everywhere,omitempty" doc:"rename whole words in strings, comments and documents, too"`
	DryRun     bool   `json:"dryRun,omitempty" doc:"return the proposal and do not show it"`
	InFolder
}

// ReplaceArgs say which text is to be replaced.
type ReplaceArgs struct {
	Find     string   `json:"find" doc:"the text, exactly as it stands"`
	Replace  string   `json:"replace,omitempty" doc:"what is to stand there; nothing removes it. With regexp, $1 is the first group"`
	Paths    []string `json:"paths,omitempty" doc:"only these files, folders, or patterns such as docs/**/*.md"`
	Word     bool     `json:"word,omitempty" doc:"whole words only"`
	Regexp   bool     `json:"regexp,omitempty" doc:"find is a regular expression (RE2 syntax)"`
	Variants bool     `json:"variants,omitempty" doc:"fooBar, FooBar, foo_bar, FOO_BAR and foo-bar together"`
	DryRun   bool     `json:"dryRun,omitempty" doc:"return the proposal and do not show it"`
	InFolder
}

// SweepResult is what a rename or a replacement would change.
type SweepResult struct {
	Text     string    `json:"text" doc:"for people: what is changed, file by file, or why nothing is"`
	Refused  bool      `json:"refused" doc:"nothing is changed"`
	Proposal *Proposal `json:"proposal,omitempty" doc:"without it nothing is changed"`
}

// ShowDocumentArgs name a document of Forge's.
type ShowDocumentArgs struct {
	URI string `json:"uri" doc:"forge://spec/latest, forge://spec/2, forge://spec/1..2, forge://prompt/<hash> or forge://prompt/<run>/<node>/<attempt>"`
}

// ShowDocumentResult reports where a document is shown.
type ShowDocumentResult struct {
	URI string `json:"uri" doc:"of the document, or of the file that stands for it"`
}
