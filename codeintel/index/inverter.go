package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// inverter makes segments. It may make several, one after the other: what it knows of words it keeps.
type inverter struct {
	spellings *spellings
	firstPart int32

	documents []indexed
	slots     []uint32 // the first of each document
	slot      uint32   // the next
	entries   []entry  // of all slots, in order
	lengths   []uint32 // by word: how many entries it has

	sorted []entry // room for finish

	counts []uint32 // by word, of the slot that is being read; all zero between slots
	seen   []uint32 // the words whose count is not zero
	bytes  int      // of the contents that have been read
}

// entry says that a word stands in a slot.
type entry struct{ word, slot, count uint32 }

// maxSpellings bounds what an inverter remembers between segments.
const maxSpellings = 1 << 20

func newInverter(firstPart int32) *inverter {
	return &inverter{spellings: newSpellings(), firstPart: firstPart}
}

// addFile adds a file: a slot for its path, and one for each chunk of lines.
func (v *inverter) addFile(path, hash string, content []byte) {
	v.begin()
	v.count([]byte(path))
	v.endSlot()
	d := indexed{path: path, hash: hash, size: len(content)}
	d.lines, d.words = v.addLines(content)
	v.documents = append(v.documents, d)
	v.bytes += len(content)
}

// addNames adds what a document defines: one slot.
func (v *inverter) addNames(path, hash string, names []string) {
	v.begin()
	for _, name := range names {
		v.count([]byte(name))
	}
	v.endSlot()
	v.documents = append(v.documents, indexed{path: path, hash: hash})
}

func (v *inverter) begin() { v.slots = append(v.slots, v.slot) }

// addLines reads a content chunk by chunk, and returns how many lines and words there were.
func (v *inverter) addLines(content []byte) (lines, words int) {
	for at := 0; at < len(content); {
		if b := content[at]; !inIdentifier[b] {
			at++
			if b == '\n' {
				lines++
				if lines%ChunkLines == 0 {
					v.endSlot()
				}
			}
			continue
		}
		end := identifierEnd(content, at)
		words += v.countIdentifier(content, at, end)
		at = beyond(content, at, end)
	}
	if len(content) > 0 && content[len(content)-1] != '\n' {
		lines++
	}
	if lines%ChunkLines != 0 || lines > 0 && content[len(content)-1] != '\n' {
		v.endSlot()
	}
	return lines, words
}

// count reads a text that has no lines.
func (v *inverter) count(text []byte) {
	for at := 0; at < len(text); {
		end := identifierEnd(text, at)
		v.countIdentifier(text, at, end)
		at = beyond(text, at, end)
	}
}

// beyond returns where to look for the next identifier.
func beyond(text []byte, at, end int) int {
	if end > at {
		return end
	}
	_, size := utf8.DecodeRune(text[at:])
	return at + size
}

// countIdentifier counts the words of text[at:end], and returns how many there were.
func (v *inverter) countIdentifier(text []byte, at, end int) (words int) {
	if end-at < 2 {
		return 0 // words of one byte do not count
	}
	found := v.spellings.wordsOf(text, at, end)
	if missing := v.spellings.words.length() - len(v.counts); missing > 0 {
		v.counts = append(v.counts, make([]uint32, missing)...)
		v.lengths = append(v.lengths, make([]uint32, missing)...)
	}
	if found.length == 1 {
		v.countWord(found.at)
		return 1
	}
	for _, number := range v.spellings.of[found.at : found.at+found.length] {
		v.countWord(number)
	}
	return int(found.length)
}

func (v *inverter) countWord(number uint32) {
	if v.counts[number] == 0 {
		v.seen = append(v.seen, number)
	}
	v.counts[number]++
}

func (v *inverter) endSlot() {
	for _, number := range v.seen {
		v.entries = append(v.entries, entry{number, v.slot, v.counts[number]})
		v.lengths[number]++
		v.counts[number] = 0
	}
	v.seen = v.seen[:0]
	v.slot++
}

// finish returns the segment of all documents that were added, and makes ready for the next one.
func (v *inverter) finish() *segment {
	numbers := v.usedWords()
	sorted := v.sortEntries(numbers)
	s := &segment{documents: slices.Clone(v.documents), slots: append(slices.Clone(v.slots), v.slot), firstPart: v.firstPart}
	var words encoder
	lists := encoder{bytes: make([]byte, 0, 2*len(v.entries))}
	s.wordEnds, s.listEnds = make([]uint32, len(numbers)), make([]uint32, len(numbers))
	for i, number := range numbers {
		words.bytes = append(words.bytes, v.spellings.words.text(number)...)
		s.wordEnds[i] = uint32(len(words.bytes))
		var before uint32
		for _, e := range sorted[:v.lengths[number]] {
			appendEntry(&lists, before, e.slot, e.count)
			before = e.slot
		}
		sorted = sorted[v.lengths[number]:]
		s.listEnds[i] = uint32(len(lists.bytes))
	}
	s.words, s.lists = string(words.bytes), string(lists.bytes)
	v.reset(numbers)
	return s
}

// usedWords returns the numbers of the words that have entries, in the order of the words.
func (v *inverter) usedWords() []uint32 {
	type used struct {
		start  uint64 // of the text: it distinguishes most words
		number uint32
	}
	var all []used
	words := &v.spellings.words
	for number, length := range v.lengths {
		if length > 0 {
			var start [8]byte
			copy(start[:], words.text(uint32(number)))
			all = append(all, used{binary.BigEndian.Uint64(start[:]), uint32(number)})
		}
	}
	slices.SortFunc(all, func(a, b used) int {
		if a.start != b.start {
			return cmp.Compare(a.start, b.start)
		}
		return bytes.Compare(words.text(a.number), words.text(b.number))
	})
	numbers := make([]uint32, len(all))
	for i, u := range all {
		numbers[i] = u.number
	}
	return numbers
}

// sortEntries returns the entries word by word, those of one word in order of their slots.
func (v *inverter) sortEntries(numbers []uint32) []entry {
	at := make([]uint32, len(v.lengths))
	var total uint32
	for _, number := range numbers {
		at[number] = total
		total += v.lengths[number]
	}
	v.sorted = slices.Grow(v.sorted[:0], len(v.entries))[:len(v.entries)]
	for _, e := range v.entries {
		v.sorted[at[e.word]] = e
		at[e.word]++
	}
	return v.sorted
}

func (v *inverter) reset(numbers []uint32) {
	for _, number := range numbers {
		v.lengths[number] = 0
	}
	v.documents, v.slots, v.entries = v.documents[:0], v.slots[:0], v.entries[:0]
	v.slot, v.bytes = 0, 0
	if v.spellings.length() > maxSpellings {
		v.spellings, v.counts, v.lengths = newSpellings(), nil, nil
	}
}
