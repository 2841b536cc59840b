package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The next run starts with the measurements of an accepted change: nothing is measured twice. TestBaseline_IsMeasuredOnceInTheSameState
// shows that a file which is written meanwhile makes another state.
func TestBaseline_NextRunReusesMeasurements(t *testing.T) {
	t.Parallel()
	const double = decideExecutor + `
- match: {node: executor, contains: [You write tests]}
  reply: {json: {explanation: Twice., files: [{path: double_test.go, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc TestDouble(t *testing.T) {\n\tif Double(2) != 4 {\n\t\tt.Fatal(\"not twice\")\n\t}\n}\n"}]}}
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: Twice., files: [{path: double.go, action: create, content: "package sum\n\n// Double is twice a number.\nfunc Double(a int) int { return 2 * a }\n"}]}}
` + reviewPass
	files := sumModule()
	files["old_test.go"] = "package sum\n\nimport \"testing\"\n\nfunc TestOld(*testing.T) {}\n"
	w := scripted(t, decideExecutor+writeTests+writeRight+reviewPass+double, files)
	require.Equal(t, "pass: 1 test passed in 1 package", baselineOf(t, w))
	require.Regexp(t, `^pass: 2 tests passed in 1 package; as checked at \d\d:\d\d`, baselineOf(t, w))
	w.played()
	require.NotEmpty(t, w.read("double.go"), "it was judged by that")
}
