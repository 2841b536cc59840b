package repomap

import (
	"path"
	"strings"

	"forge/codeintel"
	"forge/codeintel/search"
)

// What the files of a plan count for.
const (
	priorOwn  = 1.5
	gainOwn   = 1.0 // of each unit of a file up to smallFile lines, less of a longer one
	priorLike = 0.9
	gainLike  = 0.4 // the same of the file that is most like one that does not exist yet
)

// plan raises the files that the request is to change, and the file most like each that it is to create: it shows the form.
func (e *excerpting) plan(p priors, meant map[int32]bool) {
	e.own = map[int32]float64{}
	for _, name := range e.request.Own {
		number, known := e.mapper.numbers[name]
		prior, gain := priorOwn, gainOwn
		if !known {
			number, known = e.mapper.like(name)
			prior, gain = priorLike, gainLike
		}
		if known {
			p.raise(number, prior)
			e.own[number] = max(e.own[number], gain)
			meant[number] = true
		}
	}
}

// like returns the file that is most like one that does not exist: a test like a test, in the same folder, or else one of the same name in
// a folder beside that. The most words in common count, then the fewest lines.
func (m *Mapper) like(name string) (best int32, is bool) {
	folder, words := path.Dir(name), wordsOf(name)
	most := 0
	for i := range m.documents {
		d := &m.documents[i]
		if d.Path == name || path.Ext(d.Path) != path.Ext(name) || search.IsTest(d.Path) != search.IsTest(name) {
			continue
		}
		var likeness int
		switch {
		case path.Dir(d.Path) == folder:
			likeness = 4
		case path.Base(d.Path) == path.Base(name) && path.Dir(path.Dir(d.Path)) == path.Dir(folder):
			likeness = 2
		default:
			continue
		}
		for word := range wordsOf(d.Path) {
			if words[word] {
				likeness++
			}
		}
		if likeness > most || likeness == most && d.Lines < m.documents[best].Lines {
			best, most, is = int32(i), likeness, true
		}
	}
	return best, is
}

// wordsOf are the words in the name of a file, without its ending.
func wordsOf(name string) map[string]bool {
	words := map[string]bool{}
	for word := range codeintel.Words(strings.TrimSuffix(path.Base(name), path.Ext(name))) {
		words[word] = true
	}
	return words
}
