package repomap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel/repomap"
	"forge/codeintel/search"
)

// spread is the library with tests that neither name nor say what they are of, and with more tests that say it.
func spread() map[string]string {
	files := library()
	delete(files, "big/big_test.go")
	files["checks/first_test.go"] = "package checks\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {}\n"
	files["HISTORY.md"] = "See CHANGELOG.md.\n"
	return files
}

func of(files map[string]string, r repomap.Request) map[string]repomap.Section {
	found := map[string]repomap.Section{}
	for _, s := range repomap.NewMapper(viewOf(files), importsOf{}).Excerpts(r).Sections {
		found[s.Path] = s
	}
	return found
}

func TestExcerpts_TestsAreFoundByTheHistory(t *testing.T) {
	t.Parallel()
	r := repomap.Request{Text: "`ParseWanted` should give an error", Tests: true, Budget: 3000}
	require.NotContains(t, of(spread(), r), "checks/first_test.go", "nothing says that it belongs to it")
	r.Partners = func(path string) []search.Partner {
		if path != "big/big.go" {
			return nil
		}
		return []search.Partner{{Path: "checks/first_test.go", Share: 0.8}, {Path: "gone.go", Share: 0.9}}
	}
	require.Contains(t, of(spread(), r), "checks/first_test.go")
}

func TestExcerpts_AChangelogComesFirstWhereChangesAreNoted(t *testing.T) {
	t.Parallel()
	r := repomap.Request{Text: "`ParseWanted` should give an error", Budget: 1500}
	r.Partners = func(string) []search.Partner { return []search.Partner{{Path: "CHANGELOG.md", Share: 0.9}} }
	found := of(spread(), r)
	require.Contains(t, found["CHANGELOG.md"].Text, "## 2.0 (unreleased)\n\n- one\n")
	require.NotContains(t, found, "HISTORY.md", "it has no chapter of a version")
}

// TestExcerpts_TestsAndCodeTakeTurns, however much there is of one of them.
func TestExcerpts_TestsAndCodeTakeTurns(t *testing.T) {
	t.Parallel()
	files := library()
	var tests strings.Builder
	tests.WriteString("package big\n")
	for i := range 200 {
		fmt.Fprintf(&tests, "\nfunc TestParseWanted%d(t *testing.T) {\n%s}\n", i, strings.Repeat("\tParseWanted() // gives an error\n", 8))
	}
	files["big/big_test.go"] = tests.String()
	found := of(files, repomap.Request{Text: "`ParseWanted` should give an error", Tests: true, Budget: 3000})
	of := func(path string) int { return found[path].Tokens }
	require.Greater(t, of("big/big_test.go"), 1000)
	require.Greater(t, of("big/big.go")+of("use/use.go"), 700)
}
