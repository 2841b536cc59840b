package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The question about a plan shows all of it and names a file with it. The user changes that file and consents: it is carried out as it is then.
// The file that the run was started with may change meanwhile; the run says that it did.
func TestPlanOffered_IsChangedInItsFileBeforeConsent(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+subTested+`
- match: {node: executor, contains: [You implement a change, "Done when: Sub is documented by a sentence"]}
  reply: {json: {explanation: i, files: [{path: sub.go, action: create, content: "package sum\n\n// Sub subtracts.\nfunc Sub(a, b int) int { return a - b }\n"}]}}`+reviewPass, sumModule())
	given := filepath.Join(t.TempDir(), "plan.json")
	require.NoError(t, os.WriteFile(given, []byte(planOf(t, "Sub subtracts")), 0o600))
	p := w.sit("run", "--trust", "--plan-file", given)
	p.sees("Carry out this plan? 1 part in 1 tier")
	p.sees("| tier | part | what | files | waits for | risk |")
	p.sees("**sub**: func Sub(a, b int) int")
	p.sees("Done when: Sub is documented")
	p.sees("- Sub subtracts")
	p.sees("what is in it when you consent is carried out.")
	p.sees("> ")
	p.mu.Lock()
	named := regexp.MustCompile(`edit (\S+\.json) and save it`).FindStringSubmatch(p.seen.String())
	p.mu.Unlock()
	require.NotNil(t, named)
	text, err := os.ReadFile(named[1])
	require.NoError(t, err)
	var plan map[string]any
	require.NoError(t, json.Unmarshal(text, &plan))
	part, _ := plan["parts"].([]any)[0].(map[string]any)
	part["doneWhen"] = "Sub is documented by a sentence"
	edited, err := json.Marshal(plan)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(named[1], edited, 0o600))
	require.NoError(t, os.WriteFile(given, []byte("{"), 0o600))
	p.types("1")
	p.sees("the plan is as you changed it in its file")
	p.sees("Apply this change to 2 files?")
	p.sees("> ")
	p.types("1")
	code, screen := p.leaves()
	require.Zero(t, code, screen)
	require.Contains(t, screen, "plan.json was changed while the run was at work: the run carried out the plan as it was at the start")
	require.Contains(t, w.read("sub.go"), "Sub subtracts")
	w.played()
}
