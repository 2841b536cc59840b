package proposal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/patch"
)

const (
	before = "package p\n\nfunc A() int {\n\treturn 1\n}\n\nfunc B() int {\n\treturn 2\n}\n"
	after  = "package p\n\nfunc A() int {\n\treturn 10\n}\n\nfunc B() int {\n\treturn 20\n}\n"
)

// update is a proposal of one changed file, p.go, with the hunks f1h1 (A) and f1h2 (B).
func update(t *testing.T) *Proposal {
	t.Helper()
	p := propose(patch.FileChange{Kind: patch.Update, Path: "p.go", Before: before, After: after})
	require.Len(t, p.Files[0].Hunks, 2)
	return p
}

func propose(changes ...patch.FileChange) *Proposal {
	return New("p1", "r1", "task", patch.ChangeSet{Files: changes}, nil, nil)
}

// files answers like a folder that holds exactly these texts.
func files(texts map[string]string) func(string) (Current, error) {
	return func(path string) (Current, error) {
		text, ok := texts[path]
		return Current{Text: text, Exists: ok}, nil
	}
}

func states(p *Proposal) map[string]State {
	got := map[string]State{}
	for h := range p.hunks() {
		got[h.ID] = h.State
	}
	return got
}

func TestNew_CutsHunks(t *testing.T) {
	t.Parallel()
	p := New("p1", "r1", "task", patch.ChangeSet{Files: []patch.FileChange{
		{
			Kind: patch.Update, Path: "a.go", Before: before, After: after,
			Matches: []patch.Match{{Level: patch.Exact}, {Level: patch.Unicode}},
		},
		{Kind: patch.Update, Path: "b.go", Before: before, After: before}, // changes nothing
		{Kind: patch.Create, Path: "c.go", After: "x\ny\n"},
		{Kind: patch.Delete, Path: "d.go", Before: "x\ny\n"},
		{Kind: patch.Move, Path: "to.go", From: "from.go", Before: "x\ny\nz\n", After: "x\nY\nz\n"},
		{Kind: patch.Update, Path: "far.go", Before: "x\n", After: "y\n"},
	}}, nil, func(path string) bool { return path != "far.go" })

	type row struct {
		ID, Path string
		Line     int
		Edit     patch.Edit
		Level    patch.Level
		Risk     Risk
		State    State
	}
	var got []row
	for h := range p.hunks() {
		got = append(got, row{h.ID, h.Path, h.Line, h.Edit, h.Level, h.Risk, h.State})
	}
	at := strings.Index(before, "\treturn 1\n")
	at2 := strings.Index(before, "\treturn 2\n")
	require.Empty(t, cmp.Diff([]row{
		{"f1h1", "a.go", 4, patch.Edit{Start: at, End: at + 10, New: "\treturn 10\n"}, patch.Unicode, RiskInexact, Pending},
		{"f1h2", "a.go", 8, patch.Edit{Start: at2, End: at2 + 10, New: "\treturn 20\n"}, patch.Unicode, RiskInexact, Pending},
		{"f2h1", "c.go", 1, patch.Edit{New: "x\ny\n"}, patch.Exact, "", Pending},
		{"f3h1", "d.go", 1, patch.Edit{End: 4}, patch.Exact, RiskDelete, Pending},
		{"f4h1", "to.go", 2, patch.Edit{Start: 2, End: 4, New: "Y\n"}, patch.Exact, RiskMove, Pending},
		{"f5h1", "far.go", 1, patch.Edit{End: 2, New: "y\n"}, patch.Exact, RiskScope, Pending},
	}, got))
}

func TestSelect_PicksHunks(t *testing.T) {
	t.Parallel()
	p := propose(
		patch.FileChange{Kind: patch.Update, Path: "p.go", Before: before, After: after},
		patch.FileChange{Kind: patch.Create, Path: "q.go", After: "x\n"},
	)
	p.MarkConflict([]string{"f1h1"})
	p.Reject([]string{"f1h2"}, "")
	for name, test := range map[string]struct {
		selection Selection
		want      []string
		err       string
	}{
		"nothing named is all that is open":     {Selection{}, []string{"f1h1", "f2h1"}, ""},
		"a file is its open hunks":              {Selection{Files: []string{"p.go"}}, []string{"f1h1"}, ""},
		"a hunk is taken whatever its state":    {Selection{Hunks: []string{"f1h2"}}, []string{"f1h2"}, ""},
		"in the proposal's order, each once":    {Selection{Files: []string{"q.go", "p.go"}, Hunks: []string{"f1h1"}}, []string{"f1h1", "f2h1"}, ""},
		"an unknown file is named with choices": {Selection{Files: []string{"z.go"}}, nil, `proposal p1 has no file "z.go"; its files are p.go, q.go`},
		"an unknown hunk is named with choices": {Selection{Hunks: []string{"f9h9"}}, nil, `proposal p1 has no hunk "f9h9"; its hunks are f1h1, f1h2, f2h1`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := p.Select(test.selection)
			if test.err != "" {
				require.EqualError(t, err, test.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestProposal_Decisions(t *testing.T) {
	t.Parallel()
	p := update(t)
	clone := p.Clone()
	require.True(t, p.Open())

	p.Settle("p.go", Current{Text: strings.Replace(before, "return 1\n", "return 10\n", 1), Exists: true})
	p.Reject([]string{"f1h1", "f1h2"}, "")
	require.Equal(t, map[string]State{"f1h1": Accepted, "f1h2": Rejected}, states(p), "what is accepted is not rejected")
	p.MarkConflict([]string{"f1h1", "f1h2"})
	require.Equal(t, map[string]State{"f1h1": Accepted, "f1h2": Rejected}, states(p), "only open hunks get into conflict")
	require.False(t, p.Open())
	require.Equal(t, map[string]State{"f1h1": Pending, "f1h2": Pending}, states(clone), "a clone has states of its own")
}

func TestUnified_ShowsEverything(t *testing.T) {
	t.Parallel()
	text := update(t).Unified()
	for _, line := range []string{"-\treturn 1\n", "+\treturn 10\n", "-\treturn 2\n", "+\treturn 20\n", " func B() int {\n"} {
		require.Contains(t, text, line)
	}
}
