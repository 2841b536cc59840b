// Package patch represents edits as values. Parsers of several formats (V4A patches, search/replace blocks and lists, unified diffs,
// action lists) produce one intermediate representation. patch/match finds the places of its hunks, and returns a ChangeSet: the new
// text of every file, in memory. This package does not read or write a disk.
//
//	text ── ParseAny ───────────► Patch ── match.Resolve(Files) ──► ChangeSet ── Unified ──► for users
//	pairs ── FromReplacements ──► Patch ──────┘                        │
//	entries ─────────────────────────── match.Whole(Files) ─────────►  │
//	                                                                   └── Diff(Before, After) ──► []Edit ── Apply ──► text
//
// Merge merges the changes of two sides of one text.
//
// Invariant: replacement text is literal.
package patch

import "io/fs"

// Kind is the effect of an operation or a change on a file.
type Kind int

// The kinds.
const (
	Update Kind = iota
	Create
	Delete
	Move // an update, possibly without hunks, whose result has another path
)

// String returns the name of the kind: "update", "create", "delete", "move".
func (k Kind) String() string {
	names := [...]string{"update", "create", "delete", "move"}
	if k < 0 || int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// KindNamed returns the kind with a name of String.
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

// FileOp is the part of a patch for one file.
type FileOp struct {
	Kind    Kind
	Path    string // slash-separated, relative to the root
	To      string // destination, for Move
	Content string // whole text, for Create
	Fill    bool   // for Create: an empty file may exist
	Write   bool   // for Create: any file may exist and gets the whole text; see Replace
	Hunks   []Hunk // for Update and Move
}

// Hunk is one replacement inside a file.
type Hunk struct {
	Anchors []string // stacked "@@" headers, outermost first; hints that break ties
	Lines   []Line
	EOF     bool     // the hunk must end at the end of the file
	Near    int      // from 1, the given line of the old lines; 0 if none is given; a hint that breaks ties
	Final   FinalEnd // for a hunk that reaches the end of the file: whether its last line ends there
	Literal *Literal // the pair of texts that the hunk was made of; may be nil
}

// FinalEnd is the line end of a file's last line after a hunk.
type FinalEnd int

// The states of the last line.
const (
	EndKept FinalEnd = iota // as it was
	EndPut                  // it has one
	EndCut                  // it has none
)

// Literal is a text and its replacement, byte for byte. It also matches parts of lines.
type Literal struct {
	Old, New string
}

// LineKind is whether a line of a hunk is kept, removed or added.
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

// Level is the rung of the match ladder at which a hunk matched.
type Level int

// The rungs, strictest first.
const (
	Exact         Level = iota
	TrailingSpace       // equal but for white space at line ends
	Unicode             // equal but for typographic punctuation and spaces
	Indentation         // equal but for one uniform offset of indentation
	ContextSubset       // removed lines equal as at Unicode, and enough of the context
	Likeness            // no rung: similar to the text there, and confirmed by the user
)

// String returns the name of the rung: "exact", "trailing space", "unicode", "indentation", "context subset"; and "likeness".
func (l Level) String() string {
	names := [...]string{"exact", "trailing space", "unicode", "indentation", "context subset", "likeness"}
	if l < 0 || int(l) >= len(names) {
		return "unknown"
	}
	return names[l]
}

// Match describes how a hunk matched.
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
	Mode    fs.FileMode `json:",omitzero"` // for Create and Delete, the permissions of the file; 0 if they are unknown
}

// ChangeSet is the result of a patch: at most one change per path, ordered by path.
type ChangeSet struct {
	Files []FileChange
}

// Edit replaces the bytes [Start, End) of a text by New.
type Edit struct {
	Start, End int
	New        string
}

// Files reads the texts of a patch's files. ReadFile returns an error that matches fs.ErrNotExist for a missing file.
type Files interface {
	ReadFile(path string) ([]byte, error)
}

// Conflict is a place where two sides changed the same lines differently. Lines count from 1 and are
// half-open; they are positions in the base text.
type Conflict struct {
	StartLine, EndLine int
	Base, Ours, Theirs string
}
