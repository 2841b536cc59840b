package pipeline

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The code of a run is played again from its journal, so that everything in it must come out the same. What
// does not, by its nature, is forbidden here; it belongs into an activity.
var (
	impure    = []string{"os", "net", "math/rand", "math/rand/v2", "crypto/rand", "sync", "os/exec", "io", "io/ioutil", "bufio", "syscall", "runtime"}
	impureDir = []string{"net/", "os/", "sync/"}
	clock     = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
)

// house reads the packages of this module and gives the types in them. Other packages stay unknown, and with
// them what is of their types.
type house struct {
	files *token.FileSet
	known map[string]*types.Package
}

// parse reads a package, without its tests.
func (h house) parse(dir string) ([]*ast.File, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(h.files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, file)
	}
	return parsed, err
}

func (h house) check(name string, parsed []*ast.File, info *types.Info) *types.Package {
	c := types.Config{Importer: h, IgnoreFuncBodies: info == nil, Error: func(error) {}}
	p, _ := c.Check(name, h.files, parsed, info) // what is wrong comes from what is unknown
	return p
}

// Import implements types.Importer.
func (h house) Import(name string) (*types.Package, error) {
	if p, ok := h.known[name]; ok {
		return p, nil
	}
	p := types.NewPackage(name, path.Base(name))
	if inside, is := strings.CutPrefix(name, "forge/"); is {
		parsed, err := h.parse(filepath.Join("..", "..", filepath.FromSlash(inside)))
		if err != nil {
			return nil, err
		}
		p = h.check(name, parsed, nil)
	}
	p.MarkComplete()
	h.known[name] = p
	return p, nil
}

// faults names what in a package cannot be played again, as file:line: what.
func faults(t *testing.T, dir string) []string {
	t.Helper()
	h := house{files: token.NewFileSet(), known: map[string]*types.Package{}}
	parsed, err := h.parse(dir)
	require.NoError(t, err)
	require.NotEmpty(t, parsed)
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	h.check(dir, parsed, info)
	var found []string
	for _, file := range parsed {
		ast.Inspect(file, func(n ast.Node) bool {
			if what := fault(n, info); what != "" {
				at := h.files.Position(n.Pos())
				found = append(found, fmt.Sprintf("%s:%02d: %s", filepath.Base(at.Filename), at.Line, what))
			}
			return true
		})
	}
	slices.Sort(found)
	return found
}

func fault(n ast.Node, info *types.Info) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "a go statement"
	case *ast.SelectStmt:
		return "a select statement"
	case *ast.ChanType:
		return "a channel"
	case *ast.RangeStmt:
		return faultOfRange(n, info)
	case *ast.ImportSpec:
		name, _ := strconv.Unquote(n.Path.Value)
		if slices.Contains(impure, name) || slices.ContainsFunc(impureDir, func(dir string) bool { return strings.HasPrefix(name, dir) }) {
			return "import of " + name
		}
	case *ast.SelectorExpr:
		if x, is := n.X.(*ast.Ident); is && x.Name == "time" && slices.Contains(clock, n.Sel.Name) {
			return "time." + n.Sel.Name
		}
	}
	return ""
}

// faultOfRange finds a range over a map, also by way of package maps.
func faultOfRange(r *ast.RangeStmt, info *types.Info) string {
	if t := info.TypeOf(r.X); t != nil {
		if _, is := t.Underlying().(*types.Map); is {
			return "a range over a map"
		}
	}
	call, is := r.X.(*ast.CallExpr)
	if !is {
		return ""
	}
	if f, is := call.Fun.(*ast.SelectorExpr); is {
		if x, is := f.X.(*ast.Ident); is && x.Name == "maps" {
			return "a range over a map"
		}
	}
	return ""
}

func TestReplay_CodeOfARunIsPure(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.go") // testdata has its packages a level below
	require.NoError(t, err)
	dirs := []string{"."}
	for _, file := range files {
		dirs = append(dirs, filepath.Dir(file))
	}
	dirs = slices.Compact(dirs)
	require.Subset(t, dirs, []string{"work", "judge", "dialogue", "module"})
	for _, dir := range dirs {
		require.Empty(t, faults(t, dir), dir)
	}
}

// The twin of the test above: everything that is forbidden is found.
func TestReplay_ImpureCodeIsFound(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"impure.go:05: import of io", "impure.go:07: import of math/rand", "impure.go:08: import of net/http",
		"impure.go:09: import of os", "impure.go:10: import of sync", "impure.go:20: a go statement", "impure.go:21: a channel",
		"impure.go:22: a range over a map", "impure.go:25: a range over a map", "impure.go:28: a range over a map",
		"impure.go:31: a range over a map", "impure.go:34: time.Now", "impure.go:35: time.Sleep",
		"impure.go:36: a select statement", "impure.go:37: time.After",
	}, faults(t, filepath.Join("testdata", "impure")))
}
