package testrun

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// jestReport is the output of jest --json, and of Vitest's reporter "json", which copies it.
// https://jestjs.io/docs/configuration#testresultsprocessor-string
type jestReport struct {
	TotalTests  *int `json:"numTotalTests"`
	Success     bool `json:"success"`
	TestResults []struct {
		Name             string `json:"name"`
		Status           string `json:"status"`
		Message          string `json:"message"`
		AssertionResults []struct {
			AncestorTitles  []title  `json:"ancestorTitles"`
			Title           title    `json:"title"`
			Status          string   `json:"status"`
			FailureMessages []string `json:"failureMessages"`
			Location        *struct {
				Line   int `json:"line"`
				Column int `json:"column"`
			} `json:"location"`
		} `json:"assertionResults"`
	} `json:"testResults"`
}

// title is the title of a test or a suite. Jest before 24 reports anything that a test is called, such as an array, and joins it as text.
type title string

// UnmarshalJSON reads a title as JavaScript converts it into text: an array is its elements with commas between them.
// https://tc39.es/ecma262/#sec-array.prototype.tostring
func (t *title) UnmarshalJSON(data []byte) error {
	numbers := json.NewDecoder(bytes.NewReader(data))
	numbers.UseNumber() // as they are written
	var value any
	if err := numbers.Decode(&value); err != nil {
		return fmt.Errorf("read the title of a test: %w", err)
	}
	*t = title(spelled(value))
	return nil
}

// spelled returns a value of JSON as JavaScript converts it into text.
func spelled(value any) string {
	elements, is := value.([]any)
	if value == nil {
		return ""
	}
	if !is {
		return fmt.Sprint(value)
	}
	words := make([]string, len(elements))
	for i, e := range elements {
		words[i] = spelled(e)
	}
	return strings.Join(words, ",")
}

// ParseJest parses the report of jest or Vitest. Tests print to stdout as well: the report is the last valid line. If it is
// missing, the runner was ended before its report.
func ParseJest(stdout, stderr string, r tool.Root) Results {
	report, ok := lastReport(stdout)
	if !ok {
		return Results{Beside: exited(stderr, r)}
	}
	s := Results{Ended: true}
	for _, file := range report.TestResults {
		rel, _ := Local(file.Name, r)
		if len(file.AssertionResults) > 0 {
			s.files++
		}
		for _, a := range file.AssertionResults {
			o := outcome{
				file: rel, titles: append(withoutFile(rel, nonEmpty(a.AncestorTitles)), string(a.Title)), State: jestState(a.Status),
				said: strings.ReplaceAll(strings.Join(a.FailureMessages, "\n"), vitestTimeout, "the test did not end in time"),
			}
			if a.Location != nil {
				o.Place = Place{rel, max(0, a.Location.Line), max(0, a.Location.Column)}
			}
			s.Tests = append(s.Tests, o)
		}
		// Vitest before 1.0 reports a file that could not be loaded as passed.
		untold := len(file.AssertionResults) == 0 && file.Message != ""
		if (file.Status == "failed" || untold) && !anyFailed(s.Tests, rel) {
			if text := file.Message; !withoutTests(text) {
				s.Beside = append(s.Beside, loadFailure(rel, text, r))
			}
		}
	}
	return s
}

// withoutFile returns the titles of suites without that of their file: for tests of types, Vitest has the file among them.
func withoutFile(file string, titles []string) []string {
	if len(titles) > 0 && isPathOf(titles[0], file) {
		return titles[1:]
	}
	return titles
}

// isPathOf reports whether a title is the path of a file, or its end.
func isPathOf(title, file string) bool {
	before, is := strings.CutSuffix(file, title)
	return is && title != "" && (before == "" || strings.HasSuffix(before, "/"))
}

// vitestTimeout is Vitest's message for a test that took too long: the name of an error that it creates for its stack trace.
const vitestTimeout = "Error: STACK_TRACE_ERROR"

// withoutTests reports whether a failure only means that a file has no tests.
func withoutTests(text string) bool {
	return strings.Contains(text, "No test suite found in file") || strings.Contains(text, "No test found in suite") || strings.Contains(text, "must contain at least one test")
}

func anyFailed(tests []outcome, file string) bool {
	for _, t := range tests {
		if t.file == file && t.State == failed {
			return true
		}
	}
	return false
}

func jestState(status string) state {
	switch status {
	case "passed":
		return passed
	case "failed":
		return failed
	default: // pending, skipped, todo, disabled, focused
		return Skipped
	}
}

func nonEmpty(titles []title) (kept []string) {
	for _, t := range titles {
		if t != "" {
			kept = append(kept, string(t))
		}
	}
	return kept
}

// jestStart matches the beginning of a report: Vitest before 1.0 prints it with indentation.
var jestStart = lazyregexp.New(`\{\s*"num`)

// lastReport finds the report in the output of tests.
func lastReport(stdout string) (report jestReport, ok bool) {
	starts := jestStart.FindAllStringIndex(stdout, -1)
	for _, at := range slices.Backward(starts) {
		report = jestReport{}
		if err := json.NewDecoder(strings.NewReader(stdout[at[0]:])).Decode(&report); err == nil && report.TotalTests != nil && report.TestResults != nil {
			return report, true
		}
	}
	return jestReport{}, false
}

// unlinked matches errors of Node.js about missing exports: syntax errors by name, but without a file.
var unlinked = lazyregexp.New(`does not provide an export named|Named export '[^']*' not found`)

// loadFailure returns the finding for a test file that could not be loaded: at the place of a compiler's error or of an exception,
// otherwise in the file.
func loadFailure(file, text string, r tool.Root) gate.Finding {
	text = strings.TrimSpace(text)
	where, known := SyntaxOf(text, r)
	rule := RuleSyntax
	if !known || unlinked.MatchString(text) {
		rule = RuleLoad
	}
	if !known {
		if where, known = FrameOf(text, r); !known && file != "" {
			where = importer(file, text, r)
		}
	}
	said := Message(reason(text), r)
	if said == "" {
		said = "the file could not be loaded, for no reported reason"
	}
	f := where.Finding(rule, said)
	f.Absent = absent(said)
	return f
}

// importer returns the file whose import of a module failed, if an error names it, without a line: it is that of the import. Otherwise it is
// the first line of the file that was loaded.
func importer(file, text string, r tool.Root) Place {
	m := Unresolved.FindStringSubmatch(text)
	if m == nil {
		return Place{Path: file, Line: 1}
	}
	if path, ok := Local(m[2], r); ok {
		file = path
	}
	return Place{Path: file}
}

// Unresolved matches an error about a module that does not exist, and the file that imports it, if it is named.
var Unresolved = lazyregexp.New(`Cannot find module '([^'\n]+)'(?: imported from ([^\s'"]+))?`)

// reason returns the cause in a failure, without the introduction of Node.js or Jest.
func reason(text string) string {
	text = strings.TrimSpace(strings.TrimPrefix(text, "● Test suite failed to run"))
	if _, details, is := strings.Cut(text, "Details:"); is && strings.HasPrefix(text, "Jest encountered") {
		return details
	}
	text = goodbye.ReplaceAllString(text, "")
	if at := Thrown.FindStringIndex(text); at != nil {
		return text[at[0]:]
	}
	return text
}

// exited returns the findings for a runner that ended without a report.
func exited(stderr string, r tool.Root) []gate.Finding {
	if !strings.Contains(stderr, "process.exit called with") {
		return nil
	}
	where, _ := FrameOf(stderr, r)
	return []gate.Finding{where.Finding(RuleTest, "process.exit was called before all tests had ended")}
}
