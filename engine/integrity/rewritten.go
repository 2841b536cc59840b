package integrity

import (
	"path"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/internal/lazyregexp"
	"forge/patch"
)

// Base returns the name of a test in its file, without its package, class, suite and case: "TestSum" for "m/stat.TestSum/empty",
// "test_sum" for "tests.test_stat.test_sum[1-2]", "adds" for "stat.test.ts > Sum > adds", "sums" for "stat::totals sums", in which
// Rust names the program.
func Base(test string) string {
	if top := goTest.FindStringSubmatch(test); top != nil {
		return top[1]
	}
	if parts := strings.Split(test, " > "); len(parts) > 1 {
		return parts[len(parts)-1]
	}
	if at := caseOf.FindStringIndex(test); at != nil {
		test = test[:at[1]-1]
	}
	if path := rustTest.FindStringSubmatch(test); path != nil {
		test = path[1]
	}
	parts := withinTest.Split(test, -1)
	return parts[len(parts)-1]
}

var (
	goTest = lazyregexp.New(`\.((?:Test|Fuzz|Example|Benchmark)\w*)(?:/|$)`)
	caseOf = lazyregexp.New(`^[\w.:]+\[`)
	// rustTest matches the name of a Rust test: its program, which is a crate or one of its targets, and its path there.
	rustTest = lazyregexp.New(`^[\w-]+(?:::[\w-]+)* ([\w:]+)$`)
)

// Rewritten is the effect of a change on tests in existing files, as far as names and texts show it.
type Rewritten struct {
	files []patch.FileChange // files whose tests are altered
	all   []patch.FileChange // files that have tests
	code  []string           // the other files
}

// Rewritten examines the tests that a change affects.
func (all Suites) Rewritten(change patch.ChangeSet) (r Rewritten) {
	for _, f := range change.Files {
		tests, has := all.Tests(f)
		if !has {
			r.code = append(r.code, Paths(f)...)
			continue
		}
		r.all = append(r.all, tests)
		if Alters(tests) {
			r.files = append(r.files, tests)
		}
	}
	return r
}

// unit returns the name under which a test is found in the changed files, usually Base. A test with a computed name, as from a row
// of a table, is not in its file by name: its unit is the innermost enclosing suite with a name ("withBase" for `stat.test.ts >
// withBase > "/" + "/"`), and the test counts as a case of that suite, like a Go subtest.
func (r Rewritten) unit(test string) string {
	parts := strings.Split(test, " > ")
	for i := len(parts) - 1; i > 0; i-- {
		if slices.ContainsFunc(r.all, func(f patch.FileChange) bool {
			return mayBeIn(test, Origin(f)) && declares(f.Before, parts[i]) || mayBeIn(test, f.Path) && declares(f.After, parts[i])
		}) {
			return parts[i]
		}
	}
	return Base(test)
}

// declares reports whether a text has a name as that of a test or a suite: as a string, or as an identifier such as that of a
// class. Other occurrences, such as a value in a row of a table, do not count.
func declares(text, name string) bool {
	if identifier.FindString(name) == name {
		return hasWord(text, name)
	}
	for _, quote := range []string{`"`, "'", "`"} {
		if strings.Contains(text, quote+name+quote) {
			return true
		}
	}
	return false
}

// Touched reports whether a test is in a file whose tests are altered, or is that file.
func (r Rewritten) Touched(test string) bool {
	unit := r.unit(test)
	return slices.ContainsFunc(r.files, func(f patch.FileChange) bool { return touches(f, test, unit) })
}

// Same reports whether two names are of one test: they are equal, or b is a case of a in the changed text, in a's file or in one
// that did not have it.
func (r Rewritten) Same(a, b string) bool {
	if a == b {
		return true
	}
	base := r.unit(a)
	return base == r.unit(b) && r.Touched(a) && slices.ContainsFunc(r.all, func(f patch.FileChange) bool {
		is := f.Kind != patch.Delete && mayBeIn(b, f.Path) && (line(f.After, base) >= 0 || path.Base(f.Path) == base)
		return is && (touches(f, a, base) || line(f.Before, base) < 0)
	})
}

// Outside reports whether a change removes something from the tests of a file outside of some tests.
func (r Rewritten) Outside(file string, tests []string) bool {
	return slices.ContainsFunc(r.files, func(f patch.FileChange) bool {
		if Origin(f) != file {
			return false
		}
		for _, test := range tests {
			f.Before, f.After = withoutBody(f.Before, r.unit(test)), withoutBody(f.After, r.unit(test))
		}
		return Loses(f)
	})
}

