package golang

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// event is a line of go test -json: test2json's format, and build events since Go 1.24.
// https://pkg.go.dev/cmd/test2json
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build events
	Test        string
	Output      string
	FailedBuild string
}

// testRun is one test, subtest, example or fuzz target as far as its events go.
type testRun struct {
	pkg, name string
	state     string // pass, fail or skip; "run" while no end was seen
	ended     bool   // "--- PASS" was seen
	output    strings.Builder
}

// packageRun is one package's test binary.
type packageRun struct {
	path        string
	state       string // pass, fail or skip; empty while no end was seen
	failedBuild bool
	passed      bool       // "PASS" was seen: the last word of a test binary whose tests all ended
	failed      bool       // "FAIL" was
	witnessed   witnessed  // whether its own last test was seen to run
	tests       []*testRun // in order of their start
	left        []string   // tests that are declared and were not started
	output      strings.Builder
}

// suite is a whole run of go test.
type suite struct {
	packages []*packageRun // in order of their start
	build    string        // output of compilers
	noise    string        // lines that are not events

	byPath map[string]*packageRun
	byName map[[2]string]*testRun
}

// ended counts the test whose end a line reports. What is skipped was not executed.
func ended(line []byte) (tests, passed int) {
	var e event
	if !bytes.Contains(line, []byte(`"Test":`)) || bytes.Contains(line, []byte(`"Action":"output"`)) || json.Unmarshal(line, &e) != nil || isWitness(e.Test) {
		return 0, 0
	}
	switch e.Action {
	case "pass":
		return 1, 1
	case "fail":
		return 1, 0
	}
	return 0, 0
}

// parseEvents reads the output of go test -json. It accepts any input: lines that are no events are kept as noise,
// unknown events are ignored.
func parseEvents(stdout string) *suite {
	s := &suite{byPath: map[string]*packageRun{}, byName: map[[2]string]*testRun{}}
	var build, noise strings.Builder
	for line := range strings.Lines(stdout) {
		var e event
		switch err := json.Unmarshal([]byte(line), &e); {
		case err != nil || e.Action == "":
			noise.WriteString(line)
		case e.Action == "build-output":
			build.WriteString(e.Output)
		case e.Package == "":
		case e.Test != "":
			s.testEvent(e)
		default:
			s.packageEvent(e)
		}
	}
	s.build, s.noise = build.String(), noise.String()
	for _, p := range s.packages {
		p.reconcile()
	}
	return s
}

// reconcile believes the testing package rather than single events: a subtest that failed would have failed
// its test, and a test its package. Failures below a pass are those of a nested run, by which test
// libraries test that they fail; subtests without an end have a name too long for test2json.
func (p *packageRun) reconcile() {
	sound := p.state == "pass" && p.passed && !p.failed
	passed := map[string]bool{}
	for _, test := range p.tests {
		passed[test.name] = test.state == "pass"
	}
	for _, test := range p.tests {
		top, _, _ := strings.Cut(test.name, "/")
		if (sound || passed[top]) && test.state != "skip" {
			test.state = "pass"
		}
	}
}

func (s *suite) pkg(path string) *packageRun {
	p := s.byPath[path]
	if p == nil {
		p = &packageRun{path: path}
		s.byPath[path] = p
		s.packages = append(s.packages, p)
	}
	return p
}

func (s *suite) packageEvent(e event) {
	p := s.pkg(e.Package)
	switch e.Action {
	case "output":
		p.output.WriteString(e.Output)
		p.passed = p.passed || e.Output == "PASS\n"
		p.failed = p.failed || e.Output == "FAIL\n"
	case "pass", "fail", "skip":
		p.state = e.Action
		p.failedBuild = p.failedBuild || e.FailedBuild != ""
	}
}

func (s *suite) testEvent(e event) {
	key := [2]string{e.Package, e.Test}
	test := s.byName[key]
	if test == nil {
		test = &testRun{pkg: e.Package, name: e.Test, state: "run"}
		s.byName[key] = test
		p := s.pkg(e.Package)
		p.tests = append(p.tests, test)
	}
	switch e.Action {
	case "output":
		test.output.WriteString(e.Output)
		test.ended = test.ended || strings.HasPrefix(strings.TrimLeft(e.Output, " "), "--- PASS: "+e.Test+" ")
	case "pass":
		// test2json calls a test that ended the process with code 0 passed; the test's own word is missing.
		if test.ended {
			test.state = e.Action
		}
	case "fail", "skip":
		test.state = e.Action
	}
}

// output is what go test would have printed, for users.
func (s *suite) output() string {
	var all strings.Builder
	all.WriteString(s.build + s.noise)
	for _, p := range s.packages {
		for _, test := range p.tests {
			all.WriteString(test.output.String())
		}
		all.WriteString(p.output.String())
	}
	return all.String()
}

// counts returns how many tests were executed, to the end or not, and how many passed. Skipped ones were
// not executed.
func (s *suite) counts() (executed, passed, skipped int) {
	for _, test := range s.byName {
		switch test.state {
		case "pass":
			passed++
		case "skip":
			skipped++
		}
	}
	return len(s.byName) - skipped, passed, skipped
}

// held names the tests that passed, as findings name those that fail, of the packages that are wanted.
func (s *suite) held(wanted func(path string) bool) []string {
	var names []string
	for _, p := range s.packages {
		for _, test := range p.tests {
			if test.state == "pass" && wanted(p.path) {
				names = append(names, p.path+"."+test.name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func (s *suite) packagesWithTests() int {
	n := 0
	for _, p := range s.packages {
		if len(p.tests) > 0 {
			n++
		}
	}
	return n
}

// unfinished returns the tests that were started and never ended, without those that only wait for such a
// subtest.
func (p *packageRun) unfinished() []*testRun {
	var open []*testRun
	for _, test := range p.tests {
		if test.state == "run" && !p.hasChild(test, "run") {
			open = append(open, test)
		}
	}
	return open
}

// hasChild reports whether a subtest of the test is in a state.
func (p *packageRun) hasChild(parent *testRun, state string) bool {
	return slices.ContainsFunc(p.tests, func(test *testRun) bool { return test.state == state && strings.HasPrefix(test.name, parent.name+"/") })
}
