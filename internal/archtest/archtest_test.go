package archtest

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the section want of the fixtures")

// TestArchtest_House holds this module against its own rules.
func TestArchtest_House(t *testing.T) {
	t.Parallel()
	house := os.DirFS("../..")
	require.FileExists(t, "../../"+RaceFile, "a module without the list is not checked against it")
	found, err := Check(house)
	require.NoError(t, err)
	for _, v := range found {
		t.Error(v)
	}
	if len(found) > 0 {
		m, err := load(house)
		require.NoError(t, err)
		t.Logf("The edges as the code has them, to compare with the block deps (do not copy them to make this test green):\n%s", m)
	}
}

// TestArchtest_Rules proves that every rule can fail: each fixture is a small module, and its section want lists
// exactly what the test of the house must say about it.
func TestArchtest_Rules(t *testing.T) {
	t.Parallel()
	fixtures, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, fixtures)
	for _, fixture := range fixtures {
		t.Run(strings.TrimSuffix(filepath.Base(fixture), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(fixture)
			require.NoError(t, err)
			found, err := Check(filesOf(archive))
			require.NoError(t, err)
			got := ""
			for _, v := range found {
				got += v.String() + "\n"
			}
			if *update {
				rewriteWant(t, fixture, archive, got)
				return
			}
			if diff := cmp.Diff(want(t, archive), got); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

// TestArchtest_EveryRuleHasAFixture keeps the list in the package comment and the fixtures together.
func TestArchtest_EveryRuleHasAFixture(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"deps", "world", "fronts", "package-doc", "doc", "issue", "length", "named-test", "named-place", "race"} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", rule+".txtar"))
		require.NoError(t, err)
		require.Contains(t, want(t, archive), "["+rule+"]")
	}
}

func TestArchtest_CheckRejectsUnreadableFiles(t *testing.T) {
	t.Parallel()
	const goMod, rules = "module example\n", "```deps\na:\n```\n```world\n```\n"
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no go.mod", map[string]string{ImportsFile: rules}, "read the module's name"},
		{"go.mod without a module", map[string]string{"go.mod": "go 1.26\n"}, "no module line"},
		{"no rules", map[string]string{"go.mod": goMod}, "read the rules"},
		{"no deps block", map[string]string{"go.mod": goMod, ImportsFile: "# Empty\n"}, "there is no block"},
		{"deps block without end", map[string]string{"go.mod": goMod, ImportsFile: "```world\n```\n```deps\na:\n"}, "read the block deps"},
		{"row without colon", map[string]string{"go.mod": goMod, ImportsFile: "```world\n```\n```deps\na b\n```\n"}, "line 4"},
		{"row without name", map[string]string{"go.mod": goMod, ImportsFile: "```world\n```\n```deps\n: b\n```\n"}, "line 4"},
		{"syntax error", map[string]string{"go.mod": goMod, ImportsFile: rules, "a/a.go": "pakkage a\n"}, "a/a.go:1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{}
			for name, text := range tt.files {
				files[name] = &fstest.MapFile{Data: []byte(text)}
			}
			_, err := Check(files)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// filesOf makes a module of a fixture. The line FILL stands for as many lines as bring the file to the wall.
func filesOf(archive *txtar.Archive) fs.FS {
	files := fstest.MapFS{}
	for _, f := range archive.Files {
		text := string(f.Data)
		if head, filler, ok := strings.Cut(text, "FILL\n"); ok {
			text = head + strings.Repeat("//\n", Wall-strings.Count(head, "\n")) + filler
		}
		if f.Name != "want" {
			files[f.Name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return files
}

func want(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	for _, f := range archive.Files {
		if f.Name == "want" {
			return string(f.Data)
		}
	}
	t.Fatal("the fixture has no section want")
	return ""
}

func rewriteWant(t *testing.T, fixture string, archive *txtar.Archive, got string) {
	t.Helper()
	for i := range archive.Files {
		if archive.Files[i].Name == "want" {
			archive.Files[i].Data = []byte(got)
		}
	}
	require.NoError(t, os.WriteFile(fixture, txtar.Format(archive), 0o600))
}