// Restates reports whether a change leaves other lines of a test than were there, or none.
func (r Rewritten) Restates(test string) bool {
	unit := r.unit(test)
	return slices.ContainsFunc(r.files, func(f patch.FileChange) bool {
		return path.Base(Origin(f)) == unit || touches(f, test, unit) && !slices.Equal(body(f.Before, unit), body(f.After, unit))
	})
}

// withoutBody returns a text without the lines of a test below its name.
func withoutBody(text, name string) string {
	lines := strings.Split(text, "\n")
	first, last := span(lines, name)
	return strings.Join(slices.Delete(lines, min(first+1, last), last), "\n")
}

// touches reports whether a test was in a changed file under the name of its unit, or is that file.
func touches(f patch.FileChange, test, unit string) bool {
	return path.Base(Origin(f)) == unit || mayBeIn(test, Origin(f)) && line(f.Before, unit) >= 0
}

// MayHold reports whether a test may be in a test file of the change, according to its name.
func (r Rewritten) MayHold(test string) bool {
	return slices.ContainsFunc(r.all, func(f patch.FileChange) bool { return f.Kind != patch.Delete && mayBeIn(test, f.Path) })
}

// Gone reports whether the change removes a test: it is in a file whose tests are altered, and in no changed text.
func (r Rewritten) Gone(test string) bool { return r.Touched(test) && !r.Written(test) }

// Written reports whether a test is in a changed text of the files with tests.
func (r Rewritten) Written(test string) bool {
	base := r.unit(test)
	return slices.ContainsFunc(r.all, func(f patch.FileChange) bool {
		return f.Kind != patch.Delete && (line(f.After, base) >= 0 || path.Base(f.Path) == base)
	})
}

// Renamed returns the new name of a removed test among candidates: one that is new in the file, with mostly the same text. Empty if
// there is none.
func (r Rewritten) Renamed(test string, candidates []string) string {
	base := r.unit(test)
	for _, f := range r.files {
		old := body(f.Before, base)
		if len(old) == 0 {
			continue
		}
		for _, name := range candidates {
			now := r.unit(name)
			if now != base && mayBeIn(name, f.Path) && line(f.Before, now) < 0 && alike(old, body(f.After, now)) {
				return name
			}
		}
	}
	return ""
}

// line returns the index of the first line with a name as a word, as in its declaration; -1 if there is none.
func line(text, name string) int {
	if at := wordIn(text, name); at >= 0 {
		return strings.Count(text[:at], "\n")
	}
	return -1
}

func hasWord(text, word string) bool { return wordIn(text, word) >= 0 }

// wordIn returns the place of a word in a text; -1 if there is none. It is called for each test of a suite, of which there may be
// many.
func wordIn(text, word string) int {
	if word == "" {
		return -1
	}
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return -1
		}
		at += from
		if end := at + len(word); (at == 0 || !isWord(text[at-1])) && (end == len(text) || !isWord(text[end])) && !inPhrase(text[:at], word, text[end:]) {
			return at
		}
		from = at + 1
	}
}

// inPhrase reports whether a title of several words is a part of a longer one there.
func inPhrase(before, title, after string) bool {
	if !strings.Contains(title, " ") {
		return false
	}
	before, after = strings.TrimRight(before, " "), strings.TrimLeft(after, " ")
	return before != "" && isWord(before[len(before)-1]) || after != "" && isWord(after[0])
}

