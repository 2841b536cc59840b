package testrun

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"forge/engine/gate/tool"
)

// told lists tests as "state name", in order, and findings without a test as their rule.
func told(s Results) (all []string) {
	names := map[state]string{passed: "pass", failed: "fail", Skipped: "skip", Unfinished: "cut"}
	for _, o := range s.Tests {
		all = append(all, names[o.State]+" "+o.Name())
	}
	for _, f := range s.Beside {
		all = append(all, f.Rule+" "+f.Path)
	}
	return all
}

const (
	tapOutput = "TAP version 14\n1..2\n# Subtest: t/one.js\n    # Subtest: adds\n        ok 1 - should be equal\n        # Subtest: inner\n            not ok 1 - same\n" +
		"              ---\n              at:\n                fileName: t/one.js\n                lineNumber: 2\n                columnNumber: 57\n" +
		"              stack: |\n                Test.<anonymous> (t/one.js:2:57)\n              ...\n            1..1\n        not ok 2 - inner # time=74.097ms\n        1..2\n" +
		"    not ok 1 - adds # time=117.056ms\n    # Subtest: fine\n        ok 1 - fine\n        1..1\n    ok 2 - fine # time=0.5ms\n    ok 3 - later # SKIP\n    ok 4 - top level\n    1..4\n" +
		"not ok 1 - t/one.js # time=182.034ms\nok 2 - t/two.js # time=3ms\n"
	tapeOutput = "TAP version 13\n# adds\nok 1 should be strictly equal\nnot ok 2 same\n  ---\n    at: Test.<anonymous> (/tree/e/one.js:2:35)\n    stack: |-\n      Error: same\n" +
		"          at Test.<anonymous> (/tree/e/one.js:2:35)\n  ...\n# fine\nok 3 fine\n# SKIP later\n# todo\nnot ok 4 x # TODO\n\n1..4\n# tests 4\n# pass  3\n# fail  1\n"
	avaOutput = "TAP version 13\nok 1 - one › later # SKIP\nnot ok 2 - one › some day # TODO\nok 3 - one › adds\nnot ok 4 - one › fails\n  ---\n    name: AssertionError\n" +
		"    at: >-\n      fn\n      (file:///tree/test/one.test.mjs:9:16)\n  ...\nok 5 - sub › two › nested › odd\nnot ok 6 - file:///tree/test/three.test.mjs:2\n  ---\n" +
		"    name: SyntaxError\n    message: The requested module does not provide an export named nope\n  ...\nnot ok 7 - test/three.test.mjs exited with a non-zero exit code: 1\nnot ok 8 - No tests found in test/four.test.mjs\n\n1..5\n"
	uvuOutput = "un.mjs\n math  • ✘   (1 / 2)\n\n   FAIL  math  \"bad\"\n    Expected values to be strictly equal:  (is)\n\n other  •   (1 / 1)\n\nsub/deux.mjs\n•   (1 / 1)\n\n  Total:     4\n  Passed:    3\n  Skipped:   1\n  Duration:  2.27ms\n"
)

func TestParse_ReadsHumanReadableOutput(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	for _, file := range []string{"test/one.test.mjs", "test/sub/two.test.mjs", "test/three.test.mjs", "test/helper.mjs", "tests/un.mjs", "tests/sub/deux.mjs"} {
		files[file] = &fstest.MapFile{}
	}
	sources := tool.SourcesIn(files)
	r := tool.RootAt("/tree")
	for name, c := range map[string]struct {
		parse  func(ran Ran, stdout, stderr string, r tool.Root) Results
		stdout string
		want   []string
	}{
		"tap": {ParseTap, tapOutput, []string{
			"fail t/one.js > one.js", "fail t/one.js > adds", "fail t/one.js > adds > inner", "pass t/one.js > fine", "pass t/two.js > two.js",
		}},
		"tape": {ParseTape, tapeOutput, []string{"fail ? > adds", "pass ? > fine", "skip ? > todo"}},
		"ava": {ParseAva, avaOutput, []string{
			"skip test/one.test.mjs > later", "skip test/one.test.mjs > some day", "pass test/one.test.mjs > adds", "fail test/one.test.mjs > fails",
			"pass test/sub/two.test.mjs > nested › odd", "load test/three.test.mjs",
		}},
		"uvu": {ParseUvu, uvuOutput, []string{
			"fail tests/un.mjs > un.mjs", "pass tests/un.mjs > un.mjs #2", "fail tests/un.mjs > un.mjs #3", "pass tests/sub/deux.mjs > deux.mjs",
		}},
	} {
		said := c.parse(Ran{Sources: sources}, c.stdout, "", r)
		require.True(t, said.Ended, name)
		require.Equal(t, c.want, told(said), name)
		for cut := range len(c.stdout) - 20 { // before the last word nothing is at its end
			if said := c.parse(Ran{Sources: sources}, c.stdout[:cut], "", r); said.Ended && name != "tap" {
				require.GreaterOrEqual(t, cut, strings.LastIndex(c.stdout, "1.."), name)
			}
		}
	}
	said := ParseTap(Ran{Sources: sources}, tapOutput, "", r)
	require.Equal(t, "t/one.js:2: t/one.js > adds > inner: same", tool.FirstLine(said.findings(r)[0].String()))
	said = ParseTape(Ran{Sources: sources}, "TAP version 13\n# a\nok 1 x\n# b\n", "/tree/lib.js:1\nTypeError: no\n    at f (/tree/lib.js:1:2)\n", r)
	require.True(t, said.Ended)
	require.Equal(t, []string{"pass ? > a", "fail ? > b"}, told(said), "an exception in a test of tape ends all")
}

// A name of a test is the same whatever else is in the files.
// A slow machine ends a file before it is done; the next run of the same tests must find the same names.
func TestParseTap_NamesATestThatTookTooLongByItsTitle(t *testing.T) {
	t.Parallel()
	const cut = "TAP version 13\n# Subtest: test/neq.js\n    # Subtest: neq \\# tests\n        # Subtest: 1 and 2\n            ok 1 - differ\n            1..1\n" +
		"        ok 1 - 1 and 2\n        \n        not ok 2 - timeout!\n          ---\n          expired: test/neq.js\n          ...\n        1..2\n        # failed 1 of 2 tests\n" +
		"    not ok 1 - timeout!\n    \n    1..1\n    # failed 1 test\nnot ok 1 - test/neq.js # time=2018.915ms\n\n1..1\n# failed 1 test\n"
	results := ParseTap(Ran{Sources: tool.SourcesIn(fstest.MapFS{})}, cut, "", tool.RootAt("/tree"))
	require.Equal(t, []string{"fail test/neq.js > neq.js", "fail test/neq.js > neq # tests", "pass test/neq.js > neq # tests > 1 and 2"}, told(results))
}

func TestParseAva_NamesTestsConsistently(t *testing.T) {
	t.Parallel()
	one := &fstest.MapFile{Data: []byte("import test from 'ava';")}
	files := fstest.MapFS{"test/one.js": one, "test/helper.js": {}}
	alone := ParseAva(Ran{Sources: tool.SourcesIn(files)}, "TAP version 13\nok 1 - adds\n1..1\n", "", tool.RootAt("/tree"))
	files["test/two.js"] = one
	beside := ParseAva(Ran{Sources: tool.SourcesIn(files)}, "TAP version 13\nok 1 - one › adds\nok 2 - two › adds\n1..2\n", "", tool.RootAt("/tree"))
	require.Equal(t, []string{"test/one.js > adds"}, alone.held())
	require.Equal(t, []string{"test/one.js > adds", "test/two.js > adds"}, beside.held())
}
