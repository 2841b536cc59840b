package index

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"forge/codeintel"
)

// inverter makes segments. It may make several, one after the other: what it knows of words it keeps.
type inverter struct {
	firstPart int32
	words     []word
	numbers   map[string]uint32 // of words, by text
	spelled   map[string]span   // the words of each identifier: a text holds the same ones again and again
	spellings []uint32          // numbers of words, one identifier after the other

	documents []indexed
	slots     []uint32 // the first of each document
	slot      uint32   // the next
	entries   []entry  // of all slots, in order
	sorted    []entry  // room for finish
	seen      []uint32 // the words whose count is not zero
	bytes     int      // of the contents that have been read
}

// word is a word that an inverter has seen.
type word struct {
	text    string
	count   uint32 // in the slot that is being read; 0 between slots
	entries uint32 // of the segment that is being made
}

// span locates the words of an identifier in inverter.spellings.
type span struct{ start, end uint32 }

// entry is the count of a word in a slot.
type entry struct{ word, slot, count uint32 }

// maxSpellings bounds what an inverter remembers between segments.
const maxSpellings = 1 << 20

func newInverter(firstPart int32) *inverter {
	return &inverter{firstPart: firstPart, numbers: map[string]uint32{}, spelled: map[string]span{}}
}

// addFile adds a file: a slot for its path, and one for each chunk of lines.
func (v *inverter) addFile(path, hash string, content []byte) {
	v.slots = append(v.slots, v.slot)
	v.count([]byte(path))
	v.endSlot()
	d := indexed{path: path, hash: hash, size: len(content)}
	d.lines, d.words = v.addLines(content)
	v.documents = append(v.documents, d)
	v.bytes += len(content)
}

// addNames adds what a document defines: one slot.
func (v *inverter) addNames(path, hash string, names []string) {
	v.slots = append(v.slots, v.slot)
	for _, name := range names {
		v.count([]byte(name))
	}
	v.endSlot()
	v.documents = append(v.documents, indexed{path: path, hash: hash})
}

// addLines reads a content chunk by chunk, and returns how many lines and words there were.
func (v *inverter) addLines(content []byte) (lines, words int) {
	for len(content) > 0 {
		end := 0
		for n := 0; n < ChunkLines && end < len(content); n++ {
			if length := bytes.IndexByte(content[end:], '\n'); length >= 0 {
				end += length + 1
			} else {
				end = len(content)
			}
			lines++
		}
		words += v.count(content[:end])
		v.endSlot()
		content = content[end:]
	}
	return lines, words
}

// count counts the words of a text in the slot, and returns how many there were.
func (v *inverter) count(text []byte) (words int) {
	for at := 0; at < len(text); {
		end := codeintel.IdentifierEnd(text, at)
		switch {
		case end > at+1:
			words += v.countIdentifier(text[at:end])
			at = end
		case end > at || text[at] < utf8.RuneSelf:
			at++ // words of one byte do not count
		default:
			_, size := utf8.DecodeRune(text[at:])
			at += size
		}
	}
	return words
}

func (v *inverter) countIdentifier(identifier []byte) (words int) {
	known, ok := v.spelled[string(identifier)]
	if !ok {
		known = v.spell(string(identifier))
	}
	for _, number := range v.spellings[known.start:known.end] {
		w := &v.words[number]
		if w.count == 0 {
			v.seen = append(v.seen, number)
		}
		w.count++
	}
	return int(known.end - known.start)
}

// spell finds the words of an identifier that is not known yet.
func (v *inverter) spell(identifier string) span {
	at := span{start: uint32(len(v.spellings))}
	for _, text := range codeintel.WordsOf(identifier) {
		number, known := v.numbers[text]
		if !known {
			number = uint32(len(v.words))
			v.numbers[text] = number
			v.words = append(v.words, word{text: text})
		}
		v.spellings = append(v.spellings, number)
	}
	at.end = uint32(len(v.spellings))
	v.spelled[identifier] = at
	return at
}

func (v *inverter) endSlot() {
	for _, number := range v.seen {
		w := &v.words[number]
		v.entries = append(v.entries, entry{number, v.slot, w.count})
		w.entries++
		w.count = 0
	}
	v.seen = v.seen[:0]
	v.slot++
}

// finish returns the segment of all documents that were added, and prepares for the next one.
func (v *inverter) finish() *segment {
	numbers := v.usedWords()
	sorted := v.sortEntries(numbers)
	s := &segment{documents: slices.Clone(v.documents), slots: append(slices.Clone(v.slots), v.slot), firstPart: v.firstPart}
	var words strings.Builder
	lists := encoder{bytes: make([]byte, 0, 2*len(v.entries))}
	s.wordEnds, s.listEnds = make([]uint32, len(numbers)), make([]uint32, len(numbers))
	for i, number := range numbers {
		w := &v.words[number]
		words.WriteString(w.text)
		s.wordEnds[i] = uint32(words.Len())
		var before uint32
		for _, e := range sorted[:w.entries] {
			appendEntry(&lists, before, e.slot, e.count)
			before = e.slot
		}
		sorted = sorted[w.entries:]
		s.listEnds[i] = uint32(len(lists.bytes))
		w.entries = 0
	}
	s.words, s.lists = words.String(), string(lists.bytes)
	v.reset()
	return s
}

// usedWords returns the numbers of the words that have entries, in the order of the words.
func (v *inverter) usedWords() []uint32 {
	var numbers []uint32
	for number := range v.words {
		if v.words[number].entries > 0 {
			numbers = append(numbers, uint32(number))
		}
	}
	slices.SortFunc(numbers, func(a, b uint32) int { return strings.Compare(v.words[a].text, v.words[b].text) })
	return numbers
}

// sortEntries returns the entries word by word, those of one word in order of their slots.
func (v *inverter) sortEntries(numbers []uint32) []entry {
	at := make([]uint32, len(v.words))
	var total uint32
	for _, number := range numbers {
		at[number] = total
		total += v.words[number].entries
	}
	v.sorted = slices.Grow(v.sorted[:0], len(v.entries))[:len(v.entries)]
	for _, e := range v.entries {
		v.sorted[at[e.word]] = e
		at[e.word]++
	}
	return v.sorted
}

func (v *inverter) reset() {
	v.documents, v.slots, v.entries = v.documents[:0], v.slots[:0], v.entries[:0]
	v.slot, v.bytes = 0, 0
	if len(v.spelled) > maxSpellings {
		v.words, v.spellings = nil, nil
		clear(v.numbers)
		clear(v.spelled)
	}
}
