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
	mostWords   = 60      // of the messages of an open file that count
	mostNames   = 600     // of an open file that are looked up, from its top
	longestText = 1 << 19 // bytes of an open file that are read
	shortName   = 3       // bytes of a name that says too little
	rareness    = 1.5     // a name that n others have counts n^-rareness for each of them
	mostSharers = 19      // other sources that have a name which still says that two belong together
)

// nearby are the signals of the open files.
func (s *Searcher) nearby(open []string) []signal {
	blank := func() scores { return make(scores, len(s.documents)) }
	together, imported, folder, linked, rare, topic := blank(), blank(), blank(), blank(), blank(), blank()
	worth := 1.0
	for _, name := range open {
		s.addFolder(folder, name, worth)
		if id, ok := s.files.byPath[name]; ok {
			s.addTogether(together, id, worth)
			s.addTopic(topic, id, worth)
			s.addImports(imported, name, worth)
			s.addNames(linked, rare, id, worth)
		}
		worth = laterOpen
	}
	signals := []signal{
		{signalTogether, together}, {signalImports, imported}, {signalFolder, folder},
		{signalLinked, linked}, {signalRare, rare}, {signalTopic, topic},
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
func namesIn(text string) []string {
	var all []string
	seen := map[string]bool{}
	for name := range codeintel.Identifiers(text) {
		words := codeintel.WordsOf(name)
		if len(words) == 0 || len(words[0]) <= shortName || everywhere[words[0]] || seen[words[0]] {
			continue
		}
		seen[words[0]] = true
		if all = append(all, words[0]); len(all) == mostNames {
			break
		}
	}
	return all
}

// addNames looks for files that have the rare names of an open file, the rarer the better. Names that one of the two
// files defines have a weight of their own, as they say more.
func (s *Searcher) addNames(linked, rare scores, open uint32, worth float64) {
	text, err := s.view.ReadFile(s.documents[open].Path)
	if err != nil {
		return // it changed since: the other signals remain
	}
	for _, name := range namesIn(string(text[:min(len(text), longestText)])) {
		n := s.sharers(name, open)
		if n.sources == 0 || n.sources > mostSharers {
			continue
		}
		vote := worth * math.Pow(float64(n.sources), -rareness)
		for _, other := range n.others {
			if n.own || other.defines {
				linked[other.document] += vote
			} else {
				rare[other.document] += vote
			}
		}
	}
}

// sharers are the files that have a name, but for the open one.
type sharers struct {
	own     bool // the open file defines it
	others  []sharer
	sources int // among others
}

type sharer struct {
	document uint32
	defines  bool
}

// sharers looks no further once there are too many.
func (s *Searcher) sharers(name string, open uint32) sharers {
	var n sharers
	lines, symbols := s.view.Holders(name)
	n.own = slices.Contains(symbols, open)
	for _, id := range lines {
		if id == open {
			continue
		}
		n.others = append(n.others, sharer{id, slices.Contains(symbols, id)})
		if s.files.sources[id] {
			n.sources++
		}
		if n.sources > mostSharers {
			break
		}
	}
	return n
}
