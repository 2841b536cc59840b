package python

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// testGate runs every test, by pytest, or by unittest where there is no pytest.
type testGate struct {
	check
	// further is how long tests may take that only use what has changed.
	further time.Duration
}

var (
	//go:embed run.py
	runner []byte
	//go:embed guard.py
	guard []byte
)

// maxReport is how much of the report of a run of tests is read, in bytes.
const maxReport = 256 << 20

// Run runs the tests, and reads what was seen of them.
func (g *testGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	return g.RunIn(ctx, tree, gate.Scope{})
}

// RunIn runs the tests that a change concerns: those that import what has changed, and those that are of it by their names.
func (g *testGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	chosen := inspect(tree).alone(scope)
	if len(scope.Only) == 0 {
		files, later, all := inspect(tree).testsOf(scope)
		if !all && len(files) == 0 {
			return gate.Unconcerned(g.Name())
		}
		chosen = selection{files: files, later: later, further: g.further}
	}
	return tool.KeepingTests(tree, func(_ *tool.Sources, file string) bool { return testrun.IsSource(file) && testrun.IsTest(file) }, func() gate.Report { return g.judge(ctx, tree, chosen) })
}

// selection is which tests are run; without any, all.
type selection struct {
	files   []string
	names   []string // of these: as findings have them
	later   []string // those of files that only use what has changed, the nearest first
	further time.Duration
}

