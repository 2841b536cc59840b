package permission

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/mode"
)

func rules(all ...Rule) Policy { return Policy{Mode: usual(), Rules: all} }

func runs(answer Answer, match string) Rule {
	return Rule{Tool: "run_command", Match: match, Answer: answer, Source: "here"}
}

func TestRule_DecidesAboutCommands(t *testing.T) {
	t.Parallel()
	heavy, _ := mode.Lookup("heavy")
	for name, c := range map[string]struct {
		policy  Policy
		argv    []string
		verdict Verdict
	}{
		"no rule":                                 {rules(), []string{"make"}, Ask},
		"allowed":                                 {rules(runs(AllowIt, "make")), []string{"make"}, Allow},
		"allowed, and more words":                 {rules(runs(AllowIt, "make")), []string{"make", "x"}, Ask},
		"allowed with any words":                  {rules(runs(AllowIt, "npm test **")), []string{"npm", "test", "--", "a"}, Allow},
		"a pattern within a word":                 {rules(runs(AllowIt, "npm run lint:*")), []string{"npm", "run", "lint:js"}, Allow},
		"quoted words":                            {rules(runs(AllowIt, `go test -run "A B"`)), []string{"go", "test", "-run", "A B"}, Allow},
		"a line is not matched as text":           {rules(runs(AllowIt, "npm test **")), []string{"npm", "test;", "x"}, Ask},
		"denied in every mode":                    {Policy{Mode: heavy, Flags: Flags{Shell: true, Skip: true}, Rules: []Rule{runs(DenyIt, "go generate")}}, []string{"go", "generate", "./..."}, Deny},
		"denied within a wrapper":                 {Policy{Mode: heavy, Rules: []Rule{runs(DenyIt, "go generate")}}, []string{"env", "A=1", "sh", "-c", "cd x && go generate"}, Deny},
		"denied behind options":                   {Policy{Mode: heavy, Rules: []Rule{runs(DenyIt, "git fetch")}}, []string{"/usr/bin/git", "--no-pager", "-C", "x", "fetch"}, Deny},
		"denied within a program nobody knows":    {Policy{Mode: heavy, Rules: []Rule{runs(DenyIt, "make install")}}, []string{"frobnicate", "make", "install"}, Deny},
		"another command":                         {Policy{Mode: heavy, Rules: []Rule{runs(DenyIt, "git fetch")}}, []string{"git", "log", "fetch"}, Allow},
		"deny beats allow":                        {rules(runs(AllowIt, "make **"), runs(DenyIt, "make x")), []string{"make", "x"}, Deny},
		"ask beats allow and flags":               {Policy{Mode: heavy, Flags: Flags{Shell: true}, Rules: []Rule{runs(AllowIt, "make **"), runs(AskIt, "make")}}, []string{"make"}, AskStrict},
		"allow does not cover what is critical":   {rules(runs(AllowIt, "git **"), runs(AllowIt, "")), []string{"git", "push"}, Deny},
		"but for exactly this line":               {rules(runs(AllowIt, "git push origin main")), []string{"git", "push", "origin", "main"}, Allow},
		"and no other one":                        {rules(runs(AllowIt, "git push origin main")), []string{"git", "push", "origin", "main", "--force"}, Deny},
		"a rule of another tool":                  {rules(Rule{Tool: "web.*", Answer: AllowIt}), []string{"make"}, Ask},
		"a rule of the kind":                      {rules(Rule{Tool: "command", Match: "make", Answer: AllowIt}), []string{"make"}, Allow},
		"a pattern that is no command":            {rules(runs(AllowIt, `make "`)), []string{"make", ""}, Ask},
		"allow does not cover --strict":           {Policy{Mode: usual(), Flags: Flags{Strict: true}, Rules: []Rule{runs(AllowIt, "make")}}, []string{"make"}, AskStrict},
		"a program that is not known":             {Policy{Mode: heavy}, []string{"frobnicate"}, Ask},
		"a program that is not known, but by you": {Policy{Mode: heavy, Rules: []Rule{runs(AllowIt, "frobnicate **")}}, []string{"frobnicate", "x"}, Allow},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := c.policy.Decide(starts(c.argv...), Consent{Now: now})
			require.Equal(t, c.verdict.String(), d.Verdict.String(), d.Reason)
		})
	}
}

func TestRule_DecidesAboutPathsAndAddresses(t *testing.T) {
	t.Parallel()
	page := Action{Kind: Web, Tool: "web.fetch", Effect: Network, Risk: mode.High, Agent: Build, Resources: []string{"https://docs.example.com/a/b"}}
	look := Action{Kind: Look, Tool: "read_file", Effect: Read, Agent: Build, Resources: []string{"private/a/b.txt"}}
	for name, c := range map[string]struct {
		rule    Rule
		action  Action
		verdict Verdict
	}{
		"an address below a pattern": {Rule{Tool: "web.*", Match: "https://docs.example.com/**", Answer: AllowIt}, page, Allow},
		"another address":            {Rule{Tool: "web.*", Match: "https://docs.example.com/*", Answer: AllowIt}, page, Ask},
		"a path":                     {Rule{Tool: "look", Match: "private/**", Answer: DenyIt}, look, Deny},
		"another path":               {Rule{Tool: "look", Match: "private/*.txt", Answer: DenyIt}, look, Allow},
		"a tool, whatever its call":  {Rule{Tool: "read_file", Answer: AskIt}, look, AskStrict},
	} {
		d := rules(c.rule).Decide(c.action, Consent{Now: now})
		require.Equal(t, c.verdict.String(), d.Verdict.String(), name)
	}
}
