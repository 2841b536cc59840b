package proposal

import (
	"slices"
	"strings"

	"forge/patch"
)

// comparison compares a text with the base text that has a choice of hunks, and with what it is if one hunk more, or less, is chosen. Equal
// lines have equal numbers.
type comparison struct {
	settler
	in      []bool // the chosen hunks
	weights []int  // of the hunks

	numbers map[string]int
	named   []string // the lines by number

	text, rows []int // of the text, and of the base text with the chosen hunks
	starts     []int // offset of each row, and the end of the last one
	far        int   // by how many lines the rows differ from the text

	// surplus is how many more of each line the rows have than the text, by number, and apart the sum of its absolute values: the rows
	// differ from the text by at least as many lines, wherever these are.
	surplus []int
	apart   int
}

// compareWith compares a text with the choice of hunks.
func (f settler) compareWith(text string, in []bool) *comparison {
	c := &comparison{settler: f, in: in, numbers: map[string]int{}}
	for _, h := range f.Hunks {
		c.weights = append(c.weights, weight(f.Change.Before, h.Edit))
	}
	c.text = c.number(text)
	c.count(c.text, -1)
	rows := c.number(f.with(in))
	c.count(rows, 1)
	c.become(rows, patch.Distance(rows, c.text))
	return c
}

// number returns the numbers of the lines of a text.
func (c *comparison) number(text string) (numbers []int) {
	for _, line := range patch.SplitLines(text) {
		n, known := c.numbers[line]
		if !known {
			n = len(c.named)
			c.numbers[line] = n
			c.named, c.surplus = append(c.named, line), append(c.surplus, 0)
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// count adds lines to the surplus, or takes them out of it.
func (c *comparison) count(lines []int, by int) {
	for _, n := range lines {
		c.apart -= max(c.surplus[n], -c.surplus[n])
		c.surplus[n] += by
		c.apart += max(c.surplus[n], -c.surplus[n])
	}
}

func (c *comparison) become(rows []int, far int) {
	c.rows, c.far = rows, far
	c.starts = append(c.starts[:0], 0)
	for i, n := range rows {
		c.starts = append(c.starts, c.starts[i]+len(c.named[n]))
	}
}

// turned returns the rows that change if a hunk is chosen, or not chosen any more, and what they become. The rows before and after the hunk are
// among them: without a line end between them, lines become one.
func (c *comparison) turned(i int) (from, to int, lines []int) {
	e, size := c.Hunks[i].Edit, len(c.starts)-1
	at, was, is := e.Start, c.Change.Before[e.Start:e.End], e.New
	for j := range i {
		if c.in[j] {
			at += c.Hunks[j].growth()
		}
	}
	if c.in[i] {
		was, is = is, was
	}
	end := at + len(was)
	from, to = c.rowAt(max(at-1, 0)), min(c.rowAt(end)+1, size)
	var window strings.Builder
	for _, n := range c.rows[from:to] {
		window.WriteString(c.named[n])
	}
	old, start := window.String(), c.starts[from]
	return from, to, c.number(old[:at-start] + is + old[end-start:])
}

// rowAt returns the row that an offset is in.
func (c *comparison) rowAt(offset int) int {
	i, begins := slices.BinarySearch(c.starts, offset)
	if begins {
		return i
	}
	return i - 1
}

// round decides once for each hunk and reports whether anything changed. Large hunks go first: a small
// hunk may match lines of a larger one, rarely the other way round.
func (c *comparison) round() (changed bool) {
	order := make([]int, len(c.Hunks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return c.weights[b] - c.weights[a] })
	for _, i := range order {
		changed = c.decide(i) || changed
	}
	return changed
}

// decide chooses a hunk if it is in the text, given the others that are chosen, and reports whether that changes the choice. It only
// compares the texts if their lines, wherever they are, do not decide it.
func (c *comparison) decide(i int) (changed bool) {
	from, to, lines := c.turned(i)
	c.count(c.rows[from:to], -1)
	c.count(lines, 1)
	accepted := c.Hunks[i].State == Accepted
	stays := c.in[i] && accepted && c.apart >= c.far || !c.in[i] && !accepted && c.far-c.apart < c.weights[i]
	if !stays {
		rows := slices.Concat(c.rows[:from], lines, c.rows[to:])
		far := patch.Distance(rows, c.text)
		gain := c.far - far
		if c.in[i] {
			gain = -gain
		}
		in := gain > 0 && gain == c.weights[i] || accepted && gain >= 0
		if in != c.in[i] {
			c.in[i] = in
			c.become(rows, far)
			return true
		}
	}
	c.count(lines, -1)
	c.count(c.rows[from:to], 1)
	return false
}
