package testrun

import (
	"encoding/base64"
	"encoding/json"
	"path"
	"strings"

	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// reporter is a reporter for node --test that prints each event as a line of JSON: unlike "tap" and "junit" it reports the place
// of every test, and the tests that did not run. It is short because it is an argument, as a data URL; a file in the tree would
// disturb the project. The last line reports the end of the events, and signs all before it with the key on stdin (seal.go).
const reporter = `import{createHmac as h}from"node:crypto";import{readFileSync as f}from"node:fs";const m=h("sha256",f(0));` +
	`export default async function*(s){for await(const{type:t,data:d={}}of s){` +
	`if(!/^test:(enqueue|start|complete|pass|fail|stderr|diagnostic)$/.test(t)||!d.file&&t!="test:diagnostic")continue;const e=d.details?.error;` +
	`const l=JSON.stringify({t:t.slice(5),n:d.name,d:d.nesting,f:d.file,l:d.line,c:d.column,s:d.skip,o:d.todo,k:d.details?.type,r:e?.failureType,` +
	`e:e&&String(e.cause?.stack??e.cause?.message??(typeof e.cause=="string"?e.cause:e.message)).slice(0,4e3),m:d.message})+"\n";m.update(l);yield l}yield'{"t":"end","m":"'+m.digest("hex")+'"}\n'}`

// ReporterURL returns the reporter for node --test, as the address of a module.
func ReporterURL() string {
	return "data:text/javascript;base64," + base64.StdEncoding.EncodeToString([]byte(reporter))
}

// nodeEvent is a line of the reporter. https://nodejs.org/api/test.html#class-testsstream
type nodeEvent struct {
	Type    string `json:"t"`
	Name    string `json:"n"`
	Depth   int    `json:"d"`
	File    string `json:"f"`
	Line    int    `json:"l"`
	Column  int    `json:"c"`
	Skip    any    `json:"s"` // true, or the reason
	Todo    any    `json:"o"`
	Kind    string `json:"k"` // "suite" or "test"
	Reason  string `json:"r"`
	Error   string `json:"e"`
	Message string `json:"m"`
}

// nodeFile collects the events of one file, which runs in its own process.
type nodeFile struct {
	path    string
	open    []Place   // places of the tests that have not ended
	names   []string  // names of these
	titles  []string  // titles of the suites that are being reported
	results []outcome // in the order of their report
	stderr  strings.Builder
	notes   strings.Builder
	failure *nodeEvent // the process failed
	ended   bool       // the process ended normally
}

// nodeRun is one run of node --test.
type nodeRun struct {
	files []*nodeFile
	byRel map[string]*nodeFile
	ended bool
	notes strings.Builder // diagnostics without a file
	root  tool.Root
}

// ParseNode parses the output of the reporter. speaks reports whether the text of a file uses node:test.
func ParseNode(stdout string, r tool.Root, speaks func(file string) bool) Results {
	run := nodeRun{byRel: map[string]*nodeFile{}, root: r}
	for line := range strings.Lines(stdout) {
		var e nodeEvent
		if json.Unmarshal([]byte(line), &e) == nil {
			run.take(e)
		}
	}
	s := Results{Ended: run.ended}
	for _, f := range run.files {
		f.conclude(&s, r, speaks, run.notes.String())
	}
	return s
}

func (n *nodeRun) take(e nodeEvent) {
	if e.Type == "end" {
		n.ended = true
		return
	}
	if e.Type == "diagnostic" && e.File == "" && !counted.MatchString(e.Message) {
		n.notes.WriteString(e.Message + "\n")
	}
	f := n.file(e.File)
	if f == nil {
		return
	}
	if e.Depth == 0 && (e.Name == e.File || path.Clean(e.Name) == f.path) && e.Type != "stderr" && e.Type != "diagnostic" {
		f.process(e)
		return
	}
	f.take(e)
}

// counted matches the diagnostics at the end of each run.
var counted = lazyregexp.New(`^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$`)

// file returns the file of an event.
func (n *nodeRun) file(name string) *nodeFile {
	rel, ok := Local(name, n.root)
	if !ok {
		return nil
	}
	f := n.byRel[rel]
	if f == nil {
		f = &nodeFile{path: rel}
		n.byRel[rel], n.files = f, append(n.files, f)
	}
	return f
}

// process handles an event of the file itself, which the runner reports as a test.
func (f *nodeFile) process(e nodeEvent) {
	switch {
	case e.Type == "fail" || e.Type == "complete" && e.Error != "":
		if e.Reason != "subtestsFailed" {
			f.failure = &e
		}
	case e.Type == "pass" || e.Type == "complete":
		f.ended = true
	}
}

// maxTitles limits the nesting of tests.
const maxTitles = 100

func (f *nodeFile) take(e nodeEvent) {
	where := Place{f.path, max(0, e.Line), max(0, e.Column)}
	switch e.Type {
	case "enqueue":
		f.open, f.names = append(f.open, where), append(f.names, e.Name)
	case "complete":
		f.close(where, e.Name)
	case "start":
		if e.Depth >= 0 && e.Depth < maxTitles {
			f.titles = append(f.titles[:min(e.Depth, len(f.titles))], e.Name)
		}
	case "pass", "fail":
		f.close(where, e.Name)
		if e.Kind == "suite" && (e.Type == "pass" || e.Reason == "subtestsFailed") {
			return
		}
		depth := min(max(0, e.Depth), len(f.titles))
		titles := append(append([]string{}, f.titles[:depth]...), e.Name)
		f.results = append(f.results, outcome{
			file: f.path, titles: titles, Place: where, State: nodeState(e), said: e.Error, parent: e.Reason == "subtestsFailed", called: e.Reason == "cancelledByParent",
		})
	case "stderr":
		f.stderr.WriteString(e.Message)
	case "diagnostic":
		f.notes.WriteString(e.Message + "\n")
	}
}

// nodeState returns the result of a test; a planned test may fail.
func nodeState(e nodeEvent) state {
	switch {
	case isSet(e.Skip) || isSet(e.Todo):
		return Skipped
	case e.Type == "pass":
		return passed
	default:
		return failed
	}
}

func isSet(v any) bool { return v != nil && v != false }

// close removes an ended test from the open ones.
func (f *nodeFile) close(where Place, name string) {
	for i := range f.open {
		if f.open[i] == where && f.names[i] == name {
			f.open, f.names = append(f.open[:i], f.open[i+1:]...), append(f.names[:i], f.names[i+1:]...)
			return
		}
	}
}

// conclude adds the result of the file. A file that ended normally without a test either has none, such as shared code of
// tests, or was ended before its tests: the latter if it uses the runner, or has the name of a test file.
func (f *nodeFile) conclude(s *Results, r tool.Root, speaks func(string) bool, notes string) {
	s.Tests = append(s.Tests, f.results...)
	if len(f.results) > 0 {
		s.files++
	}
	for i, where := range f.open {
		s.Tests = append(s.Tests, outcome{file: f.path, titles: []string{f.names[i]}, Place: where, State: Unfinished})
	}
	bad := len(f.open) > 0
	for _, o := range f.results {
		bad = bad || o.State == failed
	}
	switch {
	case f.failure != nil && !bad:
		text := strings.TrimSpace(f.stderr.String() + "\n" + f.notes.String())
		if text == "" {
			text = strings.TrimSpace(f.failure.Error + "\n" + notes)
		}
		failure := loadFailure(f.path, text, r)
		if len(f.results) > 0 {
			failure.Rule = RuleTest // the file was loaded
		}
		s.Beside = append(s.Beside, failure)
	case f.failure == nil && f.ended && len(f.results) == 0 && !bad && (speaks(f.path) || isNamedTest(f.path)):
		s.silent = append(s.silent, f.path)
	}
}
