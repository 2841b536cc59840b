package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"forge/codeintel"
)

const (
	laterOpen   = 0.4     // what a file counts that is open, but not in front
	mostWords   = 60      // of an open file that count
	mostNames   = 600     // of an open file that are looked up, from its top
	longestText = 1 << 19 // bytes of an open file that are read
	shortName   = 3       // bytes of a name that says too little
	mostOwners  = 8       // files that define a name which is still worth following
)

// nearby are the signals of the open files.
func (s *Searcher) nearby(open []string) []signal {
	blank := func() scores { return make(scores, len(s.documents)) }
	together, linked, folder, uses, used, shared, topic := blank(), blank(), blank(), blank(), blank(), blank(), blank()
	worth := 1.0
	for _, name := range open {
		s.addFolder(folder, name, worth)
		if id, ok := s.files.byPath[name]; ok {
			s.addTogether(together, id, worth)
			s.addTopic(topic, id, worth)
			s.addImports(linked, name, worth)
			s.addUses(uses, id, worth)
			s.addWords(used, shared, id, worth)
		}
		worth = laterOpen
	}
	signals := []signal{
		{signalTogether, together}, {signalImports, linked}, {signalFolder, folder},
		{signalUses, uses}, {signalUsed, used}, {signalShared, shared}, {signalTopic, topic},
	}
	for _, g := range signals {
		for _, name := range open {
			if id, ok := s.files.byPath[name]; ok {
				g.values[id] = 0 // else it would be the measure of all others
			}
		}
		for id, v := range g.values {
			g.values[id] = math.Sqrt(v) // one close neighbour must not silence all others
		}
	}
	return signals
}

// addTogether counts the commits that changed both, a small and a late one the more.
func (s *Searcher) addTogether(out scores, open uint32, worth float64) {
	for _, i := range s.changes[open] {
		weight := worth * s.past.changes[i].faded(togetherHalfLife)
		for _, id := range s.touched[i] {
			out[id] += weight
		}
	}
}

// addTopic looks for files that were changed with the words with which an open file was.
func (s *Searcher) addTopic(out scores, open uint32, worth float64) {
	mine := make([]float64, len(s.past.changes))
	for _, i := range s.changes[open] {
		mine[i] = s.saidWeight[i]
	}
	var words []weighed
	for word, mentions := range s.past.mentions {
		count := 0.0
		for _, m := range mentions {
			count += mine[m.change] * float64(m.weight)
		}
		if count > 0 {
			rare := rarity(len(s.past.changes), len(mentions))
			words = append(words, weighed{word, rare * saturated(count/s.saidLength[open], saidSaturation)})
		}
	}
	t := tally{values: make([]float64, len(s.documents))}
	for _, w := range heaviest(words, mostWords) {
		s.addSaid(out, &t, s.past.mentions[w.word], worth*w.weight)
	}
}

func (s *Searcher) addImports(out scores, name string, worth float64) {
	if s.graph == nil {
		return
	}
	direct, users := s.graph.Direct(name), s.graph.Importers(name)
	for _, other := range direct {
		if id, ok := s.files.byPath[other]; ok {
			out[id] += worth / math.Sqrt(1+float64(len(s.graph.Importers(other))))
		}
	}
	for _, other := range users {
		if id, ok := s.files.byPath[other]; ok {
			out[id] += worth / math.Sqrt(1+float64(len(users)))
		}
	}
}

// addFolder measures how much of the way from the root two files share.
func (s *Searcher) addFolder(out scores, name string, worth float64) {
	here := strings.Count(name, "/")
	for id := range s.documents {
		there := s.documents[id].Path
		shared := sharedStart(name, there)
		out[id] += worth * float64(1+shared) / float64(1+here+strings.Count(there, "/")-shared)
	}
}

// addUses looks for the names that an open file defines, the rarer the better.
func (s *Searcher) addUses(out scores, open uint32, worth float64) {
	for _, word := range definedWords(s.documents[open].Outline) {
		ids, _ := s.view.Holders(word)
		if len(ids) < 2 || len(ids) > len(s.documents)/4 {
			continue
		}
		for _, id := range ids {
			out[id] += worth * rarity(len(s.documents), len(ids)) / math.Sqrt(s.files.lengths[id].content)
		}
	}
}

// definedWords returns the words of the names that a file defines, sorted, the short ones left out.
func definedWords(o *codeintel.Outline) []string {
	if o == nil {
		return nil
	}
	var all []string
	var walk func([]codeintel.Symbol)
	walk = func(symbols []codeintel.Symbol) {
		for i := range symbols {
			if words := codeintel.WordsOf(symbols[i].Name); len(words) > 0 && len(words[0]) > shortName {
				all = append(all, words[0])
			}
			walk(symbols[i].Children)
		}
	}
	walk(o.Symbols)
	slices.Sort(all)
	return slices.Compact(all)
}

// weighed is a word with what it counts.
type weighed struct {
	word   string
	weight float64
}

// heaviest returns the words that count most, in that order.
func heaviest(words []weighed, most int) []weighed {
	slices.SortFunc(words, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.word, b.word))
	})
	return words[:min(len(words), most)]
}

// everywhere are the words of languages, by their stem: every file has them, and looking them up takes longest.
var everywhere = stems("import package func function return string true false none null self this const type struct class interface export " +
	"default else elif switch case break continue range error errors require include async await static public private protected void " +
	"number boolean object value name undefined typeof extends raise except pass lambda yield with from print test tests super")

// namesIn returns the first names in a text, each once, in the order in which they come.
func namesIn(text string) []weighed {
	var all []weighed
	at := map[string]int{}
	for name := range codeintel.Identifiers(text) {
		words := codeintel.WordsOf(name)
		if len(words) == 0 || len(words[0]) <= shortName || everywhere[words[0]] {
			continue
		}
		i, known := at[words[0]]
		if !known && len(all) == mostNames {
			continue
		}
		if !known {
			i, all = len(all), append(all, weighed{word: words[0]})
			at[words[0]] = i
		}
		all[i].weight++
	}
	for i := range all {
		all[i].weight = saturated(all[i].weight, saturation)
	}
	return all
}

// addWords looks for what an open file names: definitions elsewhere, and its rare words.
func (s *Searcher) addWords(used, shared scores, open uint32, worth float64) {
	text, err := s.view.ReadFile(s.documents[open].Path)
	if err != nil {
		return // it changed since: the other signals remain
	}
	own := definedWords(s.documents[open].Outline)
	var rare []weighed
	for _, w := range namesIn(string(text[:min(len(text), longestText)])) {
		content, symbols := s.view.Holders(w.word)
		rarity := rarity(len(s.documents), len(content))
		if len(content) > 1 && len(content) < len(s.documents)/3 {
			rare = append(rare, weighed{w.word, w.weight * rarity})
		}
		if _, mine := slices.BinarySearch(own, w.word); mine || len(symbols) > mostOwners {
			continue
		}
		for _, id := range symbols {
			used[id] += worth * w.weight * rarity / float64(len(symbols))
		}
	}
	for _, w := range heaviest(rare, mostWords) {
		content, _ := s.view.Holders(w.word)
		for _, id := range content {
			shared[id] += worth * w.weight / math.Sqrt(s.files.lengths[id].content)
		}
	}
}
