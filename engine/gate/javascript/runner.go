package javascript

import (
	"slices"
	"strings"

	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// runner is a program that runs tests.
type runner struct {
	program string
	// first precedes the script's arguments, last follows them: they make the runner report everything, once, in a readable form, without coverage,
	// whose thresholds a part of the tests would miss.
	first, last []string
	// recent is inserted after first if the version of the runner supports it: older versions would reject it.
	recent recent
	// recents are alternatives, of which the first suitable one is used.
	recents []recent
	// without are options of the script that would change the output, watch files or write into the project; with "=" at the
	// end, the option has a value, possibly in the next word.
	without []string
	words   []string // words of the script that are not files: "run" of "vitest run"
	// related replaces first, and precedes the files, to run only tests that import some files; nil: unsupported.
	related *findRelated
	// byTitle is the option for a pattern of titles, byFile the one for files; nil: the runner accepts no files besides the
	// project's own.
	byTitle string
	byFile  *[]string
	parse   func(stdout, stderr string, r tool.Root) testrun.Results
	// reads replaces parse if files of the project contain more information; the output of such a runner is not signed.
	reads func(ran testrun.Ran, stdout, stderr string, r tool.Root) testrun.Results
	// unexplained means that a failing run without a failed test has failed outside of tests.
	unexplained bool
}

// findRelated are the arguments to run the tests that import some files, directly or indirectly.
type findRelated struct{ first, last []string }

// recent are options, and the first major version of a runner that supports them.
type recent struct {
	from    int
	options []string
}

// watching are options of runners that prevent them from ending, or end them at the first failure.
var watching = []string{"--watch", "--watchAll", "-w", "--ui", "--inspect", "--inspect-brk", "--bail", "-b"}

// runners are the known runners, in the order of the search.
var runners = []runner{
	{
		program: "vitest", first: []string{"run"}, last: []string{"--no-coverage", "--reporter=json", "--no-color", "--reporter=" + testrun.OurReporter},
		recent: recent{3, []string{"--includeTaskLocation"}},
		without: append([]string{
			"--reporter=", "--outputFile=", "--coverage", "--coverage.enabled", "-u", "--update", "--changed=", "--standalone", "--run", "--includeTaskLocation",
		}, watching...),
		words: []string{"run", "watch", "dev"}, parse: testrun.ParseJest, unexplained: true,
		related: &findRelated{first: []string{"related", "--run"}}, byTitle: "-t", byFile: &[]string{},
	},
	{
		program: jest, last: []string{"--coverage=false", "--json", "--testLocationInResults", "--ci", "--no-color", "--reporters=" + testrun.OurReporter},
		without: append([]string{
			"--json", "--outputFile=", "--reporters=", "--cacheDirectory=", "--coverage", "--collectCoverage", "-u", "--updateSnapshot", "-o", "--onlyChanged",
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

// nodeWithout are the options of node --test that are removed.
var nodeWithout = append([]string{
	"--test", "--test-reporter=", "--test-reporter-destination=", "--experimental-test-coverage", "--test-coverage-branches=",
	"--test-coverage-functions=", "--test-coverage-lines=", "--test-coverage-include=", "--test-coverage-exclude=", "--test-update-snapshots",
}, watching...)

// valueOfFlag matches words after an option that are its value, although it needs none: "--bail 1", "--watch false".
var valueOfFlag = lazyregexp.New(`^(?:\d+|true|false)$`)

// keep returns the words that are not among the options.
func keep(words []npm.Word, without []string) (kept []npm.Word) {
	for i := 0; i < len(words); i++ {
		name, _, joined := strings.Cut(words[i].Text, "=")
		follows := !joined && i+1 < len(words) && !strings.HasPrefix(words[i+1].Text, "-")
		switch {
		case words[i].Text == "--":
			return append(kept, words[i:]...)
		case slices.Contains(without, name):
			if follows && valueOfFlag.MatchString(words[i+1].Text) {
				i++
			}
		case slices.Contains(without, name+"="):
			if follows {
				i++
			}
		default:
			kept = append(kept, words[i])
		}
	}
	return kept
}

// arguments returns the arguments to start a runner of this kind and major version.
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
		if w.Text == "--" { // options after it would be files
			rest = npm.TextsOf(kept[i:])
			break
		}
		args = append(args, w.Text)
	}
	return append(append(args, r.last...), rest...)
}

// nodeArguments returns the arguments of node --test, for some files or for those of the script. Unquoted patterns are expanded as
// by the shell, because Node.js before 21 does not expand them.
func nodeArguments(p *npm.Project, c npm.Call, files []string) []string {
	args := []string{"--require=" + testrun.OurKeeper, "--test", "--test-reporter=" + testrun.ReporterURL()}
	value := false
	for _, w := range keep(c.Args, nodeWithout) {
		isFile := !value && !strings.HasPrefix(w.Text, "-")
		value = slices.Contains(npm.NodeValues, w.Text)
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
