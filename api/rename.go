package api

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
