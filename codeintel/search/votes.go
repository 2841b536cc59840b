package search

import (
	"cmp"
	"slices"
)

// Half-lives of a commit's weight, in years.
const (
	similarHalfLife  = 4
	saidHalfLife     = 5
	scopedHalfLife   = 2
	frequentHalfLife = 1
	togetherHalfLife = 3
)

const (
	neighbours     = 40  // commits that vote
	saidSaturation = 2.4 // how often a word counts that a file is often changed with
	saidSlope      = 0.8 // how much many mentions lower the score of a file
)

// votes are the scores of each document by past commits.
type votes struct{ similar, said, scoped scores }

func (s *Searcher) votes(r *request) votes {
	n := len(s.documents)
	v := votes{similar: make(scores, n), said: make(scores, n), scoped: make(scores, n)}
	near, whole := make([]float64, len(s.past.changes)), 0.0
	tally := tally{values: make([]float64, n)}
	for _, t := range r.terms {
		mentions := s.past.mentions[t.word]
		rare := t.weight * rarity(len(s.past.changes), len(mentions))
		whole += rare
		for _, m := range mentions {
			length := relative(s.past.changes[m.change].length, s.past.average, lengthSlope)
			near[m.change] += rare * saturated(float64(m.weight)/length, saturation)
		}
		s.addSaid(v.said, &tally, mentions, rare)
	}
	s.addSimilar(v.similar, near, whole)
	s.addScoped(v.scoped, r.scope)
	return v
}

// addSimilar lets the commits with the nearest messages vote for what they changed. The votes are worth the more,
// the nearer the nearest is to the words of the whole request.
func (s *Searcher) addSimilar(out scores, near []float64, whole float64) {
	var order []int32
	for i, value := range near {
		if value > 0 && len(s.touched[i]) > 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(near[b], near[a]), cmp.Compare(a, b)) })
	order = order[:min(len(order), neighbours)]
	for _, i := range order {
		vote := near[i] * near[i] * s.past.changes[i].faded(similarHalfLife)
		for _, id := range s.touched[i] {
			out[id] += vote
		}
	}
	if len(order) == 0 || whole == 0 {
		return
	}
	sure, top := min(1, near[order[0]]/whole), s.files.top(out)
	for id := range out {
		out[id] *= sure / top
	}
}

// tally sums up by document for one word.
type tally struct {
	values  []float64 // 0 but for ids
	present []uint32
}

func (t *tally) add(id uint32, value float64) {
	if t.values[id] == 0 {
		t.present = append(t.present, id)
	}
	t.values[id] += value
}

// addSaid adds the score of one word in the messages of commits that changed the files.
func (s *Searcher) addSaid(said scores, t *tally, mentions []mention, rare float64) {
	for _, m := range mentions {
		value := float64(m.weight) * s.saidWeight[m.change]
		for _, id := range s.touched[m.change] {
			t.add(id, value)
		}
	}
	for _, id := range t.present {
		said[id] += rare * saturated(t.values[id]/s.saidLength[id], saidSaturation)
		t.values[id] = 0
	}
	t.present = t.present[:0]
}

func (s *Searcher) addScoped(out scores, scope []string) {
	for _, word := range scope {
		for _, i := range s.past.scopes[word] {
			vote := s.past.changes[i].faded(scopedHalfLife)
			for _, id := range s.touched[i] {
				out[id] += vote
			}
		}
	}
}
