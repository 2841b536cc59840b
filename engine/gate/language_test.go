package gate

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

type root string

func (r root) Dir() string { return string(r) }

// seer finds something in the folder that it is shown.
type seer struct{ seen *string }

func (seer) Name() string { return "see" }
func (seer) Stage() Stage { return StageTest }
func (s seer) Run(_ context.Context, t Tree) Report {
	*s.seen = t.Dir()
	return Report{Gate: "see", Verdict: Fail, Findings: []Finding{{Path: "a.go", Line: 3}, {Message: "nowhere"}}}
}

func TestIn_RunsAGateInAFolder(t *testing.T) {
	t.Parallel()
	var seen string
	g := In("web/app", seer{&seen})
	report := g.Run(t.Context(), root("/tree"))
	require.Equal(t, filepath.Join("/tree", "web", "app"), seen)
	require.Equal(t, "see (web/app)", g.Name())
	require.Equal(t, g.Name(), report.Gate)
	require.Equal(t, StageTest, StageOf(g))
	require.Equal(t, []Finding{{Path: "web/app/a.go", Line: 3}, {Message: "nowhere"}}, report.Findings)
	require.Equal(t, "see", In("", seer{&seen}).Name())
	for _, dir := range []string{"", "web/app", "a (b)"} {
		gotDir, gotName := SplitName(NameIn(dir, "go test"))
		require.Equal(t, []string{dir, "go test"}, []string{gotDir, gotName})
	}
}
