package search

import (
	"path"
	"slices"
	"strings"

	"forge/codeintel"
	"forge/codeintel/index"
)

// plainName is the weight of a definition whose name is a plain word: it is rarely meant.
const plainName = 0.3

// defined returns documents that define what the request names, the rarer the name the more.
func (s *Searcher) defined(r *request) scores {
	out := make(scores, len(s.documents))
	for _, name := range r.identifiers {
		worth := nameWorth(name)
		ids := s.definers(name)
		for _, id := range ids {
			out[id] += worth * rarity(len(s.documents), len(ids))
		}
	}
	return out
}

// mostPlain is how many files may define something like a plain word for it to be checked.
const mostPlain = 60

// definers returns the documents that define a name, written exactly so. A plain word that many files have among their
// names is not meant as one.
func (s *Searcher) definers(name string) []uint32 {
	words := codeintel.WordsOf(name)
	if len(words) == 0 || doing[words[0]] {
		return nil
	}
	var ids []uint32
	for _, p := range s.view.Postings(words[0]) {
		if p.Part == index.PartSymbols {
			ids = append(ids, p.Document)
		}
	}
	if len(ids) > mostPlain && nameWorth(name) < 1 {
		return nil
	}
	return slices.DeleteFunc(ids, func(id uint32) bool {
		o := s.documents[id].Outline
		return o == nil || !defines(o.Symbols, name)
	})
}

func defines(symbols []codeintel.Symbol, name string) bool {
	for i := range symbols {
		if symbols[i].Name == name || defines(symbols[i].Children, name) {
			return true
		}
	}
	return false
}

// nameWorth returns the weight of an identifier, which has capitals inside or "_", and the smaller one of a plain word.
func nameWorth(name string) float64 {
	inside := strings.Trim(name, "_")
	if strings.Contains(inside, "_") || inside != "" && strings.ToLower(inside[1:]) != inside[1:] && strings.ToUpper(inside) != inside {
		return 1
	}
	return plainName
}

// named returns documents whose path, or the end of it, is in the request.
func (s *Searcher) named(r *request) scores {
	out := make(scores, len(s.documents))
	for _, mention := range r.paths {
		for id := range s.documents {
			name, cut := strings.CutSuffix(s.documents[id].Path, mention)
			if cut && (name == "" || strings.HasSuffix(name, "/")) {
				out[id] = 1
			}
		}
	}
	return out
}

// inScope returns documents whose name or folder the scope of the request names.
func (s *Searcher) inScope(r *request) scores {
	out := make(scores, len(s.documents))
	if len(r.scope) == 0 {
		return out
	}
	for id := range s.documents {
		for _, word := range r.scope {
			out[id] += placeOf(s.documents[id].Path, word)
		}
	}
	return out
}

// placeOf returns how well a word names a path: its name better than a folder, the whole of it better than an end.
func placeOf(name, word string) float64 {
	best, worth := 0.0, 1.0
	folder, last := path.Split(name)
	for part := strings.TrimSuffix(last, path.Ext(last)); ; {
		if c := compact(part); c == word {
			best = max(best, worth)
		} else if len(word) > 2 && (strings.HasPrefix(c, word) || strings.HasSuffix(c, word)) {
			best = max(best, worth/2)
		}
		if folder == "" {
			return best
		}
		folder, part = path.Split(strings.TrimSuffix(folder, "/"))
		worth = 0.6
	}
}