// write puts a selection where run.py reads it.
func (s selection) write(outside string) error {
	all := map[string][]string{"files": s.files, "names": s.names, "later": nil}
	if len(s.later) > 0 {
		all["later"] = append([]string{strconv.FormatFloat(s.further.Seconds(), 'f', 3, 64)}, s.later...)
	}
	for name, lines := range all {
		if err := os.WriteFile(filepath.Join(outside, name), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// judge runs tests.
func (g *testGate) judge(ctx context.Context, tree gate.Tree, chosen selection) gate.Report {
	report := gate.Report{Gate: g.Name(), Tests: true}
	outside, remove, err := scratch()
	if err != nil {
		return refuse(report, err)
	}
	defer remove()
	ctx = tool.Sharing(ctx, outside)
	script, err := place(outside)
	if err == nil {
		err = chosen.write(outside)
	}
	if err != nil {
		return refuse(report, err)
	}
	p := inspect(tree)
	rootdir := p.rootdir()
	key := rand.Text()
	result, done := g.tools.run(ctx, p, &report, attempt{tool: interpreter(), limit: g.limit, stdin: key, argv: append([]string{
		p.program(interpreter()), script, outside, p.runner(), rootdir, gate.Top(tree), gate.Origin(tree),
	}, p.around()...)})
	s := session{Witness: testrun.ParseWitness(testrun.Signed(read(outside, "witness"), key)), places: testrun.PlacesIn(tree), project: p, result: result, output: report.Output}
	report.Command = s.command()
	if done && !result.TimedOut {
		return report
	}
	s.tests, s.internal, s.unread = testrun.ParseJunit(s.own(read(outside, "junit.xml")))
	for i := range s.tests {
		if s.tests[i].Path != "" && rootdir != p.dir { // pytest names files from its root
			s.tests[i].Path = filepath.Join(rootdir, filepath.FromSlash(s.tests[i].Path))
		}
	}
	if s.Runner == "unittest" {
		s.tests, s.unread = s.UnittestRuns(), nil
	}
	report = s.report(report)
	report.Part = len(chosen.files) > 0 && s.Runner == pytest // unittest runs them all
	return s.among(report, chosen)
}

// among adds which part of the tests was run.
func (s session) among(report gate.Report, chosen selection) gate.Report {
	if report.Part && len(chosen.later) > 0 {
		report.PassedBeyond, report.Unreached = s.project.beyond(report.PassedTests, chosen), s.Left
	}
	if report.Verdict == gate.Pass && len(chosen.files) > 0 && len(chosen.names) == 0 {
		report.Summary = tool.Summary("%s, in %s of tests that the change concerns", report.Summary, tool.Count(len(chosen.files), "file"))
	}
	if s.Left > 0 {
		report.Notice = fmt.Sprintf("%d of %s were not run, there was no time: they only use what has changed", s.Left, tool.Count(s.Collected, "test"))
		report.Summary = tool.Summary("%s: %s", report.Summary, report.Notice)
	}
	return report
}

// place writes what runs tests into a folder outside of the tree: the program, and next to it what a worker of xdist loads.
func place(outside string) (script string, err error) {
	script = filepath.Join(outside, "run.py")
	if err := os.WriteFile(script, runner, 0o600); err != nil {
		return "", err
	}
	if err := os.Mkdir(filepath.Join(outside, "guard"), 0o700); err != nil {
		return "", err
	}
	return script, os.WriteFile(filepath.Join(outside, "guard", "forge_guard.py"), guard, 0o600)
}

// own is the report of the tests, if it is the one that was there when the runner ended, and all of them had ended.
func (s session) own(report string) string {
	if sum := sha256.Sum256([]byte(report)); !s.Exited && !s.raisedAfter() || s.Digest != hex.EncodeToString(sum[:]) {
		return ""
	}
	return report
}

// command is how the user runs the same tests: our script is in another folder each time, and is removed afterwards.
func (s session) command() []string {
	if s.Runner == "" {
		return []string{interpreter()}
	}
	return []string{interpreter(), "-m", s.Runner}
}

// read returns the text of a file of the outside folder; none is the empty text.
func read(dir, name string) string {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, maxReport))
	if err != nil {
		return ""
	}
	return string(text)
}

// rootdir is the folder that pytest takes for its root when the user starts it in the project's folder, but none above the tree: the one
// with its settings, else the one with a setup.py, else the project's own. https://docs.pytest.org/en/stable/reference/customize.html
func (p project) rootdir() string {
	dirs := upwards(p.tree)
	for _, dir := range dirs {
		if inspectFiles(dir).configuresPytest() {
			return dir
		}
	}
	for _, dir := range dirs {
		if info, err := os.Lstat(filepath.Join(dir, "setup.py")); err == nil && info.Mode().IsRegular() {
			return dir
		}
	}
	return p.dir
}

// around are the folders of the projects that contain this one, the nearest first.
func (p project) around() (dirs []string) {
	for _, dir := range upwards(p.tree)[1:] {
		if slices.ContainsFunc(beginnings, func(name string) bool {
			info, err := os.Lstat(filepath.Join(dir, name))
			return err == nil && info.Mode().IsRegular()
		}) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// runner is what run.py runs the tests with: pytest, or what is installed instead.
func (p project) runner() string {
	around := slices.ContainsFunc(p.around(), func(dir string) bool { return inspectFiles(dir).wantsPytest() })
	if around || p.wantsPytest() || writtenForPytest(p.dir) {
		return pytest
	}
	return "any"
}

var importsPytest = lazyregexp.New(`(?m)^\s*(?:import pytest|from pytest)\b`)

// writtenForPytest reports whether a test, or what prepares tests, imports pytest.
func writtenForPytest(dir string) bool {
	files, err := sources(dir)
	if err != nil {
		return false
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close() //nolint:errcheck // nothing was written
	return slices.ContainsFunc(files, func(file string) bool {
		if !testrun.IsTest(file) {
			return false
		}
		text, _ := readStart(root, filepath.FromSlash(file))
		return filepath.Base(file) == "conftest.py" || importsPytest.MatchString(text)
	})
}

// alone are tests by their names, with the files that they are in, or only these files. Where a file is not known all of them are read.
func (p project) alone(scope gate.Scope) (s selection) {
	if len(scope.Only) == 0 {
		return s
	}
	files, err := sources(p.dir)
	from, upErr := filepath.Rel(p.rootdir(), p.dir) // pytest names tests from its root
	if err != nil || upErr != nil {
		files = nil
	}
	for _, test := range scope.Only {
		file := fileOfTest(files, filepath.ToSlash(from), test)
		if file == "" {
			s.files, files = nil, nil
		} else if !slices.Contains(s.files, file) {
			s.files = append(s.files, file)
		}
	}
	if len(files) == 0 {
		s.files = nil
	}
	if !scope.Files {
		s.names = scope.Only
	}
	return s
}

// fileOfTest is the file that a test is in, by its name "tests.test_a.TestX.test_y[1]".
func fileOfTest(files []string, from, test string) (found string) {
	name, _, _ := strings.Cut(test, "[")
	best := 0
	for _, file := range files {
		module := moduleOf(path.Join(from, file))
		if strings.HasPrefix(name, module+".") && len(module) > best {
			best, found = len(module), file
		}
	}
	return found
}

// beyond are those of some tests that are in files which only use what has changed.
func (p project) beyond(tests []string, of selection) (names []string) {
	from, err := filepath.Rel(p.rootdir(), p.dir)
	if err != nil {
		return nil
	}
	for _, test := range tests {
		if slices.Contains(of.later, fileOfTest(of.files, filepath.ToSlash(from), test)) {
			names = append(names, test)
		}
	}
	return names
}

// Red reports whether tests that were just written were seen to fail, as they must before there is an implementation. before and after
// are the test gate's reports without and with them. Red is a test that fails now and did not before, or a test module that cannot be
// collected because it imports what is not there yet. Everything else is not red, for the reason that is returned: nothing failed,
// nothing ran, the gate broke, the tests themselves are at fault, or it is the code outside of them that does not compile any more.
func Red(before, after gate.Report) (ok bool, reason string) {
	return tool.Red(before, after, judge)
}

// judge reports whether a finding that is new is red, or what is at fault.
func judge(f gate.Finding) (red bool, fault string) {
	switch {
	case f.Rule == testrun.RuleTest && f.Test != "", f.Rule == testrun.RuleImport:
		return true, ""
	case f.Rule == testrun.RuleSyntax && testrun.IsTest(f.Path):
		return false, "the new tests are no Python: " + inShort(f)
	case f.Rule == testrun.RuleSyntax:
		return false, "the code outside of the tests does not compile: " + inShort(f)
	case f.Rule == testrun.RuleAfter: // such as warnings about what the tests that fail left open
		return false, ""
	case f.Rule != testrun.RuleTest:
		return false, "the tests cannot be run as they are: " + inShort(f)
	}
	return false, ""
}

func inShort(f gate.Finding) string {
	f.Message = tool.FirstLine(f.Message)
	return f.String()
}
