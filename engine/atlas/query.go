package atlas

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"forge/codeintel"
	"forge/codeintel/repomap"
	"forge/codeintel/search"
	"forge/engine/gitdir"
	"forge/engine/shadow"
)

// Answer is the result of a search.
type Answer struct {
	Hits    []search.Hit
	Symbols []search.SymbolHit
	// Complete is false while words, symbols, imports or the history are still being read, or the latest changes are:
	// later, the same query may find something else.
	Complete bool
}

// Imports are the files around one file. All lists are in breadth-first order.
type Imports struct {
	Direct     []string // files that it imports
	Transitive []string // files that those import, up to the depth; without the direct ones
	Downstream []string // files that import it, up to the depth
}

// mapHits is the number of search hits that a map or a pack starts from.
const mapHits = 200

// Search finds the files and symbols that a request is about. It answers soon, from what is known; call Wait
// first if nothing may be missing. The error is ctx's, or ErrClosed.
func (a *Atlas) Search(ctx context.Context, q search.Query) (Answer, error) {
	a.sooner(q.Text)
	p, err := a.partsFor(ctx)
	if err != nil {
		return Answer{}, err
	}
	hits := p.searcher.Files(q)
	return Answer{Hits: hits, Symbols: p.searcher.Symbols(q, hits), Complete: p.complete}, nil
}

// Map shows the parts of the folder that matter for a request, within a budget of tokens.
func (a *Atlas) Map(ctx context.Context, q search.Query, budget int) (repomap.Map, error) {
	a.sooner(q.Text)
	p, err := a.partsFor(ctx)
	if err != nil {
		return repomap.Map{}, err
	}
	return p.mapper().Map(p.request(q, budget)), nil
}

// Context packs what a model should see for a request into a budget of tokens: whole files, signatures, and a map.
func (a *Atlas) Context(ctx context.Context, q search.Query, budget int) (repomap.Pack, error) {
	a.sooner(q.Text)
	p, err := a.partsFor(ctx)
	if err != nil {
		return repomap.Pack{}, err
	}
	return p.mapper().Pack(p.request(q, budget)), nil
}

// sooner moves the files that match a request to the front of the first reading of a folder.
func (a *Atlas) sooner(text string) {
	if !a.index.View().Complete() {
		a.index.Sooner(text)
	}
}

// request returns the request for a map.
func (p *parts) request(q search.Query, budget int) repomap.Request {
	q.Limit, q.Fill = mapHits, true
	hits := p.searcher.Files(q)
	return repomap.Request{Text: q.Text, Open: q.Open, Budget: budget, Hits: hits, Symbols: p.searcher.Symbols(q, hits)}
}

// Imports returns the files that a file imports, and those that import it. Files that are not read yet are omitted.
func (a *Atlas) Imports(ctx context.Context, path string, depth int) (Imports, error) {
	p, err := a.partsFor(ctx)
	if err != nil || p.graph == nil {
		return Imports{}, err
	}
	direct := p.graph.Direct(path)
	return Imports{
		Direct: direct, Transitive: beyond(p.graph.Transitive(path, depth), len(direct)), Downstream: p.graph.Downstream(path, depth),
	}, nil
}

// beyond drops the first n paths.
func beyond(paths []string, n int) []string {
	if len(paths) <= n {
		return nil
	}
	return paths[n:]
}

// Outline reads the symbols of any text, inside the folder or not.
func (a *Atlas) Outline(ctx context.Context, language codeintel.Language, text string) (codeintel.Outline, error) {
	if a.outliner == nil {
		return codeintel.Outline{Language: language}, nil
	}
	return a.outliner.Outline(ctx, language, text)
}

// source lists the files of a folder for its index.
type source struct {
	root, state string // real paths
	repo        *shadow.Repo
}

func sourceOf(o Options) (source, error) {
	root, err := realPath(o.Root)
	if err != nil {
		return source{}, err
	}
	state, err := filepath.Abs(o.StateDir)
	if err != nil {
		return source{}, err
	}
	if real, err := realPath(state); err == nil { // otherwise it does not exist yet
		state = real
	}
	return source{root, state, o.Repo}, nil
}

// Files returns the files that belong to the folder according to git, or to a walk.
func (s source) Files(ctx context.Context) ([]string, error) {
	if s.repo == nil {
		return gitdir.Walk(ctx, s.root, s.state)
	}
	return s.repo.Files.List(ctx)
}

// indexDir returns the directory of the folder's index.
func (s source) indexDir() string {
	sum := sha256.Sum256([]byte(s.root))
	return filepath.Join(s.state, "atlas", hex.EncodeToString(sum[:16]))
}

func realPath(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

// Symbols finds definitions by the typed part of their name: see search.NameTable. Several words are searched for as in
// Search. It returns at most limit hits, the best first.
func (a *Atlas) Symbols(ctx context.Context, text string, limit int) ([]search.SymbolHit, error) {
	p, err := a.partsFor(ctx)
	if err != nil {
		return nil, err
	}
	if len(strings.Fields(text)) < 2 {
		return p.names().Names(ctx, text, limit)
	}
	q := search.Query{Text: text}
	hits := p.searcher.Symbols(q, p.searcher.Files(q))
	return hits[:min(len(hits), max(limit, 0))], nil
}
