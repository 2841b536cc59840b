package index

import (
	"unicode"
	"unicode/utf8"

	"forge/codeintel"
)

// spellings gives words numbers, and remembers the words of each identifier: a text holds the same ones again and
// again.
type spellings struct {
	words       interner
	identifiers interner
	of          []uint32 // the words of all identifiers, one after the other
	ends        []uint32 // by identifier: where its words end
}

func newSpellings() *spellings { return &spellings{words: newInterner(), identifiers: newInterner()} }

// wordsOf returns the numbers of the words of an identifier.
func (s *spellings) wordsOf(identifier []byte) []uint32 {
	number, isNew := s.identifiers.number(identifier)
	if isNew {
		for _, word := range codeintel.WordsOf(string(identifier)) {
			word, _ := s.words.number([]byte(word))
			s.of = append(s.of, word)
		}
		s.ends = append(s.ends, uint32(len(s.of)))
	}
	return s.of[start(s.ends, int(number)):s.ends[number]]
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
