package patch

// chunk replaces the lines [aFrom, aTo) of one text by the lines [bFrom, bTo) of another. Between two chunks is at least one equal line.
type chunk struct{ aFrom, aTo, bFrom, bTo int }

// compare returns the chunks in which two sequences of lines differ, ordered: a shortest edit script
// after E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), in linear space. Lines
// that only one side has are taken out first, which loses nothing; above maxEffort the script may
// be longer than the shortest.
func compare(a, b []string) []chunk {
	head, a, b := trim(a, b)
	ids := number(a, b)
	c := comparison{a: ids[:len(a)], b: ids[len(a):]}
	c.run()
	return c.chunks(head)
}

// Distance returns how many lines Diff removes and adds. Equal lines of both texts have equal numbers, from 0, without large gaps.
func Distance(a, b []int) (n int) {
	_, a, b = trim(a, b)
	c := comparison{a: a, b: b}
	c.run()
	for _, differs := range [][]bool{c.aGone, c.bNew} {
		for _, line := range differs {
			if line {
				n++
			}
		}
	}
	return n
}

// trim removes the first and the last lines that two sequences have in common, and returns the number of the first ones.
func trim[T comparable](a, b []T) (head int, shortA, shortB []T) {
	head = commonHead(a, b)
	a, b = a[head:], b[head:]
	tail := commonTail(a, b)
	return head, a[:len(a)-tail], b[:len(b)-tail]
}

func commonHead[T comparable](a, b []T) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonTail[T comparable](a, b []T) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// number returns equal lines of both sides equal numbers.
func number(a, b []string) []int {
	ids := make(map[string]int, len(a))
	out := make([]int, 0, len(a)+len(b))
	for _, lines := range [][]string{a, b} {
		for _, line := range lines {
			id, ok := ids[line]
			if !ok {
				id = len(ids)
				ids[line] = id
			}
			out = append(out, id)
		}
	}
	return out
}

// comparison marks the lines removed from a and added in b.
type comparison struct {
	a, b        []int
	aGone, bNew []bool
	forward     []int // furthest position on each diagonal, from the front …
	backward    []int // … and from the back
}

// run marks the lines that only one side has, and compares the rest.
func (c *comparison) run() {
	c.aGone, c.bNew = make([]bool, len(c.a)), make([]bool, len(c.b))
	as := shared(c.a, c.b, c.aGone)
	bs := shared(c.b, c.a, c.bNew)
	size := 2*(len(as)+len(bs)) + 3
	c.forward, c.backward = make([]int, size), make([]int, size)
	c.script(as, bs)
}

// shared returns the positions in own whose line other has too, and marks all others.
func shared(own, other []int, mark []bool) []int {
	most := -1
	for _, id := range other {
		most = max(most, id)
	}
	has := make([]bool, most+1)
	for _, id := range other {
		has[id] = true
	}
	var at []int
	for i, id := range own {
		if id <= most && has[id] {
			at = append(at, i)
		} else {
			mark[i] = true
		}
	}
	return at
}

// script compares two runs of positions by dividing them at the middle of a shortest path.
func (c *comparison) script(as, bs []int) {
	for len(as) > 0 && len(bs) > 0 && c.a[as[0]] == c.b[bs[0]] {
		as, bs = as[1:], bs[1:]
	}
	for len(as) > 0 && len(bs) > 0 && c.a[as[len(as)-1]] == c.b[bs[len(bs)-1]] {
		as, bs = as[:len(as)-1], bs[:len(bs)-1]
	}
	if len(as) == 0 || len(bs) == 0 {
		for _, i := range as {
			c.aGone[i] = true
		}
		for _, i := range bs {
			c.bNew[i] = true
		}
		return
	}
	x, y := c.middle(as, bs)
	c.script(as[:x], bs[:y])
	c.script(as[x:], bs[y:])
}

// maxEffort bounds the edit distance of an exact search in one division, so that two long texts with nothing in common do not take
// seconds.
const maxEffort = 1000

