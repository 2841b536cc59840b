package tool

import (
	"context"
	"time"

	"forge/codeintel"
	"forge/engine/gate"
	"forge/patch"
)

// World is what tools work on. All but Tree may be nil: a tool that needs a missing one reports this.
type World struct {
	Tree     Tree
	Outliner codeintel.Outliner // finds the symbols of a text
	Names    codeintel.Finder   // finds the places of names in code
	Servers  Servers            // nil: no language server may be started
	Folder   Folder             // what is known of the folder
	Checks   Checks
	History  History
	Records  Records
	Commands Commands // nil: commands are switched off
	Web      Web      // nil: nothing is read from the web
	MCP      MCP      // nil: no tool of an MCP server may be called
	// Terms are what the reader of a result calls the arguments of tools that change the whole folder.
	Terms codeintel.Terms
	// Show returns what may be shown of the text of a file: the same number of lines, without secrets. Nil is all of it.
	Show func(path, text string) string
}

// Tree is the run's own state of the folder, its edits included.
type Tree interface {
	patch.Files
	// List returns the paths of the files, sorted.
	List(ctx context.Context) ([]string, error)
	// Changes returns what differs from the snapshot that the run began with.
	Changes(ctx context.Context) (patch.ChangeSet, error)
}

// Folder is what is known of the folder as the user has it: an index of it, which may be a moment old.
type Folder interface {
	// Find returns the files that a text is about, best first.
	Find(ctx context.Context, text string, limit int) ([]Found, error)
	// Imports reports which files a file imports, and which import it.
	Imports(ctx context.Context, path string, depth int) (Imports, error)
	// Map shows what matters for a text, in a budget of tokens.
	Map(ctx context.Context, text string, budget int) (string, error)
}

// Found is a file that a text may be about.
type Found struct {
	Path        string
	First, Last int      // the lines that fit best, from 1; 0 if none do
	Why         []string // what spoke for it, the strongest first
}

// Imports are the files around one file, each list sorted.
type Imports struct {
	Direct     []string // it imports them
	Transitive []string // those import them
	Downstream []string // they import it
}

// Checks are the gates of the projects in the tree.
type Checks interface {
	// Run runs those of a kind on the tree, cheapest first. They end with ctx.
	Run(ctx context.Context, kind CheckKind) ([]gate.Report, error)
}

// CheckKind is a kind of gates.
type CheckKind int

// The kinds of checks.
const (
	Tests      CheckKind = iota // the suites
	Lint                        // what only looks at the code: formatters, linters, compilers
	OtherCheck                  // what no tool asks for
)

// History is the history of the folder's repository. It is read, never written, and no program of the repository runs.
type History interface {
	// Log returns the newest commits, newest first.
	Log(ctx context.Context, limit int) ([]codeintel.Commit, error)
	// Uncommitted returns the differences of the snapshot of the run from the commit that is checked out. Without a commit, known is false.
	Uncommitted(ctx context.Context) (changes patch.ChangeSet, known bool, err error)
	// Branch names the branch that is checked out; empty where there is none.
	Branch() string
}

// Records are what is kept of earlier runs.
type Records interface {
	Runs(ctx context.Context, limit int) ([]PastRun, error)
	// Playbooks are those for any of the tags; without tags all.
	Playbooks(ctx context.Context, tags []string, limit int) ([]Playbook, error)
}

// PastRun is an earlier run in the folder.
type PastRun struct {
	ID, Title, State, Reason string
	Started                  time.Time
	Files                    int // that it proposed to change
}

// Playbook is a written procedure of this folder.
type Playbook struct {
	Title, Text string
	Tags        []string
}

// Commands start programs in the run's tree, within what the user's settings allow.
type Commands interface {
	// Run starts a program, and returns its result. The error means that ctx has ended, or that the tree cannot be read.
	Run(ctx context.Context, argv []string) (Ran, error)
}

// Ran is the result of a command.
type Ran struct {
	Failed string // why it has no result, for the model: it was not started, or was stopped; the other fields are empty then
	// Refused is true if it may not be started.
	Refused bool
	Exit    int             // its exit code; below 0 where a signal ended it
	Output  string          // both streams, in the order in which they were written
	Cut     bool            // there was more
	Change  patch.ChangeSet // what it made of the tree
}

// Web reads from the web, within what the user's settings allow. What it returns is the text of others.
type Web interface {
	// Read returns the page of an address. The error is for models and users.
	Read(ctx context.Context, url string) (Page, error)
	// Search returns the answer of the user's search endpoint to a query.
	Search(ctx context.Context, query string) (Page, error)
}

// Page is what can be read of a page.
type Page struct {
	URL   string // where it was found in the end
	Title string // one line; may be empty
	Text  string
	Links []Link // in the order of the page, each address once
	Cut   bool   // there was more
}

// Link is a way to another page.
type Link struct{ URL, Text string }
