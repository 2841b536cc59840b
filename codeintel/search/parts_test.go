package search

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

func TestKindOf_KnowsRequests(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]kind{
		"a/b.go": kindSource, "a/b_test.go": kindTest, "test_helpers.go": kindSource, "test_app.py": kindTest, "src/conftest.py": kindTest,
		"src/x.spec.ts": kindTest, "src/x.ts": kindSource, "web/App.vue": kindSource, "Dockerfile": kindData, "ci.yml": kindData,
		"README.md": kindProse, "docs/conf.py": kindProse, "testdata/a.go": kindTest, "contest/a.go": kindSource, "a/FooTest.java": kindTest,
		"a/Latest.java": kindSource, "x.pb.go": kindGenerated, "types.d.ts": kindGenerated, "yarn.lock": kindGenerated, "go.sum": kindGenerated,
		"vendor/x/y.go": kindGenerated, "examples/a.py": kindExample, "setup.py": kindSource,
	} {
		require.Equal(t, want, kindOf(name, codeintel.LanguageOf(name)), name)
	}
}

func TestRequest_IsTakenApart(t *testing.T) {
	t.Parallel()
	r := parseRequest("fix(compiler-core, sfc): keep `v-for` of src/App.vue\n\nThe loop keeps parseHTTPRequest.\n")
	require.Equal(t, []string{"compilercore", "sfc"}, r.scope)
	require.Equal(t, []string{"src/App.vue"}, r.paths)
	require.Contains(t, r.identifiers, "parseHTTPRequest")
	weight := map[string]float64{}
	for _, term := range r.terms {
		weight[term.word] = term.weight
	}
	require.InDelta(t, 1, weight["compiler"], 0)
	require.InDelta(t, verbWeight, weight["fix"], 0)
	require.InDelta(t, bodyWeight, weight["loop"], 0)
	require.InDelta(t, pairWeight, weight["compilercor"], 0, "two words with a dash are one name")
	require.NotContains(t, weight, "the")
	require.Empty(t, parseRequest("keep it: simple").paths)
	require.Empty(t, parseRequest("what is this about? see: nothing at all, and a long sentence that goes on: yes").scope)
}

func TestMoveWithin_FindsTheFileThatWasMoved(t *testing.T) {
	t.Parallel()
	begins := func(name string) bool { return name != "kept/app.py" }
	require.Equal(t, "src/flask/app.py", moveWithin([]string{"flask/app.py", "kept/app.py", "src/flask/app.py", "x/app.py"}, "flask/app.py", begins))
	require.Empty(t, moveWithin([]string{"flask/app.py", "kept/app.py", "src/flask/cli.py"}, "flask/app.py", begins))
}

func TestSharedParts_AreCounted(t *testing.T) {
	t.Parallel()
	require.Equal(t, 2, sharedEnd("a/b/c.go", "x/b/c.go"))
	require.Equal(t, 0, sharedEnd("a/b.go", "a/c.go"))
	require.Equal(t, 1, sharedEnd("c.go", "c.go"))
	require.Equal(t, 2, sharedStart("a/b/c.go", "a/b/d.go"))
	require.Equal(t, 1, sharedStart("a/b/c.go", "a/bc/d.go"))
	require.Equal(t, 0, sharedStart("c.go", "d.go"))
}

func FuzzRequest(f *testing.F) {
	for _, seed := range []string{"fix(a/b): c.d", "\xff(\n", "a-b c_d", "日本: 語", "x.y.z ./a/../b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := parseRequest(text)
		seen := map[string]bool{}
		for _, term := range r.terms {
			require.False(t, seen[term.word], term.word)
			seen[term.word] = true
			require.Positive(t, term.weight)
			require.LessOrEqual(t, term.weight, mostWeight)
		}
	})
}
