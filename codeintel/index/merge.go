package index

import (
	"cmp"
	"slices"
)

// merge makes one segment of several: of the documents at places, which stand in them and are in order of their
// paths. All segments must begin with the same part.
func merge(places []place) *segment {
	m := merging{segment: &segment{firstPart: places[0].in.firstPart}}
	var slot uint32
	for _, p := range places {
		source := m.source(p.in)
		source.slots[p.at] = slot
		m.segment.documents = append(m.segment.documents, p.document())
		m.segment.slots = append(m.segment.slots, slot)
		slot += p.in.slots[p.at+1] - p.in.slots[p.at]
	}
	m.segment.slots = append(m.segment.slots, slot)
	m.mergeLists()
	return m.segment
}

type merging struct {
	segment      *segment
	sources      []*source
	words, lists encoder
	entries      []entry // of one word
}

// source is a segment that is merged with others.
type source struct {
	*segment
	slots []uint32 // the first slot each document will have, or dead
	at    int      // the next word
}

func (m *merging) source(s *segment) *source {
	for _, known := range m.sources {
		if known.segment == s {
			return known
		}
	}
	slots := make([]uint32, len(s.documents))
	for i := range slots {
		slots[i] = dead
	}
	m.sources = append(m.sources, &source{segment: s, slots: slots})
	return m.sources[len(m.sources)-1]
}

func (m *merging) mergeLists() {
	for {
		word, ok := m.next()
		if !ok {
			break
		}
		m.entries = m.entries[:0]
		for _, s := range m.sources {
			if s.at < len(s.wordEnds) && s.word(s.at) == word {
				m.entries = s.appendEntries(m.entries, s.list(s.at))
				s.at++
			}
		}
		m.endWord(word)
	}
	m.segment.words, m.segment.lists = string(m.words.bytes), string(m.lists.bytes)
}

// next returns the first word that is left in any source.
func (m *merging) next() (word string, ok bool) {
	for _, s := range m.sources {
		if s.at == len(s.wordEnds) {
			continue
		}
		if w := s.word(s.at); !ok || w < word {
			word, ok = w, true
		}
	}
	return word, ok
}

func (m *merging) endWord(word string) {
	if len(m.entries) == 0 {
		return // it stood only in documents that do not count any more
	}
	slices.SortFunc(m.entries, func(a, b entry) int { return cmp.Compare(a.slot, b.slot) })
	var before uint32
	for _, e := range m.entries {
		appendEntry(&m.lists, before, e.slot, e.count)
		before = e.slot
	}
	m.words.bytes = append(m.words.bytes, word...)
	m.segment.wordEnds = append(m.segment.wordEnds, uint32(len(m.words.bytes)))
	m.segment.listEnds = append(m.segment.listEnds, uint32(len(m.lists.bytes)))
}

// appendEntries appends what a list says, with the slots that will be.
func (s *source) appendEntries(entries []entry, list string) []entry {
	var slot uint32
	document := 0
	for len(list) > 0 {
		var count uint32
		slot, count, list = next(slot, list)
		for document < len(s.documents) && s.segment.slots[document+1] <= slot {
			document++
		}
		if document == len(s.documents) {
			break // damaged
		}
		if first := s.slots[document]; first != dead {
			entries = append(entries, entry{slot: first + slot - s.segment.slots[document], count: count})
		}
	}
	return entries
}
