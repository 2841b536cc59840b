package repomap

import (
	"cmp"
	"maps"
	"slices"

	"forge/codeintel"
	"forge/codeintel/index"
)

// Names that more files define or use than this say nothing about which files belong together.
const (
	maxDefiners = 8
	maxUsers    = 30
	maxPostings = 20 * maxUsers
	maxNames    = 300 // of a file are looked at, which takes time
)

// friend is a file that shares rare names with another, and how much of all such sharing is its.
type friend struct {
	file  int32
	share float64
}

// friends returns the files that use names which a file defines, or define names which it uses: a name that n files
// define and m others use is worth 1/nm. Definitions are looked for in what the file imports and beside it.
func (m *Mapper) friends(file int32) []friend {
	known, _ := m.known.Load(file)
	if all, ok := known.([]friend); ok {
		return all
	}
	shares, sum := map[int32]float64{}, 0.0
	for _, n := range m.sharedNames(file) {
		definers, users := m.parties(n.name)
		if len(definers) == 0 || len(definers) > maxDefiners || len(users) > maxUsers {
			continue
		}
		others := definers
		if n.own {
			others = users
		}
		for _, other := range others {
			if other != file {
				share := 1 / float64(len(definers)*max(1, len(users)))
				shares[other] += share
				sum += share
			}
		}
	}
	all := make([]friend, 0, len(shares))
	for _, other := range slices.Sorted(maps.Keys(shares)) {
		all = append(all, friend{other, shares[other] / sum})
	}
	m.known.Store(file, all)
	return all
}

// sharedName is a name that a file defines, or one of another file that it uses.
type sharedName struct {
	name string
	own  bool
}

// sharedNames returns the names by which a file may have friends: of very many the longest, which are rare.
func (m *Mapper) sharedNames(file int32) []sharedName {
	names := map[string]bool{} // whether they are its own
	used := m.identifiers(file)
	seen := make([]bool, len(m.documents))
	seen[file] = true
	for _, number := range append(m.imported([]int32{file}, seen), m.siblings(file, seen)...) {
		for i := range m.catalog(number).entries {
			if name := m.catalog(number).entries[i].name; used[name] {
				names[name] = false
			}
		}
	}
	for i := range m.catalog(file).entries {
		names[m.catalog(file).entries[i].name] = true
	}
	all := make([]sharedName, 0, len(names))
	for name, own := range names {
		all = append(all, sharedName{name, own})
	}
	slices.SortFunc(all, func(a, b sharedName) int {
		return cmp.Or(cmp.Compare(len(b.name), len(a.name)), cmp.Compare(a.name, b.name))
	})
	return all[:min(len(all), maxNames)]
}

// parties returns the documents that define a name, and the others that have it in their lines; none for a name that
// stands everywhere.
func (m *Mapper) parties(name string) (definers, users []int32) {
	words := codeintel.WordsOf(name)
	if len(words) == 0 {
		return nil, nil
	}
	postings := m.view.Postings(words[0])
	if len(postings) > maxPostings {
		return nil, nil
	}
	for _, p := range postings { // of one document the symbols come before the lines
		number := int32(p.Document)
		switch {
		case p.Part == index.PartSymbols:
			definers = append(definers, number)
		case p.Part >= 0 && !last(definers, number) && !last(users, number):
			users = append(users, number)
		}
	}
	return definers, users
}

func last(files []int32, file int32) bool {
	return len(files) > 0 && files[len(files)-1] == file
}
