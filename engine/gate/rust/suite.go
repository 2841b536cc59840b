package rust

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// suite is a run of cargo test.
type suite struct {
	project project
	runs    []*testProgram
	extra   []gate.Finding // what is wrong beside single tests
}

// testProgram is a program of tests that cargo started, and what its harness said.
type testProgram struct {
	*harness
	id     string // "package", "package::target", "package::bin/target", "package::doc"
	pkg    string // the id of its package
	source string // its main file, relative to the tree; empty for doc tests
	dir    string // of its package
	custom bool   // it has a harness of its own, which may say nothing
	death  string // how it ended, if not as test programs end: "signal: 11, SIGSEGV: invalid memory reference"
}

var (
	startedAt = lazyregexp.New(`^ +Running (?:unittests )?(\S.*) \((.+)\)$`)
	docTests  = lazyregexp.New(`^ +Doc-tests (\S+)$`)
	causedBy  = lazyregexp.New("^  process didn't exit successfully: `.*` \\((.*)\\)$")
)

// newSuite reads what cargo and the programs of tests that it started said, in its order: cargo names each program before
// what that one says. A program that was not built, or is named twice, is a forged name.
func newSuite(p project, programs []program, output string) *suite {
	s := &suite{project: p}
	var now *testProgram
	var said strings.Builder
	seen := map[string]bool{}
	end := func() {
		if now != nil {
			now.harness = now.read(said.String())
			s.runs = append(s.runs, now)
		}
		said.Reset()
	}
	for line := range strings.Lines(output) {
		text := strings.TrimRight(line, "\r\n")
		next := s.program(text, programs)
		switch {
		case next != nil && !seen[next.id]:
			end()
			now, seen[next.id] = next, true
		case next != nil:
			s.say(next, "the program is named twice: something prints what cargo would")
		case now != nil && causedBy.MatchString(text):
			now.death = causedBy.FindStringSubmatch(text)[1]
		default:
			said.WriteString(line)
		}
	}
	end()
	for _, r := range s.runs {
		if why := r.wrong(); why != "" {
			s.say(r, why)
		}
	}
	return s
}

// say notes what is wrong with a program, at its main file; that of documentation has none.
func (s *suite) say(r *testProgram, why string) {
	f := gate.Finding{Path: r.source, Severity: gate.SeverityError, Rule: ruleTest, Message: r.id + ": " + why}
	if f.Path == "" {
		f.Path, f.Inferred = manifestIn(r.dir), true
	}
	s.extra = append(s.extra, f)
}

// program is the one that a line of cargo's names; nil where it names none.
func (s *suite) program(line string, programs []program) *testProgram {
	if m := startedAt.FindStringSubmatch(line); m != nil {
		return s.built(m[1], m[2], programs)
	}
	if m := docTests.FindStringSubmatch(line); m != nil {
		return s.documentation(m[1])
	}
	return nil
}

// built finds what is known of a program that was started.
func (s *suite) built(source, file string, programs []program) *testProgram {
	at := slices.IndexFunc(programs, func(p program) bool { return filepath.Base(p.path) == filepath.Base(file) })
	if at < 0 {
		return nil
	}
	known, pkg := programs[at], s.project.packages[programs[at].pkg]
	t := &testProgram{pkg: pkg.id, dir: pkg.dir, source: path.Join(pkg.dir, source), id: pkg.name, custom: pkg.custom[known.target]}
	switch known.kind {
	case "lib", "rlib", "dylib", "cdylib", "staticlib", "proc-macro":
		t.custom = pkg.custom[""]
	case "test":
		t.id += "::" + known.target
	default:
		t.id += "::" + known.kind + "/" + known.target
	}
	return t
}

// documentation is the run of the examples in the documentation of a crate.
func (s *suite) documentation(crate string) *testProgram {
	for _, p := range s.project.packages {
		if slices.ContainsFunc(append([]string{p.name}, p.crates...), func(name string) bool { return crateName(name) == crateName(crate) }) {
			return &testProgram{id: p.name + "::doc", pkg: p.id, dir: p.dir}
		}
	}
	return nil
}

