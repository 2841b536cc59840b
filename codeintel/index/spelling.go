package index

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"forge/codeintel"
)

// spellings gives words numbers, and remembers the words of each identifier: a text holds the same ones again and
// again. Nearly all identifiers fit into two machine words, and are found by those: one look into one line of the
// cache, and no text to compare.
type spellings struct {
	words interner
	short []shortSpelling // by hash; its length is a power of two
	count int             // of short identifiers

	long  interner // identifiers that are not short
	spans []span   // by long identifier
	of    []uint32 // the words of all identifiers that have several, one after the other
}

// shortSpelling is an identifier of up to shortLength bytes, with its words. The zero value is free.
type shortSpelling struct {
	shortText
	words span
}

// shortText is an identifier with zero bytes behind it; no identifier has any of its own.
type shortText struct{ low, high uint64 }

const shortLength = 16

// span locates the words of an identifier: length of them from a place in spellings.of. A single word has no
// entry there: it is the place itself.
type span struct{ at, length uint32 }

func newSpellings() *spellings {
	return &spellings{words: newInterner(), long: newInterner(), short: make([]shortSpelling, 1<<10)}
}

// length is how many identifiers are known.
func (s *spellings) length() int { return s.count + s.long.length() }

// wordsOf returns the words of the identifier text[at:end].
func (s *spellings) wordsOf(text []byte, at, end int) span {
	if end-at > shortLength {
		return s.wordsOfLong(text[at:end])
	}
	short := shortTextOf(text, at, end)
	mask := uint64(len(s.short) - 1)
	for i := short.hash() & mask; ; i = (i + 1) & mask {
		switch known := &s.short[i]; {
		case known.shortText == short:
			return known.words
		case known.shortText == shortText{}:
			words := s.add(text[at:end])
			*known = shortSpelling{short, words}
			s.count++
			if 4*s.count > 3*len(s.short) {
				s.grow()
			}
			return words
		}
	}
}

func (s *spellings) wordsOfLong(identifier []byte) span {
	number, isNew := s.long.number(identifier)
	if isNew {
		s.spans = append(s.spans, s.add(identifier))
	}
	return s.spans[number]
}

// add finds out the words of an identifier that is not known yet.
func (s *spellings) add(identifier []byte) span {
	at := len(s.of)
	for _, word := range codeintel.WordsOf(string(identifier)) {
		number, _ := s.words.number([]byte(word))
		s.of = append(s.of, number)
	}
	if len(s.of) == at+1 {
		only := s.of[at]
		s.of = s.of[:at]
		return span{only, 1}
	}
	return span{uint32(at), uint32(len(s.of) - at)}
}

func (s *spellings) grow() {
	old := s.short
	s.short = make([]shortSpelling, 2*len(old))
	mask := uint64(len(s.short) - 1)
	for _, known := range old {
		if known.shortText == (shortText{}) {
			continue
		}
		i := known.hash() & mask
		for s.short[i].shortText != (shortText{}) {
			i = (i + 1) & mask
		}
		s.short[i] = known
	}
}

// shortTextOf reads text[at:end], which is not empty and no longer than shortLength.
func shortTextOf(text []byte, at, end int) shortText {
	var t shortText
	if at+shortLength <= len(text) {
		t.low, t.high = binary.LittleEndian.Uint64(text[at:]), binary.LittleEndian.Uint64(text[at+8:])
	} else {
		var padded [shortLength]byte
		copy(padded[:], text[at:end])
		t.low, t.high = binary.LittleEndian.Uint64(padded[:]), binary.LittleEndian.Uint64(padded[8:])
	}
	if length := end - at; length <= 8 {
		t.low, t.high = t.low&(^uint64(0)>>(64-8*length)), 0
	} else {
		t.high &= ^uint64(0) >> (128 - 8*length)
	}
	return t
}

// keys keep those who write a text from choosing where its identifiers stand in a table.
var keys = [2]uint64{maphash.Bytes(seed, []byte("low")), maphash.Bytes(seed, []byte("high"))}

// hash multiplies to 128 bits and folds them, as wyhash does.
func (t shortText) hash() uint64 {
	high, low := bits.Mul64(t.low^keys[0], t.high^keys[1])
	return high ^ low
}

// The bytes of ASCII that belong to identifiers, and all others that may begin a letter.
var inIdentifier, isASCIIIdentifier = identifierBytes()

func identifierBytes() (in, ascii [256]bool) {
	for b := range 256 {
		r := rune(b)
		ascii[b] = r < utf8.RuneSelf && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
		in[b] = ascii[b] || r >= utf8.RuneSelf
	}
	return in, ascii
}

// identifierEnd returns where the identifier ends that begins at a byte, which is there if none does. What an
// identifier is made of is what codeintel.Words says.
func identifierEnd(text []byte, at int) int {
	for at < len(text) {
		if isASCIIIdentifier[text[at]] {
			at++
			continue
		}
		if text[at] < utf8.RuneSelf {
			return at
		}
		r, size := utf8.DecodeRune(text[at:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return at
		}
		at += size
	}
	return at
}
