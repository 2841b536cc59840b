package match

import (
	"cmp"
	"slices"

	"forge/patch"
)

// applyTogether returns the text after hunks that are all matched against the text before.
func applyTogether(path, before string, hunks []patch.Hunk, confirmed confirmer) (string, []patch.Match, error) {
	d := newDocument(before)
	targets, err := locate(path, newLadder(d), hunks, confirmed)
	if err != nil {
		return "", nil, err
	}
	splices, err := spliceAll(path, d.lines, targets)
	if err != nil {
		return "", nil, err
	}
	var matches []patch.Match
	for _, t := range targets {
		matches = append(matches, patch.Match{Level: t.place().level, Line: t.place().at + 1})
	}
	after := d.outcome(targets, splices)
	return after, matches, checkText(path, after)
}

// outcome returns the text after the splices of some hunks. It does not change the document.
func (d *document) outcome(targets []*target, splices []splice) string {
	changed := *d
	for _, t := range targets {
		changed.finish(t)
	}
	return changed.splice(splices)
}

// finish adds or removes the final line end, as a hunk at the end of the text says.
func (d *document) finish(t *target) {
	if t.place().at+len(t.old) == len(d.lines) && t.hunk.Final != patch.EndKept {
		d.final = t.hunk.Final == patch.EndPut
	}
}

// splice replaces the lines [from, to) of a document.
type splice struct {
	from, to int
	lines    []string
	end      string // of the last line; "" for the document's own
}

// spliceAll reduces located hunks to their changes, ordered, so that context is never rewritten.
func spliceAll(path string, lines []string, targets []*target) ([]splice, error) {
	claims := newClaims(path)
	var all []splice
	for _, t := range targets {
		splices, err := t.splices(lines, claims)
		if err != nil {
			return nil, err
		}
		all = append(all, splices...)
	}
	slices.SortFunc(all, func(a, b splice) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return all, nil
}

// splices returns one splice for each run of changed lines.
func (t *target) splices(lines []string, c *claims) ([]splice, error) {
	var out []splice
	at, open := t.place().at, false
	moved := t.moved(lines)
	for _, line := range t.hunk.Lines {
		if line.Kind == patch.Context {
			open = false
			if err := c.line(at, t.number, false); err != nil {
				return nil, err
			}
			at++
			continue
		}
		if !open {
			out, open = append(out, splice{from: at, to: at}), true
		}
		run := &out[len(out)-1]
		if line.Kind == patch.Add {
			run.lines = append(run.lines, t.added(line.Text, moved))
			if t.verbatim != nil {
				run.end = t.verbatim.end
			}
			continue
		}
		if err := c.line(at, t.number, true); err != nil {
			return nil, err
		}
		at++
		run.to = at
	}
	return out, c.insertions(out, t.number)
}

// added returns the text of an added line.
func (t *target) added(line string, moved map[string]string) string {
	if own, ok := moved[line]; ok {
		return own
	}
	return t.place().shift.apply(line)
}

// moved maps the lines that a hunk removes and adds again to their lines in the text: a moved line keeps the text's spelling, not the
// remembered one.
func (t *target) moved(lines []string) map[string]string {
	moved := map[string]string{}
	at := t.place().at
	for _, line := range t.hunk.Lines {
		if line.Kind == patch.Remove && t.place().level == patch.Unicode {
			moved[line.Text] = lines[at]
		}
		if line.Kind != patch.Add {
			at++
		}
	}
	return moved
}

// claims record which hunk uses which line.
type claims struct {
	path    string
	keepers map[int]int // line → hunk that has it as context
	owners  map[int]int // line → hunk that removes it
	inserts map[int]int // line → hunk that adds lines before it
}

func newClaims(path string) *claims {
	return &claims{path: path, keepers: map[int]int{}, owners: map[int]int{}, inserts: map[int]int{}}
}

// line claims a line for a hunk. Hunks may share context; a removed line belongs to one hunk only.
func (c *claims) line(at, hunk int, remove bool) error {
	if owner, taken := c.owners[at]; taken && owner != hunk {
		return c.overlap(owner, hunk, at)
	}
	if !remove {
		c.keepers[at] = hunk
		return nil
	}
	if keeper, taken := c.keepers[at]; taken && keeper != hunk {
		return c.overlap(keeper, hunk, at)
	}
	c.owners[at] = hunk
	return nil
}

// insertions claims the places where a hunk only adds: the order of two additions at one place is ambiguous, and a repeated addition is
// an error.
func (c *claims) insertions(splices []splice, hunk int) error {
	for _, s := range splices {
		if s.from != s.to {
			continue
		}
		if owner, taken := c.inserts[s.from]; taken {
			return c.overlap(owner, hunk, s.from)
		}
		c.inserts[s.from] = hunk
	}
	return nil
}

func (c *claims) overlap(first, second, at int) error {
	return &OverlapError{Path: c.path, First: min(first, second), Second: max(first, second), Line: at + 1}
}

// splice returns the text with ordered splices applied. Added lines get the document's line end; all others keep theirs.
func (d *document) splice(splices []splice) string {
	lines, ends := make([]string, 0, len(d.lines)), make([]string, 0, len(d.ends))
	at := 0
	for _, s := range splices {
		lines = append(lines, d.lines[at:s.from]...)
		ends = append(ends, d.ends[at:s.from]...)
		for _, line := range s.lines {
			lines, ends = append(lines, line), append(ends, d.eol)
		}
		if s.end != "" {
			ends[len(ends)-1] = s.end
		}
		at = s.to
	}
	lines = append(lines, d.lines[at:]...)
	ends = append(ends, d.ends[at:]...)
	return d.text(lines, ends)
}
