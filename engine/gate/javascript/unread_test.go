package javascript

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

// What runs tests and cannot be read is named; the words of options, and programs that run no tests, are not.
func TestUnread(t *testing.T) {
	t.Parallel()
	for script, want := range map[string][]string{
		"jest":                            nil,
		"npx mocha --reporter tap":        nil,
		"node --test --test-reporter tap": nil,
		"c8 -r lab vitest":                nil,
		"bun run build && jest":           nil,
		"eslint . && jest":                nil,
		"cat list | sort":                 nil,
		"ava":                             {"ava"},
		"nyc ava --serial && jest":        {"ava"},
		"npm run unit && npm run more":    {"jasmine", "tap"},
		"node node_modules/.bin/uvu test": {"uvu"},
		"bun test":                        {"bun"},
		"react-scripts test":              {"react-scripts"},
		"react-scripts build":             nil,
		"jest && tape x.js | tap-spec":    {"tape"},
		"jest && mocha | tap-spec":        {"mocha"},
		"npm test && ava":                 {"ava"},
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			m := manifest{Scripts: texts{"test": script, "unit": "tap", "more": "NODE_ENV=test jasmine"}}
			require.Equal(t, want, (&project{manifest: m}).unread())
		})
	}
}

// Tests that hold prove nothing of those that another program would run; tests that fail have failed.
func TestARunnerBesideOneThatIsNotKnown(t *testing.T) {
	t.Parallel()
	tree := write(t, map[string]string{"package.json": `{"scripts": {"test": "jest && ava"}}`, "bin:jest": "", "a.test.js": ""})
	report := gateNamed(t, canned{result: sandbox.Result{Stdout: []byte(passing)}}, nameTest).Run(t.Context(), tree)
	require.Equal(t, gate.NotRun, report.Verdict)
	require.False(t, report.Empty)
	require.Zero(t, report.Executed)
	require.Contains(t, report.Summary, "1 test passed in 1 file")
	require.Contains(t, report.Summary, "ava")
	report = gateNamed(t, canned{}, nameTest).Run(t.Context(), tree)
	require.Equal(t, gate.Fail, report.Verdict)
}

// A project that is tested by one program is not tested by another one that it merely depends on.
func TestADependencyIsNoTestScript(t *testing.T) {
	t.Parallel()
	tree := write(t, map[string]string{"package.json": `{"scripts": {"test": "ava"}, "devDependencies": {"mocha": "11"}}`, "bin:mocha": ""})
	report := gateNamed(t, canned{result: sandbox.Result{Stdout: []byte(passing)}}, nameTest).Run(t.Context(), tree)
	require.Equal(t, gate.NotRun, report.Verdict)
	require.Contains(t, report.Summary, `"ava"`)
}
