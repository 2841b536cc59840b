package rust

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/rust/builds"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// suite is a run of cargo test.
type suite struct {
	project project
	runs    []*testProgram
	extra   []gate.Finding // faults outside of single tests
}

// testProgram is a test program that cargo started, with its harness' output.
type testProgram struct {
	*harness
	id     string // "package", "package::target", "package::bin/target", "package::doc"
	pkg    string // the id of its package
	source string // its main file, relative to the tree; empty for doc tests
	dir    string // folder of its package
	custom bool   // it has its own harness, which may print nothing
	death  string // how it ended, if abnormally: "signal: 11, SIGSEGV: invalid memory reference"
}

var (
	startedAt = lazyregexp.New(`^ +Running (?:unittests )?(\S.*) \((.+)\)$`)
	docTests  = lazyregexp.New(`^ +Doc-tests (\S+)$`)
	causedBy  = lazyregexp.New("^  process didn't exit successfully: `.*` \\((.*)\\)$")
)

// newSuite parses the output of cargo and of the test programs that it started: cargo prints the name of each program
// before the program's output. A name of a program that was not built, or that occurs twice, is forged.
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
			s.say(next, "the program is named twice: something imitates cargo")
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

// say adds a fault of a program, at its main file; documentation has none.
func (s *suite) say(r *testProgram, why string) {
	f := gate.Finding{Path: r.source, Severity: gate.SeverityError, Rule: ruleTest, Message: r.id + ": " + why}
	if f.Path == "" {
		f.Path, f.Inferred = manifestIn(r.dir), true
	}
	s.extra = append(s.extra, f)
}

// program returns the program in a line of cargo, or nil.
func (s *suite) program(line string, programs []program) *testProgram {
	if m := startedAt.FindStringSubmatch(line); m != nil {
		return s.built(m[1], m[2], programs)
	}
	if m := docTests.FindStringSubmatch(line); m != nil {
		return s.documentation(m[1])
	}
	return nil
}

// built finds the built program of a started one.
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

// exampleTarget is the target of documentation examples in the names of tests.
const exampleTarget = "doc"

// documentation returns the run of the documentation examples of a library. Its package may have another name, and another package a program
// of the same name.
func (s *suite) documentation(library string) *testProgram {
	for _, p := range s.project.packages {
		if p.examples != "" && builds.CrateName(p.examples) == builds.CrateName(library) {
			return &testProgram{id: p.name + "::" + exampleTarget, pkg: p.id, dir: p.dir}
		}
	}
	return nil
}

// wrong returns why the output of a program cannot be trusted, or "".
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
		r.tests = nil // its results are not trusted
	}
	return why
}

// findings returns one for each failed test, and the faults outside of tests.
func (s *suite) findings() []gate.Finding {
	var found []gate.Finding
	for _, r := range s.runs {
		for _, t := range r.in("FAILED") {
			found = append(found, s.finding(r, t))
		}
	}
	return s.project.locate(append(found, s.extra...))
}

// finding locates a failed test: an example at its beginning, any other at its panic, if that is in the tree; otherwise at its
// definition.
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
	case t.line > 0: // other places are in rustdoc's generated program
		f.Path, f.Line = s.docFile(r, t), t.line
	case place(panicked):
	default:
		f.Path, f.Line = s.stands(r, t)
	}
	if f.Path == "" {
		f.Path, f.Inferred = manifestIn(r.dir), true
	}
	if f.Message = s.project.root.Inert(failureText(t.output)); f.Message == "" {
		f.Message = "the test failed without a message"
	}
	return f
}

// docFile returns the file of a doc test, whose path is relative to the package or the workspace.
func (s *suite) docFile(r *testProgram, t *testRun) string {
	for _, name := range []string{t.file, path.Join(r.dir, t.file)} {
		if rel, ok := s.project.root.Rel(name); ok && s.project.sources.Read(rel) != nil {
			return rel
		}
	}
	return ""
}

// stands finds the function of a test: its path names the enclosing modules, from the main file of its program.
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
	for _, pattern := range []string{`\bfn\s+` + name + `\s*[(<]`, `\b` + name + `\b`} { // a macro may define it
		if at, found := s.project.sources.Find(candidates, regexp.MustCompile(pattern)); found {
			return at.Path, at.Line
		}
	}
	return r.source, 0
}

// failureText returns the message of a failed test, without the parts common to all.
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

// threadNumber matches the number of a thread, which differs each time.
var threadNumber = lazyregexp.New(`^(thread '.*') \(\d+\)`)

// bundle matches a place in rustdoc's program of several examples, whose folder differs each time.
var bundle = lazyregexp.New(`[^\s]*doctest_bundle_\d+\.rs:\d+:\d+:`)
