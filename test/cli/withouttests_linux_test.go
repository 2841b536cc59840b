package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A user who says that a change needs no tests is asked once, and is not held to make other tests pass.
func TestBlocked_TheUserGoesOnWithoutTests(t *testing.T) {
	t.Parallel()
	const asks = `
- match: {node: executor, contains: [You write tests for a change]}
  reply: {json: {explanation: "", files: [], patch: "", blocked: "No test can show what a greeting says."}}`
	const done = `
- match: {node: executor, contains: [You write tests for a change, "The user says: no tests, please"]}
  reply: {json: {explanation: None., files: [], patch: "", blocked: "", done: true}}`
	greets := written("It has no tests of its own", "two.go", "write", "package sum\n\n// Two is 2.\nfunc Two() int { return 1 + 1 }\n")
	for name, c := range map[string]struct{ script, types string }{
		"by a choice":        {asks + greets, "3"},
		"in their own words": {asks + done + greets, "no tests, please"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, decideExecutor+c.script+reviewPass, twoModule())
			p := w.sit("run", "--trust", "greet otherwise")
			p.sees("The model cannot continue: No test can show what a greeting says.")
			p.sees("3) Go on without new tests")
			p.types(c.types)
			p.sees("Apply this change to two.go?")
			p.types("1")
			code, screen := p.leaves()
			require.Zero(t, code, screen)
			w.played()
		})
	}
}
