package testrun

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// The rules of findings that are not a tool's own.
const (
	RuleTest    = "test"
	RuleImport  = "import"  // a test module names what is not there
	RuleCollect = "collect" // a test module cannot be collected, for any other reason
	RuleFixture = "fixture" // a test asks for what its own conftest does not have
	RuleSyntax  = "syntax"  // a file is no Python
	RuleSession = "session" // the run as a whole: it ended before its tests, or broke
	RuleAfter   = "after"   // the run, once all of its tests had ended
)

var (
	shortFrame  = lazyregexp.New(`(?m)^(\S.*?):(\d+): (?:in .*|\w*(?:Error|Exception|Failed|Exit|Failure))$`)
	longFrame   = lazyregexp.New(`(?m)^(?:E\s+)?\s*File "(.+?)", line (\d+)`)
	lastPlace   = lazyregexp.New(`(?m)^(?:file )?(\S.*?)(?:, line |:)(\d+)$`)
	exception   = lazyregexp.New(`(?m)^(?:E\s+)?((?:[A-Za-z_]\w*\.)*([A-Z]\w*(?:Error|Exception|Exit|Warning|Interrupt|Failed)))(?::|$)`)
	saidByError = lazyregexp.New(`(?m)^E {3,}(\S.*)$`)
	// example is what an example of a documentation was to print, and has printed.
	example   = lazyregexp.New(`(?ms)^Expected:\n {4}(.*?)\nGot:\n {4}(.*?)\n\n\S.*: DocTestFailure$`)
	numbered  = lazyregexp.New(`^\d{3,} `) // as pytest shows the lines of an example
	noFixture = lazyregexp.New(`(?m)^E\s+fixture '.*' not found$`)
)

// Finding converts a failed test, or a module that could not be collected, to a finding.
func (t Outcome) Finding(p Places) gate.Finding {
	f := p.At(t.Path, t.line, 0, t.rule(p), t.said(p))
	if !t.Module {
		f.Test = t.Name
	}
	if f.Rule == RuleSyntax {
		in, _ := t.badSyntax(p)
		f.Path, f.Line = in.Path, in.Line
	} else if in, ok := t.inTests(p); ok && !t.Module {
		f.Path, f.Line = in.Path, in.Line
	} else if in, ok := t.Innermost(p); ok && !t.Module {
		f.Path, f.Line = in.Path, in.Line
	} else if in, ok := t.inFile(p, f.Path); ok {
		f.Line = in.Line
	}
	return f
}

// said is the short reason, and below it the traceback within the tree.
func (t Outcome) said(p Places) string {
	short := tool.FirstLine(t.message)
	if t.message == "" || t.Module || strings.HasPrefix(t.message, "failed on ") || strings.HasPrefix(short, "File ") {
		short = t.raised(short)
	}
	if m := example.FindStringSubmatch(t.Text); m != nil {
		short = "the example gives " + tool.FirstLine(m[2]) + ", expected " + tool.FirstLine(m[1])
	} else if numbered.MatchString(short) {
		short = t.raised(short)
	}
	text := strings.TrimSpace(p.Root.Inert(withoutLibraries(t.Text, p)))
	if text == "" || text == short {
		return short
	}
	return short + "\n" + text
}

// raised is the line that names what was raised last, else the first one that pytest marks as an error.
func (t Outcome) raised(otherwise string) string {
	if all := exception.FindAllStringIndex(t.Text, -1); all != nil {
		return tool.FirstLine(strings.TrimPrefix(t.Text[all[len(all)-1][0]:], "E"))
	}
	if said := saidByError.FindStringSubmatch(t.Text); said != nil {
		return said[1]
	}
	return otherwise
}

