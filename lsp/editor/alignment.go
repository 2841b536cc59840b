package editor

import "slices"

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
	paired   step = 1 << iota // the first by a symbol that both texts have; else by a gap that ends here
	deleting                  // the second by a symbol of a; else by one of b
	goesOn                    // the second from inside the same gap
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
		return inGap + 1, how | goesOn
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
		open = how&goesOn != 0
	}
	slices.Reverse(gaps)
	return gaps
}
