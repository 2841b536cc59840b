package testrun

import (
	"cmp"
	"path"
	"strings"

	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// Ran are the files of a project, and those of its test files that the runner got; without any it ran all.
type Ran struct {
	Sources *tool.Sources
	Files   []string
}

// tests returns the test files that the runner may have run.
func (r Ran) tests() []string {
	if len(r.Files) > 0 {
		return r.Files
	}
	return r.Sources.Below(".", func(file string) bool { return CodeName.MatchString(file) && IsTest(file) })
}

// ParseTap parses the output of tap: a subtest for each file, which contains one for each test.
func ParseTap(_ Ran, stdout, stderr string, r tool.Root) Results {
	d := parseTAP(stdout)
	s := Results{Ended: d.ended}
	for _, file := range d.results {
		name, ok := Local(file.name, r)
		if !ok {
			name = ""
		}
		s.files++
		o := file.outcome(name, []string{path.Base(file.name)})
		if o.State == failed && len(file.inner) == 0 && strings.Contains(stderr, path.Base(file.name)) {
			o.said = stderr
		}
		s.Tests = append(s.Tests, o)
		s.subtests(name, nil, file.inner)
	}
	return s
}

// subtests adds the tests of a file. A result without a subtest is one of several comparisons.
func (s *Results) subtests(file string, above []string, all []tapResult) {
	for _, t := range all {
		if !t.isSubtest() {
			continue
		}
		titles := append(above[:len(above):len(above)], t.title())
		s.Tests = append(s.Tests, t.outcome(file, titles))
		s.subtests(file, titles, t.inner)
	}
}

func (r tapResult) isSubtest() bool { return len(r.inner) > 0 || r.note == "Subtest: "+r.name }

// title returns the name of a subtest where it began: at its end, tap names one "timeout!" whose file took too long.
func (r tapResult) title() string {
	if began, ok := strings.CutPrefix(r.note, "Subtest: "); ok && r.name == "timeout!" {
		return unescaped.Replace(began)
	}
	return r.name
}

// outcome converts a test: its failure is that of its first failed comparison.
func (r tapResult) outcome(file string, titles []string) outcome {
	o := outcome{file: file, titles: titles, State: r.state, said: r.text()}
	for _, inner := range r.inner {
		if inner.state != failed {
			continue
		}
		if inner.isSubtest() {
			o.parent = true
			continue
		}
		o.said, o.parent = inner.text(), false
		return o
	}
	return o
}

// ParseTape parses the output of tape, and of similar programs: the title of a test is a comment before its comparisons. The file
// is not reported. It is not guessed from the texts of files, because the guess could change with a change, and a test needs one
// name.
func ParseTape(_ Ran, stdout, stderr string, _ tool.Root) Results {
	d := parseTAP(stdout)
	s := Results{Ended: d.ended, files: 1}
	at := map[string]int{}
	for _, t := range d.results {
		title := cmp.Or(t.note, t.name)
		i, known := at[title]
		if !known {
			i = len(s.Tests)
			at[title] = i
			s.Tests = append(s.Tests, outcome{titles: []string{title}, State: t.state})
		}
		switch o := &s.Tests[i]; {
		case t.state == failed && o.said == "":
			o.State, o.said = failed, t.text()
		case t.state == passed && o.State == Skipped:
			o.State = passed
		}
	}
	if d.spoken && !d.ended && d.note != "" && Thrown.MatchString(stderr) { // tape does not catch a test's exceptions
		i, known := at[d.note]
		if !known {
			i, s.Tests = len(s.Tests), append(s.Tests, outcome{titles: []string{d.note}})
		}
		s.Tests[i].State, s.Tests[i].said, s.Ended = failed, failureIn(stderr), true
	}
	return s
}

var (
	avaEnded   = lazyregexp.New(`^(.+) exited (?:with a non-zero exit code: -?\d+|due to \S+)$`)
	avaNothing = lazyregexp.New(`^No tests found in (.+)$`)
)

// avaSeparator separates the file, if there are several, from the title in AVA's titles.
const avaSeparator = " › "

// ParseAva parses the output of AVA.
func ParseAva(ran Ran, stdout, stderr string, r tool.Root) Results {
	d := parseTAP(stdout)
	s := Results{Ended: d.ended}
	files, tests := map[string]bool{}, ran.tests()
	called := avaNames(tests)
	var loose []tapResult // results without a file: errors outside of tests
	for _, t := range d.results {
		if m := avaEnded.FindStringSubmatch(t.name); m != nil {
			said := stderr
			for _, one := range loose {
				said = one.text() + said
			}
			s.Beside, loose = append(s.Beside, loadFailure(m[1], said, r)), nil
			continue
		}
		if m := avaNothing.FindStringSubmatch(t.name); m != nil {
			s.silent = append(s.silent, m[1])
			continue
		}
		o := outcome{State: t.state, said: t.text()}
		o.file, o.titles = avaTitle(ran.Sources, t.name, tests, called)
		if o.file == "" && t.state == failed {
			loose = append(loose, t)
			continue
		}
		files[o.file] = true
		s.Tests = append(s.Tests, o)
	}
	for _, t := range loose {
		s.Tests = append(s.Tests, outcome{State: failed, titles: []string{t.name}, said: t.text()})
	}
	s.files = len(files)
	return s
}

// avaTitle splits a title. AVA's file names lack the common folder and the test suffix.
func avaTitle(sources *tool.Sources, name string, tests []string, called map[string][]string) (file string, titles []string) {
	parts := strings.Split(name, avaSeparator)
	for n := len(parts) - 1; n > 0; n-- {
		if files := called[strings.Join(parts[:n], "/")]; len(files) == 1 {
			return files[0], []string{strings.Join(parts[n:], avaSeparator)}
		}
	}
	return only(tests, func(file string) bool { return importsAva.Match(sources.Read(file)) }), []string{name} // with one file, AVA does not name it
}

var importsAva = lazyregexp.New(`['"]ava['"]`)

var avaMarks = lazyregexp.New(`(?:[.\-_](?:test|spec))?\.[cm]?[jt]sx?$`)

// avaNames returns the files by AVA's possible names for them.
func avaNames(tests []string) map[string][]string {
	called := map[string][]string{}
	for _, test := range tests {
		name := avaMarks.ReplaceAllString(test, "")
		parts := strings.Split(path.Join(path.Dir(name), strings.TrimPrefix(path.Base(name), "test-")), "/")
		for i := range parts {
			suffix := strings.Join(parts[i:], "/")
			called[suffix] = append(called[suffix], test)
		}
	}
	return called
}

// only returns the single wanted text; empty if there is not exactly one.
func only(all []string, want func(string) bool) (found string) {
	for _, one := range all {
		if !want(one) {
			continue
		}
		if found != "" {
			return ""
		}
		found = one
	}
	return found
}
