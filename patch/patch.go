// Package patch is edits as values. Several front-ends (V4A patches, search/replace blocks and lists,
// unified diffs, action lists) are parsed into one intermediate representation. patch/match finds where each
// hunk of it belongs, and the outcome is a ChangeSet: the new text of every file, in memory.
// Nothing here reads or writes a disk.
//
//	text ── ParseAny ───────────► Patch ── match.Resolve(Files) ──► ChangeSet ── Unified ──► for people
//	pairs ── FromReplacements ──► Patch ──────┘                        │
//	entries ─────────────────────────── match.Whole(Files) ─────────►  │
//	                                                                   └── Diff(Before, After) ──► []Edit ── Apply ──► text
//
// Merge brings what two sides made of one text together.
//
// Invariant: replacement text is literal.
package patch

// Kind is what an operation or a change does to a file.
type Kind int

// The kinds.
const (
	Update Kind = iota
	Create
	Delete
	Move // an update, possibly without hunks, whose result has another path
)

// String names the kind as people read it: "update", "create", "delete", "move".
func (k Kind) String() string {
	names := [...]string{"update", "create", "delete", "move"}
	if k < 0 || int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// KindNamed is the kind of a name that String returns.
func KindNamed(name string) (k Kind, ok bool) {
	for k = Update; k <= Move; k++ {
		if k.String() == name {
			return k, true
		}
	}
	return 0, false
}

// Patch is a parsed edit, not yet matched against any text.
type Patch struct {
	Ops []FileOp
}

// FileOp is what a patch does to one file.
type FileOp struct {
	Kind    Kind
	Path    string // slash-separated, relative to the root
	To      string // destination, for Move
	Content string // whole text, for Create
	Fill    bool   // for Create: an empty file may already be there
	Write   bool   // for Create: any file may already be there and gets the whole text, as Replace says
	Hunks   []Hunk // for Update and Move
}

// Hunk is one replacement inside a file.
type Hunk struct {
	Anchors []string // stacked "@@" headers, outermost first; hints that break ties
	Lines   []Line
	EOF     bool     // the hunk must end at the end of the file
	Near    int      // from 1, where the old lines are said to begin; 0 if nothing is said; a hint that breaks ties
	Final   FinalEnd // for a hunk that reaches the end of the file: whether its last line ends there
	Literal *Literal // the pair of texts the hunk was made of, if it was
}

// FinalEnd says whether the last line of a file has a line end after a hunk.
type FinalEnd int

// The states of the last line.
const (
	EndKept FinalEnd = iota // as it was
	EndPut                  // it has one
	EndCut                  // it has none
)

// Literal is a text and what stands for it afterwards, byte for byte. It finds what is no whole line.
type Literal struct {
	Old, New string
}

// LineKind says whether a line of a hunk is kept, removed or added.
type LineKind byte

// The kinds of line, as their markers.
const (
	Context LineKind = ' '
	Remove  LineKind = '-'
	Add     LineKind = '+'
)

// Line is one line of a hunk, without its marker and its end-of-line.
type Line struct {
	Kind LineKind
	Text string
}

// Level is the rung of the match ladder at which a hunk was found.
type Level int

// The rungs, strictest first.
const (
	Exact         Level = iota
	TrailingSpace       // equal but for white space at line ends
	Unicode             // equal but for typographic punctuation and spaces
	Indentation         // equal but for one uniform offset of indentation
	ContextSubset       // removed lines equal as at Unicode, and enough of the context
	Likeness            // no rung: nowhere, but like what stands there, and somebody has confirmed it
)

// String names the rung as people read it: "exact", "trailing space", "unicode", "indentation",
// "context subset"; and "likeness".
func (l Level) String() string {
	names := [...]string{"exact", "trailing space", "unicode", "indentation", "context subset", "likeness"}
	if l < 0 || int(l) >= len(names) {
		return "unknown"
	}
	return names[l]
}

// Match says how a hunk was found.
type Match struct {
	Level Level
	Line  int // from 1, of the hunk's first old line in the text before the patch; at ContextSubset of its first change
}

// FileChange is one file before and after.
type FileChange struct {
	Kind    Kind
	Path    string
	From    string // former path, for Move
	Before  string // whole text; empty for Create
	After   string // whole text; empty for Delete
	Matches []Match
}

// ChangeSet is the outcome of a patch: at most one change per path, ordered by path.
type ChangeSet struct {
	Files []FileChange
}

// Edit replaces the bytes [Start, End) of a text by New.
type Edit struct {
	Start, End int
	New        string
}

// Files reads the texts a patch is matched against. ReadFile returns an error that matches
// fs.ErrNotExist for a path that is not there.
type Files interface {
	ReadFile(path string) ([]byte, error)
}

// Conflict is a place where two sides changed the same lines differently. Lines count from 1 and are
// half-open; they are positions in the base text.
type Conflict struct {
	StartLine, EndLine int
	Base, Ours, Theirs string
}
