package search

import (
	"cmp"
	"maps"
	"slices"
)

// The names of the signals, as Signal has them.
const (
	signalContent  = "content"  // words of the whole file, its path and its definitions
	signalLines    = "lines"    // words of the best lines
	signalSymbols  = "symbols"  // words of the names it defines
	signalPath     = "path"     // words of its path
	signalDefined  = "defined"  // defines a name that the request has
	signalNamed    = "named"    // the request has its path or its name
	signalScope    = "scope"    // what stands before the colon of the request is its name or its folder
	signalSimilar  = "similar"  // changed by commits with a similar message
	signalSaid     = "said"     // the words of all messages it was changed with
	signalScoped   = "scoped"   // changed by commits with the same scope
	signalFrequent = "frequent" // changed often, of late above all
	signalTogether = "cochange" // changed by the commits that changed the open files
	signalImports  = "imports"  // imported by the open files, or imports them
	signalFolder   = "folder"   // near the open files
	signalLinked   = "linked"   // has rare names of the open files that one of the two defines
	signalRare     = "rare"     // has rare names of the open files that neither defines
	signalTopic    = "topic"    // changed with the words that the open files were changed with
)

// weights are what the signals count: of a request alone, of open files alone, and of both. They were fitted to
// repositories in Go, Python, TypeScript and JavaScript, each counting the same; see docs/benchmarks.md.
type weights struct{ text, open, both float64 }

var weightOf = map[string]weights{
	signalContent:  {1.9, 0, 1.35},
	signalLines:    {2.2, 0, 1.6},
	signalSymbols:  {0.45, 0, 0.75},
	signalPath:     {1.4, 0, 1.35},
	signalDefined:  {0.6, 0, 0.55},
	signalNamed:    {2.5, 0, 2.4},
	signalScope:    {1.1, 0, 0.15},
	signalSimilar:  {1, 0, 0.4},
	signalSaid:     {2.1, 0, 1.3},
	signalScoped:   {0.45, 0, 0.55},
	signalFrequent: {2, 0.25, 0.9},
	signalTogether: {0, 1.3, 0.9},
	signalImports:  {0, 0.3, 0.25},
	signalFolder:   {0, 0.85, 3},
	signalLinked:   {0, 1.65, 0.8},
	signalRare:     {0, 1.5, 1.2},
	signalTopic:    {0, 1.25, 0.45},
}

// Signals returns the names of all signals, sorted.
func Signals() []string { return slices.Sorted(maps.Keys(weightOf)) }

// signal is what one kind of evidence says of every document.
type signal struct {
	name   string
	values scores
}

// weigher picks the weights that a query needs.
func weigher(text, open bool) func(name string) float64 {
	return func(name string) float64 {
		switch w := weightOf[name]; {
		case text && open:
			return w.both
		case open:
			return w.open
		default:
			return w.text
		}
	}
}

// fused is the sum of signals, each brought to the range from 0 to its weight.
type fused struct {
	signals []signal
	total   scores
	spoken  []bool // whether anything but its frequency speaks for a document
}

func (s *Searcher) fuse(signals []signal, weigh func(name string) float64) fused {
	f := fused{total: make(scores, len(s.documents)), spoken: make([]bool, len(s.documents))}
	for _, g := range signals {
		weight, top := weigh(g.name), s.files.top(g.values)
		if s.without[g.name] || weight == 0 || top == 0 {
			continue
		}
		for id, v := range g.values {
			if v == 0 {
				continue
			}
			g.values[id] = v * weight / top
			f.total[id] += g.values[id]
			f.spoken[id] = f.spoken[id] || g.name != signalFrequent
		}
		f.signals = append(f.signals, g)
	}
	return f
}

// reasons returns what speaks for a document, the strongest first.
func (f *fused) reasons(id uint32, share float64) []Signal {
	var out []Signal
	for _, g := range f.signals {
		if v := g.values[id]; v > 0 {
			out = append(out, Signal{Name: g.name, Value: v * share})
		}
	}
	slices.SortStableFunc(out, func(a, b Signal) int { return cmp.Compare(b.Value, a.Value) })
	return out
}