// wrong says why the word of a program does not count; empty where it does.
func (r *testProgram) wrong() string {
	why := ""
	switch {
	case r.announced >= 0:
		why = r.doubt()
	case !r.custom:
		why = "the program ended before its first test: something ends the process, such as std::process::exit"
	}
	if r.death != "" && (why != "" || r.announced < 0) {
		why = "the process died (" + r.death + ")"
	}
	if why != "" {
		r.tests = nil // nothing that it told is believed
	}
	return why
}

// findings gives one for each failed test, and what went wrong beside them.
func (s *suite) findings() []gate.Finding {
	var found []gate.Finding
	for _, r := range s.runs {
		for _, t := range r.in("FAILED") {
			found = append(found, s.finding(r, t))
		}
	}
	return s.project.locate(append(found, s.extra...))
}

// finding locates a failed test: an example where it begins, any other where it panicked, if that is in the tree; else where it stands.
func (s *suite) finding(r *testProgram, t *testRun) gate.Finding {
	f := gate.Finding{Severity: gate.SeverityError, Rule: ruleTest, Test: r.id + " " + t.name}
	place := func(pattern *lazyregexp.Regexp) bool {
		at, line, column, ok := firstPlace(pattern, t.output, s.project.root)
		if ok && s.project.sources.Read(at) != nil {
			f.Path, f.Line, f.Column = at, line, column
		}
		return f.Path != ""
	}
	switch {
	case t.line > 0: // other places are in the program that rustdoc has made of the example
		f.Path, f.Line = s.docFile(r, t), t.line
	case place(panicked):
	default:
		f.Path, f.Line = s.stands(r, t)
	}
	if f.Path == "" {
		f.Path, f.Inferred = manifestIn(r.dir), true
	}
	if f.Message = s.project.root.Inert(failureText(t.output)); f.Message == "" {
		f.Message = "the test failed and said nothing"
	}
	return f
}

// docFile is the file of a doc test, which is named from the package or from the workspace.
func (s *suite) docFile(r *testProgram, t *testRun) string {
	for _, name := range []string{t.file, path.Join(r.dir, t.file)} {
		if rel, ok := s.project.root.Rel(name); ok && s.project.sources.Read(rel) != nil {
			return rel
		}
	}
	return ""
}

// stands finds the function of a test: its path names the modules that it is in, from the main file of its program.
func (s *suite) stands(r *testProgram, t *testRun) (file string, line int) {
	if r.source == "" {
		return "", 0
	}
	parts := strings.Split(t.name, "::")
	name := regexp.QuoteMeta(parts[len(parts)-1])
	candidates := []string{r.source}
	at := path.Dir(r.source)
	for _, module := range parts[:len(parts)-1] {
		at = path.Join(at, module)
		candidates = append(candidates, at+".rs", path.Join(at, "mod.rs"))
	}
	slices.Reverse(candidates)
	for _, pattern := range []string{`\bfn\s+` + name + `\s*[(<]`, `\b` + name + `\b`} { // a macro may have written it
		if at, found := s.project.sources.Find(candidates, regexp.MustCompile(pattern)); found {
			return at.Path, at.Line
		}
	}
	return r.source, 0
}

// failureText is what a failed test said, without what every one says.
func failureText(output string) string {
	var kept []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "note: run with `RUST_BACKTRACE=") {
			continue
		}
		kept = append(kept, bundle.ReplaceAllString(threadNumber.ReplaceAllString(line, "$1"), "an example:"))
	}
	return tool.Trim(strings.TrimSpace(strings.Join(kept, "\n")))
}

// threadNumber is the number of a thread, which is another one every time.
var threadNumber = lazyregexp.New(`^(thread '.*') \(\d+\)`)

// bundle is a place in the program that rustdoc makes of several examples: in another folder every time.
var bundle = lazyregexp.New(`[^\s]*doctest_bundle_\d+\.rs:\d+:\d+:`)
