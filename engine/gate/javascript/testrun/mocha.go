package testrun

import (
	"encoding/json"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// mochaReport is the output of Mocha's reporter "json". https://mochajs.org/#json
type mochaReport struct {
	Stats *struct {
		Failures int `json:"failures"`
	} `json:"stats"`
	Tests    []mochaTest `json:"tests"`
	Pending  []mochaTest `json:"pending"`
	Failures []mochaTest `json:"failures"`
	Passes   []mochaTest `json:"passes"`
}

type mochaTest struct {
	Title     string `json:"title"`
	FullTitle string `json:"fullTitle"`
	File      string `json:"file"`
	Err       struct {
		Stack   string `json:"stack"`
		Message string `json:"message"`
	} `json:"err"`
}

// mochaStart matches the beginning of a report: it is printed with indentation.
var mochaStart = lazyregexp.New(`(?m)\{\n  "stats": \{`)

// ParseMocha parses the report. It lists every test in tests, and again by its result; a failed hook is only in failures.
func ParseMocha(stdout, stderr string, r tool.Root) Results {
	report, ok := lastMocha(stdout)
	if !ok {
		return Results{Beside: mochaCrash(stderr, r)}
	}
	s := Results{Ended: true}
	seen := map[string]bool{}
	listed := map[mochaKey]int{}
	for _, list := range []struct {
		tests []mochaTest
		state state
	}{{report.Failures, failed}, {report.Pending, Skipped}, {report.Passes, passed}} {
		for _, t := range list.tests {
			o := t.outcome(list.state, r)
			listed[t.key()]++
			if o.file != "" && !seen[o.file] {
				seen[o.file] = true
				s.files++
			}
			s.Tests = append(s.Tests, o)
		}
	}
	for _, t := range report.Tests {
		if listed[t.key()]--; listed[t.key()] < 0 {
			s.Tests = append(s.Tests, t.outcome(Unfinished, r))
		}
	}
	return s
}

type mochaKey struct{ file, title string }

func (t mochaTest) key() mochaKey { return mochaKey{t.File, t.FullTitle} }

// outcome converts a test. Its full title joins the titles of suites with spaces.
func (t mochaTest) outcome(s state, r tool.Root) outcome {
	o := outcome{State: s, said: t.Err.Stack}
	if !strings.Contains(t.Err.Stack, t.Err.Message) {
		o.said = t.Err.Message + "\n" + t.Err.Stack
	}
	o.file, _ = Local(t.File, r)
	if suites, is := strings.CutSuffix(t.FullTitle, " "+t.Title); is && suites != "" {
		o.titles = []string{suites}
	}
	o.titles = append(o.titles, t.Title)
	if where, ok := FrameOf(o.said, r); ok && o.file == "" {
		o.file = where.Path // hooks have no file
	}
	return o
}

// lastMocha finds the report in the output of tests.
func lastMocha(stdout string) (report mochaReport, ok bool) {
	starts := mochaStart.FindAllStringIndex(stdout, -1)
	for i := len(starts) - 1; i >= 0; i-- {
		report = mochaReport{}
		if err := json.NewDecoder(strings.NewReader(stdout[starts[i][0]:])).Decode(&report); err == nil && report.Stats != nil {
			return report, true
		}
	}
	return mochaReport{}, false
}

// mochaCrash returns why Mocha could not load the tests: the first failing file ends it.
func mochaCrash(stderr string, r tool.Root) []gate.Finding {
	_, text, crashed := strings.Cut(stderr, "Exception during run:")
	if !crashed || strings.TrimSpace(text) == "" {
		return nil
	}
	return []gate.Finding{loadFailure("", text, r)}
}
