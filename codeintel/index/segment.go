package index

import (
	"sort"
	"strings"
)

// segment is an inverted index of some documents. It never changes: a document that is indexed again is in a new
// segment, and the old one still holds its earlier text. A view knows which of a segment's documents count.
//
// A document has slots, one for each of its parts, in order; slots are numbered throughout the segment. A list holds
// the slots of a word as differences, and how often the document has the word if it is more than once.
type segment struct {
	documents []indexed
	slots     []uint32 // the first slot of each document, and at the end the number of all
	firstPart int32    // the part that the first slot of every document is
	cover     bool     // of texts that cover files
	id        int64    // in the database; 0 if it is not kept there

	words    string   // all words, sorted, one after the other
	wordEnds []uint32 // where they end
	lists    string   // the list of each word, in the same order
	listEnds []uint32
}

// indexed is a document of a segment.
type indexed struct {
	path  string
	hash  string // in hexadecimal
	size  int
	lines int
	words int
}

// place is where a document is. The zero place is nowhere.
type place struct {
	in *segment
	at uint32
}

func (p place) document() indexed { return p.in.documents[p.at] }

func (s *segment) word(i int) string { return s.words[start(s.wordEnds, i):s.wordEnds[i]] }

func (s *segment) list(i int) string { return s.lists[start(s.listEnds, i):s.listEnds[i]] }

// start returns where the part with index i of something begins whose parts have these ends.
func start(ends []uint32, i int) uint32 {
	if i == 0 {
		return 0
	}
	return ends[i-1]
}

// find returns the list of a word, which is empty if the segment does not have it.
func (s *segment) find(word string) string {
	i, found := sort.Find(len(s.wordEnds), func(i int) int { return strings.Compare(word, s.word(i)) })
	if !found {
		return ""
	}
	return s.list(i)
}

// dead marks an obsolete document of a segment.
const dead = ^uint32(0)

// visit calls do for each slot of a list whose document counts. ids maps each document of the segment to that of the view; the slot is
// counted from the first one of its document. A damaged list ends early.
func (s *segment) visit(list string, ids []uint32, do func(id, slot, count uint32)) {
	var slot, count uint32
	for document := 0; len(list) > 0; {
		slot, count, list = next(slot, list)
		for document < len(s.documents) && s.slots[document+1] <= slot {
			document++
		}
		if document == len(s.documents) {
			return
		}
		if id := ids[document]; id != dead {
			do(id, slot-s.slots[document], count)
		}
	}
}

// appendPostings appends the postings of a list.
func (s *segment) appendPostings(postings []Posting, list string, ids []uint32) []Posting {
	s.visit(list, ids, func(id, slot, count uint32) {
		postings = append(postings, Posting{id, s.firstPart + int32(slot), count})
	})
	return postings
}

// appendHolders appends the documents that have the word of a list in any of their slots from first on, once each.
func (s *segment) appendHolders(holders []uint32, list string, ids []uint32, first uint32) []uint32 {
	s.visit(list, ids, func(id, slot, _ uint32) {
		if slot >= first && (len(holders) == 0 || holders[len(holders)-1] != id) {
			holders = append(holders, id)
		}
	})
	return holders
}

// next reads one entry of a list: a slot after the one given, and how often the document has the word.
func next(slot uint32, list string) (at, count uint32, rest string) {
	v, n := uvarint(list)
	if n == 0 {
		return dead, 0, ""
	}
	slot, list = slot+uint32(v>>1), list[n:]
	if v&1 == 0 {
		return slot, 1, list
	}
	v, n = uvarint(list)
	return slot, uint32(v) + 2, list[n:]
}

// appendEntry appends one entry to a list. The slot before it is 0 for the first.
func appendEntry(list *encoder, before, slot, count uint32) {
	difference := uint64(slot-before) << 1
	if count == 1 {
		list.uint(difference)
		return
	}
	list.uint(difference | 1)
	list.uint(uint64(count - 2))
}
