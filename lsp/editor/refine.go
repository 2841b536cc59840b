package editor

import (
	"math/bits"
	"slices"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/patch"
)

// refine makes edits of whole lines as small as it is worth: what the text has in common before and after
// is kept, character by character, so that cursors, breakpoints and marks in it stay. Few edits are worth
// more than the very fewest characters: see worth. No edit begins or ends inside a character or between
// the "\r" and the "\n" of one line break.
func refine(before string, edits []patch.Edit) []patch.Edit {
	var fine []patch.Edit
	for _, e := range joinNear(before, edits) {
		fine = append(fine, refineOne(before, e)...)
	}
	return fine
}

// Edits with at most near bytes between them, a line or two, are refined as one, so that what moved from one
// to the other is found; but not more of them than make maxRegion bytes.
const (
	near      = 64
	maxRegion = 2048
)

func joinNear(before string, edits []patch.Edit) []patch.Edit {
	return join(before, edits, func(a, b patch.Edit) bool {
		return b.Start-a.End <= near && b.End-a.Start <= maxRegion && len(a.New)+near+len(b.New) <= maxRegion
	})
}

// refineOne cuts one edit down to what differs.
func refineOne(before string, e patch.Edit) []patch.Edit {
	a, b := newSymbols(before[e.Start:e.End]), newSymbols(e.New)
	gaps := a.differences(b, 0)
	if len(gaps) > 1 {
		gaps = a.differences(b, worth(gaps))
	}
	var fine []patch.Edit
	for _, gap := range gaps {
		fine = append(fine, patch.Edit{
			Start: e.Start + a.at[gap.aFrom], End: e.Start + a.at[gap.aTo], New: e.New[b.at[gap.bFrom]:b.at[gap.bTo]],
		})
	}
	return fine
}

// worth is what one edit less is worth, in characters that are deleted and inserted again for it: few where
// little changes, so that corrected typos stay small edits, and more where a text is rewritten and has only
// letters in common with the old one. With these figures, edits of commits that were not used to choose them
// come out at 1.04 to 1.06 times the fewest characters possible, in 2.8 to 3.4 edits a file.
func worth(least []gap) int {
	changed := 0
	for _, g := range least {
		changed += g.aTo - g.aFrom + g.bTo - g.bFrom
	}
	return min(3+changed/4, 18)
}

// join repeatedly merges adjacent edits that belong together.
func join(before string, edits []patch.Edit, together func(a, b patch.Edit) bool) []patch.Edit {
	var out []patch.Edit
	for _, e := range edits {
		if n := len(out) - 1; n >= 0 && together(out[n], e) {
			last := out[n]
			out[n] = patch.Edit{Start: last.Start, End: e.End, New: last.New + before[last.End:e.Start] + e.New}
			continue
		}
		out = append(out, e)
	}
	return out
}

// TextEdit is an edit as the Language Server Protocol writes it in JSON, for programs that read files
// and no server. Characters are counted in UTF-16 units, the protocol's default.
type TextEdit struct {
	Range   api.Range `json:"range"`
	NewText string    `json:"newText"`
}

// TextEdits expresses edits of a text, which must be ordered and not overlap, as the protocol does. They
// give the same bytes and are finer than lines: what both texts have in common is kept where that does
// not scatter the change. The edits stay ordered.
func TextEdits(before string, edits []patch.Edit) []TextEdit {
	index := NewLines(before, protocol.PositionEncodingKindUTF16)
	out := make([]TextEdit, 0, len(edits))
	for _, e := range refine(before, edits) {
		out = append(out, TextEdit{Range: *WireRange(index.Span(e.Start, e.End)), NewText: e.New})
	}
	return out
}

// alignment aligns two texts so that what their gaps cost, a price for each and one for each of its symbols, is
// the least possible, by O. Gotoh, "An improved
// algorithm for matching biological sequences", 1982. A cell (i, j) stands for a[:i] and b[:j].
type alignment struct {
	a, b []rune
	came []step // how the cheapest way reached each cell
}

// step is how the cheapest ways reach a cell: one that may begin a gap there, and one that is in a gap.
type step byte

const (
	paired    step = 1 << iota // the first by a symbol that both texts have; else by a gap that ends here
	deleting                   // the second by a symbol of a; else by one of b
	continues                  // the second from inside the same gap
)

func newAlignment(a, b []rune, price int) *alignment {
	t := &alignment{a: a, b: b, came: make([]step, (len(a)+1)*(len(b)+1))}
	whole, inGap := make([]int, len(b)+1), make([]int, len(b)+1) // costs of the two ways to the cells of a row
	for j := range whole {
		whole[j], inGap[j] = unreachable, unreachable
	}
	for i := range len(a) + 1 {
		diagonal := unreachable
		for j := range len(b) + 1 {
			above := whole[j]
			gapped, how := cheapest(above+price, inGap[j], deleting)
			if j > 0 {
				if cost, by := cheapest(whole[j-1]+price, inGap[j-1], 0); cost < gapped {
					gapped, how = cost, by
				}
			}
			best := gapped
			switch {
			case i == 0 && j == 0:
				best = 0
			case i > 0 && j > 0 && a[i-1] == b[j-1] && diagonal <= gapped:
				best, how = diagonal, how|paired
			}
			t.came[i*(len(b)+1)+j] = how
			diagonal, whole[j], inGap[j] = above, best, gapped
		}
	}
	return t
}

// unreachable is a cost above all others, far from overflow.
const unreachable = 1 << 40

// cheapest is the cheaper way into a gap by one more symbol: opening it, or from inside.
func cheapest(opened, inGap int, how step) (int, step) {
	if inGap <= opened {
		return inGap + 1, how | continues
	}
	return opened + 1, how
}

// gaps walks back from the last cell and returns what is not aligned, in order.
func (t *alignment) gaps() []gap {
	var gaps []gap
	i, j, open := len(t.a), len(t.b), false
	for i > 0 || j > 0 {
		how := t.came[i*(len(t.b)+1)+j]
		if !open && how&paired != 0 {
			i, j = i-1, j-1
			continue
		}
		if !open {
			gaps = append(gaps, gap{i, i, j, j})
		}
		if how&deleting != 0 {
			i--
		} else {
			j--
		}
		last := &gaps[len(gaps)-1]
		last.aFrom, last.bFrom = i, j
		open = how&continues != 0
	}
	slices.Reverse(gaps)
	return gaps
}

// crlf is the symbol of the line break that may not be divided.
const crlf = utf8.MaxRune + 1

// symbols is a text as what an edit may not divide.
type symbols struct {
	all []rune
	at  []int // byte offset of each symbol, then the length of the text
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
