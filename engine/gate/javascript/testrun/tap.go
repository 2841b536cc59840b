package testrun

import (
	"strconv"
	"strings"

	"forge/internal/lazyregexp"
)

// tapResult is one "ok" or "not ok" of the Test Anything Protocol, with its details.
// https://testanything.org/tap-version-14-specification.html
type tapResult struct {
	name    string
	state   state
	note    string      // the preceding comment: tape's title of the test
	inner   []tapResult // results of its subtest
	details string      // diagnostics
}

// tapDocument is a whole output.
type tapDocument struct {
	results []tapResult
	spoken  bool   // it begins as TAP does
	ended   bool   // it has a plan, and a result for each test of it
	note    string // the last comment at the top
}

var (
	tapLine    = lazyregexp.New(`^((?:    )*)(not )?ok\b(?: +(\d+))?(?: +- +| +|$)(.*)$`)
	tapPlan    = lazyregexp.New(`^1\.\.(\d+)(?:\s|$)`)
	tapComment = lazyregexp.New(`^((?:    )*)# (.*)$`)
	tapNote    = lazyregexp.New(`(?i) # (SKIP|TODO)\b.*$| # time=.*$|\s*\{$`)
	tapBegin   = lazyregexp.New(`^((?:    )*)  ---\s*$`)
	// tapPlace matches a place without the word that begins a line of a stack trace.
	tapPlace = lazyregexp.New(`(?m)^([ \t]*)(?:at: +)?((?:[\w.<>\[\] ]+ )?\((?:file://)?[^\s()]+:\d+:\d+\)|(?:file://)?/\S+:\d+:\d+)$`)
	tapAt    = lazyregexp.New(`fileName: (\S+)\s+lineNumber: (\d+)\s+columnNumber: (\d+)`)
)

// parseTAP parses TAP. Other output of tests is skipped.
func parseTAP(stdout string) (d tapDocument) {
	p := tapParser{open: [][]tapResult{nil}, notes: []string{""}}
	planned := -1
	for line := range strings.Lines(stdout) {
		line = strings.TrimRight(line, "\r\n")
		if p.within(line) {
			continue
		}
		switch m := tapLine.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "TAP version "):
			d.spoken = true
		case m != nil:
			p.result(len(m[1])/4, m[2] == "", m[4])
		case tapPlan.MatchString(line):
			planned, _ = strconv.Atoi(tapPlan.FindStringSubmatch(line)[1])
		case tapBegin.MatchString(line):
			p.until = strings.TrimSuffix(strings.TrimRight(line, " "), "---") + "..."
		default:
			p.comment(line)
		}
	}
	d.results, d.note = p.open[0], p.notes[0]
	d.ended = planned >= 0 && len(d.results) >= planned && p.until == ""
	return d
}

// tapParser is the state of the parser.
type tapParser struct {
	open  [][]tapResult // at each depth, those that precede the result of their parent
	notes []string      // the last comment of each depth
	until string        // the line that ends diagnostics; empty outside of them
	last  *tapResult
}

// within handles a line of diagnostics.
func (p *tapParser) within(line string) bool {
	switch {
	case p.until == "":
		return false
	case strings.TrimRight(line, " ") == p.until:
		p.until = ""
	case p.last != nil && len(p.last.details) < maxDetails:
		p.last.details += line + "\n"
	}
	return true
}

// maxDetails limits the diagnostics of a test, in bytes.
const maxDetails = 16 << 10

func (p *tapParser) deepen(depth int) bool {
	if depth >= maxTitles {
		return false
	}
	for len(p.open) <= depth {
		p.open, p.notes = append(p.open, nil), append(p.notes, "")
	}
	return true
}

// result adds a result; open results below it become its subtests.
func (p *tapParser) result(depth int, ok bool, text string) {
	if !p.deepen(depth) {
		return
	}
	r := tapResult{state: failed, note: p.notes[depth]}
	if ok {
		r.state = passed
	}
	for at := tapNote.FindStringSubmatchIndex(text); at != nil; at = tapNote.FindStringSubmatchIndex(text) {
		if at[2] >= 0 {
			r.state = Skipped
		}
		text = text[:at[0]]
	}
	r.name = unescaped.Replace(strings.TrimSpace(text))
	for deeper := len(p.open) - 1; deeper > depth; deeper-- {
		if deeper == depth+1 {
			r.inner = p.open[deeper]
		}
		p.open[deeper], p.notes[deeper] = nil, ""
	}
	p.open[depth] = append(p.open[depth], r)
	p.last = &p.open[depth][len(p.open[depth])-1]
}

var unescaped = strings.NewReplacer(`\#`, "#", `\\`, `\`)

func (p *tapParser) comment(line string) {
	if m := tapComment.FindStringSubmatch(line); m != nil && p.deepen(len(m[1])/4) {
		p.notes[len(m[1])/4] = m[2]
	}
}

// text returns the message of a failure, with its places in the form of a stack trace.
func (r tapResult) text() string {
	var said strings.Builder
	if m := tapAt.FindStringSubmatch(r.details); m != nil {
		said.WriteString("    at " + m[1] + ":" + m[2] + ":" + m[3] + "\n")
	}
	return r.name + "\n" + tapPlace.ReplaceAllString(r.details, "$1    at $2") + said.String()
}
