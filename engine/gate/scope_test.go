package gate

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRelative_NamesPathsFromAFolder(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"", "a/b.go", "a/b.go"}, {"a", "a/b.go", "b.go"}, {"a", "b.go", "../b.go"}, {"a", "ab/c.go", "../ab/c.go"},
		{"a/b", "a/c/d.go", "../c/d.go"}, {"a/b", "c.go", "../../c.go"},
	} {
		require.Equal(t, c[2], relative(c[0], c[1]), c)
	}
}

type scoped struct {
	seer
	scope *Scope
}

func (s scoped) RunIn(ctx context.Context, t Tree, scope Scope) Report {
	*s.scope = scope
	return s.seer.Run(ctx, t)
}

func (s scoped) Concerned(_ Tree, changed []string) bool { return changed[0] == "a.go" }

func TestRunIn_GivesAFolderItsOwnPaths(t *testing.T) {
	t.Parallel()
	var seen string
	var scope Scope
	g := In("web", scoped{seer{&seen}, &scope})
	report := RunIn(t.Context(), g, root("/tree"), Scope{Changed: []string{"web/a.go", "b.go"}, Reach: ReachNear})
	require.Equal(t, Scope{Changed: []string{"a.go", "../b.go"}, Reach: ReachNear}, scope)
	require.Equal(t, filepath.Join("/tree", "web"), seen)
	require.Equal(t, "web/a.go", report.Findings[0].Path)
	require.Equal(t, "see (web)", report.Gate)

	scope = Scope{}
	RunIn(t.Context(), g, root("/tree"), Scope{Changed: []string{"web/a.go"}})
	RunIn(t.Context(), g, root("/tree"), Scope{Reach: ReachNear})
	require.Empty(t, scope, "everything is asked for")

	require.True(t, Concerned(g, root("/tree"), []string{"web/a.go"}))
	require.False(t, Concerned(g, root("/tree"), []string{"a.go"}))
	require.True(t, Concerned(g, root("/tree"), nil), "it is unknown what has changed")
	require.True(t, Concerned(In("web", seer{&seen}), root("/tree"), []string{"a.go"}), "a gate that cannot decide")
}
