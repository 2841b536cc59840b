package lsp_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/codeintel"
	"forge/codeintel/repomap"
	"forge/codeintel/search"
	"forge/engine/atlas"
	"forge/lsp"
	"forge/lsp/index"
	"forge/lsp/lsptest"
)

// fakeAtlas searches texts: those on disk as they were when it was made or notified of a change, and those that cover
// them. A symbol is a line "def NAME".
type fakeAtlas struct {
	root string

	mu      sync.Mutex // guards what follows
	disk    map[string]string
	covers  map[string]string
	told    []string // what was called, in order
	queries []search.Query
	status  atlas.Status
	hold    chan struct{} // a search waits for it; nil waits for nothing
}

func newFakeAtlas(t *testing.T, root string) *fakeAtlas {
	t.Helper()
	a := &fakeAtlas{root: root, disk: map[string]string{}, covers: map[string]string{}, status: atlas.Status{Complete: true}}
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			a.load(path)
		}
		return err
	}))
	return a
}

// load reads a file, and returns what it holds.
func (a *fakeAtlas) load(path string) string {
	text, err := os.ReadFile(filepath.Join(a.root, filepath.FromSlash(path)))
	if err != nil {
		delete(a.disk, path)
		return ""
	}
	a.disk[path] = string(text)
	return string(text)
}

func (a *fakeAtlas) note(what string) { a.told = append(a.told, what) }

func (a *fakeAtlas) calls() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.told)
}

func (a *fakeAtlas) texts() map[string]string {
	all := maps.Clone(a.disk)
	maps.Copy(all, a.covers)
	return all
}

func (a *fakeAtlas) Search(ctx context.Context, q search.Query) (atlas.Answer, error) {
	a.mu.Lock()
	a.queries = append(a.queries, q)
	hold := a.hold
	a.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return atlas.Answer{}, ctx.Err()
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	answer := atlas.Answer{Complete: a.status.Complete}
	for _, path := range slices.Sorted(maps.Keys(a.texts())) {
		before, _, found := strings.Cut(a.texts()[path], q.Text)
		if line := 1 + strings.Count(before, "\n"); found && !slices.Contains(q.Open, path) {
			signals := []search.Signal{{Name: "content", Value: 2}, {Name: "frequent", Value: 1}}
			answer.Hits = append(answer.Hits, search.Hit{Path: path, Score: 3, FirstLine: line, LastLine: line, Signals: signals})
		}
	}
	answer.Symbols = a.symbols(q.Text)
	return answer, nil
}

func (a *fakeAtlas) symbols(text string) []search.SymbolHit {
	var found []search.SymbolHit
	for _, path := range slices.Sorted(maps.Keys(a.texts())) {
		at := 0
		for line := range strings.Lines(a.texts()[path]) {
			name, is := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "def ")
			if is && strings.Contains(name, text) {
				span := codeintel.Span{Start: at + len("def "), End: at + len("def ") + len(name)}
				found = append(found, search.SymbolHit{
					Path: path, Score: 1 / float64(len(name)),
					Symbol: codeintel.Symbol{Name: name, Kind: codeintel.Function, Span: span, NameSpan: span},
				})
			}
			at += len(line)
		}
	}
	return found
}

func (a *fakeAtlas) Symbols(_ context.Context, text string, limit int) ([]search.SymbolHit, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := a.symbols(text)
	return found[:min(limit, len(found))], nil
}

func (a *fakeAtlas) Map(_ context.Context, q search.Query, budget int) (repomap.Map, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queries = append(a.queries, q)
	return repomap.Map{Text: "a.py\n  def a\n", Tokens: budget / 2, Files: []string{"a.py"}}, nil
}

func (a *fakeAtlas) Context(_ context.Context, _ search.Query, budget int) (repomap.Pack, error) {
	target := repomap.Section{Name: "target", Path: "a.py", How: repomap.Full, Text: "def a\n", Tokens: 2}
	return repomap.Pack{Tokens: budget, Sections: []repomap.Section{target, {Name: "map", How: repomap.InMap}}, Left: []string{"b.py"}}, nil
}

func (a *fakeAtlas) Imports(_ context.Context, path string, depth int) (atlas.Imports, error) {
	if path == "broken.py" {
		return atlas.Imports{}, errors.New("broken.py is not indexed")
	}
	return atlas.Imports{Direct: []string{"b.py"}, Downstream: slices.Repeat([]string{path}, depth)}, nil
}

func (a *fakeAtlas) Cover(path, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.covers[path] = text
	a.note("cover " + path)
}

func (a *fakeAtlas) Uncover(path string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.covers, path)
	a.note("uncover " + path)
}

func (a *fakeAtlas) Changed(paths ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(paths) == 0 {
		a.note("look at all")
		paths = slices.Collect(maps.Keys(a.disk))
	}
	for _, path := range slices.Sorted(slices.Values(paths)) {
		if before := a.disk[path]; before == a.load(path) {
			continue
		}
		a.note("changed " + path)
	}
}

func (a *fakeAtlas) Status() atlas.Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status
}

func (a *fakeAtlas) stand(s atlas.Status) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status = s
}

// reading is an editor with a folder that a fake atlas knows.
type reading struct {
	*harness
	atlas  *fakeAtlas
	opened *opener
	late   atomic.Int64 // how many seconds the clock is behind the beginning
}

// opener counts how often the atlas is opened, and lets the first calls fail.
type opener struct {
	mu    sync.Mutex // guards what follows
	count int
	fail  int
}

func (o *opener) times() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.count
}

// now is a clock that the test moves.
func (r *reading) now() time.Time { return time.Unix(1e9+r.late.Load(), 0) }

func read(t *testing.T, files map[string]string, changes ...capable) *reading {
	t.Helper()
	root := t.TempDir()
	for path, text := range files {
		full := filepath.Join(root, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o600))
	}
	r := &reading{atlas: newFakeAtlas(t, root), opened: &opener{}}
	open := func(context.Context, string) (index.Atlas, error) {
		r.opened.mu.Lock()
		defer r.opened.mu.Unlock()
		if r.opened.count++; r.opened.count <= r.opened.fail {
			return nil, errors.New("the index is locked")
		}
		return r.atlas, nil
	}
	r.harness = &harness{Editor: lsptest.Start(t, lsp.Options{Atlas: open, Log: quiet(), Now: r.now}), t: t, root: root}
	r.Initialize(func(p *protocol.InitializeParams) {
		p.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{{URI: uri.File(root), Name: "w"}})
		able(p)
		for _, change := range changes {
			change(p)
		}
	})
	return r
}
