package search

import (
	"cmp"
	"slices"
)

// Partner is a file that was changed together with another one.
type Partner struct {
	Path  string
	Share float64 // of the changes of the other one; for a test of those that changed a test
}

const (
	mostPartners  = 24
	doubtedShares = 0.3 // changes that are added to those there were: one alone proves little
)

// Partners returns the files that were changed together with one, those first that were most often.
func (s *Searcher) Partners(path string) []Partner {
	id, known := s.files.byPath[path]
	if !known {
		return nil
	}
	shares, all, tested := map[uint32]float64{}, 0.0, 0.0
	for _, i := range s.changes[id] {
		weight, tests := s.past.changes[i].faded(togetherHalfLife), false
		all += weight
		for _, other := range s.touched[i] {
			if other != id {
				shares[other] += weight
				tests = tests || s.files.kinds[other] == kindTest
			}
		}
		if tests {
			tested += weight
		}
	}
	partners := make([]Partner, 0, len(shares))
	for other, share := range shares {
		of := all
		if s.files.kinds[other] == kindTest {
			of = tested
		}
		partners = append(partners, Partner{s.documents[other].Path, share / (of + doubtedShares)})
	}
	slices.SortFunc(partners, func(a, b Partner) int { return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Path, b.Path)) })
	return partners[:min(len(partners), mostPartners)]
}
