package testrun

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate/tool"
)

// report is one of Jest in which a test passed.
const report = `{"numTotalTests":1,"success":true,"testResults":[{"name":"a.test.js","status":"passed","message":"",` +
	`"assertionResults":[{"ancestorTitles":["s"],"title":"x","status":"passed","failureMessages":[]}]}]}` + "\n"

// A test passes only if the reporter has signed it with the key of this run.
func TestDoubt_AcceptsOnlySignedPasses(t *testing.T) {
	t.Parallel()
	s := Seal{Key: "k"}
	const list, nameless = `[["a.test.js","s x"]]`, `[["a.test.js"," s  x"]]`
	for name, c := range map[string]struct {
		said string
		want state
	}{
		"signed":             {"forge-seal " + s.sign(list) + " " + list + "\n", passed},
		"not at all":         {"", Unfinished},
		"a nameless suite":   {"forge-seal " + s.sign(nameless) + " " + nameless + "\n", passed},
		"by another key":     {"forge-seal " + Seal{Key: "l"}.sign(list) + " " + list + "\n", Unfinished},
		"another list":       {"forge-seal " + s.sign("[]") + " " + list + "\n", Unfinished},
		"a list without it":  {"forge-seal " + s.sign("[]") + " []\n", Unfinished},
		"a list of nonsense": {"forge-seal " + s.sign("x") + " x\n", Unfinished},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := tool.RootAt("/tree")
			stdout := report + c.said
			said := ParseJest(stdout, "", r)
			s.Doubt(&said, stdout, r)
			require.Equal(t, c.want, said.Tests[0].State)
			require.Equal(t, c.want == Unfinished, len(said.Beside) == 1)
		})
	}
	// An unsigned report does not name the failure either.
	const broken = `[["a.test.js","s","Error: no\n    at a.test.js:2:3"]]`
	for stdout, want := range map[string]int{"forge-broken " + s.sign(broken) + " " + broken: 1, "forge-broken " + s.sign("") + " " + broken: 0} {
		var said Results
		s.Doubt(&said, stdout, tool.RootAt("/tree"))
		require.Len(t, said.Beside, want)
	}
	const event = `{"t":"pass","n":"x","d":0,"f":"a.test.js","l":1,"c":1}` + "\n"
	end := `{"t":"end","m":"` + s.sign(event) + `"}` + "\n"
	for stdout, want := range map[string]state{event + end: passed, event + event + end: Unfinished, event + `{"t":"end"}`: Unfinished, event + "noise\n" + end: passed} {
		r := tool.RootAt("/tree")
		said := ParseNode(stdout, r, func(string) bool { return true })
		s.DoubtNode(&said, stdout, r)
		require.Equal(t, want, said.Tests[0].State, stdout)
	}
}

// Jest before 24 reports a title that is no text as it is, and its reporters join it as text.
func TestDoubt_KnowsTestsWhoseTitleIsNoText(t *testing.T) {
	t.Parallel()
	s, r := Seal{Key: "k"}, tool.RootAt("/tree")
	const list = `[["a.test.js","s 2010,6,10"],["a.test.js","s 12345678"]]`
	stdout := `{"numTotalTests":2,"success":true,"testResults":[{"name":"a.test.js","status":"passed","message":"","assertionResults":[` +
		`{"ancestorTitles":["s"],"title":[2010,6,[10]],"status":"passed","failureMessages":[]},{"ancestorTitles":["s"],"title":12345678,"status":"passed","failureMessages":[]}]}]}` +
		"\nforge-seal " + s.sign(list) + " " + list + "\n"
	said := ParseJest(stdout, "", r)
	s.Doubt(&said, stdout, r)
	require.True(t, said.Ended)
	require.Equal(t, 2, said.Count(passed))
}

// Vitest counts the file among the suites of a test of types, in its report, and its reporters do not see it there.
func TestDoubt_KnowsTestsOfTypesWhichHaveTheirFileAmongTheirSuites(t *testing.T) {
	t.Parallel()
	s, r := Seal{Key: "k"}, tool.RootAt("/tree")
	const ofTypes = `{"numTotalTests":2,"success":true,"testResults":[{"name":"/tree/test/a.test-d.ts","status":"passed","message":"","assertionResults":[` +
		`{"ancestorTitles":["test/a.test-d.ts","query"],"title":"x","status":"passed","failureMessages":[]},` +
		`{"ancestorTitles":["a.test-d.ts"],"title":"y","status":"passed","failureMessages":[]}]}]}` + "\n"
	const list = `[["/tree/test/a.test-d.ts","query x"],["/tree/test/a.test-d.ts","a.test-d.ts y"]]`
	stdout := ofTypes + "forge-seal " + s.sign(list) + " " + list + "\n"
	said := ParseJest(stdout, "", r)
	s.Doubt(&said, stdout, r)
	require.Empty(t, said.Beside)
	require.Equal(t, []string{"query", "x"}, said.Tests[0].titles)
	require.Equal(t, passed, said.Tests[1].State)
}
