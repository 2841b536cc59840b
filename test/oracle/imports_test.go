package oracle

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/imports"
)

// Any other tree is compared by
//
//	go test ./test/oracle -run TestImportRules_ReportAgreementOnATree -v -tree DIR [-include FOLDER,FOLDER]
//
// for the languages that it has files of; of Java that takes a JDK, of C gcc. What is printed as "only here" is not always wrong: packages of a workspace are found although nothing is installed.
var (
	tree    = flag.String("tree", "../..", "the folder whose imports are compared")
	include = flag.String("include", "", "where gcc looks for includes, below the folder; separated by commas")
)

// opinion is what a tool says of one file: its imports as written, and the files of the tree they lead to.
type opinion struct {
	Path    string
	Package string
	Imports []codeintel.Import
	Files   []string
}

// agreement counts the edges of a graph that a tool knows too.
type agreement struct {
	both          int
	extra, missed []string // "from -> to"
}

func (a agreement) precision() float64 { return share(a.both, len(a.extra)) }
func (a agreement) recall() float64    { return share(a.both, len(a.missed)) }

func share(good, bad int) float64 {
	if good+bad == 0 {
		return 1
	}
	return float64(good) / float64(good+bad)
}

// compare resolves the imports of all files of a tree, and compares the edges between source files.
func compare(root string, opinions []opinion) agreement {
	var files []imports.File
	for _, path := range pathsOf(root) {
		files = append(files, imports.File{Path: path, Language: codeintel.LanguageOf(path)})
	}
	for _, o := range opinions {
		files = append(files, imports.File{Path: o.Path, Language: codeintel.LanguageOf(o.Path), Package: o.Package, Imports: o.Imports})
	}
	g := imports.Resolve(files, func(path string) ([]byte, error) { return os.ReadFile(filepath.Join(root, path)) })
	known := map[string]bool{}
	for _, o := range opinions {
		known[o.Path] = true
	}
	var a agreement
	for _, o := range opinions {
		ours := g.Direct(o.Path)
		for _, file := range ours {
			switch {
			case slices.Contains(o.Files, file):
				a.both++
			case known[file]: // bundlers let one import a picture; compilers do not
				a.extra = append(a.extra, o.Path+" -> "+file)
			}
		}
		for _, file := range o.Files {
			if !slices.Contains(ours, file) {
				a.missed = append(a.missed, o.Path+" -> "+file)
			}
		}
	}
	return a
}

// pathsOf returns the files of a tree, without what is installed.
func pathsOf(root string) []string {
	var paths []string
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", ".cache", "node_modules"}, entry.Name()):
			return filepath.SkipDir
		case entry.Type().IsRegular():
			relative, _ := filepath.Rel(root, path)
			paths = append(paths, filepath.ToSlash(relative))
		}
		return nil
	})
	return paths
}

// output runs a tool in a folder.
func output(t *testing.T, folder string, command ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	var diagnostics bytes.Buffer
	c.Dir, c.Stderr = folder, &diagnostics
	out, err := c.Output()
	require.NoError(t, err, "%s\nIf an npm package is missing: npm --prefix test/oracle ci", &diagnostics)
	return out
}

func decode[T any](t *testing.T, lines []byte) []T {
	t.Helper()
	var all []T
	for decoder := json.NewDecoder(bytes.NewReader(lines)); decoder.More(); {
		var one T
		require.NoError(t, decoder.Decode(&one))
		all = append(all, one)
	}
	return all
}

func python(t *testing.T, root string) []opinion {
	return decode[opinion](t, output(t, ".", "python3", "imports.py", root))
}

func typeScript(t *testing.T, root string) []opinion {
	return decode[opinion](t, output(t, ".", "node", "imports.mjs", root))
}

func java(t *testing.T, root string) []opinion {
	return decode[opinion](t, output(t, ".", "java", "Imports.java", root))
}

func gcc(t *testing.T, root string) []opinion {
	folders := strings.FieldsFunc(*include, func(r rune) bool { return r == ',' })
	return decode[opinion](t, output(t, ".", append([]string{"python3", "includes.py", root}, folders...)...))
}

// goPackage is what go list says of a folder.
type goPackage struct {
	Dir        string
	ImportPath string
	Name       string
}

// goList asks the go command about each module of a tree for itself, without its dependencies. Of other modules
// only those are known that a replace leads to.
func goList(t *testing.T, root string) []opinion {
	t.Helper()
	modules := map[string]map[string]goPackage{} // packages by folder of the module and import path
	for _, path := range pathsOf(root) {
		if filepath.Base(path) != "go.mod" || strings.Contains(path, "testdata/") {
			continue
		}
		folder := filepath.Join(root, filepath.Dir(path))
		packages := map[string]goPackage{}
		for _, p := range decode[goPackage](t, output(t, folder, "go", "list", "-find", "-e", "-json=Dir,ImportPath,Name", "./...")) {
			packages[p.ImportPath] = p
		}
		modules[folder] = packages
	}
	var opinions []opinion
	for folder, packages := range modules {
		for _, p := range packages {
			opinions = append(opinions, goOpinions(t, root, p, goVisible(t, folder, modules))...)
		}
	}
	return opinions
}

