package permission

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/engine/mode"
)

var now = time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)

func usual() mode.Mode {
	m, _ := mode.Lookup("")
	return m
}

func starts(argv ...string) Action {
	return Action{Kind: Command, Tool: "run_command", Effect: Exec, Risk: mode.High, Agent: Build, Argv: argv, Call: digest(argv...), Folder: "/f"}
}

func TestPolicy_Decides(t *testing.T) {
	t.Parallel()
	plan, _ := mode.Lookup("plan")
	heavy, _ := mode.Lookup("heavy")
	fetch := Action{Kind: Web, Tool: "web.browse", Effect: Network, Risk: mode.High, Agent: Build, Call: "u"}
	edit := Action{Kind: Edit, Tool: "write_file", Effect: Write, Risk: mode.Medium, Agent: Build, Resources: []string{"a.go"}}
	look := Action{Kind: Look, Tool: "read_file", Effect: Read, Agent: Other}
	hook := edit
	hook.Resources = []string{".git/hooks/x"}
	again := look
	again.Repeats = 2
	for name, c := range map[string]struct {
		policy  Policy
		action  Action
		verdict Verdict
		layer   string
	}{
		"reading":                              {Policy{Mode: usual()}, look, Allow, "rules"},
		"editing the tree":                     {Policy{Mode: usual()}, edit, Allow, "rules"},
		"an edit in a mode that only answers":  {Policy{Mode: plan}, edit, Deny, "mode"},
		"an edit of a hook":                    {Policy{Mode: heavy, Flags: Flags{Skip: true}}, hook, Deny, "paths"},
		"a command":                            {Policy{Mode: usual()}, starts("make"), Ask, "mode"},
		"a command in a mode that uses it":     {Policy{Mode: heavy}, starts("make"), Allow, "rules"},
		"a command with its flag":              {Policy{Mode: usual(), Flags: Flags{Shell: true}}, starts("make"), Allow, "flags"},
		"a command with another flag":          {Policy{Mode: usual(), Flags: Flags{Network: true}}, starts("make"), Ask, "mode"},
		"a critical command with every flag":   {Policy{Mode: heavy, Flags: Flags{Shell: true, Skip: true}}, starts("rm", "-rf", "/"), Deny, "command"},
		"a command that the settings refuse":   {Policy{Mode: heavy, Settings: []Settings{func(Action) string { return "no" }}, Flags: Flags{Skip: true}}, starts("make"), Deny, "settings"},
		"strict, with every flag":              {Policy{Mode: heavy, Flags: Flags{Strict: true, Shell: true, Skip: true}}, starts("make"), AskStrict, "strict"},
		"the web":                              {Policy{Mode: usual()}, fetch, Ask, "mode"},
		"the web with its flag":                {Policy{Mode: usual(), Flags: Flags{Network: true}}, fetch, Allow, "flags"},
		"no one to ask":                        {Policy{Mode: usual(), Flags: Flags{NonInteractive: true}}, starts("make"), Deny, "non-interactive"},
		"no one to ask about a circle":         {Policy{Mode: usual(), Flags: Flags{NonInteractive: true, Skip: true}}, again, Deny, "non-interactive"},
		"a circle":                             {Policy{Mode: heavy, Flags: Flags{Skip: true}}, again, AskStrict, "repetition"},
		"a command of who only looks":          {Policy{Mode: heavy, Flags: Flags{Skip: true}}, Action{Kind: Command, Agent: Other, Argv: []string{"make"}}, Deny, "rules"},
		"an edit of who plans":                 {Policy{Mode: heavy}, Action{Kind: Edit, Effect: Write, Agent: Plan}, Deny, "rules"},
		"a tool of an MCP server":              {Policy{Mode: heavy}, Action{Kind: MCP, Effect: Network, Agent: Build}, Ask, "rules"},
		"a tool of an MCP server and its flag": {Policy{Mode: heavy, Flags: Flags{MCP: true}}, Action{Kind: MCP, Effect: Network, Agent: Build}, Allow, "flags"},
		"the zero action":                      {Policy{Mode: heavy, Flags: Flags{Skip: true}}, Action{}, Deny, "rules"},
		"what is critical by itself":           {Policy{Mode: heavy, Flags: Flags{Skip: true}}, Action{Kind: Check, Agent: Build, Risk: mode.Critical}, Deny, "risk"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := c.policy.Decide(c.action, Consent{Now: now})
			require.Equal(t, c.verdict.String(), d.Verdict.String(), d.Reason)
			require.Equal(t, c.layer, d.Layer)
			require.Equal(t, c.verdict == Allow && c.layer == "rules", d.Reason == "", "all else has a reason")
		})
	}
}

// A layer more never loosens, whatever it says, and a denial of any layer denies.
func TestDemand_LayersOnlyTighten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		verdicts := rapid.SliceOfN(rapid.IntRange(int(Deny), int(Allow)), 0, 8).Draw(t, "layers")
		var layers []Layer
		before := Allow
		for _, v := range verdicts {
			layers = append(layers, Layer{"x", func(Action) Finding { return Finding{Verdict: Verdict(v)} }})
			after := Demand(starts("make"), layers).Verdict
			if after > before || after > Verdict(v) {
				t.Fatalf("%v after %v, with a layer that demands %v", after, before, Verdict(v))
			}
			before = after
		}
	})
}

// A flag, a mode or an answer never allows what a policy without them denies.
func TestPolicy_NoConsentLiftsADenial(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := Action{
			Kind: rapid.SampledFrom([]Kind{Look, Edit, Check, Command, Web, MCP, ""}).Draw(t, "kind"), Agent: rapid.SampledFrom([]Agent{Build, Plan, Other, ""}).Draw(t, "agent"),
			Effect: Effect(rapid.IntRange(0, 4).Draw(t, "effect")), Risk: Risk(rapid.IntRange(0, 3).Draw(t, "risk")), Repeats: rapid.IntRange(0, 4).Draw(t, "repeats"),
			Argv: rapid.SampledFrom([][]string{nil, {"make"}, {"rm", "-rf", "/"}, {"sh", "-c", "git push"}}).Draw(t, "argv"), Resources: []string{rapid.SampledFrom([]string{"a", "../a", ".git/x"}).Draw(t, "path")},
		}
		m := rapid.SampledFrom(mode.Modes()).Draw(t, "mode")
		bare := Policy{Mode: m}.Decide(a, Consent{Now: now})
		answer := Approve(a.Digest(), rapid.SampledFrom(Scopes()).Draw(t, "scope"), "r", "q", now)
		consent := Consent{Standing: &Grant{Digest: a.Digest(), Scope: Project, Expires: now.Add(1)}, Answer: &answer, Now: now}
		flags := Flags{Shell: true, Network: true, MCP: true, Skip: true}
		if d := (Policy{Mode: m, Flags: flags}).Decide(a, consent); bare.Verdict == Deny && d.Verdict != Deny {
			t.Fatalf("%+v was denied by %s, and is %v by %s", a, bare.Layer, d.Verdict, d.Layer)
		}
		consent.Answer = nil
		if d := (Policy{Mode: m, Flags: flags}).Decide(a, consent); bare.Verdict == AskStrict && d.Verdict != AskStrict {
			t.Fatalf("only an answer to %+v may allow it, and %s did", a, d.Layer)
		}
		if d := (Policy{Mode: m, Flags: Flags{NonInteractive: true}}).Decide(a, Consent{Now: now}); d.Verdict == Ask || d.Verdict == AskStrict {
			t.Fatalf("%+v asks where no one is", a)
		}
	})
}
