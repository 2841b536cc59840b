package repomap

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"forge/codeintel"
	"forge/codeintel/search"
)

// Reasons to show a unit.
const (
	unitBase    = 0.04
	gainLines   = 1.0 // all words of the request are in it, and in no other
	gainUses    = 1.4 // the same of the words of the tests that were written
	gainName    = 1.2 // its name is the request
	gainDefined = 1.2 // it defines what the request names
	gainNamed   = 0.9 // it is named after that, as tests are
	gainUsed    = 0.35
	gainQuoted  = 0.8
	gainSymbol  = 0.5 // search found it first
	gainChunk   = 0.15
	gainNoted   = 1.5  // of a changelog, where a change is noted
	gainTested  = 0.6  // a test that was written uses what it defines
	gainCalls   = 0.5  // of tests, for their author: they have names that the best units define
	gainCallers = 0.35 // of code, for its author: the same
	gainNear    = 0.15 // of the score of the units before and behind it
	gainBeside  = 0.3  // of each unit of a file up to smallFile lines by whose name written tests are called, less of a longer one
	smallFile   = 500.0
)

// units weighs the units of all files: by themselves, then by what the best of them have to do with them.
func (e *excerpting) units() {
	symbols := e.symbolGains()
	for _, f := range e.files {
		f.read()
		f.scores = make([]float64, len(f.units))
		for i, u := range f.units {
			if isChangelog(f.path) {
				f.scores[i] = gainNoted/float64(1+u.rank) + e.likeEntries(f, i)
				continue
			}
			text := f.texts[i]
			score := unitBase + f.base + e.textual(f, i) + e.literal(u, text) + e.chunk(f, u)
			for _, name := range u.names {
				score += symbols[f.path+"\x00"+name] + e.used[name]
			}
			f.scores[i] = score
		}
	}
	e.relate()
	for _, f := range e.files {
		for i, score := range f.scores {
			e.steps = append(e.steps, glance{file: f, unit: i, score: f.prior * score, weight: f.prior * score})
		}
	}
	e.byScore()
}

// textual is how much of a request, and of the tests that were written for it, is in a unit, and how much of the request in its names.
func (e *excerpting) textual(f *source, i int) float64 {
	best, names := 0.0, f.units[i].names
	if len(names) == 0 {
		names = []string{firstLine(f.texts[i])}
	}
	for _, name := range names {
		named := slices.Collect(codeintel.Words(name))
		hit, share := 0, 0.0
		for _, t := range e.terms {
			if slices.Contains(named, t.word) {
				hit, share = hit+1, share+t.weight
			}
		}
		if len(named) > 0 {
			best = max(best, share*math.Sqrt(float64(hit)/float64(len(named))))
		}
	}
	return gainLines*f.has(i, e.terms) + gainUses*f.has(i, e.usesTerms) + gainName*best
}

// has is how much of some words is in a unit: 1 if all of them are, and in no other unit of the file.
func (f *source) has(i int, terms []term) (share float64) {
	of := float64(len(f.units))
	for _, t := range terms {
		if f.words[i][t.word] {
			share += t.weight * math.Log(1+of/float64(f.in[t.word])) / math.Log(1+of)
		}
	}
	return share
}

// firstLine is the first line that has something: of a test without a symbol, its title.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// literal is what a unit gains by what the request says literally.
func (e *excerpting) literal(u unit, text string) (score float64) {
	used := 0.0
	for _, name := range e.mentions.names {
		switch {
		case slices.Contains(u.names, name):
			score += gainDefined
		case slices.ContainsFunc(u.names, func(n string) bool { return strings.Contains(strings.ToLower(n), strings.ToLower(name)) }):
			score += gainNamed
		case strings.Contains(text, name):
			used += gainUsed
		}
	}
	for _, quote := range e.mentions.quotes {
		if strings.Contains(text, quote) {
			score += gainQuoted
		}
	}
	return min(score, 2*gainDefined) + min(used, 3*gainUsed)
}

// symbolGains are those of the definitions that search found, by path and name.
func (e *excerpting) symbolGains() map[string]float64 {
	gains := map[string]float64{}
	for i := range e.request.Symbols {
		s := &e.request.Symbols[i]
		key := s.Path + "\x00" + s.Symbol.Name
		gains[key] = max(gains[key], gainSymbol*s.Score/max(e.request.Symbols[0].Score, 1e-9))
	}
	return gains
}

// chunk is what a unit gains that has the lines that search found best.
func (e *excerpting) chunk(f *source, u unit) float64 {
	for i := range e.request.Hits[:min(len(e.request.Hits), mostHits)] {
		h := &e.request.Hits[i]
		if h.Path == f.path && h.FirstLine > 0 && u.first < h.LastLine && u.last+1 >= h.FirstLine {
			return gainChunk
		}
	}
	return 0
}

// read takes down the texts and the words of the units of a file.
func (f *source) read() {
	f.texts, f.words, f.in = make([]string, len(f.units)), make([]map[string]bool, len(f.units)), map[string]int{}
	for i, u := range f.units {
		f.texts[i] = strings.Join(f.lines[u.first:u.last+1], "")
		f.words[i] = map[string]bool{}
		for word := range codeintel.Words(f.texts[i]) {
			if !f.words[i][word] {
				f.words[i][word] = true
				f.in[word]++
			}
		}
	}
}

// bestUnits is how many units say by their names which others belong to them.
const bestUnits = 8

// relate adds to the scores of units what they have to do with the best ones: they have their names, as callers and tests do, or stand
// beside them.
func (e *excerpting) relate() {
	names, gain := e.bestNames(), gainCalls
	if !e.request.Tests {
		gain = gainCallers
	}
	for _, f := range e.files {
		if isChangelog(f.path) {
			continue
		}
		before := slices.Clone(f.scores)
		for i := range f.units {
			near := 0.0
			if i > 0 {
				near = before[i-1]
			}
			if i+1 < len(before) {
				near = max(near, before[i+1])
			}
			f.scores[i] += gainNear * near
			if search.IsTest(f.path) == e.request.Tests {
				f.scores[i] += gain * called(f, i, names)
			}
		}
	}
}

// bestNames are the names that the best units of code define, and how likely each is meant, up to 1.
func (e *excerpting) bestNames() map[string]float64 {
	type scored struct {
		names []string
		score float64
	}
	var best []scored
	for _, f := range e.files {
		if search.IsTest(f.path) || isProse(f.path) {
			continue
		}
		for i, u := range f.units {
			best = append(best, scored{u.names, f.prior * f.scores[i]})
		}
	}
	slices.SortStableFunc(best, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	names := map[string]float64{}
	for _, s := range best[:min(len(best), bestUnits)] {
		for _, name := range s.names {
			if len(name) > 3 {
				names[name] = max(names[name], s.score/max(best[0].score, 1e-9))
			}
		}
	}
	return names
}

// called is how much a unit has to do with names: the most likely one that is in it, and a little of the others.
func called(f *source, i int, names map[string]float64) float64 {
	if len(names) == 0 {
		return 0
	}
	best, sum, seen := 0.0, 0.0, map[string]bool{}
	for name := range codeintel.Identifiers(f.texts[i]) {
		if worth := names[name]; worth > 0 && !seen[name] && !slices.Contains(f.units[i].names, name) {
			seen[name] = true
			best, sum = max(best, worth), sum+worth
		}
	}
	return best + 0.2*math.Min(sum-best, 1)
}