// goVisible returns the packages that files of a module can import.
func goVisible(t *testing.T, folder string, modules map[string]map[string]goPackage) map[string]goPackage {
	t.Helper()
	var mod struct {
		Replace []struct {
			New struct{ Path, Version string }
		}
	}
	require.NoError(t, json.Unmarshal(output(t, folder, "go", "mod", "edit", "-json"), &mod))
	visible := map[string]goPackage{}
	for path, p := range modules[folder] {
		visible[path] = p
	}
	for _, r := range mod.Replace {
		for path, p := range modules[filepath.Join(folder, r.New.Path)] {
			visible[path] = p
		}
	}
	return visible
}

// goOpinions reads the files of a package.
func goOpinions(t *testing.T, root string, p goPackage, visible map[string]goPackage) []opinion {
	t.Helper()
	var opinions []opinion
	for _, file := range goFiles(t, p.Dir) {
		path, _ := filepath.Rel(root, file.path)
		o := opinion{Path: filepath.ToSlash(path), Package: file.name}
		for _, path := range file.imports {
			o.Imports = append(o.Imports, codeintel.Import{Path: path})
			imported, ok := visible[path]
			if !ok {
				continue
			}
			for _, other := range goFiles(t, imported.Dir) {
				relative, _ := filepath.Rel(root, other.path)
				if other.name == imported.Name && !strings.HasSuffix(other.path, "_test.go") && other.path != file.path {
					o.Files = append(o.Files, filepath.ToSlash(relative))
				}
			}
		}
		opinions = append(opinions, o)
	}
	return opinions
}

type goFile struct {
	path, name string
	imports    []string
}

func goFiles(t *testing.T, folder string) []goFile {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	var files []goFile
	for _, path := range paths {
		source, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err)
		file := goFile{path: path, name: source.Name.Name}
		for _, spec := range source.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			file.imports = append(file.imports, imported)
		}
		files = append(files, file)
	}
	return files
}

// tool resolves the imports of a tree; it needs files with one of the endings.
type tool struct {
	ask     func(*testing.T, string) []opinion
	endings []string
}

var tools = map[string]tool{
	"go list":    {goList, []string{".go"}},
	"Python":     {python, []string{".py"}},
	"TypeScript": {typeScript, []string{".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs"}},
	"javac":      {java, []string{".java"}},
	"gcc":        {gcc, []string{".c", ".cc", ".cpp", ".cxx"}},
}

// applies reports whether a tree has files for a tool: more than one, so that a JDK is not needed for the oracle itself,
// and not only test data.
func (tool tool) applies(root string) bool {
	count := 0
	for _, path := range pathsOf(root) {
		if slices.Contains(tool.endings, filepath.Ext(path)) && !strings.Contains("/"+path, "/testdata/") {
			count++
		}
	}
	return count > 1
}

// fixture unpacks one of the trees that the rules of package imports are written down in.
func fixture(t *testing.T, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile("../../codeintel/imports/testdata/" + name + ".txtar")
	require.NoError(t, err)
	root := t.TempDir()
	for _, file := range archive.Files {
		if file.Name == "want" {
			continue
		}
		path := filepath.Join(root, file.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, file.Data, 0o600))
	}
	return root
}

// TestImportRules_AgreeWithEachLanguagesTools compares what package imports finds with what the tools of a language find, on the trees of its
// rules, but for those that no tool knows.
func TestImportRules_AgreeWithEachLanguagesTools(t *testing.T) {
	t.Parallel()
	for tool, names := range map[string][]string{
		"go list":    {"go-module", "go-tests"},
		"Python":     {"python-absolute", "python-from", "python-relative", "python-src"},
		"TypeScript": {"script-relative", "script-endings", "script-paths"},
	} {
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				root := fixture(t, name)
				a := compare(root, tools[tool].ask(t, root))
				require.Positive(t, a.both)
				require.Empty(t, a.extra)
				require.Empty(t, a.missed)
			})
		}
	}
}

// TestImportRules_ReportAgreementOnATree prints how far the tools and package imports agree on a tree: this repository, or -tree.
func TestImportRules_ReportAgreementOnATree(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(*tree)
	require.NoError(t, err)
	root, err = filepath.Abs(root)
	require.NoError(t, err)
	for name, tool := range tools {
		if !tool.applies(root) {
			t.Logf("%s has nothing to say: there are no such files", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := compare(root, tool.ask(t, root))
			t.Logf("%d edges, precision %.4f, recall %.4f", a.both, a.precision(), a.recall())
			t.Logf("only here:\n%s", strings.Join(a.extra, "\n"))
			t.Logf("only there:\n%s", strings.Join(a.missed, "\n"))
			require.GreaterOrEqual(t, a.precision(), .99, "%d of %d", a.both, a.both+len(a.extra))
			require.GreaterOrEqual(t, a.recall(), .99, "%d of %d", a.both, a.both+len(a.missed))
		})
	}
}

// The twin: a comparison that finds nothing would prove nothing.
func TestImportRules_ComparisonDetectsADifference(t *testing.T) {
	t.Parallel()
	root := fixture(t, "python-from")
	opinions := python(t, root)
	for i := range opinions {
		if opinions[i].Path == "app/main.py" {
			opinions[i].Files = []string{"app/db/__init__.py", "app/nothing.py"}
		}
	}
	a := compare(root, opinions)
	require.Equal(t, []string{"app/main.py -> app/__init__.py", "app/main.py -> app/util.py"}, a.extra)
	require.Equal(t, []string{"app/main.py -> app/nothing.py"}, a.missed)
	require.InDelta(t, 1.0/3, a.precision(), 1e-9)
	require.InDelta(t, 1.0/2, a.recall(), 1e-9)
}
