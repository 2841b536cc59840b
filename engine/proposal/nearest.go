package proposal

import (
	"cmp"
	"slices"

	"forge/patch"
)

// mostCells bounds the work of findGrounds: lines of the file times lines that may be there. It takes some tenths of a second.
const mostCells = 1 << 25

// findGrounds chooses what is in the places of the hunks that have grounds: what makes the difference to the text smallest. It chooses for
// all of them together, because equal lines may be under several. An accepted one may turn out to be undone. If the text is too large,
// all stays as it was, and what came back counts as typed.
func (f settler) findGrounds(text string) {
	var choices []int
	for i, h := range f.Hunks {
		if len(h.Grounds) > 0 {
			choices = append(choices, i)
		}
	}
	if len(choices) == 0 {
		return
	}
	n := nearest{settler: f, fixed: f.linesAround(choices), lines: patch.SplitLines(text)}
	n.trim()
	if n.cells(choices) > mostCells {
		return
	}
	r := n.reading(choices)
	for _, i := range slices.Backward(choices) {
		if !r.in {
			f.Hunks[i].settled(false)
			f.setGround(i, r.ground)
		}
		r = r.before
	}
}

// linesAround returns the lines before each of some hunks, and those after the last one, as they are with what is accepted.
func (f settler) linesAround(hunks []int) (all [][]string) {
	text, at := "", 0
	for i, h := range f.Hunks {
		text += f.Change.Before[at:h.Edit.Start]
		at = h.Edit.End
		switch {
		case slices.Contains(hunks, i):
			all = append(all, patch.SplitLines(text))
			text = ""
		case h.State == Accepted:
			text += h.Edit.New
		default:
			text += f.Change.Before[h.Edit.Start:h.Edit.End]
		}
	}
	return append(all, patch.SplitLines(text+f.Change.Before[at:]))
}

// nearest finds the reading of a text that is nearest to it.
type nearest struct {
	settler
	fixed [][]string // the lines before each hunk that may be read in several ways, and those after the last one
	lines []string   // of the text
}

// nearness is how near a reading comes to some of the first lines of the text.
type nearness struct {
	lines int // by which they differ
	cost  int
	last  *reading
}

func (n nearness) further(other nearness) bool {
	return cmp.Or(cmp.Compare(n.lines, other.lines), cmp.Compare(n.cost, other.cost)) > 0
}

// trim removes the first and the last lines that every reading has in common with the text.
func (n *nearest) trim() {
	head := &n.fixed[0]
	for len(*head) > 0 && len(n.lines) > 0 && (*head)[0] == n.lines[0] {
		*head, n.lines = (*head)[1:], n.lines[1:]
	}
	tail := &n.fixed[len(n.fixed)-1]
	for len(*tail) > 0 && len(n.lines) > 0 && (*tail)[len(*tail)-1] == n.lines[len(n.lines)-1] {
		*tail, n.lines = (*tail)[:len(*tail)-1], n.lines[:len(n.lines)-1]
	}
}

// cells returns how much work it is to compare all readings of some hunks.
func (n *nearest) cells(hunks []int) int {
	lines := 0
	for _, fixed := range n.fixed {
		lines += len(fixed)
	}
	for _, i := range hunks {
		for _, option := range n.options(n.Hunks[i]) {
			lines += len(patch.SplitLines(option.text))
		}
	}
	return lines * (len(n.lines) + 1)
}

// option is what may be in the place of a hunk.
type option struct {
	text string
	cost int
	in   bool // it is the hunk
}

func (n *nearest) options(h Hunk) (all []option) {
	if h.State == Accepted {
		all = append(all, option{text: h.Edit.New, in: true})
	}
	for _, ground := range n.groundsOf(h) {
		all = append(all, option{text: ground, cost: n.costOf(h, ground)})
	}
	return all
}

// reading returns the nearest reading of some hunks. A row has the nearness to the first lines of the text, for each number of lines.
func (n *nearest) reading(hunks []int) *reading {
	row := make([]nearness, len(n.lines)+1)
	for i := range row {
		row[i].lines = i
	}
	for k, i := range hunks {
		row = n.choose(n.over(row, n.fixed[k]), n.Hunks[i])
	}
	return n.over(row, n.fixed[len(hunks)])[len(n.lines)].last
}

// choose continues a row by each text that may be in the place of a hunk, and returns the nearest.
func (n *nearest) choose(row []nearness, h Hunk) (best []nearness) {
	for _, option := range n.options(h) {
		next := n.over(row, patch.SplitLines(option.text))
		for i := range next {
			next[i].cost += option.cost
			if best != nil && !best[i].further(next[i]) {
				next[i] = best[i]
				continue
			}
			next[i].last = &reading{before: next[i].last, in: option.in, ground: option.text}
		}
		best = next
	}
	return best
}

// over continues a row by lines that a reading has: each is in the text, or missing there, and between them may be others.
func (n *nearest) over(row []nearness, lines []string) []nearness {
	row = slices.Clone(row)
	for _, line := range lines {
		diagonal := row[0]
		row[0].lines++
		for i, own := range n.lines {
			nearest := row[i+1]
			nearest.lines++ // the line is missing
			if beside := row[i]; nearest.lines > beside.lines {
				if beside.lines++; nearest.further(beside) {
					nearest = beside
				}
			}
			if own == line && nearest.further(diagonal) {
				nearest = diagonal
			}
			diagonal, row[i+1] = row[i+1], nearest
		}
	}
	return row
}
