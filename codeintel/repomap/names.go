package repomap

import (
	"forge/codeintel"
	"forge/codeintel/index"
)

// Names that more files define or use than this say nothing about which files belong together.
const (
	maxDefiners = 8
	maxUsers    = 30
	maxPostings = 20 * maxUsers
)

// friends are files that share rare names with one file, and how much of all such sharing is theirs.
type friends struct {
	files  []int32
	shares []float64 // by document; they add up to 1 if there are any
}

func (f *friends) add(file int32, share float64) {
	if f.shares[file] == 0 {
		f.files = append(f.files, file)
	}
	f.shares[file] += share
}

// friends returns the files that use names which a file defines, or define names which it uses: a name that n files
// define and m others use is worth 1/nm. Definitions are looked for in what the file imports and beside it.
func (m *Mapper) friends(file int32) friends {
	f := friends{shares: make([]float64, len(m.documents))}
	seen := make([]bool, len(m.documents))
	seen[file] = true
	own := map[string]bool{}
	for i := range m.catalog(file).entries {
		name := m.catalog(file).entries[i].name
		own[name] = true
		definers, users := m.parties(name)
		f.addAll(file, users, definers, users)
	}
	used := m.identifiers(file)
	for _, number := range append(m.imported([]int32{file}, seen), m.siblings(file, seen)...) {
		for i := range m.catalog(number).entries {
			if name := m.catalog(number).entries[i].name; used[name] && !own[name] {
				own[name] = true // once
				definers, users := m.parties(name)
				f.addAll(file, definers, definers, users)
			}
		}
	}
	sum := 0.0
	for _, friend := range f.files {
		sum += f.shares[friend]
	}
	for _, friend := range f.files {
		f.shares[friend] /= sum
	}
	return f
}

// addAll adds files, for a name with these definers and users, if it is rare enough to say something.
func (f *friends) addAll(file int32, files, definers, users []int32) {
	if len(definers) == 0 || len(definers) > maxDefiners || len(users) > maxUsers {
		return
	}
	for _, other := range files {
		if other != file {
			f.add(other, 1/float64(len(definers)*max(1, len(users))))
		}
	}
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
