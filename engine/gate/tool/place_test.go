package tool

import (
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

// After it every finding is at a line of a file, and what the tool named stays.
func TestLocate_GivesEachFindingAPlace(t *testing.T) {
	t.Parallel()
	look := func(f gate.Finding) (Place, bool) { return Place{Path: "found.go", Line: 7}, f.Message == "find" }
	for name, test := range map[string]struct{ f, want gate.Finding }{
		"named":             {gate.Finding{Path: "a.go", Line: 3, Column: 2}, gate.Finding{Path: "a.go", Line: 3, Column: 2}},
		"no line":           {gate.Finding{Path: "a.go"}, gate.Finding{Path: "a.go", Line: 1}},
		"a line is found":   {gate.Finding{Path: "found.go", Message: "find"}, gate.Finding{Path: "found.go", Line: 7, Message: "find"}},
		"of another file":   {gate.Finding{Path: "a.go", Message: "find"}, gate.Finding{Path: "a.go", Line: 1, Message: "find"}},
		"nothing":           {gate.Finding{}, gate.Finding{Path: "go.mod", Line: 1, Inferred: true}},
		"found":             {gate.Finding{Message: "find"}, gate.Finding{Path: "found.go", Line: 7, Message: "find", Inferred: true}},
		"inferred, no line": {gate.Finding{Path: "a.go", Inferred: true}, gate.Finding{Path: "a.go", Line: 1, Inferred: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := []gate.Finding{test.f}
			Locate(all, "go.mod", look)
			require.Equal(t, test.want, all[0])
		})
	}
}

func TestSources_OmitInstalledPackages(t *testing.T) {
	t.Parallel()
	s := SourcesIn(fstest.MapFS{
		"b.go": {Data: []byte("one\ntwo\n")}, "a/c.go": {Data: []byte("two\n")}, "a/node_modules/d.go": {}, ".git/e.go": {}, "a/empty": {},
	})
	isGo := func(file string) bool { return strings.HasSuffix(file, ".go") }
	require.Equal(t, []string{"b.go", "a/c.go"}, s.Below(".", isGo), "its own files first, and none that were installed")
	require.Equal(t, []string{"a/c.go"}, s.In("a", isGo))
	require.Empty(t, s.Below("none", isGo))
	at, found := s.Find([]string{"none", "b.go", "a/c.go"}, regexp.MustCompile(`(?m)^two`))
	require.True(t, found)
	require.Equal(t, Place{Path: "b.go", Line: 2}, at)
	require.Equal(t, "a/empty", s.First("none", "a/empty"))
	require.Equal(t, "none", s.First("none", "neither"))
}
