package index

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
)

// file is what the index knows of one text: that of a file, or one that covers it. It never changes.
type file struct {
	Document
	words place   // always somewhere
	names place   // nowhere until the outline has been parsed, and without symbols
	cover *string // the text, if it is not that of the disk
}

// snapshot is a View.
type snapshot struct {
	folder    *folder // nil for texts in memory
	files     []*file // by path
	documents []Document
	segments  []*segment
	ids       [][]uint32 // by segment: which document of the view each of its documents is, or dead
	complete  bool
}

// newSnapshot returns the view of files, which must be sorted by path.
func newSnapshot(in *folder, files []*file) *snapshot {
	s := &snapshot{folder: in, files: files, documents: make([]Document, len(files))}
	for i, f := range files {
		s.documents[i] = f.Document
	}
	known := map[*segment]int{}
	s.place(known, func(f *file) place { return f.words })
	s.place(known, func(f *file) place { return f.names })
	return s
}

// place notes where one of the two places of every file stands. Neighbours are mostly in the same segment.
func (s *snapshot) place(known map[*segment]int, of func(*file) place) {
	var last *segment
	var ids []uint32
	for id, f := range s.files {
		p := of(f)
		if p.in == nil {
			continue
		}
		if p.in != last {
			last, ids = p.in, s.idsOf(known, p.in)
		}
		ids[p.at] = uint32(id)
	}
}

func (s *snapshot) idsOf(known map[*segment]int, of *segment) []uint32 {
	if i, ok := known[of]; ok {
		return s.ids[i]
	}
	ids := slices.Repeat([]uint32{dead}, len(of.documents))
	known[of] = len(s.segments)
	s.segments, s.ids = append(s.segments, of), append(s.ids, ids)
	return ids
}

func (s *snapshot) Documents() []Document { return s.documents }

func (s *snapshot) Complete() bool { return s.complete }

func (s *snapshot) Postings(word string) []Posting {
	lists, length := make([]string, len(s.segments)), 0
	for i, in := range s.segments {
		lists[i] = in.find(word)
		length += len(lists[i])
	}
	postings := make([]Posting, 0, length) // an entry takes a byte or more
	var runs []int                         // where a run begins whose first posting is not behind the last one of the run before it
	for i, in := range s.segments {
		from := len(postings)
		postings = in.appendPostings(postings, lists[i], s.ids[i])
		if from > 0 && len(postings) > from && comparePostings(postings[from-1], postings[from]) > 0 {
			runs = append(runs, from)
		}
	}
	return mergeRuns(postings, runs)
}

func (s *snapshot) Holders(word string) (lines, symbols []uint32) {
	for i, in := range s.segments {
		list := in.find(word)
		switch {
		case list == "":
		case in.firstPart == PartSymbols:
			symbols = in.appendHolders(symbols, list, s.ids[i], 0)
		default:
			lines = in.appendHolders(lines, list, s.ids[i], 1) // the path comes before the lines
		}
	}
	return lines, symbols
}

func comparePostings(a, b Posting) int {
	return cmp.Or(cmp.Compare(a.Document, b.Document), cmp.Compare(a.Part, b.Part))
}

// mergeRuns sorts postings whose runs are sorted. The first run begins at 0, the others at starts.
func mergeRuns(postings []Posting, starts []int) []Posting {
	if len(starts) == 0 {
		return postings
	}
	middle := len(starts) / 2
	cut := starts[middle]
	right := make([]int, 0, len(starts)-middle-1)
	for _, start := range starts[middle+1:] {
		right = append(right, start-cut)
	}
	a, b := mergeRuns(postings[:cut], starts[:middle]), mergeRuns(postings[cut:], right)
	merged := make([]Posting, 0, len(postings))
	for len(a) > 0 && len(b) > 0 {
		if comparePostings(a[0], b[0]) > 0 {
			a, b = b, a // no posting is in both
		}
		// Segments hold neighbours: mostly several of one come before the next of the other.
		n := 1
		for n < len(a) && comparePostings(a[n], b[0]) < 0 {
			n++
		}
		merged, a = append(merged, a[:n]...), a[n:]
	}
	return append(append(merged, a...), b...)
}

func (s *snapshot) ReadFile(path string) ([]byte, error) {
	i, found := slices.BinarySearchFunc(s.files, path, func(f *file, path string) int { return strings.Compare(f.Path, path) })
	if !found {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	f := s.files[i]
	if f.cover != nil {
		return []byte(*f.cover), nil
	}
	content, err := s.folder.read(path)
	if err != nil || hashOf(content) != f.Hash {
		return nil, &fs.PathError{Op: "read what was indexed of", Path: path, Err: fs.ErrNotExist}
	}
	return content, nil
}
