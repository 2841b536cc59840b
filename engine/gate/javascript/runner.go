package javascript

import (
	"slices"
	"strings"

	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/related"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
)

// runner is a program that runs tests.
type runner struct {
	program string
	// first stands before what the script says, last behind it: what makes the runner tell everything, once, in a form that can be
	// read.
	first, last []string
	// recent stands behind first where the runner is of a version that knows it: an older one would refuse to start.
	recent recent
	// recents are others of which the first that fits is taken.
	recents []recent
	// without are options of the script that would change what is told, watch files or write into the project; a "=" at the end
	// means that a value follows, be it as the next word.
	without []string
	words   []string // words of the script that are no files: "run" of "vitest run"
	// related is what stands in the place of first, and before the files, to run only tests that import some files; nil: it cannot.
	related *findRelated
	// byTitle is the option that a pattern of titles follows, byFile what files follow; nil: a runner cannot be given files beside the
	// project's own.
	byTitle string
	byFile  *[]string
	parse   func(stdout, stderr string, r tool.Root) testrun.Results
	// reads is what stands in the place of parse where files of the project tell more; nobody signs what such a runner says.
	reads func(ran testrun.Ran, stdout, stderr string, r tool.Root) testrun.Results
	// unexplained is whether a run in which nothing failed and that fails has failed outside of tests.
	unexplained bool
}

// findRelated is how a runner is told to run the tests that import some files, also through others.
type findRelated struct{ first, last []string }

// recent are options, and the major version from which on a runner knows them.
type recent struct {
	from    int
	options []string
}

// watching are options of all runners that keep them from ending.
var watching = []string{"--watch", "--watchAll", "-w", "--ui", "--inspect", "--inspect-brk", "--bail", "-b"}

// runners are those that Forge knows, in the order in which they are looked for.
var runners = []runner{
	{
		program: "vitest", first: []string{"run"}, last: []string{"--reporter=json", "--no-color", "--reporter=" + testrun.OurReporter},
		recent: recent{3, []string{"--includeTaskLocation"}},
		without: append([]string{
			"--reporter=", "--outputFile=", "--coverage", "--coverage.enabled", "-u", "--update", "--changed=", "--standalone", "--run", "--includeTaskLocation",
		}, watching...),
		words: []string{"run", "watch", "dev"}, parse: testrun.ParseJest, unexplained: true,
		related: &findRelated{first: []string{"related", "--run"}}, byTitle: "-t", byFile: &[]string{},
	},
	{
		program: "jest", last: []string{"--json", "--testLocationInResults", "--ci", "--no-color", "--reporters=" + testrun.OurReporter},
		without: append([]string{
			"--json", "--outputFile=", "--reporters=", "--coverage", "--collectCoverage", "-u", "--updateSnapshot", "-o", "--onlyChanged",
			"--changedSince=", "--lastCommit", "--notify", "--colors", "--color", "--ci", "--testLocationInResults",
		}, watching...),
		parse: testrun.ParseJest, related: &findRelated{last: []string{"--findRelatedTests"}}, byTitle: "-t", byFile: &[]string{"--runTestsByPath"},
	},
	{
		program: "mocha", last: []string{"--no-color", "--require=" + testrun.OurKeeper, "--reporter=" + testrun.OurReporter},
		without: append([]string{
			"--reporter=", "-R=", "--reporter-option=", "--reporter-options=", "-O=", "--color", "-c", "--colors", "--growl", "-G",
		}, watching...),
		parse: testrun.ParseMocha, byTitle: "--grep",
	},
	{
		program: "ava", last: []string{"--tap"}, without: append([]string{
			"--tap", "-t", "--verbose", "-v", "--fail-fast", "--update-snapshots", "-u", "--color", "--no-color", "--reset-cache",
		}, watching...),
		reads: testrun.ParseAva, byFile: &[]string{}, unexplained: true,
	},
	{
		program: "tap", first: []string{"--reporter=tap"}, recents: []recent{{18, []string{"--disable-coverage"}}, {0, []string{"--no-coverage"}}},
		without: append([]string{
			"--reporter=", "-R", "--coverage-report=", "--show-full-coverage", "--allow-incomplete-coverage", "--allow-empty-coverage", "--disable-coverage", "-c",
			"--color", "--no-color", "--coverage", "--no-coverage", "--cov", "--no-cov", "--check-coverage", "--no-check-coverage", "--100", "--snapshot",
		}, watching...),
		words: []string{"run", "test"}, reads: testrun.ParseTap, byFile: &[]string{}, unexplained: true,
	},
	{program: "tape", without: watching, reads: testrun.ParseTape, unexplained: true},
	{
		program: "uvu", without: append([]string{"--quiet", "-q", "--color", "-c"}, watching...),
		reads: testrun.ParseUvu, unexplained: true,
	},
}

// nodeWithout are the options of node --test that are left out.
var nodeWithout = append([]string{
	"--test", "--test-reporter=", "--test-reporter-destination=", "--experimental-test-coverage", "--test-coverage-branches=",
	"--test-coverage-functions=", "--test-coverage-lines=", "--test-coverage-include=", "--test-coverage-exclude=", "--test-update-snapshots",
}, watching...)

// keep gives the words that are none of the options.
func keep(words []npm.Word, without []string) (kept []npm.Word) {
	for i := 0; i < len(words); i++ {
		name, _, joined := strings.Cut(words[i].Text, "=")
		switch {
		case words[i].Text == "--":
			return append(kept, words[i:]...)
		case slices.Contains(without, name):
		case slices.Contains(without, name+"="):
			if !joined && i+1 < len(words) {
				i++
			}
		default:
			kept = append(kept, words[i])
		}
	}
	return kept
}

// arguments are what a runner of this kind and major version is started with.
func (r runner) arguments(c npm.Call, major int) []string {
	kept := keep(c.Args, r.without)
	if len(kept) > 0 && slices.Contains(r.words, kept[0].Text) {
		kept = kept[1:]
	}
	args := slices.Clone(r.first)
	if major >= r.recent.from {
		args = append(args, r.recent.options...)
	}
	if at := slices.IndexFunc(r.recents, func(o recent) bool { return major >= o.from }); at >= 0 {
		args = append(args, r.recents[at].options...)
	}
	rest := []string(nil)
	for i, w := range kept {
		if w.Text == "--" { // what comes behind it would not be an option any more
			rest = npm.TextsOf(kept[i:])
			break
		}
		args = append(args, w.Text)
	}
	return append(append(args, r.last...), rest...)
}

// nodeArguments are what node --test is started with, on some files or on those that the script names. The shell would have put the names of
// files in the place of patterns that are not quoted, and no Node.js before 21 does.
func nodeArguments(p *npm.Project, c npm.Call, files []string) []string {
	args := []string{"--require=" + testrun.OurKeeper, "--test", "--test-reporter=" + testrun.ReporterURL()}
	value := false
	for _, w := range keep(c.Args, nodeWithout) {
		isFile := !value && !strings.HasPrefix(w.Text, "-")
		value = slices.Contains(related.NodeValues, w.Text)
		switch {
		case isFile && files != nil:
		case isFile && !w.Quoted && strings.ContainsAny(w.Text, "*?["):
			args = append(args, p.Expanded(w.Text)...)
		default:
			args = append(args, w.Text)
		}
	}
	return append(args, files...)
}
