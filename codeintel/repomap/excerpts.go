package repomap

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"forge/codeintel/search"
)

// Excerpts fills a budget with the parts of files that a request is about, as lines below their numbers: what it names, the code and the tests
// around that, and the heads of the files that these are in. No file takes the place of all others, however large it is.
//
//	what is named, found, beside it ──► files, weighed ──► units: functions, tests, paragraphs ──► steps ──► as many as fit
//
// The order of steps does not depend on the budget: a greater one never shows less.
func (m *Mapper) Excerpts(r Request) Pack {
	e := excerpting{mapper: m, request: r, mentions: mentionsIn(r.Text), terms: m.terms(r.Text), usesTerms: m.terms(r.Uses), tested: map[int32]bool{}}
	e.files = e.candidates()
	e.units()
	var p Pack
	room := r.Budget
	taken := e.take(&room)
	p.Found = e.sure >= sureEnough
	for _, f := range taken {
		s := Section{Name: tiers[TierTarget].name, Tier: TierTarget, Importance: f.prior, Path: f.path, How: Windows}
		s.Text, s.How = f.draw()
		s.Tokens = Tokens(s.Path + "\n" + s.Text)
		p.Tokens += s.Tokens
		p.Sections = append(p.Sections, s)
	}
	return p
}

// excerpting is a choice of excerpts in the making.
type excerpting struct {
	mapper    *Mapper
	request   Request
	mentions  mentions
	terms     []term
	usesTerms []term             // those of the tests that were written
	used      map[string]float64 // what a unit gains that defines a name which the tests use
	tested    map[int32]bool     // code by whose names the written tests are called
	own       map[int32]float64  // what each unit gains of the files of a plan
	files     []*source
	steps     []glance
	sure      float64 // the best score of what is shown
}

// sureEnough is the score of a unit that a request is surely about: it says what it is called, or most of what it says.
const sureEnough = 0.35

// source is a file of which something may be shown.
type source struct {
	number int32
	path   string
	prior  float64 // how likely it is that the request is about it
	base   float64 // what each of its units is worth at least
	lines  []string
	units  []unit
	shown  []bool // by line

	texts  []string          // of the units
	words  []map[string]bool // of the units
	in     map[string]int    // how many units have a word
	scores []float64         // of the units
}

// glance is a unit that may be shown.
type glance struct {
	file   *source
	unit   int
	score  float64 // for its length
	weight float64
}

// take shows units, the best first, until one does not fit, and returns the files that they are of.
func (e *excerpting) take(room *int) (taken []*source) {
	for _, g := range e.steps {
		f, u := g.file, g.file.units[g.unit]
		first := f.shown == nil
		if first {
			f.shown = make([]bool, len(f.lines))
		}
		var more []int
		for _, line := range f.wanted(u, first, e.request.Tests) {
			if !f.shown[line] {
				more = append(more, line)
			}
		}
		cost := f.cost(more, first)
		if cost > *room {
			if first {
				f.shown = nil
			}
			break
		}
		*room -= cost
		e.sure = max(e.sure, g.weight)
		for _, line := range more {
			f.shown[line] = true
		}
		if first {
			taken = append(taken, f)
		}
	}
	return taken
}

const (
	headLines = 30 // of a file that are its head at most: package and imports
	tailLines = 8  // of a file of tests, behind which new ones are written
	margin    = 4  // lines around a unit: what is written before or behind it, too
	windowGap = 3  // lines between windows that are shown rather than left out
	headToken = 8  // what the line above a window costs
)