// middle returns a point on a shortest path through the grid of two runs that differ at both ends. The
// point is never a corner where the path begins or ends, so that the division makes progress.
func (c *comparison) middle(as, bs []int) (x, y int) {
	n, m := len(as), len(bs)
	delta, zero := n-m, n+m+1
	c.forward[zero+1], c.backward[zero+1] = 0, 0
	for d := 0; ; d++ {
		if x, y, ok := c.stepForward(as, bs, d, delta, zero); ok {
			return x, y
		}
		if x, y, ok := c.stepBackward(as, bs, d, delta, zero); ok {
			return x, y
		}
		if d >= maxEffort {
			return c.furthest(n, m, d, zero)
		}
	}
}

// stepForward extends the paths of d edits from the front. It reports where one meets a path from the
// back.
func (c *comparison) stepForward(as, bs []int, d, delta, zero int) (x, y int, met bool) {
	n, m := len(as), len(bs)
	for k := -d; k <= d; k += 2 {
		x = c.next(c.forward, k, d, zero)
		y = x - k
		for x < n && y < m && x >= 0 && y >= 0 && c.a[as[x]] == c.b[bs[y]] {
			x, y = x+1, y+1
		}
		c.forward[zero+k] = x
		back := delta - k // the same diagonal, counted from the back
		if delta%2 != 0 && back >= -(d-1) && back <= d-1 && inside(x, y, n, m) && x+c.backward[zero+back] >= n {
			return x, y, true
		}
	}
	return 0, 0, false
}

// stepBackward extends the paths of d edits from the back. It reports where one meets a path from the
// front.
func (c *comparison) stepBackward(as, bs []int, d, delta, zero int) (x, y int, met bool) {
	n, m := len(as), len(bs)
	for k := -d; k <= d; k += 2 {
		x = c.next(c.backward, k, d, zero)
		y = x - k
		for x < n && y < m && x >= 0 && y >= 0 && c.a[as[n-1-x]] == c.b[bs[m-1-y]] {
			x, y = x+1, y+1
		}
		c.backward[zero+k] = x
		front := delta - k
		if delta%2 == 0 && front >= -d && front <= d && inside(x, y, n, m) && x+c.forward[zero+front] >= n {
			return n - x, m - y, true
		}
	}
	return 0, 0, false
}

func inside(x, y, n, m int) bool { return x >= 0 && y >= 0 && x <= n && y <= m }

// next returns where a path reaches diagonal k with its d-th edit.
func (c *comparison) next(reach []int, k, d, zero int) int {
	if k == -d || k != d && reach[zero+k-1] < reach[zero+k+1] {
		return reach[zero+k+1]
	}
	return reach[zero+k-1] + 1
}

// furthest returns up the shortest path: it returns the point on a path from the front that got furthest.
func (c *comparison) furthest(n, m, d, zero int) (x, y int) {
	for k := -d; k <= d; k += 2 {
		if px := c.forward[zero+k]; inside(px, px-k, n, m) && px+px-k > x+y {
			x, y = px, px-k
		}
	}
	return x, y
}

// chunks converts the marks to chunks; offset is the number of equal lines before.
func (c *comparison) chunks(offset int) []chunk {
	var out []chunk
	for i, j := 0, 0; i < len(c.a) || j < len(c.b); {
		at := chunk{aFrom: i, bFrom: j}
		for i < len(c.a) && c.aGone[i] {
			i++
		}
		for j < len(c.b) && c.bNew[j] {
			j++
		}
		if at.aTo, at.bTo = i, j; at.aTo > at.aFrom || at.bTo > at.bFrom {
			out = append(out, at.moved(offset))
			continue
		}
		i, j = i+1, j+1
	}
	return out
}

func (c chunk) moved(by int) chunk {
	return chunk{c.aFrom + by, c.aTo + by, c.bFrom + by, c.bTo + by}
}