// withoutLibraries leaves out the parts of a traceback of pytest's that are not in the tree: a line with a place, and those below it
// that are indented.
func withoutLibraries(text string, p Places) string {
	var kept strings.Builder
	outside := false
	for line := range strings.Lines(text) {
		if m := shortFrame.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			_, in := p.Root.Rel(m[1])
			outside = !in || strings.HasPrefix(m[1], "<")
		} else if !strings.HasPrefix(line, " ") {
			outside = false
		}
		if !outside {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// places are those that a traceback names in the tree, outermost first.
func (t Outcome) places(p Places) []frame {
	frames := t.Frames
	if frames == nil {
		frames = framesIn(cmp.Or(t.first, t.Text))
	}
	var found []frame
	for _, f := range frames {
		if rel, ok := p.Root.Rel(f.Path); ok && rel != "." {
			found = append(found, frame{rel, f.Line})
		}
	}
	return found
}

// framesIn reads the traceback of a text, in the order of the text: pytest's, else Python's.
func framesIn(text string) (found []frame) {
	for _, pattern := range []*lazyregexp.Regexp{shortFrame, longFrame, lastPlace} {
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			line, _ := strconv.Atoi(m[2])
			found = append(found, frame{m[1], line})
		}
		if len(found) > 0 {
			break
		}
	}
	return found
}

// Innermost is the frame of a failure that is in the tree and nearest to where it was raised; not ok where none is.
func (t Outcome) Innermost(p Places) (frame, bool) {
	all := t.places(p)
	if len(all) == 0 {
		return frame{}, false
	}
	return all[len(all)-1], true
}

// inFile is the innermost place in one file.
func (t Outcome) inFile(p Places, path string) (frame, bool) {
	return t.within(p, func(file string) bool { return file == path })
}

// inTests is the innermost place in the test's own file, else in one of the tests.
func (t Outcome) inTests(p Places) (frame, bool) {
	if rel, ok := p.Root.Rel(t.Path); ok && t.Path != "" {
		if in, ok := t.inFile(p, rel); ok {
			return in, true
		}
	}
	return t.within(p, IsTest)
}

// within is the innermost place in files that are wanted.
func (t Outcome) within(p Places, want func(file string) bool) (in frame, found bool) {
	for _, f := range t.places(p) {
		if want(f.Path) {
			in, found = f, true
		}
	}
	return in, found
}

// rule reports why it failed, as far as that matters for whether a test is red.
func (t Outcome) rule(p Places) string {
	kind := t.exception()
	if slices.Contains([]string{"SyntaxError", "IndentationError", "TabError"}, kind) {
		if _, bad := t.badSyntax(p); bad {
			return RuleSyntax
		}
	}
	switch {
	case noFixture.MatchString(t.Text):
		return RuleFixture
	case !t.Module:
		return RuleTest
	case kind == "ImportError" || kind == "ModuleNotFoundError" || kind == "AttributeError":
		return RuleImport
	}
	return RuleCollect
}

// notFound matches the message of Python about a module that it does not find.
var notFound = lazyregexp.New(`(?m)^(?:E\s+)?ModuleNotFoundError: No module named '([\w.]+)'`)

// Unfound returns the module that Python did not find, if that is what was raised last; otherwise "".
func (t Outcome) Unfound() string {
	all := notFound.FindAllStringSubmatch(t.Text, -1)
	if all == nil || t.exception() != "ModuleNotFoundError" {
		return ""
	}
	return all[len(all)-1][1]
}

// exception is the name of what was raised last.
func (t Outcome) exception() string {
	all := exception.FindAllStringSubmatch(t.Text, -1)
	if all == nil {
		return ""
	}
	return all[len(all)-1][2]
}

// badSyntax is the place in the tree that could not be parsed. A test may well parse texts of its own: they are no files of the tree.
func (t Outcome) badSyntax(p Places) (at frame, bad bool) {
	for _, m := range longFrame.FindAllStringSubmatch(t.Text, -1) {
		rel, ok := p.Root.Rel(m[1])
		ok = ok && filepath.IsAbs(m[1]) // as files that are imported are named
		at, bad = frame{rel, Number(m[2])}, ok && strings.HasSuffix(rel, ".py")
	}
	return at, bad
}
