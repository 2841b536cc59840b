package search

import (
	"cmp"
	"math"
	"slices"

	"forge/codeintel"
	"forge/codeintel/imports"
	"forge/codeintel/index"
)

// Searcher finds files and symbols in one view. It never changes and may be used by several goroutines.
type Searcher struct {
	view      index.View
	documents []index.Document
	files     *files
	past      *past
	graph     *imports.Graph
	without   map[string]bool // signals that are switched off

	touched    [][]uint32 // the documents that each change of past changed
	changes    [][]int32  // the changes of each document
	frequent   scores     // how often a document was changed
	saidWeight []float64  // what the words of each change count
	saidLength []float64  // of each document: what its counts of such words are divided by
}

// New makes a searcher. commits come newest first; without commits, and without a graph, which may be nil, their
// signals are silent. It reads every message: With is cheaper if only files changed.
func New(view index.View, commits []codeintel.Commit, graph *imports.Graph) *Searcher {
	s := &Searcher{past: newPast(commits)}
	return s.With(view, graph)
}

// With returns a searcher for another view and graph of the same folder, with the same commits.
func (s *Searcher) With(view index.View, graph *imports.Graph) *Searcher {
	t := &Searcher{view: view, documents: view.Documents(), past: s.past, graph: graph, without: s.without}
	t.files = newFiles(t.documents, s.files)
	t.touched = t.past.follow(t.files)
	t.changes = make([][]int32, len(t.documents))
	for i, ids := range t.touched {
		for _, id := range ids {
			t.changes[id] = append(t.changes[id], int32(i))
		}
	}
	t.frequent = t.frequencies()
	t.saidWeight, t.saidLength = t.saidLengths()
	return t
}

// Without returns a searcher that lacks some signals, by their names, to find out what they are worth.
func (s *Searcher) Without(signals ...string) *Searcher {
	t := *s
	t.without = map[string]bool{}
	for _, name := range signals {
		t.without[name] = true
	}
	return &t
}

// frequencies returns how often each document was changed: the logarithm of a sum of changes that fade.
func (s *Searcher) frequencies() scores {
	out := make(scores, len(s.documents))
	for i, ids := range s.touched {
		for _, id := range ids {
			out[id] += s.past.changes[i].faded(frequentHalfLife)
		}
	}
	for id := range out {
		out[id] = math.Log1p(out[id])
	}
	return out
}

func (s *Searcher) saidLengths() (weights, relatives []float64) {
	weights, relatives = make([]float64, len(s.past.changes)), make([]float64, len(s.documents))
	sum, n := 0.0, 0
	for i, ids := range s.touched {
		weights[i] = s.past.changes[i].faded(saidHalfLife)
		for _, id := range ids {
			if relatives[id] == 0 {
				n++
			}
			relatives[id] += s.past.changes[i].length * weights[i]
			sum += s.past.changes[i].length * weights[i]
		}
	}
	for id := range relatives {
		relatives[id] = relative(relatives[id], sum/max(1, float64(n)), saidSlope)
	}
	return weights, relatives
}

// Files returns the files that a query is about, the best first. A query without text is about what belongs to the
// open files; one with neither is about nothing.
func (s *Searcher) Files(q Query) []Hit {
	r := parseRequest(q.Text)
	if len(r.terms) == 0 && len(q.Open) == 0 || len(s.documents) == 0 {
		return nil
	}
	var l lexical
	signals := []signal{{signalFrequent, slices.Clone(s.frequent)}}
	if len(r.terms) > 0 {
		l = s.lexical(r.terms)
		signals = append(signals, s.spoken(&r, &l)...)
	}
	if len(q.Open) > 0 {
		signals = append(signals, s.nearby(q.Open)...)
	}
	f := s.fuse(signals, weigher(len(r.terms) > 0, len(q.Open) > 0))
	return s.hits(q, &r, &l, &f)
}

// spoken are the signals of the text of a request.
func (s *Searcher) spoken(r *request, l *lexical) []signal {
	v := s.votes(r)
	return []signal{
		{signalContent, l.content}, {signalLines, l.lines}, {signalSymbols, l.symbols}, {signalPath, l.path},
		{signalDefined, s.defined(r)}, {signalNamed, s.named(r)}, {signalScope, s.inScope(r)},
		{signalSimilar, v.similar}, {signalSaid, v.said}, {signalScoped, v.scoped},
	}
}

func (s *Searcher) hits(q Query, r *request, l *lexical, f *fused) []Hit {
	share := map[kind]float64{}
	for k := range shares {
		share[k] = r.share(k)
	}
	order := s.order(q, f, share)
	hits := make([]Hit, len(order))
	for i, id := range order {
		d := &s.documents[id]
		hits[i] = Hit{Path: d.Path, Score: f.total[id], Signals: f.reasons(id, share[s.files.kinds[id]])}
		if len(l.best) > 0 && l.best[id] >= 0 {
			hits[i].FirstLine = int(l.best[id])*index.ChunkLines + 1
			hits[i].LastLine = min(d.Lines, hits[i].FirstLine+2*index.ChunkLines-1)
		}
	}
	return hits
}

// otherShare is how much of an answer files may take that are no source, as long as there is source to show.
const otherShare = 0.3

// order returns the documents that are found, best first. Those that are only changed often may fill the answer up,
// after all others; if nothing else is found, they are not found either.
func (s *Searcher) order(q Query, f *fused, share map[kind]float64) []uint32 {
	var found, often []uint32
	for id := range s.documents {
		f.total[id] *= share[s.files.kinds[id]]
		switch {
		case f.total[id] == 0 || slices.Contains(q.Open, s.documents[id].Path):
		case f.spoken[id]:
			found = append(found, uint32(id))
		default:
			often = append(often, uint32(id))
		}
	}
	limit := cmp.Or(q.Limit, DefaultLimit)
	// Documents are ordered by path, and so are equal ones.
	better := func(a, b uint32) int { return cmp.Or(cmp.Compare(f.total[b], f.total[a]), cmp.Compare(a, b)) }
	slices.SortFunc(found, better)
	if q.Fill && len(found) > 0 && len(found) < limit {
		slices.SortFunc(often, better)
		found = append(found, often...)
	}
	found = s.files.uncrowded(found, int(otherShare*float64(limit)))
	return found[:min(len(found), limit)]
}
