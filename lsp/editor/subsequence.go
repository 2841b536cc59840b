package editor

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

// crlf is the symbol of the line break that may not be divided.
const crlf = utf8.MaxRune + 1

// symbols is a text as what an edit may not divide.
type symbols struct {
	all []rune
	at  []int // byte offset of each symbol, and behind them the length of the text
}

func newSymbols(text string) symbols {
	s := symbols{all: make([]rune, 0, len(text)), at: make([]int, 0, len(text)+1)}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			r, size = crlf, 2
		}
		s.all, s.at = append(s.all, r), append(s.at, i)
		i += size
	}
	s.at = append(s.at, len(text))
	return s
}

// gap is a run of symbols of one text in whose place another text has others. One of them may be empty.
type gap struct{ aFrom, aTo, bFrom, bTo int }

// Bounds of the product of the lengths of two texts: of those for which the best alignment is looked for, a
// byte of memory for each cell, and of those that are compared symbol by symbol, a bit for each. Larger
// ones are compared from their ends only.
const (
	maxAligned = 1 << 19
	maxCells   = 1 << 24
)

// differences returns the gaps between two texts, in order: with price 0 those with the fewest symbols, else
// those that cost the least if a gap costs the price besides its symbols, as far as that can be found.
func (a symbols) differences(b symbols, price int) []gap {
	from, x, y := 0, a.all, b.all
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		from, x, y = from+1, x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	gaps := unlike(x, y, price)
	for i := range gaps {
		g := &gaps[i]
		g.aFrom, g.aTo, g.bFrom, g.bTo = g.aFrom+from, g.aTo+from, g.bFrom+from, g.bTo+from
	}
	return gaps
}

// unlike returns the gaps between two texts that differ at both ends.
func unlike(x, y []rune, price int) []gap {
	switch {
	case len(x) == 0 || len(y) == 0 || len(x) > maxCells/len(y):
		return []gap{{0, len(x), 0, len(y)}}
	case price == 0 || len(x) > maxAligned/len(y):
		return newRows(x, y).gaps()
	}
	return newAlignment(x, y, price).gaps()
}

// rows is the table of a longest common subsequence in bits, by H. Hyyrö, "Bit-Parallel LCS-length
// Computation Revisited", 2004. Bit i of row j is 0 where the subsequence of a[:i+1] and b[:j+1] is
// longer than that of a[:i] and b[:j+1].
type rows struct {
	a, b  []rune
	width int // words of a row
	words []uint64
}

func newRows(a, b []rune) *rows {
	t := &rows{a: a, b: b, width: (len(a) + 63) / 64}
	places := map[rune][]uint64{}
	for i, r := range a {
		if places[r] == nil {
			places[r] = make([]uint64, t.width)
		}
		places[r][i/64] |= 1 << (i % 64)
	}
	t.words = make([]uint64, t.width*len(b))
	row := slices.Repeat([]uint64{^uint64(0)}, t.width)
	for j, r := range b {
		next := t.words[j*t.width : (j+1)*t.width]
		if where := places[r]; where != nil {
			advanceRow(next, row, where)
		} else {
			copy(next, row)
		}
		row = next
	}
	return t
}

// advanceRow computes a row from the one before and from the places of its symbol.
func advanceRow(next, row, where []uint64) {
	carry := uint64(0)
	for w, v := range row {
		u := v & where[w]
		sum, c := bits.Add64(v, u, carry)
		next[w], carry = sum|(v&^u), c
	}
}

// grows reports whether a[i] makes the subsequence with b[:j+1] longer.
func (t *rows) grows(i, j int) bool { return t.words[j*t.width+i/64]>>(i%64)&1 == 0 }

// gaps walks the table from its end and returns what is not in common, in order.
func (t *rows) gaps() []gap {
	var gaps []gap
	i, j := len(t.a), len(t.b)
	aTo, bTo := i, j
	for i > 0 && j > 0 {
		switch {
		case !t.grows(i-1, j-1):
			i--
		case j > 1 && t.grows(i-1, j-2):
			j--
		default: // a[i-1] and b[j-1] are the same
			if i < aTo || j < bTo {
				gaps = append(gaps, gap{i, aTo, j, bTo})
			}
			i, j = i-1, j-1
			aTo, bTo = i, j
		}
	}
	if aTo > 0 || bTo > 0 {
		gaps = append(gaps, gap{0, aTo, 0, bTo})
	}
	slices.Reverse(gaps)
	return gaps
}
