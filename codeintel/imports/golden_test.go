package imports

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestResolve_ByTheRulesOfEachLanguage resolves the trees in testdata: one rule a file, with what it must not do beside it. The section "want"
// has a line for every import, in order.
func TestResolve_ByTheRulesOfEachLanguage(t *testing.T) {
	t.Parallel()
	fixtures, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, fixtures)
	for _, fixture := range fixtures {
		t.Run(strings.TrimSuffix(filepath.Base(fixture), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(fixture)
			require.NoError(t, err)
			files, read, want := unpack(archive)
			got := resolved(Resolve(files, read))
			if *update {
				rewrite(t, fixture, archive, got)
				return
			}
			require.NotEmpty(t, got, "nothing is imported here")
			require.Equal(t, want, got)
		})
	}
}

// unpack makes files of a fixture, and a door to all that is in it.
func unpack(archive *txtar.Archive) (files []File, read func(string) ([]byte, error), want string) {
	contents := map[string][]byte{}
	for _, file := range archive.Files {
		if file.Name == "want" {
			want = string(file.Data)
			continue
		}
		contents[file.Name] = file.Data
		files = append(files, scan(file.Name, string(file.Data)))
	}
	return files, reader(contents), want
}

func reader(contents map[string][]byte) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		if content, ok := contents[path]; ok {
			return content, nil
		}
		return nil, fs.ErrNotExist
	}
}

// resolved says of each import of each file where it leads.
func resolved(g *Graph) string {
	var b strings.Builder
	for i := range g.tree.files {
		file := &g.tree.files[i]
		for _, need := range file.Imports {
			alone := *file
			alone.Imports = []codeintel.Import{need}
			targets := strings.Join(g.With(alone).Direct(file.Path), " ")
			if targets == "" {
				targets = "nothing"
			}
			fmt.Fprintf(&b, "%s: %s -> %s\n", file.Path, strings.Join(append([]string{need.Path}, need.Names...), " "), targets)
		}
	}
	return b.String()
}

func rewrite(t *testing.T, fixture string, archive *txtar.Archive, got string) {
	t.Helper()
	for i := range archive.Files {
		if archive.Files[i].Name == "want" {
			archive.Files[i].Data = []byte(got)
		}
	}
	require.NoError(t, os.WriteFile(fixture, txtar.Format(archive), 0o600))
}