// isWord reports whether a byte belongs to a word, as in \w.
func isWord(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// span returns the place of a test among lines: from the first line with its name that has deeper indented lines below it, to the
// last of those. Both are 0 if there is none.
func span(lines []string, name string) (first, last int) {
	for first := range lines {
		if !hasWord(lines[first], name) {
			continue
		}
		last := first + 1
		for i := first + 1; i < len(lines); i++ {
			if strings.TrimSpace(lines[i]) == "" {
				continue
			}
			if indentation(lines[i]) <= indentation(lines[first]) {
				break
			}
			last = i + 1
		}
		if last > first+1 {
			return first, last
		}
	}
	return 0, 0
}

// body returns the lines of a test below its name, trimmed and without blank ones; for a test in one line, that line without the
// name, as one word, so that it matches only as a whole.
func body(text, name string) (lines []string) {
	all := strings.Split(text, "\n")
	first, last := span(all, name)
	if at := line(text, name); last == 0 && at >= 0 {
		return []string{strings.Join(strings.Fields(strings.ReplaceAll(all[at], name, "")), "")}
	}
	for _, l := range all[min(first+1, last):last] {
		if trimmed := strings.TrimSpace(l); trimmed != "" {
			lines = append(lines, trimmed)
		}
	}
	return lines
}

func indentation(l string) int { return len(l) - len(strings.TrimLeft(l, " \t")) }

// fewWords is the number of words below which a text is too short to be recognized in a longer one.
const fewWords = 8

// alike reports whether two texts share at least half of their words, or the second has more words and at least four fifths of the
// first one's.
func alike(a, b []string) bool {
	words := strings.Fields(strings.Join(a, " "))
	others := strings.Fields(strings.Join(b, " "))
	if len(words) == 0 || len(others) == 0 {
		return false
	}
	left := map[string]int{}
	for _, w := range others {
		left[w]++
	}
	same := 0
	for _, w := range words {
		if left[w] > 0 {
			left[w]--
			same++
		}
	}
	return 2*same >= max(len(words), len(others)) || len(words) >= fewWords && 5*same >= 4*len(words)
}

// Breaks reports whether a new test did not compile or run on the old code because of something that it uses: a fault is in one of
// its lines, in a missing name on such a line, or in its setup. Compile errors of other tests do not matter.
func (r Rewritten) Breaks(test string, faults []gate.Finding) bool {
	return slices.ContainsFunc(r.all, func(f patch.FileChange) bool {
		if f.Kind == patch.Delete || !mayBeIn(test, f.Path) {
			return false
		}
		lines := strings.Split(f.After, "\n")
		first, last := span(lines, r.unit(test))
		return last > 0 && slices.ContainsFunc(faults, func(fault gate.Finding) bool {
			if fault.Test != "" && (!r.Same(test, fault.Test) || !missing.MatchString(fault.Message)) {
				return false // its assertion failed, or it is another test
			}
			if fault.Test != "" {
				fault.Line = 0 // the place of the test itself
			}
			return fault.Path == f.Path && at(fault, lines, first, last) || names(fault, f, lines, strings.Join(lines[first:last], "\n"))
		})
	})
}

// at reports whether a fault is in a test, or in its setup: a function that the test calls, or one that runs before each test.
func at(fault gate.Finding, lines []string, first, last int) bool {
	on := fault.Line - 1
	if fault.Inferred || on < 0 || on >= len(lines) {
		return false
	}
	if first <= on && on < last {
		return true
	}
	owner := on
	for owner > 0 && (strings.TrimSpace(lines[owner]) == "" || indentation(lines[owner]) >= indentation(lines[on])) {
		owner--
	}
	if indentation(lines[on]) == 0 {
		return false // not in a function
	}
	declared := declaration.FindStringSubmatch(lines[owner])
	return prepares.MatchString(lines[owner]) || declared != nil && hasWord(strings.Join(lines[first:last], "\n"), declared[1])
}

// names reports whether a fault is about a name that a test uses: a name that is new in the file, or a called one.
func names(fault gate.Finding, f patch.FileChange, lines []string, text string) bool {
	source := fault.Message
	if on := fault.Line - 1; fault.Path == f.Path && !fault.Inferred && on >= 0 && on < len(lines) {
		source = lines[on]
	}
	return slices.ContainsFunc(identifier.FindAllString(fault.Message, -1), func(name string) bool {
		if !hasWord(source, name) || !hasWord(text, name) {
			return false
		}
		return !hasWord(f.Before, name) || strings.Contains(source, name+"(") && strings.Contains(text, name+"(")
	})
}

var (
	identifier  = lazyregexp.New(`[\pL_$][\pL\pN_$]*`)
	declaration = lazyregexp.New(`(?:func(?:tion)?|def|fn|const|let|class)\s+(?:\([^)]*\)\s*)?([\pL_$][\pL\pN_$]*)`)
	missing     = lazyregexp.New(`(?i)(?:Attribute|Name|Import|ModuleNotFound|Type|Reference|NoMethod)Error|is not a (?:function|constructor)|not defined`)
	prepares    = lazyregexp.New(`(?i)\bset_?up|\bbefore(?:each|all)?\b|TestMain`)
)
