package index_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/codeintel"
	"forge/codeintel/index"
	"forge/internal/testkit"
)

// edits makes random edits of a folder, and reports them to the index as an editor would.
type edits struct {
	t      require.TestingT
	choose func(n int) int // draws a number below n
	root   string
	state  string
	index  *index.Index
	paths  map[string]bool   // files on disk
	covers map[string]string // what is not saved
}

// text draws a content: mostly code, sometimes what must be skipped.
func (e *edits) text() string {
	random := rand.New(rand.NewPCG(uint64(e.choose(1<<30)), 1))
	switch random.IntN(20) {
	case 0:
		return ""
	case 1:
		return "binary\x00"
	case 2:
		return "broken \xff\xfe utf8 größe"
	case 3:
		return "func broken( {\n"
	}
	var b strings.Builder
	b.WriteString("package p\n")
	for range random.IntN(30) {
		fmt.Fprintf(&b, "func name%dOf%d() { call%d() }\n\n", random.IntN(20), random.IntN(5), random.IntN(20))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (e *edits) oneOf(values ...string) string { return values[e.choose(len(values))] }

func (e *edits) path() string {
	return e.oneOf("a.go", "b.go", "c.txt", "d/a.go", "d/e/b.go", "d/c.md", "f/g.go", "f/h.py", "z.go")
}

func (e *edits) known() string {
	if len(e.paths) == 0 {
		return e.path()
	}
	return e.oneOf(slices.Sorted(maps.Keys(e.paths))...)
}

func (e *edits) write(name, text string) {
	full := filepath.Join(e.root, name)
	require.NoError(e.t, os.MkdirAll(filepath.Dir(full), 0o755))
	require.NoError(e.t, os.WriteFile(full, []byte(text), 0o644))
	e.paths[name] = true
}

func (e *edits) remove(name string) {
	if e.paths[name] {
		require.NoError(e.t, os.Remove(filepath.Join(e.root, name)))
		delete(e.paths, name)
	}
}

// step makes one edit.
func (e *edits) step() {
	switch e.oneOf("write", "write", "write", "write", "cover", "cover", "cover", "cover", "uncover", "delete", "delete",
		"rename", "rename directory", "checkout", "save", "save", "refresh", "reopen") {
	case "write":
		name := e.path()
		e.write(name, e.text())
		e.index.Changed(name)
	case "cover":
		name, text := e.path(), e.text()
		e.covers[name] = text
		e.index.Cover(name, text)
	case "uncover":
		name := e.path()
		delete(e.covers, name)
		e.index.Uncover(name)
	case "save":
		name := e.path()
		if text, ok := e.covers[name]; ok {
			e.write(name, text)
			e.index.Changed(name)
			delete(e.covers, name)
			e.index.Uncover(name)
		}
	case "delete":
		name := e.known()
		e.remove(name)
		e.index.Changed(name)
	case "rename":
		from, to := e.known(), e.path()
		if e.paths[from] && from != to {
			require.NoError(e.t, os.MkdirAll(filepath.Dir(filepath.Join(e.root, to)), 0o755))
			require.NoError(e.t, os.Rename(filepath.Join(e.root, from), filepath.Join(e.root, to)))
			delete(e.paths, from)
			e.paths[to] = true
			e.index.Changed(from, to)
		}
	case "rename directory":
		e.renameDirectory()
	case "checkout":
		e.checkout()
	case "refresh":
		require.NoError(e.t, e.index.Refresh(context.Background()))
	case "reopen":
		e.reopen()
	}
}

func (e *edits) renameDirectory() {
	from, to := filepath.Join(e.root, "d"), filepath.Join(e.root, "moved")
	if _, err := os.Stat(from); err != nil {
		return
	}
	require.NoError(e.t, os.RemoveAll(to))
	require.NoError(e.t, os.Rename(from, to))
	moved := map[string]bool{}
	for name := range e.paths {
		if rest, ok := strings.CutPrefix(name, "d/"); ok {
			moved[path.Join("moved", rest)] = true
		} else if !strings.HasPrefix(name, "moved/") {
			moved[name] = true
		}
	}
	e.paths = moved
	e.index.Changed("d", "moved")
}

// checkout changes many files at once.
func (e *edits) checkout() {
	var changed []string
	for _, name := range []string{"a.go", "b.go", "d/a.go", "d/e/b.go", "f/g.go", "n1.go", "n2.go", "n3.go"} {
		if e.choose(2) == 0 {
			e.write(name, e.text())
		} else {
			e.remove(name)
		}
		changed = append(changed, name)
	}
	e.index.Changed(changed...)
}

func (e *edits) open(state string) *index.Index {
	x, err := index.Open(context.Background(), index.Options{
		Root: e.root, Dir: state, Source: walk(e.root), Outliner: goOutliner{}, Workers: 2,
	})
	require.NoError(e.t, err)
	for name, text := range e.covers {
		x.Cover(name, text)
	}
	return x
}

func (e *edits) reopen() {
	require.NoError(e.t, e.index.Close())
	e.index = e.open(e.state)
}

// check compares the index with one that is built from scratch, and with one of a folder in which all is saved.
func (e *edits) check() {
	rebuilt := e.open("")
	want := settled(e.t, rebuilt)
	require.NoError(e.t, rebuilt.Close())
	require.Empty(e.t, cmp.Diff(want, settled(e.t, e.index)))
	require.Empty(e.t, cmp.Diff(e.saved(), want))
	for word := range codeintel.Words("name1of1 call1 packag p größ utf8 name1 of1") {
		lines, symbols := e.index.View().Holders(word)
		slices.Sort(lines)
		slices.Sort(symbols)
		wantLines, wantSymbols := holdersOf(e.index.View().Postings(word))
		require.Equal(e.t, wantLines, lines, word)
		require.Equal(e.t, wantSymbols, symbols, word)
	}
}

// saved is the index of a folder that has on disk what the user sees.
func (e *edits) saved() string {
	root, err := os.MkdirTemp("", "saved")
	require.NoError(e.t, err)
	defer os.RemoveAll(root)
	other := &edits{t: e.t, root: root, paths: map[string]bool{}}
	for name := range e.paths {
		if _, ok := e.covers[name]; !ok {
			content, err := os.ReadFile(filepath.Join(e.root, name))
			require.NoError(e.t, err)
			other.write(name, string(content))
		}
	}
	for name, text := range e.covers {
		other.write(name, text)
	}
	x := other.open("")
	defer func() { require.NoError(e.t, x.Close()) }()
	return settled(e.t, x)
}

// holdersOf says the long way what View.Holders says.
func holdersOf(postings []index.Posting) (lines, symbols []uint32) {
	for _, p := range postings {
		switch {
		case p.Part == index.PartSymbols:
			symbols = append(symbols, p.Document)
		case p.Part != index.PartPath:
			lines = append(lines, p.Document)
		}
	}
	return slices.Compact(lines), symbols
}

func settled(t require.TestingT, x *index.Index) string {
	require.NoError(t, x.Wait(context.Background()))
	require.True(t, x.View().Complete())
	require.Empty(t, x.Status().Notes)
	var b strings.Builder
	require.NoError(t, x.Dump(&b))
	return b.String()
}

func newEdits(t require.TestingT, root, state string, choose func(n int) int) *edits {
	e := &edits{t: t, choose: choose, root: root, state: state, paths: map[string]bool{}, covers: map[string]string{}}
	e.index = e.open(state)
	return e
}

func TestIndex_AnyEdits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		e := newEdits(rt, t.TempDir(), t.TempDir(), func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "choice") })
		defer func() { require.NoError(rt, e.index.Close()) }()
		for range rapid.IntRange(1, 15).Draw(rt, "edits") {
			e.step()
		}
		e.check()
		e.reopen()
		e.check()
	})
}

// TestIndex_ThousandEdits makes 1,000 edits in one folder: after any of them the index equals one that is built from
// scratch.
func TestIndex_ThousandEdits(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 11))
	e := newEdits(t, t.TempDir(), t.TempDir(), random.IntN)
	defer func() { require.NoError(t, e.index.Close()) }()
	for i := range testkit.Cases(200, 1000) {
		e.step()
		if i%10 == 9 {
			e.check()
		}
	}
}
