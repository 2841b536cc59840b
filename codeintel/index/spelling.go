package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/codeintel"
)

// spellings gives words numbers, and remembers the words of each identifier: a text holds the same ones again and
// again.
type spellings struct {
	words   []string // by number
	numbers map[string]uint32
	known   map[string]run // by identifier
	of      []uint32       // the words of all identifiers that are known
}

// run is a piece of spellings.of.
type run struct{ from, to uint32 }

func newSpellings() *spellings {
	return &spellings{numbers: map[string]uint32{}, known: map[string]run{}}
}

// wordsOf returns the numbers of the words of an identifier.
func (s *spellings) wordsOf(identifier []byte) []uint32 {
	r, ok := s.known[string(identifier)]
	if !ok {
		r = s.learn(string(identifier))
	}
	return s.of[r.from:r.to]
}

func (s *spellings) learn(identifier string) run {
	r := run{from: uint32(len(s.of))}
	for _, word := range codeintel.WordsOf(identifier) {
		s.of = append(s.of, s.number(word))
	}
	r.to = uint32(len(s.of))
	s.known[identifier] = r
	return r
}

func (s *spellings) number(word string) uint32 {
	n, ok := s.numbers[word]
	if !ok {
		n = uint32(len(s.words))
		// The word may be a piece of a longer identifier.
		word = strings.Clone(word)
		s.words = append(s.words, word)
		s.numbers[word] = n
	}
	return n
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
