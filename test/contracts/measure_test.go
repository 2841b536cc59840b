// Package contracts measures what the gate "contract" reports of folders that work, and of the same folders after names in them were
// changed. run.sh fetches the packages that docs/benchmarks.md has figures of.
//
// An alarm in a folder that works is false, or a fault of its authors: each is printed, to be looked at.
package contracts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/treesitter"
	"forge/engine/gate/general"
)

// folders is the variable that names the folders to measure, separated as those in PATH are.
const folders = "FORGE_CONTRACTS"

func TestMeasure_NamedFolders(t *testing.T) {
	named := os.Getenv(folders)
	if named == "" {
		t.Skip("not run: run.sh names folders in " + folders)
	}
	require.NoError(t, measure(t.Context(), os.Stdout, filepath.SplitList(named)))
}

// figures are what was measured of folders.
type figures struct {
	files, takings, alarms int
	renamed, found         int // names that were changed, and those of which it was said
}

func (f *figures) add(more figures) {
	f.files += more.files
	f.takings += more.takings
	f.alarms += more.alarms
	f.renamed += more.renamed
	f.found += more.found
}

func (f figures) row(name string) string {
	return fmt.Sprintf("%-32s %6d %8d %7d %8d %6d", name, f.files, f.takings, f.alarms, f.renamed, f.found)
}

// measure prints a row for each folder, and their sum.
func measure(ctx context.Context, out io.Writer, folders []string) error {
	if len(folders) == 0 {
		return errors.New("name the folders to measure, or run test/contracts/run.sh")
	}
	fmt.Fprintf(out, "%-32s %6s %8s %7s %8s %6s\n", "package", "files", "imports", "alarms", "renamed", "found")
	var all figures
	for _, dir := range folders {
		one, err := measureFolder(ctx, out, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		all.add(one)
		fmt.Fprintln(out, one.row(filepath.Base(dir)))
	}
	fmt.Fprintln(out, all.row("TOTAL"))
	return nil
}

// measureFolder measures one folder as it is, and with one name changed at a time.
func measureFolder(ctx context.Context, out io.Writer, dir string) (f figures, err error) {
	texts, err := read(dir)
	if err != nil {
		return f, err
	}
	whole, err := texts.check(ctx)
	if err != nil {
		return f, err
	}
	f = figures{files: whole.Files, takings: whole.Takings, alarms: len(whole.Breaches)}
	for _, b := range whole.Breaches {
		fmt.Fprintf(out, "  %s:%d: %s\n", b.Path, b.Line, b.Message)
	}
	names, err := texts.taken(ctx)
	if err != nil {
		return f, err
	}
	for _, name := range spread(names, mostRenamed) {
		broken, err := texts.rename(name).check(ctx)
		if err != nil {
			return f, err
		}
		f.renamed++
		if tells(broken.Breaches, name) {
			f.found++
		} else {
			fmt.Fprintf(out, "  not found: %s of %s, which %s takes\n", name.name, name.giver, name.taker)
		}
	}
	return f, nil
}

// folder is the texts of a folder, by their paths.
type folder struct {
	paths  []string
	texts  map[string]string
	binder *remembering
}

// remembering is a binder that reads each text once: a folder is checked again and again with one file changed.
type remembering struct {
	*treesitter.Outliner
	known map[string]codeintel.Bindings
}

func (r *remembering) Bindings(ctx context.Context, language codeintel.Language, source string) (codeintel.Bindings, error) {
	key := string(language) + "\x00" + source
	if bound, is := r.known[key]; is {
		return bound, nil
	}
	bound, err := r.Outliner.Bindings(ctx, language, source)
	if err == nil {
		r.known[key] = bound
	}
	return bound, err
}

// read reads a folder, without what is installed in it.
func read(dir string) (f folder, err error) {
	f.texts = map[string]string{}
	f.binder = &remembering{new(treesitter.Outliner), map[string]codeintel.Bindings{}}
	root := os.DirFS(dir)
	err = fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if entry != nil && entry.IsDir() && entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			return err
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		f.paths, f.texts[path] = append(f.paths, path), string(text)
		return nil
	})
	return f, err
}

func (f folder) check(ctx context.Context) (general.ContractResult, error) {
	return general.CheckContracts(ctx, general.Texts{Paths: f.paths, Binder: f.binder, Read: func(path string) ([]byte, error) {
		if text, is := f.texts[path]; is {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}})
}

// tells reports whether a breach is about a name, in the file that takes it.
func tells(breaches []general.Breach, n given) bool {
	for _, b := range breaches {
		if b.Path == n.taker && strings.Contains(b.Message, "`"+n.name+"`") {
			return true
		}
	}
	return false
}
