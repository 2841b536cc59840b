package index

import (
	"bytes"
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

// addLines reads a content chunk by chunk, and tells how many lines and words there were.
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
		words += v.countIdentifier(content[at:end])
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
		v.countIdentifier(text[at:end])
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

func (v *inverter) countIdentifier(identifier []byte) (words int) {
	if len(identifier) < 2 {
		return 0 // words of one byte do not count
	}
	numbers := v.spellings.wordsOf(identifier)
	if missing := v.spellings.words.length() - len(v.counts); missing > 0 {
		v.counts = append(v.counts, make([]uint32, missing)...)
		v.lengths = append(v.lengths, make([]uint32, missing)...)
	}
	for _, number := range numbers {
		if v.counts[number] == 0 {
			v.seen = append(v.seen, number)
		}
		v.counts[number]++
	}
	return len(numbers)
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
	var numbers []uint32
	for number, length := range v.lengths {
		if length > 0 {
			numbers = append(numbers, uint32(number))
		}
	}
	words := &v.spellings.words
	slices.SortFunc(numbers, func(a, b uint32) int { return bytes.Compare(words.text(a), words.text(b)) })
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
	sorted := make([]entry, len(v.entries))
	for _, e := range v.entries {
		sorted[at[e.word]] = e
		at[e.word]++
	}
	return sorted
}

func (v *inverter) reset(numbers []uint32) {
	for _, number := range numbers {
		v.lengths[number] = 0
	}
	v.documents, v.slots, v.entries = v.documents[:0], v.slots[:0], v.entries[:0]
	v.slot, v.bytes = 0, 0
	if v.spellings.identifiers.length() > maxSpellings {
		v.spellings, v.counts, v.lengths = newSpellings(), nil, nil
	}
}