// wanted are the lines to show for a unit: its own, those around it, and with the first of a file its head.
func (f *source) wanted(u unit, first, tests bool) (lines []int) {
	for i := max(0, u.first-margin); i <= min(u.last+margin, len(f.lines)-1); i++ {
		lines = append(lines, i)
	}
	if first {
		for i := range f.head() {
			lines = append(lines, i)
		}
		if tests {
			for i := max(0, len(f.lines)-tailLines); i < len(f.lines); i++ {
				lines = append(lines, i)
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// head is how many lines at the beginning of a file say what it imports.
func (f *source) head() int {
	last := 0
	inside := false
	for i := 0; i < min(len(f.lines), 3*headLines); i++ {
		line := strings.TrimSpace(f.lines[i])
		is := false
		for _, begin := range []string{"import", "from ", "package ", "use ", "#include", "require", "const "} {
			is = is || strings.HasPrefix(line, begin)
		}
		is = is && (!strings.HasPrefix(line, "const ") || strings.Contains(line, "require("))
		if is || inside {
			last = i + 1
		}
		if is && strings.HasSuffix(line, "(") || is && strings.HasSuffix(line, "{") {
			inside = true
		}
		if inside && (strings.HasPrefix(line, ")") || strings.HasPrefix(line, "}")) {
			inside = false
		}
	}
	return min(last, headLines)
}

// cost is what lines cost in tokens, if none of them is shown yet.
func (f *source) cost(lines []int, first bool) int {
	runes, windows := 0, 0
	for i, line := range lines {
		runes += utf8.RuneCountInString(f.lines[line])
		if i == 0 || lines[i-1] != line-1 {
			windows++
		}
	}
	cost := (runes+charactersPerToken-1)/charactersPerToken + windows*headToken
	if first {
		cost += Tokens(f.path) + headToken
	}
	return cost
}

// draw writes the windows of a file, each below the numbers of its lines; a file that is shown whole is written as it is.
func (f *source) draw() (string, How) {
	f.close()
	var b strings.Builder
	all := true
	for i := 0; i < len(f.lines); i++ {
		if !f.shown[i] {
			all = false
			continue
		}
		last := i
		for last+1 < len(f.lines) && f.shown[last+1] {
			last++
		}
		fmt.Fprintf(&b, "[lines %d to %d of %d]\n", i+1, last+1, len(f.lines))
		for _, line := range f.lines[i : last+1] {
			b.WriteString(strings.ToValidUTF8(line, "\uFFFD"))
		}
		if !strings.HasSuffix(f.lines[last], "\n") {
			b.WriteString("\n")
		}
		i = last
	}
	if all {
		return strings.ToValidUTF8(strings.Join(f.lines, ""), "\uFFFD"), Full
	}
	return b.String(), Windows
}

// close fills gaps that are hardly longer than the line that would say that something was left out.
func (f *source) close() {
	last := -1
	for i := range f.lines {
		if !f.shown[i] {
			continue
		}
		if gap := i - last - 1; gap > 0 && gap <= windowGap {
			for j := last + 1; j < i; j++ {
				f.shown[j] = true
			}
		}
		last = i
	}
	if gap := len(f.lines) - last - 1; gap <= windowGap {
		for j := last + 1; j < len(f.lines); j++ {
			f.shown[j] = true
		}
	}
}

// byScore puts the steps into their order: what is worth most for its length first.
func (e *excerpting) byScore() {
	for i := range e.steps {
		g := &e.steps[i]
		g.score /= math.Pow(float64(g.file.size(g.unit)+40), lengthPower)
	}
	slices.SortStableFunc(e.steps, func(a, b glance) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.file.path, b.file.path), cmp.Compare(a.unit, b.unit))
	})
	e.turns()
}

// turns gives tests and the rest their turns, by what was shown of each so far: the author of tests needs both, and neither may take
// the place of the other.
func (e *excerpting) turns() {
	if !e.request.Tests {
		return
	}
	var tests, rest []glance
	for _, g := range e.steps {
		if search.IsTest(g.file.path) {
			tests = append(tests, g)
		} else {
			rest = append(rest, g)
		}
	}
	cost := func(g glance) float64 { return float64(g.file.size(g.unit)) }
	forTests, forRest := 0.0, 0.0
	e.steps = e.steps[:0]
	for len(tests) > 0 || len(rest) > 0 {
		if len(rest) == 0 || len(tests) > 0 && forTests*(1-shareOfTests) <= forRest*shareOfTests {
			forTests += cost(tests[0])
			e.steps, tests = append(e.steps, tests[0]), tests[1:]
			continue
		}
		forRest += cost(rest[0])
		e.steps, rest = append(e.steps, rest[0]), rest[1:]
	}
}

// shareOfTests is how much of what the author of tests is shown are tests.
const shareOfTests = 0.68

// size is what a unit costs by itself.
func (f *source) size(unit int) int {
	u := f.units[unit]
	lines := make([]int, 0, u.last-u.first+1)
	for l := u.first; l <= u.last; l++ {
		lines = append(lines, l)
	}
	return f.cost(lines, false)
}

// lengthPower is how much length counts against a unit.
const lengthPower = 0.5
